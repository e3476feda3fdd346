//! What goes wrong when: the rules in force, the decision for each I/O, and the counters.
//!
//! Time is given from outside; nothing here waits.

use crate::command::{Command, Effect, Op, Ops, When};
use std::fmt::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What is to become of one I/O.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// When to answer; `None` for at once.
    pub(crate) at: Option<Instant>,
    /// What to do to it besides; never [`Effect::Late`].
    pub(crate) effect: Option<Effect>,
}

/// What was counted since the start or the last `reset`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Counters {
    reads: u64,
    read_bytes: u64,
    writes: u64,
    written_bytes: u64,
    fsyncs: u64,
    errors: u64,
    shorts: u64,
    corruptions: u64,
    stalled: u64,
    late: u64,
}

struct Rule {
    ops: Ops,
    effect: Effect,
    when: When,
    /// I/Os of `ops` since the rule came.
    seen: u64,
}

#[derive(Default)]
struct State {
    delays: [Duration; 3],
    stalls: Vec<(Instant, Instant)>,
    rules: Vec<Rule>,
    corruptions: Vec<(u64, u8)>,
    space: Option<u64>,
    counters: Counters,
    /// The last command that was not understood.
    complaint: String,
}

/// The rules in force and the counters; shared by all threads.
#[derive(Default)]
pub(crate) struct Faults {
    state: Mutex<State>,
}

impl Faults {
    /// No faults.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a command in force at `now`.
    pub(crate) fn apply(&self, command: &Command, now: Instant) {
        let mut state = self.state();
        match *command {
            Command::Delay(ops, delay) => {
                for op in [Op::Read, Op::Write, Op::Fsync] {
                    if ops.holds(op) {
                        state.delays[index(op)] = delay;
                    }
                }
            }
            Command::Stall { lasts, after } => {
                state.stalls.retain(|(_, end)| *end > now);
                state.stalls.push((now + after, now + after + lasts));
            }
            Command::Strike(ops, effect, when) => {
                state.rules.push(Rule {
                    ops,
                    effect,
                    when,
                    seen: 0,
                });
            }
            Command::Corrupt { offset, xor } => state.corruptions.push((offset, xor)),
            Command::Space(bytes) => state.space = Some(bytes),
            Command::Clear => {
                let counters = std::mem::take(&mut state.counters);
                *state = State {
                    counters,
                    ..State::default()
                };
            }
            Command::Reset => state.counters = Counters::default(),
        }
    }

    /// Remembers why a command was refused, for the reader of the control file.
    pub(crate) fn complain(&self, message: String) {
        self.state().complaint = message;
    }

    /// Decides about one I/O of `len` bytes at `offset` that came at `now`, and counts it.
    pub(crate) fn judge(&self, op: Op, offset: u64, len: u32, now: Instant) -> Verdict {
        let mut state = self.state();
        let (effect, late) = state.strike(op, offset, u64::from(len));
        match effect {
            Some(Effect::Error(_)) => state.counters.errors += 1,
            Some(Effect::Short(_)) => state.counters.shorts += 1,
            Some(Effect::Late(_)) | None => {}
        }
        state.counters.late += u64::from(!late.is_zero());
        match op {
            Op::Read => state.counters.reads += 1,
            Op::Write => state.counters.writes += 1,
            Op::Fsync => state.counters.fsyncs += 1,
        }
        let due = now + state.delays[index(op)] + late;
        let held = state.held(due);
        state.counters.stalled += u64::from(held.is_some());
        let at = held.or((due > now).then_some(due));
        Verdict { at, effect }
    }

    /// Until when nothing may be answered, when `now` is in a stall.
    pub(crate) fn stalled_until(&self, now: Instant) -> Option<Instant> {
        self.state().held(now)
    }

    /// Counts bytes that were really transferred.
    pub(crate) fn moved(&self, op: Op, bytes: u64) {
        let mut state = self.state();
        match op {
            Op::Read => state.counters.read_bytes += bytes,
            Op::Write => state.counters.written_bytes += bytes,
            Op::Fsync => {}
        }
    }

    /// Changes those bytes of `data`, read from `offset`, that are to come back wrong.
    pub(crate) fn corrupt(&self, offset: u64, data: &mut [u8]) {
        let mut state = self.state();
        let mut hits = 0;
        for (at, xor) in &state.corruptions {
            let place = at
                .checked_sub(offset)
                .and_then(|place| usize::try_from(place).ok());
            if let Some(byte) = place.and_then(|place| data.get_mut(place)) {
                *byte ^= xor;
                hits += 1;
            }
        }
        state.counters.corruptions += hits;
    }

    /// Bytes of data that fit, if there is a limit.
    pub(crate) fn space(&self) -> Option<u64> {
        self.state().space
    }

    /// The content of the control file: one `name value` a line.
    pub(crate) fn report(&self) -> String {
        let state = self.state();
        let c = &state.counters;
        let rows = [
            ("reads", c.reads),
            ("read_bytes", c.read_bytes),
            ("writes", c.writes),
            ("written_bytes", c.written_bytes),
            ("fsyncs", c.fsyncs),
            ("errors", c.errors),
            ("shorts", c.shorts),
            ("corruptions", c.corruptions),
            ("stalled", c.stalled),
            ("late", c.late),
        ];
        let mut text = String::new();
        for (name, value) in rows {
            // Writing to a string cannot fail.
            writeln!(text, "{name} {value}").ok();
        }
        if !state.complaint.is_empty() {
            writeln!(text, "refused {}", state.complaint).ok();
        }
        text
    }
}

