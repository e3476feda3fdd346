//! Which colour a line has by what it is called: reads have one, writes another, and mixes of them others, whatever the
//! order of lines.
//!
//! Belongs here: names to classes of the style sheets. Must never: know a chart.

/// Colours beside those of reads and writes, and the classes of operations that have the same.
const OTHERS: [(&str, &str); 3] = [("k4", "all"), ("k2", "trim"), ("k3", "sync")];
/// How many colours there are.
const COLOURS: usize = 5;

/// The class of what is called so, where it has a colour of its own.
pub(super) fn own(name: &str) -> Option<&'static str> {
    match name {
        "read" | "reads" => Some("read"),
        "write" | "writes" => Some("write"),
        "trim" => Some("trim"),
        "total" => Some("all"),
        _ => None,
    }
}

/// Whether a name says which operations are done: `reads`, `70 % reads`.
pub(super) fn is_kind(name: &str) -> bool {
    own(name).is_some() || name.ends_with(" % reads")
}

/// The class of each of several names, which are different, or `kind, depth 64`. Where one of them is a kind of operations,
/// none but reads have the colour of reads, and none but writes that of writes.
pub(super) fn of_all(names: &[&str]) -> Vec<String> {
    let kind = |name: &str| {
        name.split(", ")
            .find(|part| is_kind(part))
            .map(str::to_owned)
    };
    let kinds: Vec<Option<String>> = names.iter().map(|name| kind(name)).collect();
    if kinds.iter().all(Option::is_none) {
        return (0..names.len())
            .map(|n| format!("k{}", n % COLOURS))
            .collect();
    }
    let owned: Vec<&str> = kinds
        .iter()
        .flatten()
        .filter_map(|kind| own(kind))
        .collect();
    let free = OTHERS.iter().filter(|other| !owned.contains(&other.1));
    let free: Vec<&str> = free.map(|other| other.0).collect();
    let mut others: Vec<&str> = Vec::new();
    let mut classes = Vec::new();
    for (name, kind) in names.iter().zip(&kinds) {
        let called = kind.as_deref().unwrap_or(name);
        if let Some(class) = own(called) {
            classes.push(class.to_owned());
            continue;
        }
        let known = others.iter().position(|other| *other == called);
        let place = known.unwrap_or(others.len());
        if known.is_none() {
            others.push(called);
        }
        let class = free.get(place % free.len().max(1));
        classes.push((*class.unwrap_or(&"k4")).to_owned());
    }
    classes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_writes_keep_their_colours_in_any_order() {
        assert_eq!(of_all(&["write", "read"]), ["write", "read"]);
        assert_eq!(
            of_all(&["writes", "70 % reads", "reads"]),
            ["write", "k4", "read"]
        );
        // A mix alone is not drawn as reads, nor are two of them.
        assert_eq!(of_all(&["70 % reads", "30 % reads"]), ["k4", "k2"]);
        // A total has the colour that a mix would have.
        assert_eq!(
            of_all(&["total", "30 % reads", "read"]),
            ["all", "k2", "read"]
        );
        let several = ["write, depth 1", "read, depth 1", "write, depth 64"];
        assert_eq!(of_all(&several), ["write", "read", "write"]);
    }

    #[test]
    fn what_is_no_operation_takes_turns() {
        assert_eq!(of_all(&["slow", "fast"]), ["k0", "k1"]);
        assert_eq!(of_all(&["1", "2", "3", "4", "5", "6"])[4..], ["k4", "k0"]);
    }
}
