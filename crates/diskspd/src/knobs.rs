//! DISKSPD's words for what a cure turns.
//!
//! Belongs here: the one table. Must never: know when something is turned.

use leadline_model::cure::Knob;
use std::borrow::Cow;

/// What a user of DISKSPD writes to turn it; `None` = DISKSPD has no switch for it.
#[must_use]
pub fn words(knob: Knob) -> Option<Cow<'static, str>> {
    let word = match knob {
        Knob::RunTime => "-d",
        Knob::WarmUp => "-W",
        Knob::Stages => "several TimeSpans",
        Knob::QueueDepth => "-o or -O",
        Knob::Workers => "-t or -F",
        Knob::FewerFiles => "fewer targets",
        Knob::BlockSize => "-b",
        Knob::Alignment => "-r<align>",
        Knob::Size | Knob::FileSize | Knob::Create => "-c<size>",
        Knob::Offset => "-B",
        Knob::OffsetStep => "-T",
        Knob::Range => "-B, -f",
        Knob::Rate => "-g",
        Knob::Direct => "-Su or -Sh",
        Knob::Buffered => "-Sb",
        Knob::NotSynchronous => "remove -Sw",
        Knob::Mapped => "-Sm",
        Knob::NotMapped => "remove -Sm",
        Knob::NoMapFlush => "remove -N",
        Knob::Processors => "-a",
        Knob::IoPriority => "-I",
        Knob::OrdinaryMemory => "remove -l",
        Knob::RandomData => "-Zr or -Z20M",
        Knob::NewData => "-Zr",
        Knob::DataSource => "-Z<size>",
        Knob::FreshSeed => "-z without a number",
        Knob::WriteOnce => "-c<size>, or -w100",
        Knob::Destroy => "--destroy DEVICE",
        Knob::WholeTime
        | Knob::Loops
        | Knob::Threads
        | Knob::FileCount
        | Knob::Amount
        | Knob::Pauses
        | Knob::NotAtomic
        | Knob::NoPolling
        | Knob::MayWait
        | Knob::KeepCached
        | Knob::Engine(_)
        | Knob::Nice
        | Knob::CreateOnOpen
        | Knob::Remove
        | Knob::NoReserve
        | Knob::Writable
        // The command has the switches for hosts.
        | Knob::UnlikeHosts => return None,
    };
    Some(word.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_switch_is_one_of_the_table() {
        let mut known = 0;
        for word in Knob::ALL.iter().filter_map(|knob| words(*knob)) {
            if word.starts_with("--") {
                let name = word.split(' ').next().unwrap_or_default();
                let known_by = |row: crate::table::OptionSpec| row.form.starts_with(name);
                assert!(crate::table::options().any(known_by), "{word}");
                continue;
            }
            let switches = word.split([',', ' ']).filter_map(|w| w.strip_prefix('-'));
            for letter in switches.filter_map(|w| w.chars().next()) {
                assert!(crate::table::is_letter(letter), "{word}");
                known += 1;
            }
        }
        assert!(known > 20, "{known}");
    }
}
