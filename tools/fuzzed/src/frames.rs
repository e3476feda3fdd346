//! Any bytes as what an agent or a controller says.

use leadline_fleet::frame::{self, AGENT_LIMIT, CONTROLLER_LIMIT};
use leadline_fleet::message::{Batch, FromAgent, ToAgent};

/// Takes bytes as a stream of frames, and as one.
pub(crate) fn any(bytes: &[u8]) {
    let mut stream = bytes;
    if frame::read_opening(&mut stream).is_err() {
        stream = bytes;
    }
    let mut agent = stream;
    while let Ok(Some(message)) = frame::read::<FromAgent>(&mut agent, AGENT_LIMIT) {
        if let FromAgent::Events(batch) = message {
            batch.events().for_each(drop);
        }
    }
    while let Ok(Some(_)) = frame::read::<ToAgent>(&mut stream, CONTROLLER_LIMIT) {}
    let _ = frame::decode::<FromAgent>(bytes);
    let _ = frame::decode::<ToAgent>(bytes);
    if let Ok(framed) = frame::encode(&bytes, AGENT_LIMIT)
        && let Ok(batch) = frame::decode::<Batch>(&framed[4..])
    {
        batch.events().for_each(drop);
    }
}
