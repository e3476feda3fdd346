//! What a workload does on each of its targets where these differ.
//!
//! Belongs here: a line a target. Must never: say of one target what is true of all together.

use super::{cache, ios, order, used_of};
use leadline_model::plan::{FileChoice, FilePart, Target, Workload};
use std::fmt::Write as _;

/// A line for each target, indented under its workload; nothing where all are alike.
pub(super) fn lines(w: &Workload) -> String {
    let mut text = String::new();
    for (file, part) in w.blocks().parts.iter().enumerate() {
        let FilePart {
            slots,
            // Said of the workload that it is on this target.
            region: _,
            open: _,
            mix: _,
            sizes: _,
            access: _,
            // Taken apart by `unsaid`.
            prepare: _,
            payload: _,
        } = part;
        let own = w.of_file(file);
        let blocks = own.blocks();
        let place = match &blocks.target {
            Target::Paths(paths) => paths.get(file).cloned(),
            Target::Simulated(target) => target.files.get(file).cloned(),
            Target::Files(_) | Target::Null { size: _ } => None,
        };
        let place = place.unwrap_or_else(|| format!("target {}", file + 1));
        let _ = writeln!(
            text,
            "    {} {}{}{}, on {}",
            order(&blocks.access),
            ios(blocks),
            depth(blocks.access.file_choice, *slots),
            cache(&blocks.open),
            used_of(&own, blocks.region.size, place),
        );
    }
    text
}

/// The part of the queue that is a target's own, if it has one.
fn depth(choice: FileChoice, slots: u32) -> String {
    match choice {
        FileChoice::EachSlot => format!(" at depth {slots}"),
        FileChoice::RoundRobin { ios: _ }
        | FileChoice::Sequential
        | FileChoice::Random { ios: _ }
        | FileChoice::Zipf { theta: _ }
        | FileChoice::Pareto { h: _ }
        | FileChoice::Normal { deviation: _ } => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use leadline_model::op::Op;
    use leadline_model::plan::{
        Amount, BlockSizes, FileChoice, FilePart, OpMix, Order, Plan, Rate, Stage, Target, Workload,
    };
    use leadline_model::units::Nanos;

    /// Random 4 KiB reads of a, sequential 64 KiB writes of b.
    fn unlike(choice: FileChoice) -> Workload {
        let paths = ["/a", "/b"].map(str::to_owned).to_vec();
        let mut w = Workload::new("pool", Target::Paths(paths));
        w.depth = 5;
        (w.stop.runtime, w.stop.time_based) = (Some(Nanos::from_secs(2)), true);
        w.blocks_mut().mix = OpMix::mixed(50);
        w.blocks_mut().sizes = BlockSizes::fixed(65_536);
        w.blocks_mut().access.file_choice = choice;
        let blocks = w.blocks().clone();
        let part = |mix, size, slots| FilePart {
            region: blocks.region.clone(),
            prepare: blocks.prepare.clone(),
            open: blocks.open,
            mix,
            sizes: BlockSizes::fixed(size),
            access: blocks.access.clone(),
            slots,
            payload: None,
        };
        let (mut reads, mut writes) = (
            part(OpMix::reads(), 4096, 4),
            part(OpMix::Only(Op::Write), 65_536, 1),
        );
        (reads.open.direct, writes.region.size) = (true, Some(Amount::Bytes(1 << 20)));
        reads.access.order = Order::Random {
            every: 1,
            identical: false,
        };
        w.blocks_mut().parts = vec![reads, writes];
        w
    }

    fn text(w: Workload) -> String {
        let stage = Stage {
            name: "s".into(),
            workloads: vec![w],
            ..Stage::default()
        };
        let plan: Plan = leadline_testkit::plan(vec![stage]);
        super::super::text(&plan)
    }

    #[test]
    fn each_target_has_its_own_line_where_they_differ() {
        let said = text(unlike(FileChoice::EachSlot));
        let lines: Vec<&str> = said.lines().collect();
        assert_eq!(
            lines[1..4],
            [
                "  pool: 1 worker at depth 5 by io_uring, on the 2 targets below, for 2.00 s; writes as fast as the \
                 target takes them",
                "    random reads of 4 KiB at depth 4 bypassing the cache, on /a",
                "    sequential writes of 64 KiB at depth 1, on 1 MiB of /b",
            ]
        );
        // Where the I/Os of a thread are drawn no target has a depth of its own.
        let drawn = text(unlike(FileChoice::Random { ios: 1 }));
        assert!(
            drawn.contains("    random reads of 4 KiB bypassing the cache, on /a\n"),
            "{drawn}"
        );
    }

    /// All I/Os may be to the one that is written.
    #[test]
    fn what_is_written_at_most_is_that_of_the_target_that_writes_most() {
        let mut w = unlike(FileChoice::Random { ios: 1 });
        w.pace = leadline_model::plan::Pace::Open {
            rates: leadline_model::op::PerOp::splat(None),
            arrival: leadline_model::plan::Arrival::default(),
            together: Some(Rate::Iops(100.0)),
            schedule: Vec::new(),
        };
        let said = text(w);
        assert!(said.contains("; writes 12.50 MiB at most\n"), "{said}");
    }
}