impl State {
    /// The effect of the first rule that strikes, and the sum of all that only delay. Every rule
    /// counts every I/O of its kinds.
    fn strike(&mut self, op: Op, offset: u64, len: u64) -> (Option<Effect>, Duration) {
        let mut effect = None;
        let mut late = Duration::ZERO;
        for rule in self.rules.iter_mut().filter(|rule| rule.ops.holds(op)) {
            rule.seen += 1;
            let strikes = match rule.when {
                When::Always => true,
                When::Every(n) => rule.seen.is_multiple_of(n),
                When::At(n) => rule.seen == n,
                When::Range(from, to) => offset < to && offset.saturating_add(len) > from,
            };
            match rule.effect {
                Effect::Late(by) if strikes => late += by,
                other if strikes && effect.is_none() => effect = Some(other),
                _ => {}
            }
        }
        (effect, late)
    }

    /// The end of the stalls in which `at` is; one may begin before another ends.
    fn held(&self, at: Instant) -> Option<Instant> {
        let mut end = at;
        while let Some((_, later)) = self
            .stalls
            .iter()
            .find(|(start, stop)| *start <= end && end < *stop)
        {
            end = *later;
        }
        (end > at).then_some(end)
    }
}

fn index(op: Op) -> usize {
    match op {
        Op::Read => 0,
        Op::Write => 1,
        Op::Fsync => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{command, timer};

    fn with(lines: &[&str], now: Instant) -> Faults {
        let faults = Faults::new();
        for line in lines {
            faults.apply(&command::parse(line).unwrap(), now);
        }
        faults
    }

    fn effects(faults: &Faults, op: Op, count: u64, now: Instant) -> Vec<u64> {
        (1..=count)
            .filter(|_| faults.judge(op, 0, 4096, now).effect.is_some())
            .collect()
    }

    #[test]
    fn delay_is_for_its_kind_only() {
        let now = timer::now();
        let faults = with(&["delay read 1ms"], now);
        let at = Some(now + Duration::from_millis(1));
        assert_eq!(
            faults.judge(Op::Read, 0, 1, now),
            Verdict { at, effect: None }
        );
        assert_eq!(
            faults.judge(Op::Write, 0, 1, now),
            Verdict {
                at: None,
                effect: None
            }
        );
    }

    #[test]
    fn a_stall_holds_what_would_be_answered_in_it() {
        let now = timer::now();
        let ms = Duration::from_millis;
        let faults = with(&["delay read 1ms", "stall 2s in 10ms"], now);
        assert_eq!(faults.judge(Op::Read, 0, 1, now).at, Some(now + ms(1)));
        let end = Some(now + ms(2010));
        assert_eq!(faults.judge(Op::Read, 0, 1, now + ms(9)).at, end);
        assert_eq!(faults.judge(Op::Write, 0, 1, now + ms(500)).at, end);
        assert_eq!(faults.stalled_until(now + ms(2009)), end);
        assert_eq!(faults.stalled_until(now + ms(2010)), None);
        faults.apply(&Command::Clear, now);
        assert_eq!(faults.stalled_until(now + ms(500)), None);
    }

    #[test]
    fn rules_count_the_ios_of_their_kind() {
        let now = timer::now();
        let faults = with(&["error read EIO every 3"], now);
        assert_eq!(effects(&faults, Op::Write, 5, now), [0; 0]);
        assert_eq!(effects(&faults, Op::Read, 9, now), [3, 6, 9]);
        let faults = with(&["short all 512 at 2"], now);
        assert_eq!(effects(&faults, Op::Write, 5, now), [2]);
        assert!(faults.report().contains("shorts 1\n"));
    }

    #[test]
    fn what_is_late_is_late_beside_other_faults() {
        let now = timer::now();
        let ms = Duration::from_millis;
        let faults = with(
            &[
                "delay read 1ms",
                "late read 50ms every 2",
                "error read EIO every 4",
            ],
            now,
        );
        let verdicts: Vec<Verdict> = (0..4).map(|_| faults.judge(Op::Read, 0, 1, now)).collect();
        let at: Vec<_> = verdicts
            .iter()
            .map(|verdict| verdict.at.unwrap() - now)
            .collect();
        assert_eq!(at, [ms(1), ms(51), ms(1), ms(51)]);
        assert_eq!(verdicts[1].effect, None);
        assert_eq!(verdicts[3].effect, Some(Effect::Error(libc::EIO)));
        assert!(faults.report().contains("late 2\n"));
    }

    #[test]
    fn a_range_strikes_what_touches_it() {
        let now = timer::now();
        let faults = with(&["error all EIO range 4k-8k"], now);
        let hit = |offset, len| faults.judge(Op::Read, offset, len, now).effect.is_some();
        assert!(!hit(0, 4096));
        assert!(hit(0, 4097));
        assert!(hit(8191, 1));
        assert!(!hit(8192, 4096));
    }

    #[test]
    fn one_byte_comes_back_changed() {
        let now = timer::now();
        let faults = with(&["corrupt 5 xor 0x01"], now);
        let mut data = [0_u8; 4];
        faults.corrupt(4, &mut data);
        assert_eq!(data, [0, 1, 0, 0]);
        faults.corrupt(6, &mut data);
        assert_eq!(data, [0, 1, 0, 0]);
        assert!(faults.report().contains("corruptions 1\n"));
    }
}
