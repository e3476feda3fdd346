//! The colours of the page: each text against each background that it stands on, in light, dark and print, by the
//! formula of WCAG 2.1 (relative luminance), which has to be 4.5 for text and 3 for lines and marks.

use std::collections::BTreeMap;

const CSS: &str = include_str!("../../assets/report.css");

/// Colours by their name: those of the block that begins with these words.
fn colours(start: &str) -> BTreeMap<String, [f64; 3]> {
    let (_, rest) = CSS
        .split_once(start)
        .unwrap_or_else(|| panic!("no {start}"));
    let (block, _) = rest
        .split_once('}')
        .unwrap_or_else(|| panic!("{start} does not end"));
    let pairs = block
        .split(';')
        .filter_map(|one| one.trim().split_once(':'));
    let colours = pairs.filter_map(|(name, value)| {
        let hex = value.trim().strip_prefix('#')?;
        let full = match hex.len() {
            3 => hex.chars().flat_map(|c| [c, c]).collect::<String>(),
            _ => hex.to_owned(),
        };
        let part = |n: usize| u8::from_str_radix(full.get(n..n + 2)?, 16).ok();
        let rgb = [part(0)?, part(2)?, part(4)?].map(|c| f64::from(c) / 255.0);
        Some((name.trim().strip_prefix("--")?.to_owned(), rgb))
    });
    colours.collect()
}

fn luminance(rgb: [f64; 3]) -> f64 {
    let [r, g, b] = rgb.map(|c| match c <= 0.04045 {
        true => c / 12.92,
        false => ((c + 0.055) / 1.055).powf(2.4),
    });
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

fn contrast(a: [f64; 3], b: [f64; 3]) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[test]
fn the_formula_is_that_of_the_guideline() {
    let ratio = contrast([0.0; 3], [1.0; 3]);
    assert!((ratio - 21.0).abs() < 1e-9, "{ratio}");
    // #767676 on white is the lightest grey that passes.
    let grey = contrast([f64::from(0x76_u8) / 255.0; 3], [1.0; 3]);
    assert!((grey - 4.54).abs() < 0.01, "{grey}");
}

#[test]
fn every_text_can_be_read_in_light_dark_and_print() {
    let themes = [
        (":root{", "light"),
        (":root:not([data-theme=light]){", "dark"),
        (":root[data-theme=dark]{", "dark by the button"),
        (
            ":root,:root[data-theme=dark],:root:not([data-theme=light]){",
            "print",
        ),
    ];
    // `rule` and `grid` are lines between rows and behind charts, which nobody has to see.
    let texts = [
        "ink", "soft", "faint", "read", "write", "trim", "sync", "all", "fail", "warn", "good",
    ];
    let mut wrong = Vec::new();
    for (start, theme) in themes {
        let known = colours(start);
        for text in texts {
            for ground in ["paper", "panel"] {
                let ratio = contrast(known[text], known[ground]);
                if ratio < 4.5 {
                    wrong.push(format!("{theme}: {text} on {ground}: {ratio:.2}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn both_ways_to_dark_have_the_same_colours() {
    let asked = colours(":root:not([data-theme=light]){");
    assert_eq!(asked, colours(":root[data-theme=dark]{"));
    assert!(asked.len() >= 14, "{asked:?}");
}

#[test]
fn paper_is_white_also_where_the_system_is_dark() {
    let (_, print) = CSS.split_once("@media print{").unwrap();
    let (head, _) = print.split_once('{').unwrap();
    // As exact as the rule for dark systems, and after it.
    let all = ":root,:root[data-theme=dark],:root:not([data-theme=light])";
    assert_eq!(head.trim(), all);
}

#[test]
fn no_text_has_a_colour_of_its_own() {
    let rules = CSS.split('}').filter(|rule| !rule.contains(":root"));
    let own: Vec<&str> = rules
        .flat_map(|rule| rule.split([';', '{']))
        .filter(|one| {
            let one = one.trim();
            (one.starts_with("color:") || one.starts_with("fill:")) && one.contains('#')
        })
        .collect();
    assert!(own.is_empty(), "{own:?}");
}
