//! When a worker that waits for a tick sleeps, and when it looks at the clock until the tick has come.
//! Nothing here knows of I/O.
//!
//! A sleeping thread comes back late: by 50 µs on a good host, by milliseconds now and then on a virtual
//! machine, whose processor is given away while nothing runs on it. An I/O that was due meanwhile is late
//! by as much, and that lateness is leadline's, not the target's. So a worker that was given a processor of
//! its own learns how late its sleeps are and spins for longer than that. Others do not: on two cores, three
//! paced processes that did so kept the kernel's threads from ending their own I/Os for seconds.

use crate::clock::{Clock, HostClock};
use crate::os::thread;
use leadline_model::sample::Waits;

/// The shortest span a worker spins for: kernel timers are late by up to this much everywhere.
const SHORTEST_NS: u64 = 60_000;
/// The longest: a host whose sleeps are later than this has other troubles.
const LONGEST_NS: u64 = 5_000_000;
/// Spans are this many times the latest sleep that was seen: the next one may be later still.
const MARGIN: u64 = 4;
/// Sleeps before the start from which the first guess is made, and the length of each.
const TRIALS: u32 = 16;
const TRIAL_NS: u64 = 300_000;

/// A clock reading that takes longer than this was interrupted: another thread had the processor.
const ROBBED_NS: u64 = 1_000_000;
/// Of a longer one only this counts: a process that was stopped does not share its processor.
const SLICE_NS: u64 = 10_000_000;
/// After so long it is judged whether the processor is shared after all, by workers of another
/// process perhaps: it is when more than an eighth was taken.
const JUDGED_NS: u64 = 200_000_000;
const SHARED_FROM: u64 = 8;

/// Whose processor a worker runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Processor {
    /// Its own: it was pinned, and no other worker to the same.
    Own,
    /// There are enough for all workers, but they are not promised.
    Enough,
    /// There are fewer than workers that may run on them.
    Shared,
}

/// How to get to a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WaitMode {
    /// Sleep this many nanoseconds, then look again.
    Sleep(u64),
    /// Look at the clock until it has come.
    Spin,
}

/// Looks at the clock between which the processor was taken away.
#[derive(Clone, Copy, Debug)]
struct Preemption {
    /// Ticks of them.
    ticks: u64,
    /// How many.
    looks: u64,
    /// How often this kernel gave the processor to another thread, as of the last judgement.
    switches: u64,
}

impl Preemption {
    const NONE: Self = Self {
        ticks: 0,
        looks: 0,
        switches: 0,
    };
}

/// What a worker knows of its own sleeps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PaceTimer {
    /// Sleeps end this long before the tick.
    early_ns: u64,
    processor: Processor,
    /// It may spin for long while I/Os are in flight: no thread of the kernel needs the processor for them.
    beside_io: bool,
    /// The tick that was last slept for.
    rested_for: u64,
    /// Ticks spent looking at the clock.
    spun: u64,
    /// Preemption meanwhile.
    preempted: Preemption,
    /// Ticks spent and preemption at the last judgement.
    judged: (u64, Preemption),
    /// How often the kernel gave the processor to others so far.
    switches: fn() -> u64,
    /// The last look that found nothing to do: when, and how many I/Os were in flight.
    last_look: Option<(u64, u32)>,
    /// What it waited for.
    pub(super) waits: Waits,
    /// A poll for completions is in progress, with this many I/Os in flight before it.
    pub(super) looking: Option<u32>,
}

impl PaceTimer {
    /// A worker that knows nothing yet. `beside_io`: its I/Os are ended by the device's interrupt, not by a
    /// thread of the kernel, which a spinning worker would keep waiting for its slice.
    pub(crate) const fn new(processor: Processor, beside_io: bool) -> Self {
        Self {
            early_ns: SHORTEST_NS,
            processor,
            beside_io,
            rested_for: 0,
            spun: 0,
            preempted: Preemption::NONE,
            judged: (0, Preemption::NONE),
            switches: involuntary_switches,
            last_look: None,
            waits: Waits {
                completions: 0,
                paced: 0,
                sleeps: 0,
                looks: [0; 8],
            },
            looking: None,
        }
    }

