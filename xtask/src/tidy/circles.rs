//! No circles inside a crate: neither between its files nor between its top-level modules. What two files need of each
//! other belongs in one below both.
//!
//! Belongs here: paths of the code (`crate::a::b`, `super::b`, `b::c` of a child), read as arrows from file to file. Must
//! never: resolve a name, but for those that a module passes on (`pub use`). A path leads to the deepest file that it names,
//! or to that of what it names there; arrows to the modules that a file is inside of do not count, since what is inside a
//! module may use what the module says of all of it.

use super::code::{is_word, line_at, only_code, product};
use super::files::is_test;
use super::unused::test_modules;
use super::{Fault, File};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A module that has a file, by the names from the root of its crate; the root has none.
type Module = Vec<String>;
/// From where each module passes on which names.
type Exports = BTreeMap<Module, BTreeMap<String, Module>>;
/// Where each arrow begins and ends, with its line in the file where it begins.
type Arrows = BTreeMap<Module, BTreeMap<Module, usize>>;

/// Finds circles in each crate of the tree.
pub(super) fn check(files: &[File], faults: &mut Vec<Fault>) {
    let tested = test_modules(files);
    let mut crates: BTreeMap<&str, Vec<&File>> = BTreeMap::new();
    for file in files.iter().filter(|file| file.path.ends_with(".rs")) {
        let is_tested = tested.iter().any(|start| file.path.starts_with(start));
        if let Some((name, _)) = file.path.split_once("/src/")
            && !is_test(&file.path)
            && !is_tested
        {
            crates.entry(name).or_default().push(file);
        }
    }
    for of_crate in crates.values() {
        let modules: BTreeMap<Module, &File> = of_crate
            .iter()
            .map(|file| (module(&file.path), *file))
            .collect();
        let arrows = arrows(&modules);
        let circle = circle(&arrows);
        report(&circle, &arrows, &modules, faults);
        if circle.is_empty() {
            top_level(&arrows, &modules, faults);
        }
    }
}

/// Reports a circle between files.
fn report(
    circle: &[Module],
    arrows: &Arrows,
    modules: &BTreeMap<Module, &File>,
    faults: &mut Vec<Fault>,
) {
    let Some(first) = circle.first() else { return };
    let paths: Vec<&str> = circle
        .iter()
        .chain([first])
        .map(|m| &*modules[m].path)
        .collect();
    let line = arrows[first][&circle[1]];
    let message = format!(
        "files in a circle: {}; move what they share to one below both",
        paths.join(" -> ")
    );
    faults.push(Fault::new(paths[0], line, message));
}

/// Reports a circle between top-level modules, with an arrow for each step.
fn top_level(arrows: &Arrows, modules: &BTreeMap<Module, &File>, faults: &mut Vec<Fault>) {
    let mut steps = BTreeMap::new();
    let mut above = Arrows::new();
    for (from, to, line) in arrows.iter().flat_map(|(from, to)| {
        let lines = to.iter();
        lines.map(move |(to, line)| (from, to, *line))
    }) {
        let ([a, ..], [b, ..]) = (from.as_slice(), to.as_slice()) else {
            continue;
        };
        if a != b {
            steps.entry((a, b)).or_insert((&*modules[from].path, line));
            let of_a = above.entry(vec![a.clone()]).or_default();
            of_a.insert(vec![b.clone()], line);
        }
    }
    let circle = circle(&above);
    let Some(first) = circle.first() else { return };
    let names: Vec<&String> = circle.iter().chain([first]).map(|m| &m[0]).collect();
    let places: Vec<String> = names
        .windows(2)
        .map(|pair| steps[&(pair[0], pair[1])])
        .map(|(path, line)| format!("{path}:{line}"))
        .collect();
    let (path, line) = steps[&(names[0], names[1])];
    let message = format!(
        "modules in a circle: {} (at {}); move what they share to one below both",
        names
            .iter()
            .map(|n| n.as_str())
            .collect::<Vec<_>>()
            .join(" -> "),
        places.join(", ")
    );
    faults.push(Fault::new(path, line, message));
}

/// The module that a file is.
fn module(path: &str) -> Module {
    let inside = path.split_once("/src/").map_or(path, |(_, inside)| inside);
    let mut names: Module = inside
        .trim_end_matches(".rs")
        .split('/')
        .map(str::to_owned)
        .collect();
    let is_folders = |name: &String| ["mod", "lib", "main"].contains(&name.as_str());
    if names.last().is_some_and(is_folders) {
        names.pop();
    }
    names
}

