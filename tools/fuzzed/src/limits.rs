//! Any text as a limits file, as options of a set-up, and as what a machine says of itself.

use leadline_dialect::diagnostic::render;
use leadline_limits::{
    Answer, Asked, Book, Parsed, aws, azure, gcp, json, os_name, parse, profiles, text,
};

/// The options that a set-up has.
const OPTIONS: [&str; 16] = [
    "large", "service", "quota", "assigned", "pool", "disk", "vm", "nfs", "nconnect", "bs", "read",
    "latency", "inflight", "flows", "demand", "measured",
];

/// Any text as each of them.
pub(crate) fn any(bytes: &[u8]) {
    let given = String::from_utf8_lossy(bytes);
    let usual = [
        ("service", "anf-premium"),
        ("quota", "70TiB"),
        ("vm", "D8s_v3:2"),
        ("disk", "P30,P30:ro"),
        ("demand", "4500MiB/s"),
        ("measured", "3000MiB/s"),
        ("bs", "64k"),
    ];
    let usual: Vec<Asked> = usual.map(|(name, value)| (name, value.to_owned())).to_vec();
    sound(parse(&usual, &[("limits.toml", &given)]));
    let words = given.lines().filter_map(|line| line.split_once(' '));
    let options: Vec<Asked> = words
        .filter_map(|(name, value)| {
            let name = OPTIONS.into_iter().find(|known| *known == name)?;
            Some((name, value.to_owned()))
        })
        .take(100)
        .collect();
    sound(parse(&options, &[]));
    machine(&given);
}

/// Any text as a file of profiles: those that load have work, a limit and where both are from.
pub(crate) fn profiles_file(bytes: &[u8]) {
    let given = String::from_utf8_lossy(bytes);
    let read = profiles(Some(("profiles.toml", &given)));
    let few = &read.diagnostics[..read.diagnostics.len().min(20)];
    assert_eq!(
        render(few, &read.sources, false, 100).is_empty(),
        few.is_empty()
    );
    for profile in &read.profiles {
        assert!(!profile.name.contains('/') && !profile.tests.is_empty());
        for test in &profile.tests {
            assert!(!test.name.contains('/') && !test.job.is_empty());
            assert!(!test.source.address.is_empty() && !test.source.date.is_empty());
            assert!(test.job_source.contains("://"));
        }
    }
}

/// An answer comes where nothing is wrong, and can be shown; what is said can be shown too.
fn sound(parsed: Parsed) {
    let few = &parsed.diagnostics[..parsed.diagnostics.len().min(20)];
    assert_eq!(
        render(few, &parsed.sources, false, 100).is_empty(),
        few.is_empty()
    );
    for row in &parsed.book.rows {
        assert!(!row.source.address.is_empty() && !row.source.date.is_empty());
    }
    if !parsed.is_right() {
        return;
    }
    let answer = Answer::of(parsed.setup, &parsed.book, true);
    for limit in &answer.limits {
        assert!(limit.value > 0.0 && limit.value.is_finite(), "{limit:?}");
    }
    assert!(!text(&answer).is_empty());
    let value: Result<serde_json::Value, _> = serde_json::from_str(&json(&answer));
    assert!(value.is_ok_and(|value| value["form"] == 1));
}

/// What a machine says of itself has no character that steers a terminal, and its disks are options that can be read.
fn machine(text: &str) {
    let clouds = [
        azure(text, &Book::built_in()),
        gcp(&format!("machineTypes/{text}"), text, text),
        aws(
            &format!("m5.{text}"),
            text,
            &[(text.to_owned(), text.to_owned())],
        ),
    ];
    for cloud in clouds.into_iter().flatten() {
        let words = [cloud.size, cloud.region, cloud.zone].concat() + &cloud.other_disks.concat();
        assert!(!words.contains(char::is_control));
        let disks: Vec<Asked> = cloud.disks.into_iter().map(|disk| ("disk", disk)).collect();
        assert!(parse(&disks, &[]).is_right());
    }
    assert!(!os_name(text).unwrap_or_default().contains(char::is_control));
}
