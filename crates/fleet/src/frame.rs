//! Frames: how messages are cut out of a stream of bytes.
//!
//! An agent opens with a line of text ([`greeting`]), so that whatever a login shell prints before it can
//! be distinguished; then both ways speak in frames: four bytes of length, lowest first, then that many bytes
//! of postcard. Belongs here: lengths, bounds, the greeting. Must never: panic on anything it reads, or hold
//! more memory than its bound because of a number it received.

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt;
use std::io::{self, Read, Write};

/// Version of the protocol. Both ends are of the same build besides; this is for a clear word when not.
pub const PROTOCOL: u32 = 2;

/// Longest frame an agent may send, in bytes.
pub const AGENT_LIMIT: u32 = 4 << 20;

/// Longest frame a controller may send, in bytes: a stage of a large plan.
pub const CONTROLLER_LIMIT: u32 = 64 << 20;

/// Most bytes that may come before the greeting: what login shells print.
pub const CHATTER_LIMIT: usize = 64 << 10;

/// Why no message could be read.
#[derive(Debug)]
pub enum FrameError {
    /// The stream failed.
    Io(io::Error),
    /// The stream ended within a frame.
    Cut {
        /// Bytes that were there.
        have: usize,
        /// Bytes that were announced.
        want: u32,
    },
    /// A frame longer than allowed was announced.
    TooLong {
        /// Its length.
        len: u32,
        /// What is allowed.
        limit: u32,
    },
    /// The bytes are no message.
    Garbage(String),
    /// What came is not from an agent.
    NoGreeting(String),
}

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "{error}"),
            Self::Cut { have, want } => {
                write!(
                    f,
                    "the stream ended after {have} bytes of a frame of {want}"
                )
            }
            Self::TooLong { len, limit } => {
                write!(
                    f,
                    "a frame of {len} bytes was announced, {limit} are allowed"
                )
            }
            Self::Garbage(why) => write!(f, "a frame contains no valid message: {why}"),
            Self::NoGreeting(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for FrameError {}

impl From<io::Error> for FrameError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// The bytes of a message with its length before it.
///
/// # Errors
/// When it is longer than `limit`.
pub fn encode<M: Serialize>(message: &M, limit: u32) -> Result<Vec<u8>, FrameError> {
    let mut bytes = postcard::to_extend(message, vec![0; 4])
        .map_err(|error| FrameError::Garbage(error.to_string()))?;
    let len = u32::try_from(bytes.len() - 4).unwrap_or(u32::MAX);
    if len > limit {
        return Err(FrameError::TooLong { len, limit });
    }
    bytes[..4].copy_from_slice(&len.to_le_bytes());
    Ok(bytes)
}

/// Writes a message.
///
/// # Errors
/// When it is longer than `limit`, or the stream fails.
pub fn write<M: Serialize>(to: &mut dyn Write, message: &M, limit: u32) -> Result<(), FrameError> {
    to.write_all(&encode(message, limit)?)?;
    Ok(to.flush()?)
}

/// Reads the bytes of one frame; `None` = the stream ended where a frame may end.
///
/// # Errors
/// When the stream fails, ends within the frame, or announces more than `limit` bytes.
pub fn read_bytes(mut from: &mut dyn Read, limit: u32) -> Result<Option<Vec<u8>>, FrameError> {
    let mut head = Vec::with_capacity(4);
    (&mut from).take(4).read_to_end(&mut head)?;
    let Ok(head) = <[u8; 4]>::try_from(head.as_slice()) else {
        return match head.len() {
            0 => Ok(None),
            have => Err(FrameError::Cut { have, want: 4 }),
        };
    };
    let len = u32::from_le_bytes(head);
    if len > limit {
        return Err(FrameError::TooLong { len, limit });
    }
    // Grows with what really comes, not with what was announced.
    let mut bytes = Vec::new();
    (&mut from).take(u64::from(len)).read_to_end(&mut bytes)?;
    if bytes.len() < len as usize {
        let have = bytes.len();
        return Err(FrameError::Cut { have, want: len });
    }
    Ok(Some(bytes))
}

/// The message in the bytes of a frame; nothing may be left over.
///
/// # Errors
/// When the bytes are not that message.
pub fn decode<M: DeserializeOwned>(bytes: &[u8]) -> Result<M, FrameError> {
    match postcard::take_from_bytes(bytes) {
        Ok((message, [])) => Ok(message),
        Ok((_, rest)) => Err(FrameError::Garbage(format!(
            "{} bytes are left over",
            rest.len()
        ))),
        Err(error) => Err(FrameError::Garbage(error.to_string())),
    }
}

/// Reads one message; `None` = the stream ended where it may end.
///
/// # Errors
/// As [`read_bytes`] and [`decode`].
pub fn read<M: DeserializeOwned>(from: &mut dyn Read, limit: u32) -> Result<Option<M>, FrameError> {
    match read_bytes(from, limit)? {
        Some(bytes) => decode(&bytes).map(Some),
        None => Ok(None),
    }
}

/// The word that opens every line of the time before frames.
const MARK: &str = "leadline-fleet";

/// The line an agent of this build opens with, with its end.
#[must_use]
pub fn greeting(build: &str) -> String {
    format!("{MARK} {PROTOCOL} {build}\n")
}

/// The line that asks for the program, with its end.
#[must_use]
pub fn request() -> String {
    format!("{MARK} want\n")
}

/// What came before the first frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opening {
    /// An agent is there; frames follow.
    Agent {
        /// Version of its protocol.
        protocol: u32,
        /// Its build.
        build: String,
    },
    /// The program is not there and is to be sent.
    Want,
}

/// Reads lines until one is of ours; others are what a login shell says and ignored.
///
/// # Errors
/// With the last of what was said instead, when the stream ends or [`CHATTER_LIMIT`] is reached.
pub fn read_opening(from: &mut dyn Read) -> Result<Opening, FrameError> {
    let mut line = Vec::new();
    let mut passed = 0;
    loop {
        let mut byte = [0];
        if from.read(&mut byte)? == 0 {
            return Err(FrameError::NoGreeting(format!(
                "it ended without a greeting{}",
                said(&line)
            )));
        }
        passed += 1;
        if passed > CHATTER_LIMIT {
            return Err(FrameError::NoGreeting(format!(
                "no greeting within {CHATTER_LIMIT} bytes{}",
                said(&line)
            )));
        }
        if byte[0] != b'\n' {
            line.push(byte[0]);
            continue;
        }
        if let Some(opening) = opening(&String::from_utf8_lossy(&line)) {
            return Ok(opening);
        }
        line.clear();
    }
}

/// The last output of a process that is not an agent.
fn said(line: &[u8]) -> String {
    let text: String = String::from_utf8_lossy(line)
        .chars()
        .filter(|c| !c.is_control())
        .take(200)
        .collect();
    if text.is_empty() {
        text
    } else {
        format!("; it said: {text}")
    }
}

fn opening(line: &str) -> Option<Opening> {
    let mut words = line.trim_end().strip_prefix(MARK)?.split_ascii_whitespace();
    let first = words.next()?;
    if first == "want" {
        return Some(Opening::Want);
    }
    Some(Opening::Agent {
        protocol: first.parse().ok()?,
        build: words.next()?.to_owned(),
    })
}