/// All arrows of a crate.
fn arrows(modules: &BTreeMap<Module, &File>) -> Arrows {
    let mut arrows = Arrows::new();
    let mut exports = Exports::new();
    let mut found = Vec::new();
    for (from, file) in modules {
        let Some(text) = &file.text else { continue };
        let code = only_code(product(text));
        let own = |name: &str| {
            let child: Module = from.iter().cloned().chain([name.to_owned()]).collect();
            modules.contains_key(&child)
        };
        for (at, path) in paths(&code, own) {
            let (to, _) = target(from, &path, modules);
            if let Some(name) = path.last().filter(|_| is_passed_on(&code[..at])) {
                let of_file = exports.entry(from.clone()).or_default();
                of_file.insert(name.clone(), to);
            }
            found.push((from, line_at(&code, at), path));
        }
    }
    for (from, line, path) in found {
        let to = origin(target(from, &path, modules), &exports);
        // A module may be used by what is inside of it.
        if !from.starts_with(&to) {
            let of_file = arrows.entry(from.clone()).or_default();
            of_file.entry(to).or_insert(line);
        }
    }
    arrows
}

/// Whether a path after this code is one of a `pub use`.
fn is_passed_on(before: &str) -> bool {
    let before = before.trim_end().strip_suffix("use").map(str::trim_end);
    before.is_some_and(|before| before.ends_with("pub") || before.ends_with(')'))
}

/// The module that a name is from which another passes on, and perhaps others between them.
fn origin((mut to, name): (Module, Option<&String>), exports: &Exports) -> Module {
    /// More steps are a circle of names.
    const MOST: usize = 8;
    for _ in 0..MOST {
        let from = name.and_then(|name| exports.get(&to)?.get(name));
        match from {
            Some(from) if *from != to => to.clone_from(from),
            _ => break,
        }
    }
    to
}

/// The deepest module with a file that a path of the module `from` names, and the name that follows.
fn target<'p>(
    from: &[String],
    path: &'p [String],
    modules: &BTreeMap<Module, &File>,
) -> (Module, Option<&'p String>) {
    let mut to = from.to_vec();
    for word in path {
        match word.as_str() {
            "crate" => to.clear(),
            "self" => {}
            "super" => drop(to.pop()),
            name => {
                to.push(name.to_owned());
                if !modules.contains_key(&to) {
                    to.pop();
                    return (to, Some(word));
                }
            }
        }
    }
    (to, None)
}

/// The paths in code that begin in its crate, each with its place; `own` says which names are modules of the file.
fn paths(code: &str, own: impl Fn(&str) -> bool) -> Vec<(usize, Vec<String>)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = code[at..].find(is_word).map(|start| at + start) {
        let end = code[start..]
            .find(|c| !is_word(c))
            .map_or(code.len(), |end| start + end);
        let (before, word) = (code[..start].trim_end(), &code[start..end]);
        at = end;
        let continues = before.ends_with("::") || before.ends_with('.');
        let leads_on = code[end..].trim_start().starts_with("::");
        let is_used = before.ends_with("use") && code[end..].trim_start().starts_with(';');
        let begins = ["crate", "self", "super"].contains(&word) || own(word);
        if begins && !continues && (leads_on || is_used) {
            let mut ways = Vec::new();
            let length = tree(&code[start..], &[], &mut ways);
            found.extend(ways.into_iter().map(|way| (start, way)));
            at = (start + length).max(end);
        }
    }
    found
}

/// Reads a path, or a tree of paths in braces, at the start of `code`; its length.
fn tree(code: &str, above: &[String], ways: &mut Vec<Vec<String>>) -> usize {
    let mut way = above.to_vec();
    let mut at = 0;
    loop {
        at += code[at..].len() - code[at..].trim_start().len();
        let rest = &code[at..];
        if rest.starts_with('{') {
            at += 1;
            loop {
                at += code[at..]
                    .find(|c: char| !c.is_whitespace() && c != ',')
                    .unwrap_or(0);
                let rest = &code[at..];
                if rest.is_empty() || rest.starts_with('}') {
                    return at + usize::from(!rest.is_empty());
                }
                // What follows a path inside of braces (`as other`, `*`) is no path.
                at += tree(rest, &way, ways).max(1);
                at += code[at..].find([',', '}']).unwrap_or(0);
            }
        }
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        if end == 0 {
            break;
        }
        way.push(rest[..end].to_owned());
        at += end;
        let after = code[at..].trim_start();
        if !after.starts_with("::") {
            break;
        }
        at = code.len() - after.len() + 2;
    }
    ways.push(way);
    at
}

/// A shortest circle of arrows, from the first module that is in one; empty if there is none.
fn circle(arrows: &Arrows) -> Vec<Module> {
    let mut shortest: Vec<Module> = Vec::new();
    for start in arrows.keys() {
        let found = way_back(arrows, start);
        if !found.is_empty() && (shortest.is_empty() || found.len() < shortest.len()) {
            shortest = found;
        }
    }
    shortest
}