    /// Tries some sleeps, about 6 ms of them, so that the first I/Os are not the trial.
    pub(crate) fn try_out(&mut self, clock: HostClock) {
        if self.processor != Processor::Own {
            return;
        }
        for _ in 0..TRIALS {
            self.sleep(clock, TRIAL_NS);
        }
        self.judged.1.switches = (self.switches)();
    }

    /// The way to a tick that is `left_ns` away.
    pub(super) fn wait_mode(&mut self, tick: u64, left_ns: u64) -> WaitMode {
        if left_ns > self.early_ns {
            self.rested_for = tick;
            return WaitMode::Sleep(left_ns - self.early_ns);
        }
        // Who shares a processor and never sleeps keeps the others from reaching their rates.
        if self.processor == Processor::Shared && self.rested_for != tick && left_ns > 0 {
            self.rested_for = tick;
            return WaitMode::Sleep(left_ns);
        }
        WaitMode::Spin
    }

    /// The way to a tick while I/Os are in flight.
    pub(super) fn wait_mode_beside_io(&mut self, tick: u64, left_ns: u64) -> WaitMode {
        if left_ns > SHORTEST_NS && !self.beside_io {
            self.rested_for = tick;
            return WaitMode::Sleep(left_ns - SHORTEST_NS);
        }
        self.wait_mode(tick, left_ns)
    }

    /// A sleep came back `late_ns` after the time it was asked for.
    pub(super) fn learn(&mut self, late_ns: u64) {
        if self.processor != Processor::Own {
            return;
        }
        let wanted = (late_ns * MARGIN).clamp(SHORTEST_NS, LONGEST_NS);
        if wanted > self.early_ns {
            self.early_ns = wanted;
        } else {
            // What was late once is forgotten over some thousand sleeps.
            self.early_ns -= (self.early_ns - wanted) / 4096;
        }
    }

    /// Sleeps. False = a signal ended it.
    pub(super) fn sleep(&mut self, clock: HostClock, nanos: u64) -> bool {
        let before = clock.ticks();
        let slept = thread::sleep(nanos);
        let took = clock.nanos(clock.ticks() - before);
        self.learn(took.saturating_sub(nanos));
        slept
    }

    /// Gets to a tick, with nothing else to do. A signal ends a sleep early; the caller looks again.
    pub(crate) fn until(&mut self, clock: HostClock, tick: u64) {
        loop {
            let left = clock.nanos(tick.saturating_sub(clock.ticks()));
            match self.wait_mode(tick, left) {
                WaitMode::Sleep(nanos) => {
                    if !self.sleep(clock, nanos) {
                        return;
                    }
                }
                WaitMode::Spin => break,
            }
        }
        let mut now = clock.ticks();
        while now < tick {
            Self::yield_cpu(clock.nanos(tick - now));
            let next = clock.ticks();
            self.count(clock, next - now);
            now = next;
        }
        self.judge(clock);
    }

    /// Between two looks at the clock. While the tick is far, the processor is offered to any thread that is ready to
    /// run on it, such as the kernel thread that completes an I/O; if there is none, the call costs nothing.
    pub(super) fn yield_cpu(left_ns: u64) {
        if left_ns > SHORTEST_NS {
            thread::yield_now();
        } else {
            std::hint::spin_loop();
        }
    }

    /// Counts one look that found nothing.
    fn count(&mut self, clock: HostClock, ticks: u64) {
        if ticks > clock.span(ROBBED_NS) {
            self.preempted.ticks += ticks.min(clock.span(SLICE_NS));
            self.preempted.looks += 1;
        } else {
            self.spun += ticks;
        }
    }

    /// Whether the processor is shared after all. Once it is, it is taken to be for the rest of the run.
    /// A hypervisor that takes the processor switches no thread here, and sleeping does not win it back:
    /// so each long look must have its switch.
    fn judge(&mut self, clock: HostClock) {
        let (spun, preempted) = (
            self.spun - self.judged.0,
            self.preempted.ticks - self.judged.1.ticks,
        );
        if spun + preempted <= clock.span(JUDGED_NS) || self.processor != Processor::Own {
            return;
        }
        self.preempted.switches = (self.switches)();
        let switches = self.preempted.switches - self.judged.1.switches;
        let looks = self.preempted.looks - self.judged.1.looks;
        self.judged = (self.spun, self.preempted);
        if preempted > (spun + preempted) / SHARED_FROM && switches >= looks {
            (self.processor, self.early_ns) = (Processor::Shared, SHORTEST_NS);
        }
    }

