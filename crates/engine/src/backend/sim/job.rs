//! What passes through a simulated volume.

use crate::backend::Request;
use leadline_model::op::Op;
use serde::{Deserialize, Serialize};

/// An I/O on its way to the volume.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub(super) struct Transit {
    pub(super) from: Sender,
    pub(super) request: Request,
}

/// Who gets the answer to an I/O.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub(super) struct Sender {
    /// Number of the stage on the volume; the clients of another one are gone.
    pub(super) stage: u32,
    pub(super) client: usize,
    pub(super) host: usize,
    pub(super) connection: usize,
}

/// Work for the device: what the caps and the servers see.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub(super) struct DeviceJob {
    pub(super) op: Op,
    /// Bytes; 0 of what is no read or write.
    pub(super) len: u32,
    pub(super) of: Owner,
}

/// Whose work it is.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub(super) enum Owner {
    /// An I/O that is answered when it is done.
    Answer(Answer),
    /// Blocks that a cache writes back.
    Stored(Stored),
    /// Others.
    Neighbour,
}

/// An I/O that is to be answered.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub(super) struct Answer {
    pub(super) to: Sender,
    pub(super) slot: u16,
    /// As a back end gives it.
    pub(super) result: i32,
}

/// Neighbouring blocks of a file that go from the cache to the device.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(super) struct Stored {
    /// In the order in which they were given to the device.
    pub(super) number: u64,
    pub(super) file: u64,
    pub(super) first: u64,
    pub(super) blocks: u64,
}

/// Bytes that a request moves over a network.
pub(super) fn moved(request: &Request) -> u32 {
    match request.op {
        Op::Read | Op::Write => request.len,
        _ => 0,
    }
}