/// A shortest way from a module back to it; empty if there is none.
fn way_back(arrows: &Arrows, start: &Module) -> Vec<Module> {
    let mut seen = BTreeSet::from([start]);
    let mut next = VecDeque::from([vec![start]]);
    while let Some(way) = next.pop_front() {
        let Some(to) = way.last().and_then(|last| arrows.get(*last)) else {
            continue;
        };
        if to.contains_key(start) {
            return way.into_iter().cloned().collect();
        }
        for step in to.keys().filter(|step| seen.insert(step)) {
            let mut longer = way.clone();
            longer.push(step);
            next.push_back(longer);
        }
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<File> = files
            .iter()
            .map(|(path, text)| File {
                path: format!("crates/x/src/{path}"),
                len: 0,
                text: Some((*text).to_owned()),
            })
            .collect();
        let mut faults = Vec::new();
        check(&files, &mut faults);
        faults.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn files_in_a_circle_are_refused_however_they_name_each_other() {
        for (a, b) in [
            ("use crate::b::One;\n", "use crate::a::Two;\n"),
            ("use super::b::One;\n", "fn f() { crate::a::two() }\n"),
            ("use crate::b;\n", "use super::{c, a::{self, Two}};\n"),
            ("use crate::{c, b as d};\n", "fn f(_: super::a::Two) {}\n"),
        ] {
            let found = faults(&[
                ("lib.rs", "mod a;\nmod b;\nmod c;\n"),
                ("a.rs", a),
                ("b.rs", b),
                ("c.rs", ""),
            ]);
            let said = "crates/x/src/a.rs:1: files in a circle: crates/x/src/a.rs -> crates/x/src/b.rs -> \
                        crates/x/src/a.rs; move what they share to one below both";
            assert_eq!(found, [said], "{a} {b}");
        }
    }

    #[test]
    fn a_circle_through_names_that_a_module_passes_on_is_found() {
        for passed_on in [
            "pub use one::One;",
            "pub(crate) use self::one::{One, Other};",
        ] {
            let found = faults(&[
                ("a/mod.rs", &format!("mod one;\nmod two;\n{passed_on}\n")),
                ("a/one.rs", "use super::two::Two;\n"),
                ("a/two.rs", "use super::One;\n"),
            ]);
            assert_eq!(found.len(), 1, "{passed_on}: {found:?}");
        }
        let found = faults(&[
            ("a/mod.rs", "mod one;\nmod two;\nuse one::One;\n"),
            ("a/one.rs", "use super::two::Two;\n"),
            ("a/two.rs", "fn f() {}\n"),
        ]);
        assert_eq!(found, Vec::<String>::new());
    }

    #[test]
    fn a_circle_of_more_files_is_found_through_a_child() {
        let found = faults(&[
            ("a/mod.rs", "mod one;\nfn f() {\n    one::f();\n}\n"),
            ("a/one.rs", "\nuse crate::b::f;\n"),
            ("b.rs", "use crate::a::f;\n"),
        ]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(
            found[0].starts_with("crates/x/src/a/mod.rs:3: files in a circle"),
            "{found:?}"
        );
    }

    #[test]
    fn modules_in_a_circle_are_refused_with_the_places() {
        let found = faults(&[
            ("a/mod.rs", "mod one;\nmod two;\n"),
            ("a/one.rs", "use crate::b::three::f;\n"),
            ("a/two.rs", ""),
            ("b/mod.rs", "mod three;\nmod four;\n"),
            ("b/three.rs", ""),
            ("b/four.rs", "\nuse crate::a::two::f;\n"),
        ]);
        let said = "crates/x/src/a/one.rs:1: modules in a circle: a -> b -> a (at crates/x/src/a/one.rs:1, \
                    crates/x/src/b/four.rs:2); move what they share to one below both";
        assert_eq!(found, [said]);
    }

    #[test]
    fn what_is_inside_a_module_tests_and_words_make_no_circle() {
        let tests =
            "use crate::b::f;\n#[cfg(test)]\npub(crate) mod tests {\n    use crate::c::f;\n}\n";
        let found = faults(&[
            ("lib.rs", "mod a;\nmod b;\nmod c;\nuse a::f;\n"),
            (
                "a/mod.rs",
                "mod one;\n#[cfg(test)]\nmod made;\npub fn f() { one::f() }\n",
            ),
            ("a/one.rs", "use super::f;\nuse crate::g;\n"),
            ("a/made.rs", "use crate::c::f;\n"),
            ("a/tests.rs", "use crate::c::f;\n"),
            (
                "b.rs",
                "// use crate::c::f;\nfn f() { \"crate::c::f\"; x.c::<u8>(); leadline::c::f() }\n",
            ),
            ("c.rs", "use crate::a::f;\nuse crate::b::f;\n"),
            ("d.rs", tests),
        ]);
        assert_eq!(found, Vec::<String>::new());
    }
}
