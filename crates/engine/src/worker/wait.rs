//! What a worker waits for between the halves of a turn. How it is waited for is the caller's business.

/// What the worker waits for after [`Worker::begin`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// For `want` completions, but no longer than until the next I/O is due, where one will be.
    Io { want: u32, due: Option<Due> },
    /// For time to pass: nothing is in flight.
    Sleep { until: u64 },
    /// For time to pass until about then: nothing is in flight, and nothing is due at that tick.
    Rest { until: u64 },
    /// For nothing any more: it has ended.
    Done,
}

/// The I/O a worker with free slots waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Due {
    pub(crate) tick: u64,
    /// Nothing was queued in this turn.
    pub(crate) idle: bool,
    /// It is the others that it waits for, and nothing is due at that tick.
    pub(crate) held_back: bool,
}
