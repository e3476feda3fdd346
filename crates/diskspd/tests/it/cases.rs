//! DISKSPD's command lines with what they mean: each line of `cases.txt` is `arguments |
//! accepted | fields` or `arguments | rejected | reasons`, warnings after ` ; warns: `.
//! `UPDATE_CASES=1` writes what came out into the file; read the difference before you keep it.

use crate::common::FakeHost;
use leadline_dialect::diagnostic::Severity;
use leadline_diskspd::{self as diskspd, Parsed, ShowOnly};

/// What an argument list means, in one line.
fn outcome(args: &str) -> String {
    let host = FakeHost {
        cpus: 512,
        ..FakeHost::default()
    };
    let words: Vec<String> = args.split_whitespace().map(str::to_owned).collect();
    let parsed = diskspd::parse(&words, &host);
    let says = |severity: Severity| -> Vec<String> {
        let all = parsed.diagnostics.iter().filter(|d| d.severity == severity);
        all.map(|d| match d.labels.first().map(|l| l.text.as_str()) {
            None | Some("") => format!("{}: {}", d.code, d.message),
            Some(label) => format!("{}: {} ({label})", d.code, d.message),
        })
        .collect()
    };
    let errors = says(Severity::Error);
    if !errors.is_empty() {
        return format!("rejected | {}", errors.join(" // "));
    }
    let mut line = format!("accepted | {}", fields(&parsed));
    let warnings = says(Severity::Warning);
    if !warnings.is_empty() {
        line.push_str(" ; warns: ");
        line.push_str(&warnings.join(" // "));
    }
    line
}

fn fields(parsed: &Parsed) -> String {
    let mut fields = Vec::new();
    match parsed.run.show {
        Some(ShowOnly::Profile) => fields.push("ProfileOnly=true".to_owned()),
        Some(ShowOnly::System) => fields.push("SystemInformationOnly=true".to_owned()),
        Some(ShowOnly::Usage { .. }) => fields.push("Usage=true".to_owned()),
        None => {}
    }
    fields.extend(parsed.profile.as_ref().map(crate::fields::fields));
    fields.join("; ")
}

#[test]
fn every_command_line_means_what_it_does_in_diskspd() {
    let path = format!("{}/tests/it/cases.txt", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap();
    let mut updated = String::new();
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in text.lines() {
        if line.starts_with("# ") || line.is_empty() {
            updated.push_str(line);
        } else {
            let args = line.split(" | ").next().unwrap();
            let came = format!("{args} | {}", outcome(args));
            if came != line {
                wrong.push(format!("expected {line}\n    came {came}"));
            }
            updated.push_str(came.trim_end());
            count += 1;
        }
        updated.push('\n');
    }
    if std::env::var_os("UPDATE_CASES").is_some() {
        std::fs::write(&path, updated).unwrap();
    } else {
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
    assert!(count >= 380, "only {count} cases");
}
