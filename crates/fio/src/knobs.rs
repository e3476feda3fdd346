//! fio's words for what a cure turns.
//!
//! Belongs here: the one table. Must never: know when something is turned.

use leadline_model::cure::Knob;
use std::borrow::Cow;

/// What a user of fio writes to turn it; `None` = fio has no option for it.
#[must_use]
pub fn words(knob: Knob) -> Option<Cow<'static, str>> {
    let word = match knob {
        Knob::Engine(kind) => return Some(format!("or ioengine={}", kind.name()).into()),
        Knob::RunTime => "runtime",
        Knob::WholeTime => "time_based",
        Knob::WarmUp => "ramp_time",
        Knob::Loops => "loops",
        Knob::Stages => "stonewall",
        Knob::QueueDepth => "iodepth",
        Knob::Workers => "numjobs",
        Knob::FewerFiles | Knob::FileCount => "nrfiles",
        Knob::BlockSize => "bs",
        Knob::Alignment => "blockalign",
        Knob::Size => "size",
        Knob::FileSize => "filesize",
        Knob::Amount => "io_size",
        Knob::Offset | Knob::Range => "offset",
        Knob::OffsetStep => "offset_increment",
        Knob::Rate => "rate_iops",
        Knob::Pauses => "thinktime",
        Knob::Direct => "direct=1",
        Knob::Buffered => "direct=0",
        Knob::NotSynchronous => "remove sync",
        Knob::Mapped => "ioengine=mmap",
        Knob::NotMapped => "remove ioengine=mmap",
        Knob::NotAtomic => "remove atomic",
        Knob::NoPolling => "remove hipri",
        Knob::MayWait => "remove nowait",
        Knob::KeepCached => "remove uncached",
        Knob::Processors => "cpus_allowed",
        Knob::Nice => "nice",
        Knob::IoPriority => "prioclass",
        Knob::OrdinaryMemory => "remove iomem=mmaphuge",
        Knob::RandomData => "refill_buffers",
        Knob::NewData => "scramble_buffers, dedupe_percentage",
        Knob::FreshSeed => "randrepeat=0",
        Knob::Create => "allow_file_create=1",
        Knob::CreateOnOpen => "create_on_open only where the job writes",
        Knob::Remove => "unlink=1",
        Knob::NoReserve => "fallocate=truncate",
        Knob::WriteOnce => "rw=write",
        Knob::Writable => "remove --readonly",
        Knob::Destroy => "--destroy DEVICE",
        // The command has the switches for hosts.
        Knob::Threads | Knob::NoMapFlush | Knob::DataSource | Knob::UnlikeHosts => return None,
    };
    Some(word.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_an_option_of_the_table() {
        let mut known = 0;
        let all = Knob::ALL.iter().filter_map(|knob| words(*knob));
        for word in all.flat_map(|words| words.split(", ").map(str::to_owned).collect::<Vec<_>>()) {
            let word = word.trim_start_matches("remove ").trim_start_matches("or ");
            let name = word.split(['=', ' ']).next().unwrap_or_default();
            let switch = name.strip_prefix("--").and_then(crate::switches::find);
            assert!(crate::find(name).is_some() || switch.is_some(), "{word}");
            known += 1;
        }
        assert!(known > 30, "{known}");
    }
}
