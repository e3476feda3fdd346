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
         times ns, us, ms, s, m. The guide is [Simulated volumes](../guide/simulated.md).\n\n| key | \
         what it says | example |\n|---|---|---|\n",
    );
    for key in sim::keys() {
        let _ = writeln!(
            text,
            "| `{}` | {} | `{}={}` |",
            key.name, key.about, key.name, key.example
        );
    }
    text.push_str(
        "| `at` | from this time of the run on, a key has another value | `at=600s:iops=1000` |\n\nWithout \
         any key: 1 GiB, 100 us for each I/O, 32 at once, no caps.\n",
    );
    text
}
