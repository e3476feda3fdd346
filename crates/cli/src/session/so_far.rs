//! A run as if it ended now, shown in mid run.
//!
//! Belongs here: putting totals so far into it. Must never: change the run itself.

use leadline_model::event::Event;
use leadline_model::sample::WorkerTotals;
use leadline_results::run::Run;

/// Gathers totals so far; the tick after them shows them.
pub(super) fn take_so_far(
    so_far: &mut Vec<WorkerTotals>,
    event: &Event,
    run: &Run,
    show: &mut dyn FnMut(&Run),
) {
    match event {
        Event::PartialTotals(totals) => so_far.push((**totals).clone()),
        Event::Tick(tick) if !so_far.is_empty() => {
            let mut run = run.clone();
            run.forget_unfinished(tick.at);
            for totals in so_far.drain(..) {
                run.apply(&Event::WorkerEnded(Box::new(totals)));
            }
            show(&run);
        }
        _ => {}
    }
}
