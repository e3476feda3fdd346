//! The page of benchmarks as sections, so that what one command measures replaces its own and nothing else.
//!
//! Pure: text in, text out.

/// The page with the sections of these titles left out: its head first, if `head` is asked for.
pub(super) fn without(page: &str, titles: &[&str], head: bool) -> String {
    let mut kept = String::new();
    let mut keeps = head;
    let mut fenced = false;
    for line in page.split_inclusive('\n') {
        fenced ^= line.starts_with("```");
        if let (Some(title), false) = (line.strip_prefix("## "), fenced) {
            keeps = !titles.contains(&title.trim_end());
        }
        if keeps {
            kept.push_str(line);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# Head\n\nA.\n\n## Result\n\nB.\n\n```\n## no title\n```\n\n## By hand\n\nC.\n\n## Many\nD.\n";

    #[test]
    fn other_sections_survive_in_their_order() {
        assert_eq!(
            without(PAGE, &["Result"], false),
            "## By hand\n\nC.\n\n## Many\nD.\n"
        );
        assert_eq!(
            without(PAGE, &["By hand", "Many"], true),
            "# Head\n\nA.\n\n## Result\n\nB.\n\n```\n## no title\n```\n\n"
        );
        assert_eq!(without("", &["Result"], true), "");
    }
}
