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
    let parsed = parse(&[], &[("mine.toml", text)]);
    assert!(parsed.is_right(), "{:?}", parsed.diagnostics);
    assert_eq!(parsed.book.rows.len(), Book::built_in().rows.len());
}

/// What is said of a file and options, as people see it.
fn said(given: &[(&'static str, &str)], text: &str) -> String {
    let given: Vec<(&'static str, String)> = given
        .iter()
        .map(|(name, value)| (*name, (*value).to_owned()))
        .collect();
    let parsed = parse(&given, &[("mine.toml", text)]);
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
[[level]]
name = "z"
provider = "me"
mib_per_tib = "many"
source = "half"
[source.half]
address = "https://example.com"
[[disk]]
name = "P97"
iops = 0
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
        "--quota needs --service",
        "unknown disk `P300`",
        "did you mean `P30`?",
        "'many' is not a size",
        "a level needs name, family, provider",
        // A row with a wrong value is asked for what it lacks as well, and one whose source lacks its date is not
        // reported as naming an unknown source.
        "`mib_per_tib` has a wrong value",
        "a level needs family",
        "a source needs date",
        "a disk needs provider",
    ] {
        assert!(said.contains(part), "{part} is not in\n{said}");
    }
    let without_source = said.matches("a row without a source").count();
    assert_eq!(without_source, 2, "{said}");
    assert!(!said.contains("no source `half`"), "{said}");
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
    let parsed = parse(&given, &[("mine.toml", text)]);
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
        ("--disk P30:100GiB", "disk-range"),
        ("--disk gp2:20TiB", "disk-range"),
        ("--disk gp3:100GiB:90000iops", "not-set"),
        ("--disk gp3:1GiB:4000iops", "not-set"),
        ("--disk gp3:100GiB:1000MiB/s", "not-set"),
        ("--disk io2:1GiB:500iops", "disk-range"),
        ("--vm D8s_v3 --disk 17xP30", "disk-range"),
        ("--vm D8s_v3 --disk 9xP30,8xP20:ro", "disk-range"),
        ("--nfs 3 --nconnect 17", "bad-value"),
        ("--vm D8s_v5 --disk gp3:100GiB", "providers"),
        ("--service gcnv-flex --vm D8s_v5", "providers"),
        ("--disk P30,gp3:100GiB", "providers"),
        ("--service gcnv-flex --assigned 6000MiB/s", "not-set"),
        (
            "--service anf-ultra --pool 50TiB --assigned 5000MiB/s",
            "not-set",
        ),
        ("--service gcnv-flex --assigned 10MiB/s", "not-set"),
        ("--service anf-ultra --quota 100TB", "bad-value"),
        ("--bs 64KB", "bad-value"),
        ("--service anf-premum", "no-such-name"),
        ("--vm D8s_v33", "no-such-name"),
        ("--service anf-ultra --quota 2000TiB", "quota-range"),
        ("--service anf-ultra --quota 10GiB", "quota-range"),
        (
            "--service anf-ultra --pool 1TiB --quota 2TiB",
            "quota-range",
        ),
        ("--service anf-ultra --pool 512GiB", "quota-range"),
        ("--disk pd-ssd:5GiB", "disk-range"),
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

#[test]
fn what_can_be_set_is_not_refused() {
    for words in [
        "--disk P30:1024GiB",
        "--disk gp3:100GiB:50000iops:2000MiB/s",
        "--disk gp3:1GiB:3000iops",
        "--disk gp3:100GiB:125MiB/s",
        "--disk io2:4GiB:4000iops",
        "--vm D8s_v3 --disk 9xP30,7xP20:ro",
        "--nfs 3 --nconnect 16",
        "--service gcnv-flex --assigned 5120MiB/s",
        "--service anf-ultra --pool 50TiB --assigned 4500MiB/s",
        "--service anf-flexible --pool 50TiB --assigned 5000MiB/s",
        "--service gcnv-flex --assigned 64MiB/s",
        "--bs 64k",
        "--bs 65536b",
        "--service anf-ultra --pool 2TiB --quota 2TiB",
        "--disk pd-ssd:10GiB",
    ] {
        let parsed = ask(words);
        assert!(parsed.is_right(), "{words}: {:?}", parsed.diagnostics);
    }
}

#[test]
fn a_decimal_size_is_asked_about() {
    let said = said(
        &[("service", "anf-ultra"), ("quota", "100TB"), ("bs", "64kb")],
        "",
    );
    for part in ["100TiB or 10^12 bytes (90.9495TiB)", "64KiB or 10^3"] {
        assert!(said.contains(part), "{part} is not in\n{said}");
    }
}

#[test]
fn each_disk_of_a_list_that_is_wrong_is_named() {
    let parsed = ask("--disk 0xP30,P300:ro,P10:warm,P20");
    let said: Vec<&str> = parsed
        .diagnostics
        .iter()
        .map(|d| d.message.as_str())
        .collect();
    let said = said.join("\n");
    for part in ["'0' is not", "'warm'", "P300"] {
        assert!(said.contains(part), "{said}");
    }
}

/// Of a number without an end, what is the most that a row takes is said.
#[test]
fn a_number_that_is_too_large_is_refused_with_the_maximum() {
    let text = "[[flow]]\nname = \"me\"\nmbit = 1e308\nsource = \"https://example.com\"\ndate = \"2026\"\n";
    let said = said(&[], text);
    assert!(said.contains("a number above 0, 10^15 at most"), "{said}");
}

#[test]
fn files_are_read_in_their_order_and_what_is_wrong_with_each_is_said() {
    let row = |mbit: &str| {
        format!(
            "[[flow]]\nname = \"me\"\nmbit = {mbit}\nsource = \"https://example.com\"\ndate = \"2026\"\n"
        )
    };
    let (first, second) = (row("100"), row("200"));
    let both = parse(&[], &[("a.toml", &first), ("b.toml", &second)]);
    assert!(both.is_right(), "{:?}", both.diagnostics);
    let own = both.book.of("flow").filter(|row| row.text("name") == "me");
    assert_eq!(own.count(), 1, "the later row takes the place of the first");
    let (first, second) = (row("\"x\""), "[[flew]]\n");
    let wrong = parse(&[], &[("a.toml", &first), ("b.toml", second)]);
    let text = render(&wrong.diagnostics, &wrong.sources, false, 120);
    assert!(
        text.contains("a.toml:") && text.contains("b.toml:"),
        "{text}"
    );
}

#[test]
fn a_least_size_of_what_no_row_is_about_is_an_error() {
    let text =
        "[[least]]\nname = \"P300\"\ngib = 1\nsource = \"https://example.com\"\ndate = \"2026\"\n";
    let said = said(&[], text);
    assert!(
        said.contains("unknown disk or service level `P300`"),
        "{said}"
    );
}
