//! What an agent has to say, in two lines: short words that cannot wait, and events, which may have to.
//!
//! The line of events is bounded: who adds to it waits while it is full. Nothing is ever dropped or merged,
//! as long as there is a controller.

use crate::frame::{self, AGENT_LIMIT};
use crate::message::FromAgent;
use std::collections::VecDeque;
use std::io::Write;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Bytes of events that may wait to be written.
const ROOM: usize = 8 << 20;

/// Two lines and a writer.
#[derive(Default)]
pub(super) struct Outbox {
    lines: Mutex<Lines>,
    changed: Condvar,
}

#[derive(Default)]
struct Lines {
    control: VecDeque<Vec<u8>>,
    data: VecDeque<Vec<u8>>,
    /// Bytes in `data`.
    waiting: usize,
    /// A frame is being written.
    writing: bool,
    /// The reader is gone.
    closed: bool,
}

impl Outbox {
    fn lines(&self) -> MutexGuard<'_, Lines> {
        // Queues of bytes: a panic of another thread cannot leave them half made.
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, lines: MutexGuard<'a, Lines>, most: Duration) -> MutexGuard<'a, Lines> {
        let waited = self.changed.wait_timeout(lines, most);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Says something that overtakes all events.
    pub(super) fn control(&self, message: &FromAgent) {
        // Short words are always shorter than the bound.
        let Ok(bytes) = frame::encode(message, AGENT_LIMIT) else {
            return;
        };
        self.lines().control.push_back(bytes);
        self.changed.notify_all();
    }

    /// Says something after the events, whether there is room or not.
    pub(super) fn last(&self, message: &FromAgent) {
        self.add(message, usize::MAX);
    }

    /// Says events; waits while there is no room. Whether it had to.
    pub(super) fn data(&self, message: &FromAgent) -> bool {
        self.add(message, ROOM)
    }

    fn add(&self, message: &FromAgent, room: usize) -> bool {
        let Ok(bytes) = frame::encode(message, AGENT_LIMIT) else {
            return false;
        };
        let mut waited = false;
        let mut lines = self.lines();
        while lines.waiting > 0 && lines.waiting.saturating_add(bytes.len()) > room && !lines.closed
        {
            waited = true;
            lines = self.wait(lines, Duration::from_secs(1));
        }
        lines.waiting += bytes.len();
        lines.data.push_back(bytes);
        drop(lines);
        self.changed.notify_all();
        waited
    }

    /// The reader is gone: a sender that waits for room continues.
    pub(super) fn close(&self) {
        let mut lines = self.lines();
        lines.closed = true;
        lines.data.clear();
        lines.waiting = 0;
        drop(lines);
        self.changed.notify_all();
    }

    /// Waits until all is written, or for so long.
    pub(super) fn drain(&self, most: Duration) {
        let mut lines = self.lines();
        let step = Duration::from_millis(20);
        let mut left = most;
        while (lines.writing || !lines.data.is_empty() || !lines.control.is_empty())
            && !lines.closed
            && left > step
        {
            left -= step;
            lines = self.wait(lines, step);
        }
    }

    /// Writes what there is until it is closed; false when the stream fails. Says that it is alive when it
    /// has had nothing else to say for as long as `alive`.
    pub(super) fn write_to(&self, to: &mut dyn Write, alive: Duration) -> bool {
        loop {
            let mut lines = self.lines();
            lines.writing = false;
            self.changed.notify_all();
            if lines.control.is_empty() && lines.data.is_empty() && !lines.closed {
                lines = self.wait(lines, alive);
            }
            if lines.closed {
                return true;
            }
            let next = lines.control.pop_front().or_else(|| {
                let bytes = lines.data.pop_front()?;
                lines.waiting -= bytes.len();
                Some(bytes)
            });
            lines.writing = true;
            drop(lines);
            self.changed.notify_all();
            let bytes = match next {
                Some(bytes) => bytes,
                // A wake for nothing says it a little early, which does no harm.
                None => match frame::encode(&FromAgent::Alive, AGENT_LIMIT) {
                    Ok(bytes) => bytes,
                    Err(_) => return false,
                },
            };
            if to.write_all(&bytes).and_then(|()| to.flush()).is_err() {
                return false;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Batch;
    use std::sync::Arc;

    #[test]
    fn words_overtake_events_and_a_full_line_makes_its_giver_wait() {
        let outbox = Arc::new(Outbox::default());
        let events = FromAgent::Events(Batch::default());
        assert!(!outbox.data(&events));
        outbox.lines().waiting = ROOM;
        let other = Arc::clone(&outbox);
        let giver = std::thread::spawn(move || other.data(&FromAgent::Events(Batch::default())));
        outbox.control(&FromAgent::Ready { number: 3 });
        std::thread::sleep(Duration::from_millis(50));
        assert!(!giver.is_finished());
        outbox.lines().waiting = frame::encode(&events, AGENT_LIMIT).unwrap().len();
        let (mut reader, mut writer) = std::io::pipe().unwrap();
        let own = Arc::clone(&outbox);
        let writing = std::thread::spawn(move || own.write_to(&mut writer, Duration::from_secs(9)));
        let mut read = || frame::read::<FromAgent>(&mut reader, AGENT_LIMIT).unwrap();
        assert_eq!(read(), Some(FromAgent::Ready { number: 3 }));
        assert_eq!(read(), Some(events.clone()));
        assert_eq!(read(), Some(events));
        assert!(giver.join().unwrap(), "it had to wait");
        outbox.drain(Duration::from_secs(5));
        outbox.close();
        assert!(writing.join().unwrap());
    }
}
