//! How diagnostics look: all errors at once, each with its place, what was expected and a hint.

use crate::common::{FakeHost, split_words};
use leadline_dialect::diagnostic::render;
use leadline_fio as fio;

fn shown(line: &str, file: &str, color: bool) -> String {
    let mut host = FakeHost::default();
    host.files.insert("job.fio".into(), file.into());
    let parsed = fio::parse(&split_words(line), &host);
    render(&parsed.diagnostics, &parsed.sources, color, 100)
}

#[test]
fn a_job_file_with_mistakes() {
    let file = "[global]\nioengine = libaio\nbs=4k-16k\n[a]\nrw=raed\niodetph=32\nfilename=foo#bar\n\
                size=4.5k ; small\nverify=md5\n[b]\n[global]\nbs=8k\n";
    insta::assert_snapshot!(shown("job.fio", file, false));
}

#[test]
fn a_command_line_with_mistakes() {
    let line = "--name=seqread --rw=read --runtime=1min --time_based --bs=1MiB --iodepht=32 --client=host2";
    insta::assert_snapshot!(shown(line, "", false));
}

#[test]
fn colour_adds_escape_sequences_only() {
    let line = "--name=a --bs=4.5k --rwx=3";
    let colored = shown(line, "", true);
    assert!(colored.contains('\u{1b}'));
    let mut plain = String::new();
    let mut rest = colored.as_str();
    while let Some(at) = rest.find('\u{1b}') {
        plain.push_str(&rest[..at]);
        rest = rest[at..].split_once('m').map_or("", |(_, rest)| rest);
    }
    plain.push_str(rest);
    assert_eq!(plain, shown(line, "", false));
}
