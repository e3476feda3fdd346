//! Vdbench's words for what a cure turns.
//!
//! Belongs here: the one table. Must never: know when something is turned.

use leadline_model::cure::Knob;
use std::borrow::Cow;

/// What a user of Vdbench writes to turn it; `None` = Vdbench has no parameter for it.
#[must_use]
pub fn words(knob: Knob) -> Option<Cow<'static, str>> {
    let word = match knob {
        Knob::RunTime => "elapsed",
        Knob::WholeTime => "remove maxdata and seekpct=eof",
        Knob::WarmUp => "warmup",
        Knob::Stages => "several rd=",
        Knob::QueueDepth | Knob::Threads => "threads",
        Knob::FewerFiles => "fewer sd=",
        Knob::FileCount => "files",
        Knob::BlockSize => "xfersize",
        Knob::Alignment => "align",
        Knob::Size | Knob::FileSize => "size",
        Knob::Offset => "offset",
        Knob::Range => "range",
        Knob::Rate => "iorate",
        Knob::Direct => "openflags=o_direct",
        Knob::Buffered => "remove openflags=o_direct",
        Knob::Create => "remove formatsds=no",
        Knob::RandomData => "compratio=1",
        Knob::WriteOnce => "rdpct=0,seekpct=eof",
        Knob::Destroy => "--destroy DEVICE",
        Knob::Loops
        | Knob::Workers
        | Knob::Amount
        | Knob::OffsetStep
        | Knob::Pauses
        | Knob::NotSynchronous
        | Knob::Mapped
        | Knob::NotMapped
        | Knob::NoMapFlush
        | Knob::NotAtomic
        | Knob::NoPolling
        | Knob::MayWait
        | Knob::KeepCached
        | Knob::Engine(_)
        | Knob::Processors
        | Knob::Nice
        | Knob::IoPriority
        | Knob::OrdinaryMemory
        | Knob::NewData
        | Knob::DataSource
        | Knob::FreshSeed
        | Knob::CreateOnOpen
        | Knob::Remove
        | Knob::NoReserve
        | Knob::Writable
        | Knob::UnlikeHosts => return None,
    };
    Some(word.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Object, keywords};

    #[test]
    fn every_word_is_a_parameter_of_the_table() {
        let objects = [Object::Sd, Object::Rd].map(Object::word);
        let mut known = 0;
        for word in Knob::ALL.iter().filter_map(|knob| words(*knob)) {
            for part in word.split([',', ' ']) {
                if matches!(
                    part,
                    "remove" | "and" | "or" | "fewer" | "several" | "DEVICE"
                ) {
                    continue;
                }
                let name = part.split('=').next().unwrap_or_default();
                let listed = keywords().iter().any(|k| k.names().any(|n| n == name));
                let switch = crate::switches::SWITCHES.iter().any(|s| s.name == name);
                assert!(listed || switch || objects.contains(&name), "{word}");
                known += 1;
            }
        }
        assert!(known > 15, "{known}");
    }
}
