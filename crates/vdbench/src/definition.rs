//! An object of a parameter file as it was written: its keywords and values, its names.
//!
//! Belongs here: what any object has. Must never appear here: the text of files (see `parse`), what an object
//! means (see `objects`, `run`).

use crate::lex::Value;
use crate::table::{Keyword, KeywordSpec, Object, Typed, row};
use crate::value;
use leadline_dialect::diagnostic::Span;

/// Most objects that one `count=` or `clients=` makes.
pub(crate) const MOST: u64 = 10_000;

/// A keyword with its value.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) spec: &'static KeywordSpec,
    pub(crate) value: Value,
    /// The keyword itself.
    pub(crate) key: Span,
}

/// A lun and the hosts it is reached from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Path {
    pub(crate) lun: Option<Value>,
    pub(crate) hosts: Option<Value>,
}

/// An object as it was defined, its defaults in it.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    pub(crate) object: Object,
    pub(crate) name: String,
    pub(crate) at: Span,
    /// In order of their first appearance, loops in that of their last; none twice.
    pub(crate) entries: Vec<Entry>,
    /// Of storage: where it is, in the order given.
    pub(crate) paths: Vec<Path>,
    /// Of runs: a list of rates that was given before the one rate that is among the entries. Vdbench keeps its steps.
    pub(crate) list_before: Option<Value>,
}

/// Whether it is a list of several rates.
fn is_list(value: &Value) -> bool {
    matches!(value::rate(value), Ok(value::RateSpec::List(list)) if list.len() > 1)
}

impl Definition {
    pub(crate) fn new(object: Object, name: &str, at: Span) -> Self {
        Self {
            object,
            name: name.to_owned(),
            at,
            entries: Vec::new(),
            paths: Vec::new(),
            list_before: None,
        }
    }

    /// The entry that sets what this keyword sets.
    pub(crate) fn get(&self, keyword: &KeywordSpec) -> Option<&Entry> {
        self.entries.iter().find(|e| e.spec.sets_as(keyword))
    }

    /// The value that was given; nothing when it is missing or was found wrong.
    pub(crate) fn given<K: Typed>(&self, keyword: &Keyword<K>) -> Option<K::Value> {
        K::of(&self.get(keyword)?.value).ok()
    }

    /// The value that was given, or the default of the table.
    pub(crate) fn effective<K: Typed>(&self, keyword: &Keyword<K>) -> K::Value
    where
        K::Value: Default,
    {
        let given = self.given(keyword);
        given.or_else(|| keyword.default()).unwrap_or_default()
    }

    /// Where the value of an entry stands, or the definition's name.
    pub(crate) fn span(&self, keyword: &KeywordSpec) -> Span {
        self.get(keyword).map_or(self.at, |entry| entry.value.span)
    }

    pub(crate) fn set(&mut self, entry: Entry) {
        if entry.spec.is(&row::sd::LUN) || entry.spec.is(&row::sd::HOST) {
            return self.set_path(entry);
        }
        if entry.spec.is(&row::rd::IORATE) {
            let before = self.get(entry.spec).map(|old| old.value.clone());
            let before = before.filter(is_list).or(self.list_before.take());
            self.list_before = before.filter(|_| !is_list(&entry.value));
        }
        let old = self.entries.iter().position(|e| e.spec.sets_as(entry.spec));
        match old {
            // A loop that is given again is the innermost, as with Vdbench.
            Some(old) if entry.spec.varies.is_some() => {
                self.entries.remove(old);
                self.entries.push(entry);
            }
            Some(old) => self.entries[old] = entry,
            None => self.entries.push(entry),
        }
    }

    /// `lun=` and `host=` come in pairs, in either order.
    fn set_path(&mut self, entry: Entry) {
        let whole = |p: &Path| p.lun.is_some() && p.hosts.is_some();
        // A second path asks for hosts of the first.
        let is_lun = entry.spec.is(&row::sd::LUN);
        let second = |p: &Path| is_lun && p.lun.is_some();
        if self.paths.last().is_none_or(|p| whole(p) || second(p)) {
            self.paths.push(Path::default());
        }
        if let Some(last) = self.paths.last_mut() {
            if is_lun {
                last.lun = Some(entry.value);
            } else {
                last.hosts = Some(entry.value);
            }
        }
    }
}

/// All that files define.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) general: Definition,
    pub(crate) hosts: Vec<Definition>,
    pub(crate) storage: Vec<Definition>,
    pub(crate) workloads: Vec<Definition>,
    pub(crate) runs: Vec<Definition>,
    /// File systems and their workloads were defined.
    pub(crate) file_systems: bool,
}

/// The labels that a host definition makes.
pub(crate) fn labels(host: &Definition) -> Vec<String> {
    let numbered: Vec<String> = match host.given(&row::hd::COUNT) {
        Some((first, many)) => (first..first.saturating_add(many.min(MOST)))
            .map(|n| mask(&host.name, n))
            .collect(),
        None => vec![host.name.clone()],
    };
    let Some(clients) = host.given(&row::hd::CLIENTS) else {
        return numbered;
    };
    let pseudo = |label: &String| -> Vec<String> {
        (0..clients.min(MOST))
            .map(|n| format!("{label}_cl{n}"))
            .collect()
    };
    numbered.iter().flat_map(pseudo).collect()
}

/// `%d` or `%02d` in a text replaced by a number, or the number appended.
pub(crate) fn mask(text: &str, n: u64) -> String {
    let found = text.find('%').and_then(|at| {
        let (digits, after) = text[at + 1..].split_once('d')?;
        let width: usize = if digits.is_empty() {
            0
        } else {
            digits.parse().ok()?
        };
        (width <= 20).then_some((at, width, after))
    });
    match found {
        Some((at, width, after)) => format!("{}{n:0width$}{after}", &text[..at]),
        None => format!("{text}{n}"),
    }
}
