//! Any bytes as a run file, and a sound run file whose tables were tampered with: it opens and is reported in
//! every form, or says in words what is wrong.

use leadline_results::run::Run;
use leadline_results::{render, store, trust};
use rusqlite::types::Value;
use std::path::{Path, PathBuf};

/// Sound run files.
const SOUND: [&[u8]; 3] = [
    include_bytes!("../../../fuzz/seeds/run_file/fio"),
    include_bytes!("../../../fuzz/seeds/run_file/hosts"),
    include_bytes!("../../../fuzz/seeds/run_file/long"),
];

/// A plain terminal.
const STYLE: render::text::Style = render::text::Style {
    color: false,
    unicode: false,
    width: 80,
};

/// Takes bytes as a run file, or as what to change in a sound one.
pub(crate) fn any(bytes: &[u8]) {
    let Some((&way, rest)) = bytes.split_first() else {
        return;
    };
    let path = place();
    if bytes.starts_with(b"SQLite") {
        std::fs::write(&path, bytes).unwrap();
    } else {
        std::fs::write(&path, SOUND[usize::from(way) % SOUND.len()]).unwrap();
        tamper(&path, rest);
    }
    let opened = store::open(&path);
    match opened {
        Ok(run) => report(run, bytes[bytes.len() - 1]),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    // Whatever it is, a list names it.
    assert_eq!(store::list(path.parent().unwrap()).unwrap().len(), 1);
}

/// The one file, in a directory of its own in memory.
fn place() -> PathBuf {
    let shared = Path::new("/dev/shm");
    let parent = if shared.is_dir() {
        shared.to_owned()
    } else {
        std::env::temp_dir()
    };
    let directory = parent.join(format!("leadline-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    for entry in std::fs::read_dir(&directory).unwrap() {
        std::fs::remove_file(entry.unwrap().path()).unwrap();
    }
    directory.join("run.leadline")
}

/// Changes what the tables say as the bytes want it; what SQLite refuses is left as it was.
fn tamper(path: &Path, bytes: &[u8]) {
    let db = rusqlite::Connection::open(path).unwrap();
    let mut tables = db
        .prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        .unwrap();
    let tables: Vec<String> = tables
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let mut rest = bytes;
    for _ in 0..8 {
        let Some((&[act, table, column, row, kind], more)) = rest.split_first_chunk::<5>() else {
            return;
        };
        let len = usize::from(kind >> 3).min(more.len());
        let (text, more) = more.split_at(len);
        rest = more;
        let table = &tables[usize::from(table) % tables.len()];
        let mut columns = db
            .prepare("SELECT name FROM pragma_table_info(?1)")
            .unwrap();
        let columns: Vec<String> = columns
            .query_map([table], |row| row.get(0))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        if columns.is_empty() {
            continue;
        }
        let column = &columns[usize::from(column) % columns.len()];
        let key = &columns[0];
        let at = format!(
            "{key} = (SELECT {key} FROM {table} LIMIT 1 OFFSET {row} % \
             max(1, (SELECT count(*) FROM {table})))"
        );
        let _ = match act % 16 {
            0 => db.execute(&format!("DELETE FROM {table} WHERE {at}"), []),
            1 => db.execute(&format!("DROP TABLE {table}"), []),
            2 => db.execute(&format!("ALTER TABLE {table} DROP COLUMN {column}"), []),
            3 => db.execute(&format!("DELETE FROM {table}"), []),
            4 => patch(&db, table, column, &at, text),
            5 => db.execute(&format!("PRAGMA user_version = {}", row % 4), []),
            _ => db.execute(
                &format!("UPDATE {table} SET {column} = ?1 WHERE {at}"),
                [value(kind, text)],
            ),
        };
    }
}

/// Changes some bytes within a value.
fn patch(
    db: &rusqlite::Connection,
    table: &str,
    column: &str,
    at: &str,
    text: &[u8],
) -> rusqlite::Result<usize> {
    let mut value: Value = db.query_row(
        &format!("SELECT {column} FROM {table} WHERE {at}"),
        [],
        |row| row.get(0),
    )?;
    for pair in text.chunks_exact(3) {
        let place = usize::from(u16::from_le_bytes([pair[0], pair[1]]));
        match &mut value {
            Value::Blob(blob) if !blob.is_empty() => {
                let place = place % blob.len();
                blob[place] = pair[2];
            }
            Value::Text(word) if word.is_ascii() && !word.is_empty() => {
                let place = place % word.len();
                let new = char::from(pair[2] & 0x7f).to_string();
                word.replace_range(place..=place, &new);
            }
            Value::Integer(n) => *n ^= i64::from(pair[2]) << (place % 64),
            Value::Real(x) => {
                *x = f64::from_bits(x.to_bits() ^ (u64::from(pair[2]) << (place % 64)))
            }
            _ => {}
        }
    }
    db.execute(
        &format!("UPDATE {table} SET {column} = ?1 WHERE {at}"),
        [value],
    )
}

fn value(kind: u8, text: &[u8]) -> Value {
    let mut eight = [0; 8];
    let len = text.len().min(8);
    eight[..len].copy_from_slice(&text[..len]);
    match kind % 8 {
        0 => Value::Null,
        1 => Value::Integer(i64::MAX),
        2 => Value::Integer(-1),
        3 => Value::Integer(i64::from_le_bytes(eight)),
        4 => Value::Real(f64::from_le_bytes(eight)),
        5 => Value::Text(String::from_utf8_lossy(text).into_owned()),
        6 => Value::Blob(text.to_vec()),
        _ => Value::Integer(i64::from(text.first().copied().unwrap_or(0))),
    }
}

/// Shows it in one of the forms there are, after its judgement.
fn report(mut run: Run, form: u8) {
    run.findings.extend(trust::findings(&run));
    let options = leadline_fio::report::Options {
        bins: true,
        ..leadline_fio::report::Options::default()
    };
    match form % 10 {
        0 => drop(render::html::page(&run, leadline_fio::print::recipe)),
        1 => drop(render::text::run(&run, &STYLE)),
        2 => drop(render::json::json(&run)),
        3 => drop(render::csv::series(&run)),
        4 => drop(render::csv::parts(&run)),
        5 => drop(leadline_fio::report::text(&run, &options)),
        6 => drop(leadline_fio::report::json(&run, &options)),
        7 => drop(leadline_diskspd::report::text(&run)),
        8 => drop(leadline_diskspd::report::xml(&run)),
        _ => drop(leadline_vdbench::report::files(
            &run,
            leadline_vdbench::report::Options {
                directory: String::new(),
                zone: options.zone,
            },
        )),
    }
}
