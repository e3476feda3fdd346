//! Spec files: each heading is a case, with texts in, and what comes out of them. `UPDATE_SPEC=1`
//! writes what came out into the files; read the difference before you keep it.
#![expect(clippy::unwrap_used, reason = "a test says where it fails")]

use std::fmt::Write;

/// A fenced block: what follows the fence, and its lines.
pub struct Block {
    /// What follows the fence.
    pub kind: String,
    /// Its lines.
    pub text: String,
}

/// A heading and what stands below it.
pub struct Case {
    /// The heading.
    pub title: String,
    /// Lines outside of blocks, above them.
    prose: String,
    /// Its blocks in order.
    pub blocks: Vec<Block>,
}

fn cases(text: &str) -> (String, Vec<Case>) {
    let mut preamble = String::new();
    let mut cases: Vec<Case> = Vec::new();
    let mut open: Option<Block> = None;
    for line in text.lines() {
        if let Some(block) = &mut open {
            if line == "```" {
                cases.last_mut().unwrap().blocks.push(open.take().unwrap());
            } else {
                block.text.push_str(line);
                block.text.push('\n');
            }
        } else if let Some(title) = line.strip_prefix("## ") {
            cases.push(Case {
                title: title.to_owned(),
                prose: String::new(),
                blocks: Vec::new(),
            });
        } else if let Some(kind) = line.strip_prefix("```") {
            open = Some(Block {
                kind: kind.to_owned(),
                text: String::new(),
            });
        } else if let Some(case) = cases.last_mut() {
            case.prose.push_str(line);
            case.prose.push('\n');
        } else {
            preamble.push_str(line);
            preamble.push('\n');
        }
    }
    (preamble, cases)
}

/// Plan and diagnostics of a case as short text.
pub type Runner = fn(&Case) -> (String, String);

/// Compares all cases of the files in a folder of `tests/it` of the crate at `root`; how many there are.
pub fn check_all(root: &str, folder: &str, run: Runner) -> usize {
    let root = format!("{root}/tests/it");
    let path = format!("{root}/{folder}");
    let mut names: Vec<String> = std::fs::read_dir(path)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".md"))
        .collect();
    names.sort();
    names
        .iter()
        .map(|name| check(&root, &format!("{folder}/{name}"), run))
        .sum()
}

fn check(root: &str, name: &str, run: Runner) -> usize {
    let path = format!("{root}/{name}");
    let text = std::fs::read_to_string(&path).unwrap();
    let (preamble, cases) = cases(&text);
    let mut wrong = Vec::new();
    let mut updated = preamble;
    for case in &cases {
        let (plan, says) = run(case);
        let expected = |kind: &str| {
            let block = case.blocks.iter().find(|b| b.kind == kind);
            block.map_or("", |b| &b.text).to_owned()
        };
        for (kind, came) in [("plan", &plan), ("says", &says)] {
            if expected(kind) != *came {
                wrong.push(format!(
                    "{name}: {}: {kind}\n--- expected\n{}--- came\n{came}",
                    case.title,
                    expected(kind)
                ));
            }
        }
        let prose = case.prose.trim();
        let _ = write!(updated, "## {}\n\n", case.title);
        if !prose.is_empty() {
            let _ = write!(updated, "{prose}\n\n");
        }
        let given = case
            .blocks
            .iter()
            .filter(|b| b.kind != "plan" && b.kind != "says");
        for block in given {
            let _ = write!(updated, "```{}\n{}```\n", block.kind, block.text);
        }
        let _ = write!(updated, "```plan\n{plan}```\n");
        if !says.is_empty() {
            let _ = write!(updated, "```says\n{says}```\n");
        }
        updated.push('\n');
    }
    if std::env::var_os("UPDATE_SPEC").is_some() {
        std::fs::write(&path, updated.trim_end().to_owned() + "\n").unwrap();
    } else {
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
    cases.len()
}
