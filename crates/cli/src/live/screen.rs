//! Progress on a terminal: a block of lines, or one line where it is too small for that or has no cursor to move.

use crate::out;
use leadline_engine::os::wall::wall_ms;
use leadline_model::units::Nanos;

/// Smallest terminal that has a block: columns and rows.
const SMALLEST: (usize, usize) = (60, 12);

/// A block is drawn no more often than this, in the time of the stage.
const EVERY: Nanos = Nanos::from_millis(200);

/// Nor than this, in milliseconds: the time of a simulated stage flies.
const EVERY_WALL_MS: u64 = 100;

/// What is on the terminal.
pub(super) struct Screen {
    /// Columns of the one line, which must be wiped before anything else is written.
    dirty: usize,
    /// Size of the terminal when it was last drawn on.
    size: Option<(usize, usize)>,
    /// When the last block was drawn, from the start of the stage, and by the wall clock.
    drawn: (Nanos, u64),
}

impl Screen {
    pub(super) const fn new() -> Self {
        Self {
            dirty: 0,
            size: None,
            drawn: (Nanos::ZERO, 0),
        }
    }

    /// A stage begins: what is drawn stays until there is something to show of it.
    pub(super) const fn begin_stage(&mut self) {
        self.drawn.0 = Nanos::ZERO;
    }

    /// Columns and rows, if there is room for a block.
    pub(super) fn block_size() -> Option<(usize, usize)> {
        out::block_size().filter(|size| size.0 >= SMALLEST.0 && size.1 >= SMALLEST.1)
    }

    /// Whether a block of this size is to be drawn, `at` so long after the start of the stage.
    pub(super) fn is_due(&mut self, at: Nanos, size: (usize, usize)) -> bool {
        let (resized, now) = (self.size != Some(size), wall_ms());
        // Also when the clock is put back.
        let flies = now.abs_diff(self.drawn.1) < EVERY_WALL_MS;
        let due = at.since(self.drawn.0) >= EVERY;
        if resized || due && !flies {
            self.size = Some(size);
            self.drawn = (at, now);
        }
        resized || due && !flies
    }

    /// Draws a block in place of what is there.
    pub(super) fn block(&mut self, lines: &[String]) {
        self.wipe_line();
        out::block(lines);
    }

    /// Draws the one line in place of what is there.
    pub(super) fn line(&mut self, text: &str) {
        let width = out::err_width().saturating_sub(1);
        let shown: String = text.chars().take(width).collect();
        let length = shown.chars().count();
        let blank = " ".repeat(self.dirty.min(width).saturating_sub(length));
        out::progress(&format!("\r{shown}{blank}"));
        self.dirty = length;
        self.size = None;
    }

    /// Leaves the terminal as it was.
    pub(super) fn wipe(&mut self) {
        self.wipe_line();
        out::remove_block();
        self.size = None;
    }

    fn wipe_line(&mut self) {
        if self.dirty > 0 {
            let dirty = self.dirty.min(out::err_width().saturating_sub(1));
            out::progress(&format!("\r{}\r", " ".repeat(dirty)));
            self.dirty = 0;
        }
    }
}
