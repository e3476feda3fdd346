//! The experiments that would decide between causes, by name.
//!
//! Must never: say which of them does.

/// An experiment that separates the remaining causes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deciding {
    /// Bursts after idle moments, for longer: a cap, or a limit on concurrency.
    Bursts,
    /// Another block size, for longer: I/Os or bytes.
    Sizes,
    /// Twice the workers: the target, or each connection.
    Connections,
    /// More connections of a mount that all workers share, which `leadline confirm` cannot make: the path, or the target.
    MoreOfMount,
    /// One host alone, for longer: what all share, or what each has for itself.
    OneHost,
    /// A set several times as large: the target, or a cache that holds the set.
    LargerSet,
    /// All experiments again, for longer: they contradict one another, or the rate did not stay.
    All,
}

impl Deciding {
    /// Its name in the JSON form.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bursts => "bursts",
            Self::Sizes => "sizes",
            Self::Connections => "connections",
            Self::MoreOfMount => "nconnect",
            Self::OneHost => "one-host",
            Self::LargerSet => "larger-set",
            Self::All => "all",
        }
    }

    /// What it is, for a sentence.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Bursts => "longer series of bursts after idle moments",
            Self::Sizes => "a longer measurement of another block size",
            Self::Connections => "twice the workers",
            Self::MoreOfMount => "a mount with more connections",
            Self::OneHost => "a longer measurement of one host alone",
            Self::LargerSet => "a data set four times as large",
            Self::All => "all experiments again, each for longer",
        }
    }
}
