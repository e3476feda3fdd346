//! The page of the back ends, of the model's table of powers.
//!
//! Must never: state a power itself.

use leadline_model::plan::{EngineKind, MediumKind, Power, Powers};
use leadline_model::units::Bytes;
use std::fmt::Write as _;

/// `docs/reference/engines.md`.
pub(super) fn reference() -> String {
    let mut text = String::from(
        "# Engines\n\nGenerated from the table of powers; do not edit. An engine is the way in which a worker asks for \
         I/O. What a plan asks of an engine that lacks it is refused before anything is made; `leadline plan` says so \
         without a run.\n\n| engine | what it is | on | I/Os at a time | longest read or write |\n|---|---|---|---|---|\n",
    );
    let rows = || EngineKind::ALL.into_iter().map(EngineKind::powers);
    for powers in rows() {
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {} | {} |",
            powers.name,
            powers.about,
            medium(powers.medium),
            if powers.is_async { "a queue" } else { "one" },
            Bytes(powers.longest_io)
        );
    }
    text.push_str("\n## Powers\n\nWhat not all engines on files can do. The others take each of these, and do nothing of it.\n\n|");
    let real: Vec<&Powers> = rows().filter(|p| p.medium == MediumKind::Files).collect();
    for powers in &real {
        let _ = write!(text, " | `{}`", powers.name);
    }
    let _ = writeln!(text, " |\n|---{}|", "|---".repeat(real.len()));
    for power in Power::ALL {
        let _ = write!(text, "| {power}");
        for powers in &real {
            text.push_str(if powers.has(power) { " | yes" } else { " | -" });
        }
        text.push_str(" |\n");
    }
    text
}

const fn medium(medium: MediumKind) -> &'static str {
    match medium {
        MediumKind::Files => "files and block devices",
        MediumKind::Null => "nothing",
        MediumKind::Simulated => "a simulated device",
    }
}
