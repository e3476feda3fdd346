//! The page of the back ends, of the model's table of powers.
//!
//! Must never: state a power itself.

use leadline_model::plan::{EngineKind, MediumKind, Power, Powers};
use leadline_model::units::Bytes;
use std::fmt::Write as _;

/// `docs/reference/engines.md`.
pub(super) fn reference() -> String {
    let mut text = String::from(
        "# Engines\n\nGenerated from the table of engines; do not edit. An engine is the \
         interface through which a worker does I/O. A plan that needs a feature its engine lacks \
         is refused before anything is created; `leadline plan` reports that without a run.\n\n| \
         engine | what it is | on | I/Os at a time | longest read or write \
         |\n|---|---|---|---|---|\n",
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
    text.push_str(
        "\n## Features\n\nFeatures that only some of the engines on files have. The engines \
         without files (null, sim) accept them without effect.\n\n|",
    );
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
