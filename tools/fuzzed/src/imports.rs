//! Any text as a result of another tool: what is read has figures that can be compared, and what is wrong can be said.

use leadline_dialect::diagnostic::{Diagnostic, Sources, render};
use leadline_fio::import::{LogName, read_logs};
use leadline_results::compare::Subject;
use leadline_results::render::text::subject;

/// Reads a text by its name.
type Reads = fn(&str, &str, &mut Sources) -> Result<Subject, Vec<Diagnostic>>;

/// As one of fio.
pub(crate) fn fio(bytes: &[u8]) {
    let _ = leadline_fio::import::is_result(&String::from_utf8_lossy(bytes));
    sound(bytes, leadline_fio::import::read);
}

/// As the logs of a run of fio: `==NAME`, then its lines.
pub(crate) fn fio_logs(bytes: &[u8]) {
    sound(bytes, |name, text, sources| {
        let parts = text.split("==").filter_map(|part| {
            let (file, lines) = part.split_once('\n')?;
            let log = LogName::of(file)?;
            Some((log, file.to_owned(), lines.to_owned()))
        });
        let files: Vec<(LogName, String, String)> = parts.collect();
        read_logs(name, &files, sources)
    });
}

/// As one of DISKSPD.
pub(crate) fn diskspd(bytes: &[u8]) {
    let _ = leadline_diskspd::import::is_result(&String::from_utf8_lossy(bytes));
    sound(bytes, leadline_diskspd::import::read);
}

/// As a flat file of Vdbench.
pub(crate) fn vdbench(bytes: &[u8]) {
    let _ = leadline_vdbench::import::is_flat_file(&String::from_utf8_lossy(bytes));
    sound(bytes, leadline_vdbench::import::read);
}

fn sound(bytes: &[u8], read: Reads) {
    let text = String::from_utf8_lossy(bytes);
    let mut sources = Sources::default();
    match read("result", &text, &mut sources) {
        Err(wrong) => {
            let few = &wrong[..wrong.len().min(20)];
            assert!(!render(few, &sources, false, 100).is_empty());
        }
        Ok(found) => {
            assert!(!found.rows.is_empty());
            for row in &found.rows {
                for figure in &row.figures {
                    assert!(figure.value >= 0.0 && figure.value.is_finite(), "{row:?}");
                    let same = row.figures.iter().filter(|f| f.kind == figure.kind);
                    assert_eq!(same.count(), 1, "{row:?}");
                }
                assert!(row.series.iter().all(|part| part.seconds > 0.0));
            }
            assert!(!subject(&found).is_empty());
        }
    }
}
