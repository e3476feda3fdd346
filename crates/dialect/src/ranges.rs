//! Ranges in names of hosts: `vm[1-24]`, `vm{1..24}`, `n[01-03,7]`.
//!
//! Belongs here: one name to many. Must never appear here: what a host is.

/// Most names of one list.
pub const MOST: usize = 10_000;

/// The items of a list; commas within brackets or braces are no ends. Each with its place in the text.
#[must_use]
pub fn items(list: &str) -> Vec<(usize, &str)> {
    let (mut items, mut start, mut depth) = (Vec::new(), 0, 0_u32);
    for (at, c) in list.char_indices() {
        match c {
            '[' | '{' => depth += 1,
            ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                items.push((start, &list[start..at]));
                start = at + 1;
            }
            _ => {}
        }
    }
    items.push((start, &list[start..]));
    items
}

/// The names that a name with ranges stands for; of several ranges every combination, the last one changing first. A name
/// without a range is itself, and so is one whose brackets hold something else (an address).
///
/// # Errors
/// In words, where a range goes down, has nothing in it or no end, or the names are more than [`MOST`].
pub fn names(name: &str) -> Result<Vec<String>, String> {
    let Some((before, inner, after)) = first_range(name) else {
        return match unfinished(name) {
            Some(why) => Err(why),
            None => Ok(vec![name.to_owned()]),
        };
    };
    let rests = names(after)?;
    let mut all = Vec::new();
    for number in numbers(inner)? {
        for rest in &rests {
            if all.len() >= MOST {
                return Err(format!("'{name}' stands for more than {MOST} hosts"));
            }
            all.push(format!("{before}{number}{rest}"));
        }
    }
    Ok(all)
}

/// Why brackets or braces of a name are no range, though they are meant as one: they have no end, or nothing in them.
fn unfinished(name: &str) -> Option<String> {
    for (open, close) in [('[', ']'), ('{', '}')] {
        let (opened, closed) = (name.matches(open).count(), name.matches(close).count());
        if opened != closed {
            return Some(format!(
                "'{name}' has a {open} or {close} without the other: vm[1-24]"
            ));
        }
        if name.contains(&format!("{open}{close}")) {
            return Some(format!("'{name}' has an empty range: vm[1-24]"));
        }
    }
    None
}

/// What is before the first range of a name, in it and after it.
fn first_range(name: &str) -> Option<(&str, &str, &str)> {
    let open = name.find(['[', '{'])?;
    let close = if name[open..].starts_with('[') {
        ']'
    } else {
        '}'
    };
    let end = open + name[open..].find(close)?;
    let inner = &name[open + 1..end];
    let is_range = !inner.is_empty()
        && inner
            .chars()
            .all(|c| c.is_ascii_digit() || matches!(c, '-' | '.' | ','));
    is_range.then(|| (&name[..open], inner, &name[end + 1..]))
}

/// `1-3,7`, `01..03`: as many digits as the first has.
fn numbers(inner: &str) -> Result<Vec<String>, String> {
    let mut all = Vec::new();
    for part in inner.split(',') {
        let ends = part.split_once("..").or_else(|| part.split_once('-'));
        let (from, to) = ends.unwrap_or((part, part));
        let number = |text: &str| {
            let wrong = || format!("'{part}' is not a range of numbers, such as 1-24");
            text.parse::<u64>().map_err(|_| wrong())
        };
        let (first, last) = (number(from)?, number(to)?);
        if first > last {
            return Err(format!("'{part}' goes down; a range goes up"));
        }
        if last - first >= MOST as u64 {
            return Err(format!("'{part}' is more than {MOST} hosts"));
        }
        let width = if from.starts_with('0') { from.len() } else { 0 };
        all.extend((first..=last).map(|n| format!("{n:0width$}")));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_names_in_order() {
        let of = |name: &str| names(name).unwrap();
        assert_eq!(of("vm[1-3]"), ["vm1", "vm2", "vm3"]);
        assert_eq!(of("vm{9..11}"), ["vm9", "vm10", "vm11"]);
        assert_eq!(of("n[01-02,7].x"), ["n01.x", "n02.x", "n7.x"]);
        assert_eq!(of("a[1-2]b[1-2]"), ["a1b1", "a1b2", "a2b1", "a2b2"]);
        assert_eq!(of("plain"), ["plain"]);
        assert_eq!(of("[fe80::1]"), ["[fe80::1]"]);
        assert!(names("vm[3-1]").unwrap_err().contains("goes down"));
        assert!(names("vm[1-99999]").unwrap_err().contains("more than"));
        assert!(names("a[1-999]b[1-999]").unwrap_err().contains("more than"));
        assert!(names("a[1-2-3]").is_err());
        for open in ["vm[1-2", "vm{1..3", "vm1-2]", "a[1-2]b[3"] {
            assert!(
                names(open).unwrap_err().contains("without the other"),
                "{open}"
            );
        }
        assert!(names("vm[]").unwrap_err().contains("empty"));
    }

    #[test]
    fn commas_in_brackets_end_no_item() {
        assert_eq!(items("a,b[1,3],c"), [(0, "a"), (2, "b[1,3]"), (9, "c")]);
        assert_eq!(items(""), [(0, "")]);
    }
}