    /// The worker queued nothing and looks whether something has ended, at `tick`. The time since its
    /// last look was spent for nothing if as many I/Os are in flight as then.
    pub(super) fn looked(&mut self, clock: HostClock, tick: u64, in_flight: u32) {
        if let Some((before, same)) = self.last_look {
            let ticks = tick - before;
            // What has ended meanwhile does not explain a long one: taking it is a matter of microseconds.
            if same == in_flight || ticks > clock.span(ROBBED_NS) {
                self.count(clock, ticks);
            }
            self.judge(clock);
        }
        self.last_look = Some((tick, in_flight));
    }

    /// A poll found that this many I/Os had completed.
    pub(super) fn found(&mut self, ended: u32) {
        let class = usize::try_from(ended).unwrap_or(7).min(7);
        self.waits.looks[class] += 1;
    }

    /// The worker did other work, so the next poll starts a new interval.
    pub(super) const fn busy(&mut self) {
        self.last_look = None;
    }

    /// Ticks spent looking at the clock until now.
    pub(super) const fn spun(&self) -> u64 {
        self.spun
    }
}

/// How often the kernel has given the processor of the calling thread to another one.
fn involuntary_switches() -> u64 {
    thread::cpu_use().involuntary
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::sync::atomic::{AtomicBool, Ordering};

    thread_local! {
        static SWITCHES: Cell<u64> = const { Cell::new(0) };
    }

    /// One that the kernel takes the processor from, as often as `taken` says.
    fn shared() -> PaceTimer {
        SWITCHES.set(0);
        PaceTimer {
            switches: || SWITCHES.get(),
            ..PaceTimer::new(Processor::Own, true)
        }
    }

    #[test]
    fn a_worker_with_a_processor_of_its_own_spins_for_longer_than_its_sleeps_are_late() {
        let mut timer = PaceTimer::new(Processor::Own, true);
        assert_eq!(timer.wait_mode(1, 1_000_000), WaitMode::Sleep(940_000));
        timer.learn(200_000);
        assert_eq!(timer.wait_mode(1, 1_000_000), WaitMode::Sleep(200_000));
        timer.learn(900_000);
        assert_eq!(timer.wait_mode(1, 1_000_000), WaitMode::Spin);
        assert_eq!(timer.wait_mode_beside_io(1, 1_000_000), WaitMode::Spin);
        timer.beside_io = false;
        assert_eq!(
            timer.wait_mode_beside_io(1, 1_000_000),
            WaitMode::Sleep(940_000)
        );
        assert_eq!(timer.wait_mode_beside_io(1, 60_000), WaitMode::Spin);
        // However late a sleep was, not for ever.
        timer.learn(u64::MAX / MARGIN);
        assert_eq!(timer.wait_mode(1, 8_000_000), WaitMode::Sleep(3_000_000));
        // One sleep that is in time changes little, many do.
        timer.learn(0);
        assert_eq!(timer.wait_mode(1, 4_000_000), WaitMode::Spin);
        (0..40_000).for_each(|_| timer.learn(0));
        assert_eq!(
            timer.wait_mode(1, 1_000_000),
            WaitMode::Sleep(1_000_000 - timer.early_ns)
        );
        assert!(timer.early_ns < 70_000, "{timer:?}");
    }

    #[test]
    fn a_worker_that_shares_its_processor_sleeps_once_for_each_tick() {
        let mut timer = PaceTimer::new(Processor::Shared, true);
        timer.learn(900_000);
        assert_eq!(timer.wait_mode(7, 1_000_000), WaitMode::Sleep(940_000));
        // Woken in time: the rest is short.
        assert_eq!(timer.wait_mode(7, 60_000), WaitMode::Spin);
        // A pace so tight that it would never sleep.
        assert_eq!(timer.wait_mode(8, 20_000), WaitMode::Sleep(20_000));
        assert_eq!(timer.wait_mode(8, 5_000), WaitMode::Spin);
        assert_eq!(timer.wait_mode(9, 0), WaitMode::Spin);
    }

    #[test]
    fn a_worker_with_no_processor_of_its_own_spins_for_short_however_late_its_sleeps_are() {
        let mut timer = PaceTimer::new(Processor::Enough, true);
        timer.learn(900_000);
        assert_eq!(timer.wait_mode(7, 1_000_000), WaitMode::Sleep(940_000));
        assert_eq!(timer.wait_mode(8, 60_000), WaitMode::Spin);
    }

    #[test]
    fn what_is_spun_is_counted() {
        let clock = HostClock::get();
        let mut timer = PaceTimer::new(Processor::Own, true);
        timer.until(clock, clock.ticks() + clock.span(50_000));
        let spun = clock.nanos(timer.spun());
        assert!(spun > 10_000, "{spun}");
    }

    #[test]
    fn polls_that_find_completions_count_as_work() {
        let clock = HostClock::get();
        let mut timer = PaceTimer::new(Processor::Own, true);
        timer.looked(clock, 1_000, 3);
        timer.looked(clock, 1_100, 3);
        assert_eq!(timer.spun(), 100);
        // One has ended meanwhile.
        timer.looked(clock, 1_250, 2);
        timer.looked(clock, 1_300, 2);
        assert_eq!(timer.spun(), 150);
        // One was submitted meanwhile, and another has ended.
        timer.busy();
        timer.looked(clock, 1_500, 2);
        assert_eq!(timer.spun(), 150);
    }

    /// Spins for 4 million looks, every `every`th of which takes 3 ms, with this number of switches; what is done
    /// about a tick then.
    fn spin(
        timer: &mut PaceTimer,
        every: u32,
        switches: u64,
        in_flight: impl Fn(u32) -> u32,
    ) -> WaitMode {
        let clock = HostClock::get();
        let (look, slice) = (clock.span(100), clock.span(3_000_000));
        let mut tick = timer.last_look.map_or(1_000, |(tick, _)| tick);
        for n in 0..4_000_000_u32 {
            if n.is_multiple_of(every) {
                tick += slice;
                SWITCHES.set(SWITCHES.get() + switches);
            } else {
                tick += look;
            }
            timer.looked(clock, tick, in_flight(n));
        }
        timer.wait_mode(9, 20_000)
    }

    #[test]
    fn a_worker_whose_processor_is_taken_all_the_time_learns_to_share_it() {
        // One slice of 3 ms in 100 ms of spinning: it happens.
        assert_eq!(spin(&mut shared(), 1_000_000, 1, |_| 1), WaitMode::Spin);
        // One in 10 ms: two others want the same processors.
        let slept = WaitMode::Sleep(20_000);
        assert_eq!(spin(&mut shared(), 100_000, 1, |_| 1), slept);
        // Likewise when I/Os have ended in each of the slices.
        let ended = |n| 1 + n / 100_000 % 2;
        assert_eq!(spin(&mut shared(), 100_000, 1, ended), slept);
    }

    #[test]
    fn a_worker_that_was_stopped_does_not_share_its_processor() {
        let clock = HostClock::get();
        let mut stopped = shared();
        stopped.looked(clock, 1_000, 1);
        stopped.looked(clock, clock.span(1_000_000_000), 1);
        assert_eq!(spin(&mut stopped, 1_000_000, 1, |_| 1), WaitMode::Spin);
    }

    #[test]
    fn what_a_hypervisor_takes_is_not_shared_with_anybody_here() {
        assert_eq!(spin(&mut shared(), 100_000, 0, |_| 1), WaitMode::Spin);
    }

    #[test]
    fn the_kernel_counts_what_it_gives_to_others() {
        let before = involuntary_switches();
        let clock = HostClock::get();
        let end = clock.ticks() + clock.span(10_000_000_000);
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..2 * std::thread::available_parallelism().map_or(1, usize::from) {
                scope.spawn(|| {
                    while !over.load(Ordering::Relaxed) {
                        std::hint::spin_loop();
                    }
                });
            }
            while involuntary_switches() < before + 3 && clock.ticks() < end {
                std::hint::spin_loop();
            }
            over.store(true, Ordering::Relaxed);
        });
        assert!(involuntary_switches() >= before + 3);
    }
}
