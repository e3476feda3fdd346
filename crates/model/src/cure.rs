//! What to do about something: a sentence, and what a front end has options for.
//!
//! Belongs here: the form of a cure, and the list of what can be turned. Must never: spell an option of a front
//! end; each has a table of its own words.

use crate::plan::EngineKind;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// What to do about something.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cure {
    /// One sentence that reads well alone; empty when there is nothing to do.
    pub text: String,
    /// What is turned to do it.
    pub knobs: Vec<Knob>,
}

impl Cure {
    /// Nothing to do.
    #[must_use]
    pub const fn none() -> Self {
        Self {
            text: String::new(),
            knobs: Vec::new(),
        }
    }

    /// The same with the words of a front end, each once, in parentheses at its end (`Use more workers
    /// (numjobs).`). A front end has no word for what it cannot turn; a cure that has the words already keeps them.
    #[must_use]
    pub fn in_words_of(&self, words: impl Fn(Knob) -> Option<Cow<'static, str>>) -> Self {
        let mut said: Vec<Cow<'_, str>> = Vec::new();
        for word in self.knobs.iter().filter_map(|knob| words(*knob)) {
            if !said.contains(&word) {
                said.push(word);
            }
        }
        let mut text = self.text.clone();
        if !said.is_empty() {
            let stop = if text.ends_with('.') { "." } else { "" };
            text.truncate(text.len() - stop.len());
            let said = format!(" ({})", said.join(", "));
            if !text.ends_with(&said) {
                text.push_str(&said);
            }
            text.push_str(stop);
        }
        Self {
            text,
            knobs: self.knobs.clone(),
        }
    }
}

impl fmt::Display for Cure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl From<&str> for Cure {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<String> for Cure {
    fn from(text: String) -> Self {
        Self {
            text,
            knobs: Vec::new(),
        }
    }
}

impl<T: Into<String>, const N: usize> From<(T, [Knob; N])> for Cure {
    fn from((text, knobs): (T, [Knob; N])) -> Self {
        Self {
            text: text.into(),
            knobs: knobs.to_vec(),
        }
    }
}

impl From<(&str, &[Knob])> for Cure {
    fn from((text, knobs): (&str, &[Knob])) -> Self {
        Self {
            text: text.to_owned(),
            knobs: knobs.to_vec(),
        }
    }
}

macro_rules! knobs {
    ($($(#[$doc:meta])+ $name:ident,)+) => {
        /// Something that a user can turn, and where it matters to which side.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Knob {
            $($(#[$doc])+ $name,)+
            /// Another engine in place of this one.
            Engine(EngineKind),
        }

        impl Knob {
            /// Each of them, with one engine.
            pub const ALL: &[Self] = &[
                $(Self::$name,)+
                Self::Engine(EngineKind::IoUring),
            ];
        }
    };
}

knobs! {
    /// How long a workload runs.
    RunTime,
    /// A workload that begins again until its time is up.
    WholeTime,
    /// What is done before it counts.
    WarmUp,
    /// How often a workload is repeated.
    Loops,
    /// Workloads that run one after the other.
    Stages,
    /// I/Os in flight for each worker.
    QueueDepth,
    /// Workers of a workload.
    Workers,
    /// Threads that do one I/O at a time each.
    Threads,
    /// Fewer files or devices.
    FewerFiles,
    /// Files of a set.
    FileCount,
    /// Bytes of an I/O.
    BlockSize,
    /// What offsets are multiples of.
    Alignment,
    /// Bytes of a target that are used, or that it is made with.
    Size,
    /// Sizes of the files of a set.
    FileSize,
    /// Bytes that are read and written, however large the target is.
    Amount,
    /// Where the part of a target that is used begins.
    Offset,
    /// How far apart workers begin.
    OffsetStep,
    /// The part of a target that is used.
    Range,
    /// The rate that is asked for.
    Rate,
    /// Pauses between I/Os.
    Pauses,
    /// I/O bypassing the page cache.
    Direct,
    /// I/O through the page cache.
    Buffered,
    /// Writes that are not synchronous.
    NotSynchronous,
    /// Files that are mapped into memory.
    Mapped,
    /// Files that are not mapped into memory.
    NotMapped,
    /// Mapped writes that are not flushed.
    NoMapFlush,
    /// Writes that may be torn.
    NotAtomic,
    /// Completions that are waited for, not polled for.
    NoPolling,
    /// I/O that may wait for what it needs.
    MayWait,
    /// Pages that stay in the page cache after an I/O.
    KeepCached,
    /// Processors of the workers.
    Processors,
    /// Priority of the threads for processors.
    Nice,
    /// Priority of the I/O.
    IoPriority,
    /// Buffers in ordinary memory.
    OrdinaryMemory,
    /// Data that do not compress.
    RandomData,
    /// Data that are new in each write.
    NewData,
    /// A file that written data are taken from.
    DataSource,
    /// A seed that is another one in each run.
    FreshSeed,
    /// Files that are made where they are missing.
    Create,
    /// Files that are made only when they are opened.
    CreateOnOpen,
    /// Files that are deleted after use.
    Remove,
    /// Files whose size is set without taking space.
    NoReserve,
    /// A target that is written from its beginning to its end.
    WriteOnce,
    /// A run that may write.
    Writable,
    /// A device that is named to be overwritten although it carries data.
    Destroy,
    /// Targets that are not on the same storage on all hosts.
    UnlikeHosts,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_front_end_follow_what_reads_well_alone() {
        let words = |knob| match knob {
            Knob::Workers | Knob::QueueDepth => Some("threads".into()),
            Knob::Engine(kind) => Some(format!("or ioengine={}", kind.name()).into()),
            _ => None,
        };
        let in_words = |cure: Cure| cure.in_words_of(words).text;
        let knobs = [Knob::Workers, Knob::QueueDepth, Knob::BlockSize];
        assert_eq!(in_words(("Use more.", knobs).into()), "Use more (threads).");
        let again = Cure::from(("Use more.", knobs)).in_words_of(words);
        assert_eq!(in_words(again), "Use more (threads).");
        let engine = [Knob::Engine(EngineKind::Libaio)];
        assert_eq!(
            in_words(("use a newer kernel", engine).into()),
            "use a newer kernel (or ioengine=libaio)"
        );
        assert_eq!(in_words(("wait", [Knob::Rate]).into()), "wait");
        assert_eq!(in_words(("wait", []).into()), "wait");
        assert_eq!(in_words(Cure::none()), "");
    }
}
