//! The rows that are built in, and files of users.

use crate::ask;
use leadline_dialect::diagnostic::render;
use leadline_limits::{Book, parse};

#[test]
fn each_row_has_a_source_with_an_address_and_a_date() {
    let book = Book::built_in();
    assert!(book.rows.len() > 70, "{}", book.rows.len());
    for row in &book.rows {
        let name = format!("{} {}", row.section.name, row.text("name"));
        assert!(row.source.address.starts_with("https://"), "{name}");
        assert!(row.source.date.len() >= 4, "{name}");
    }
}

#[test]
fn the_built_in_file_is_right_and_reads_as_a_users_file() {
    let text = include_str!("../../src/limits.toml");
    let parsed = parse(&[], Some(("mine.toml", text)));
    assert!(parsed.is_right(), "{:?}", parsed.diagnostics);
    assert_eq!(parsed.book.rows.len(), Book::built_in().rows.len());
}

/// What is said of a file and options, as people see it.
fn said(given: &[(&'static str, &str)], text: &str) -> String {
    let given: Vec<(&'static str, String)> = given
        .iter()
        .map(|(name, value)| (*name, (*value).to_owned()))
        .collect();
    let parsed = parse(&given, Some(("mine.toml", text)));
    render(&parsed.diagnostics, &parsed.sources, false, 100)
}

#[test]
fn all_that_is_wrong_is_said_at_once_with_its_line() {
    let text = r#"
[[disk]]
name = "P99"
provider = "azure"
iops = 1
[[disk]]
name = "P98"
provider = "azure"
iops = -5
source = "https://example.com"
date = "2026"
[[machine]]
name = "x"
provider = "me"
path = "sideways"
source = "https://example.com"
date = "yesterday"
[[level]]
nmae = "y"
source = "nowhere"
[[levle]]
"#;
    let said = said(&[("quota", "1TiB"), ("disk", "P300"), ("bs", "many")], text);
    for part in [
        "a row without a source",
        "mine.toml:2:1",
        "`iops` has a wrong value",
        "mine.toml:9:8",
        "a number above 0",
        "uncached or cached or network",
        "2026-08-11",
        "a level has no key `nmae`",
        "did you mean `name`?",
        "the file has no section `levle`",
        "did you mean `level`?",
        "--quota without --service",
        "no row is about the disk `P300`",
        "did you mean `P30`?",
        "'many' is not a size",
    ] {
        assert!(said.contains(part), "{part} is not in\n{said}");
    }
}

#[test]
fn a_row_of_a_user_takes_the_place_of_the_same_and_leaves_the_others() {
    let text = r#"
[source.quote]
address = "https://example.com/quote"
date = "2026-05-01"
verified = true

[[machine]]
name = "D8ds_v4"
provider = "azure"
path = "network"
mbit = 10000
source = "quote"

[[level]]
name = "filer"
family = "filer"
provider = "own"
mib_per_tib = 100
source = "https://example.com/filer"
date = "2026-01"
"#;
    let given = [
        ("service", "filer".to_owned()),
        ("quota", "10TiB".to_owned()),
        ("vm", "D8ds_v4".to_owned()),
    ];
    let parsed = parse(&given, Some(("mine.toml", text)));
    assert!(parsed.is_right(), "{:?}", parsed.diagnostics);
    let limits = leadline_limits::limits(&parsed.setup, &parsed.book);
    let of = |what: &str| {
        let limit = limits
            .iter()
            .find(|limit| limit.what.starts_with(what))
            .expect("it");
        let source = limit.source.clone().expect("a source");
        (
            format!("{:.0}", limit.value),
            source.address,
            source.verified,
        )
    };
    assert_eq!(
        of("filer"),
        (
            "1048576000".into(),
            "https://example.com/filer".into(),
            false
        )
    );
    assert_eq!(
        of("D8ds_v4"),
        (
            "1250000000".into(),
            "https://example.com/quote".into(),
            true
        )
    );
    assert_eq!(limits.len(), 2);
}

#[test]
fn options_that_do_not_go_together_are_refused() {
    for (words, code) in [
        ("--quota 1TiB", "no-service"),
        ("--pool 1TiB", "no-service"),
        ("--nconnect 8", "no-nfs"),
        ("--disk gp2", "no-size"),
        ("--disk io1:100GiB", "no-iops"),
        ("--disk P30:6000iops", "not-set"),
        ("--disk P30:250MiB/s", "not-set"),
        ("--disk PremiumV2:1TiB:ro", "not-cached"),
        ("--disk P30:none:ro", "bad-value"),
        ("--disk 0xP30", "bad-value"),
        ("--service anf-premum", "no-such-name"),
        ("--vm D8s_v33", "no-such-name"),
        ("--service anf-ultra --quota 2000TiB", "quota-range"),
        ("--service anf-ultra --quota 10GiB", "quota-range"),
        (
            "--service anf-ultra --quota 10TiB --large yes",
            "quota-range",
        ),
        ("--large yes", "no-service"),
        ("--read 101", "bad-value"),
        ("--latency 5", "bad-value"),
        ("--demand fast", "bad-value"),
        ("--measured up:5", "bad-value"),
        ("--nfs 5", "bad-value"),
    ] {
        let parsed = ask(words);
        let codes: Vec<&str> = parsed.diagnostics.iter().map(|said| said.code).collect();
        assert_eq!(codes, [code], "{words}");
    }
}
