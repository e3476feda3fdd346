//! Checks of what a workload asks of its offsets: what cannot be drawn, and what no device can take.
//! Must never repair silently.

use crate::problem::Problems;
use leadline_model::cure::{Cure, Knob};
use leadline_model::error_code::ErrorCode;
use leadline_model::op::Op;
use leadline_model::plan::{
    Begin, Distribution, Draws, Grid, OpMix, Order, Position, Target, Workload,
};

/// Checks that need no host.
pub(super) fn check(w: &Workload, problems: &mut Problems) {
    let access = &w.blocks().access;
    let mut found: Vec<(String, Cure)> = Vec::new();
    if let Grid::Bytes(bytes) = access.grid
        && (bytes == 0 || bytes > u64::from(u32::MAX))
    {
        found.push((
            format!("its random offsets are aligned to {bytes} bytes"),
            ("use 1 byte to 4 GiB", [Knob::Alignment]).into(),
        ));
    }
    if let Some((low, high)) = access.stride
        && low > high
    {
        found.push((
            format!("its strides range from {low} to {high} bytes"),
            "give the smaller value first".into(),
        ));
    }
    let distributions = &access.distribution;
    for distribution in [
        &distributions.read,
        &distributions.write,
        &distributions.trim,
    ] {
        match distribution {
            Distribution::LowEnd(n) if !(n.is_finite() && *n > 0.0) => found.push((
                format!("the skew of its offsets to the low end is {n}"),
                "give a number above 0".into(),
            )),
            Distribution::HotBand { low, high } if low.of(1 << 50) >= high.of(1 << 50) => found
                .push((
                    "its hot band is empty or ends before it begins".into(),
                    "give its lower bound first".into(),
                )),
            _ => {}
        }
    }
    let weights = &access.file_weights;
    if !weights.is_empty() && weights.iter().all(|&weight| weight == 0) {
        found.push((
            "all its files have a weight of 0".into(),
            "give at least one file a weight above 0".into(),
        ));
    }
    if let Target::Paths(paths) = &w.blocks().target
        && !weights.is_empty()
        && weights.len() != paths.len()
    {
        found.push((
            format!(
                "it has {} files but {} file weights",
                paths.len(),
                weights.len()
            ),
            "give every file a weight, or none".into(),
        ));
    }
    backwards(w, &mut found);
    if access.draws == Draws::Diskspd {
        diskspd(w, &mut found);
    }
    for (text, cure) in found {
        problems.add(&w.name, ErrorCode::PlanValue, text, cure);
    }
}

/// Sequential I/O that never gets forwards, where it must.
fn backwards(w: &Workload, found: &mut Vec<(String, Cure)>) {
    let Order::Sequential { skip } = w.blocks().access.order else {
        return;
    };
    let apart = matches!(
        w.blocks().access.position,
        Position::EachSlot | Position::Workload
    ) || w.blocks().access.begin != Begin::Start
        || w.blocks().access.draws == Draws::Diskspd;
    let smallest = w.blocks().smallest();
    if apart && i128::from(smallest) + i128::from(skip) <= 0 {
        found.push((
            "sequential I/O goes backwards, which it cannot with a position for each slot or for \
             all workers, or from elsewhere than the start"
                .into(),
            "make it go forwards".into(),
        ));
    }
}

/// What DISKSPD's numbers are not defined for.
fn diskspd(w: &Workload, found: &mut Vec<(String, Cure)>) {
    if w.blocks().only_size().is_none() {
        found.push((
            "the DISKSPD access pattern has one block size only".into(),
            ("give one block size", [Knob::BlockSize]).into(),
        ));
    }
    if matches!(w.blocks().mix, OpMix::TrimWrite | OpMix::Only(Op::Trim)) {
        found.push((
            "the DISKSPD access pattern has no trims".into(),
            "use reads and writes only".into(),
        ));
    }
    let percent = w.blocks().access.random_percent;
    if w.blocks().access.order.is_random() && percent.read != percent.write {
        found.push((
            "the DISKSPD access pattern has one share of random I/Os for reads and writes \
             together"
                .into(),
            "use one share".into(),
        ));
    }
}
