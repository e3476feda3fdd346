//! The page of the keys of a simulated volume's law, of their table.
//!
//! Must never: state a key itself.

use leadline_dialect::sim;
use std::fmt::Write as _;

/// `docs/reference/simulated.md`.
pub(super) fn reference() -> String {
    let mut text = String::from(
        "# Simulated volumes: the keys of a law\n\nGenerated from the table of keys; do not edit. A law is \
         a list `KEY=VALUE,KEY=VALUE`; in a file (`sim:@FILE`) each may stand on a line of its \
         own, and `#` begins a comment. Sizes and rates take the units k, m, g, t (powers of 1024), \
         times ns, us, ms, s, m. A value out of its range is an error, and so is a key given twice, but \
         for `stall` and `error`. The guide is [Simulated volumes](../guide/simulated.md).\n\n| key | \
         what it says | range | example |\n|---|---|---|---|\n",
    );
    for key in sim::keys() {
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | `{}={}` |",
            key.name,
            key.about,
            range(key),
            key.name,
            key.example
        );
    }
    text.push_str(
        "| `at` | from this time of the run on, a key has another value, also for what waits; name, local, fresh, \
         size and connections stay | a time, and that of the key | `at=600s:iops=1000` |\n\nWithout \
         any key: 1 GiB, 100 us for each I/O, 32 at once, no caps.\n",
    );
    text
}

/// What a key's value may be: its range, or its form where that says it.
fn range(key: &sim::Key) -> &str {
    match key.range {
        "" => key.form,
        range => range,
    }
}
