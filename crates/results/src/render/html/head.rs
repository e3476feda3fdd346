//! What stands first on the page: whose run it is, the verdict's key figures, the findings.

use super::view::{FindingGroup, FindingView, Tile};
use crate::run::Run;
use crate::stats::{Bracket, Interval};
use crate::study::series::{DepthCurve, Rise, depth_curves};
use crate::study::{Verdict, change_within, mixes_both_rates};
use crate::summary::measured::PointResult;
use crate::summary::names::stage_name;
use crate::summary::{OpFigures, Summary, mean_text};
use crate::words::{
    bytes_half_width, bytes_within, distance, in_flight, iops_within, mb_per_s, mib_per_s, rate,
    rate_half_width, rate_known, span, span_half_width, thousands, whole,
};
use leadline_model::event::Outcome;
use leadline_model::facts::FactKey;
use leadline_model::finding::{Finding, Severity};
use leadline_model::op::Op;
use leadline_model::units::Nanos;

/// The line below the title: when, where, how long, how it ended.
pub(crate) fn about_run(run: &Run) -> Vec<String> {
    let mut parts = vec![when(run.wall_ms)];
    let fact = |key| {
        let found = run.facts.iter().find(|f| f.key() == key);
        found.map(|f| f.value.to_string())
    };
    parts.extend(fact(FactKey::HOST_NAME));
    parts.extend(fact(FactKey::VERSION).map(|v| format!("leadline {v}")));
    if run.length.0 > 0 {
        parts.push(minutes(run.length.as_secs_f64()));
    }
    parts.push(
        match &run.outcome {
            Some(Outcome::Complete) => "complete",
            Some(Outcome::CutShort) => "cut short",
            Some(Outcome::Failed(_)) => "failed",
            None => "not finished",
        }
        .to_owned(),
    );
    parts.retain(|p| !p.is_empty());
    parts
}

/// `2 min 12 s`.
pub(crate) fn minutes(seconds: f64) -> String {
    let full = whole(seconds);
    match full {
        0..=9 => format!("{seconds:.1} s"),
        10..=119 => format!("{full} s"),
        120..=7199 => format!("{} min {} s", full / 60, full % 60),
        _ => format!("{} h {} min", full / 3600, full / 60 % 60),
    }
}

/// Wall clock in UTC; empty when it is not known.
pub(crate) fn when(wall_ms: u64) -> String {
    let Ok(ms) = i64::try_from(wall_ms) else {
        return String::new();
    };
    match jiff::Timestamp::from_millisecond(ms) {
        Ok(at) if ms > 0 => at.strftime("%Y-%m-%d %H:%M:%S UTC").to_string(),
        _ => String::new(),
    }
}

/// The key figures: of the survey's points where there are such, else of the only stage. Lines do not break within a figure.
pub(crate) fn tiles(points: &[PointResult], summary: &Summary, verdict: &Verdict) -> Vec<Tile> {
    let mut tiles = key_figures(points, summary, verdict);
    for tile in &mut tiles {
        tile.note = unbroken(&tile.note);
    }
    tiles
}

fn key_figures(points: &[PointResult], summary: &Summary, verdict: &Verdict) -> Vec<Tile> {
    let credits = verdict.limit.as_ref().and_then(|limit| limit.credits);
    let mut tiles = survey_tiles(points, credits.map(|credits| credits.fell_at));
    let curves = depth_curves(points);
    if let Some((curve, n)) = curves.first().zip(verdict.knee_depth) {
        let step = curve.last_step();
        let (label, note) = match curve.rise() {
            Rise::Ended => (
                "stops rising at",
                format!("more depth {}", curve.beyond_knee()),
            ),
            Rise::Unsure => ("measured up to", format!("the last step {step}")),
            Rise::NotShown => (
                "measured up to",
                format!("the last step {step}, within the 95 % intervals"),
            ),
            Rise::GoesOn => (
                "still rising at",
                format!("the deepest; the last step {step}"),
            ),
        };
        tiles.push(Tile {
            label: label.to_owned(),
            value: thousands(n),
            unit: "in flight".to_owned(),
            note,
            class: String::new(),
        });
    }
    if let Some(n) = verdict.useful_concurrency {
        tiles.push(useful_tile(&n));
    }
    if !tiles.is_empty() {
        return tiles;
    }
    let [stage] = summary.stages.as_slice() else {
        return Vec::new();
    };
    let done = stage.figures.ops.iter().filter(|(_, f)| f.ios > 0);
    done.flat_map(|(op, f)| [iops_tile(op, f, ""), latency_tile(op, f, "")])
        .collect()
}

/// N*. Less than one is no number in flight, and an interval around one is not its own.
fn useful_tile(n: &Interval) -> Tile {
    /// From here on it is said to be one.
    const ONE: f64 = 0.95;
    let (value, shown) = in_flight(n);
    let known = Some(*n).filter(|n| n.is_known() && n.value >= 1.0);
    let within = known.map_or_else(String::new, |n| format!("\u{b1} {}, ", distance(shown, &n)));
    Tile {
        label: "N* (useful concurrency)".to_owned(),
        value: match n.value < ONE {
            true => "less than 1".to_owned(),
            false => value,
        },
        unit: "in flight".to_owned(),
        note: format!("{within}highest rate x mean latency of one I/O alone"),
        class: String::new(),
    }
}

/// A point of a survey or a study as a tile of this family, with what it is of; `None` of one that has none.
fn tile(family: &str, point: &PointResult, spent: Option<Nanos>) -> Option<(String, Tile)> {
    let (op, figures) = Op::data().find_map(|op| Some((op, point.op(op)?)))?;
    let what = format!("{} {}", point.setting.block_words(), order(point));
    let depth = point.depth_words();
    let tile = match family {
        "latency" => latency_tile(op, figures, &what),
        "iops" => {
            let between = point.iops_between();
            let of: Vec<String> = between
                .into_iter()
                .chain([what.clone(), depth.clone()])
                .collect();
            iops_tile(op, figures, &of.join(", "))
        }
        "throughput" => Tile {
            label: format!("{op} throughput"),
            value: mib_per_s(figures.bytes_per_s),
            unit: "MiB/s".to_owned(),
            note: format!(
                "{}{} MB/s, {}{what}, {depth}",
                give_or_take(figures.certainty.bytes_per_s, bytes_half_width),
                mb_per_s(figures.bytes_per_s),
                point
                    .bytes_between()
                    .map_or_else(String::new, |between| between + ", ")
            ),
            class: op.name().to_owned(),
        },
        _ => return None,
    };
    let levels = of_levels(family, point, &format!("{what}, {depth}"));
    let tile = match levels {
        Some((value, note)) => Tile {
            value,
            note,
            ..tile
        },
        None if spent.is_some_and(|at| mixes_both_rates(point, at)) => Tile {
            note: format!("{}, mixes both rates", tile.note),
            ..tile
        },
        None => tile,
    };
    Some((format!("{family} {op} {what} {depth}"), tile))
}

/// Both levels of a rate that changed within its point, as the value of its tile, and what is said of them; `None` where it did not
/// change. The mean over both is a rate that the target never had.
fn of_levels(family: &str, point: &PointResult, what: &str) -> Option<(String, String)> {
    let is_bytes = family == "throughput";
    let change = change_within(point).filter(|_| is_bytes || family == "iops")?;
    let each = point.setting.mean_block;
    let (values, words) = match is_bytes {
        true => (
            change.levels.map(|level| mib_per_s(level.value * each)),
            change.words(each, bytes_within),
        ),
        false => (
            change.levels.map(|level| rate_known(&level)),
            change.words(1.0, iops_within),
        ),
    };
    let ([first, second], [before, after]) = (values, words);
    let at = span(change.at.0 as f64);
    let note = format!("{before} until {at} into the run and {after} after that, {what}");
    Some((format!("{first}, then {second}"), note))
}

/// The tiles of points. What one measurement confirms is said by that one; what was measured in several states or rounds has
/// no tile, as one of them alone would be taken for all. `spent`: when the credits were, from the start of the run.
fn survey_tiles(points: &[PointResult], spent: Option<Nanos>) -> Vec<Tile> {
    let mut same: Vec<(String, Vec<(bool, Tile)>)> = Vec::new();
    let curves = depth_curves(points);
    for point in points {
        let family = point.name.split('/').next().unwrap_or_default();
        // One I/O alone is no rate of a curve.
        let shown = if family == "iops" {
            said(&curves, point)
        } else {
            point
        };
        let Some((what, tile)) = tile(family, shown, spent) else {
            continue;
        };
        let one = (point.name.contains("/confirm-"), tile);
        match same.iter_mut().find(|known| known.0 == what) {
            Some(known) => known.1.push(one),
            None => same.push((what, vec![one])),
        }
    }
    let of = |(_, mut all): (String, Vec<(bool, Tile)>)| {
        let measured = all.iter().filter(|one| !one.0).count();
        (measured <= 1).then(|| all.pop()).flatten()
    };
    let mut tiles: Vec<Tile> = same.into_iter().filter_map(of).map(|one| one.1).collect();
    tiles.sort_by_key(|t| {
        let kinds = ["latency", "IOPS", "throughput"];
        let kind = kinds.iter().position(|k| t.label.contains(k)).unwrap_or(9);
        (kind, t.class != "read")
    });
    tiles.truncate(8);
    tiles
}

/// A point as the curve says it that it is one of; as it is of none.
fn said<'a>(curves: &'a [DepthCurve], point: &'a PointResult) -> &'a PointResult {
    let is_its = |curve: &&DepthCurve| curve.points.iter().any(|own| own.stage == point.stage);
    let curve = curves.iter().find(is_its);
    curve.map_or(point, |curve| curve.said(point))
}

fn order(point: &PointResult) -> &'static str {
    if point.setting.random {
        "random"
    } else {
        "sequential"
    }
}

/// `\u{b1} 2.0 %, ` where an interval is known.
fn give_or_take(interval: Option<Interval>, half_width: fn(&Interval) -> String) -> String {
    interval.map_or_else(String::new, |i| format!("\u{b1} {}, ", half_width(&i)))
}

fn iops_tile(op: Op, figures: &OpFigures, what: &str) -> Tile {
    let note = match what {
        "" => format!(
            "{} MiB/s, {} MB/s",
            mib_per_s(figures.bytes_per_s),
            mb_per_s(figures.bytes_per_s)
        ),
        what => what.to_owned(),
    };
    let within = give_or_take(figures.certainty.iops, rate_half_width);
    Tile {
        label: format!("{op} IOPS"),
        value: rate(figures.iops),
        unit: String::new(),
        note: within + &note,
        class: op.name().to_owned(),
    }
}

/// The median, as one I/O is mostly like it, before p99 and the mean.
fn latency_tile(op: Op, figures: &OpFigures, what: &str) -> Tile {
    let latency = figures.response();
    let mean = mean_text(latency);
    let median = figures.response_at(50.0).filter(|p| p.shown().is_some());
    let (name, shown) = match &median {
        Some(median) => (" p50", median.text()),
        None => ("", mean.clone()),
    };
    let (value, unit) = shown.rsplit_once(' ').unwrap_or((&shown, ""));
    let tail = figures.response_at(99.0).filter(|p| p.shown().is_some());
    let tail = tail.map_or_else(String::new, |p| format!("p99 {}", signed(&p.words())));
    let mean = match figures.mean_bracket() {
        Bracket::Within(..) => {
            format!(
                "mean {mean} \u{b1} {}",
                span_half_width(&figures.mean_known())
            )
        }
        _ => format!("mean {mean}"),
    };
    // The value is p50 where that is shown: its interval stands first.
    let own = median.and_then(|p| p.interval());
    let own = own.map_or_else(String::new, |i| format!("\u{b1} {}", span_half_width(&i)));
    let parts: Vec<&str> = [&own, &tail, &mean, what]
        .into_iter()
        .filter(|p| !p.is_empty())
        .collect();
    Tile {
        label: format!("{op} latency{name}"),
        value: value.to_owned(),
        unit: unit.to_owned(),
        note: parts.join(", "),
        class: op.name().to_owned(),
    }
}

/// With the sign that the page has for intervals.
fn signed(words: &str) -> String {
    words.replace("+-", "\u{b1} ")
}

/// The findings, the worst first, and apart from them the notes; those of one kind together, so that one said of many
/// workloads does not hide the others, and what is the same of several places said once.
pub(crate) fn findings(run: &Run) -> (Vec<FindingGroup>, Vec<FindingGroup>) {
    let mut groups: Vec<FindingGroup> = Vec::new();
    for f in sorted(&run.findings) {
        let (word, class) = match f.severity {
            Severity::Fail => ("failed", "fail"),
            Severity::Warn => ("warning", "warn"),
            Severity::Info => ("note", "info"),
        };
        let view = FindingView {
            place: place(run, f),
            text: unbroken(&sentence(&f.text)),
            cure: sentence(&f.cure.text),
        };
        let same = |g: &&mut FindingGroup| (g.code.as_str(), g.class.as_str()) == (&*f.code, class);
        match groups.iter_mut().find(same) {
            Some(group) => group.add(view),
            None => groups.push(FindingGroup {
                word: word.to_owned(),
                class: class.to_owned(),
                code: f.code.clone(),
                first: view,
                more: Vec::new(),
            }),
        }
    }
    groups.into_iter().partition(|group| group.class != "info")
}

/// Findings by severity, the worst first.
pub(crate) fn sorted(findings: &[Finding]) -> Vec<&Finding> {
    let mut sorted: Vec<&Finding> = findings.iter().collect();
    sorted.sort_by_key(|f| std::cmp::Reverse(f.severity));
    sorted
}

/// The stage and workload a finding is about, by name.
pub(crate) fn place(run: &Run, finding: &Finding) -> String {
    let stage = finding.stage.and_then(|s| crate::summary::planned(run, s));
    let Some(stage) = stage else {
        return String::new();
    };
    let name = stage_name(stage);
    let index = finding.workload.and_then(|w| usize::try_from(w).ok());
    match index.and_then(|i| stage.workloads.get(i)) {
        // A stage that goes by the names of its workloads says nothing beside one of them.
        Some(w) if stage.workloads.len() > 1 && name != stage.name => w.name.clone(),
        Some(w) if stage.workloads.len() > 1 && w.name != name => format!("{name}, {}", w.name),
        _ => name,
    }
}

/// As the page has a sentence: numbers kept together with their units, and intervals with their sign.
pub(crate) fn unbroken(text: &str) -> String {
    crate::words::unbroken(text).replace("+-", "\u{b1}\u{a0}")
}

/// With a capital and a full stop.
pub(crate) fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let Some(first) = chars.next() else {
        return String::new();
    };
    let end = if text.ends_with(['.', '!', '?']) {
        ""
    } else {
        "."
    };
    format!("{}{}{end}", first.to_uppercase(), chars.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, Load};
    use leadline_model::plan::study::{Coordinates, Role};
    use leadline_model::plan::{OpMix, StudyPoint};

    #[test]
    fn what_fills_is_no_key_figure() {
        let fill = fixture::workload("f", OpMix::Only(Op::Write), 1 << 20, 1, 10);
        let read = fixture::workload("r", OpMix::reads(), 4096, 1, 10);
        let stages = vec![("latency/fill", vec![fill]), ("latency/4k", vec![read])];
        let mut plan = fixture::plan(stages);
        for (stage, role) in plan.stages.iter_mut().zip([Role::Fill, Role::Point]) {
            let at = Coordinates::new();
            stage.point = Some(StudyPoint { role, at });
        }
        let load = |op, bytes| vec![Load::simple(op, 100, bytes, 1_000_000, 10)];
        let loads = [load(Op::Write, 1 << 20), load(Op::Read, 4096)];
        let run = fixture::run_of(&fixture::events_of(plan, &loads));
        let page = crate::render::html::page(&run, fixture::no_recipe);
        let (_, tiles) = page.split_once("class=\"tiles\"").unwrap();
        let tiles = tiles.split("</dl>").next().unwrap();
        assert!(tiles.contains(">read latency"), "{tiles}");
        assert!(!tiles.contains("write"), "{tiles}");
        assert!(tiles.contains("4\u{a0}KiB") && !tiles.contains("4 KiB"));
    }

    #[test]
    fn stages_have_a_column_of_devices_where_these_were_counted() {
        let read = fixture::workload("r", OpMix::reads(), 4096, 1, 10);
        let plan = fixture::plan(vec![("s", vec![read])]);
        let load = Load::simple(Op::Read, 100, 4096, 1_000_000, 10);
        let mut run = fixture::run_of(&fixture::events_of(plan, &[vec![load]]));
        let has =
            |run: &Run| crate::render::html::page(run, fixture::no_recipe).contains("devices busy");
        assert!(has(&run));
        run.stages[0].disks.clear();
        assert!(!has(&run));
    }

    #[test]
    fn a_point_of_several_states_has_no_tile_and_a_confirmed_one_has_one() {
        let tiles_of = |names: &[&str]| {
            let own = |name: &&str| {
                let read = fixture::workload("r", OpMix::reads(), 4096, 1, 10);
                (name.to_owned().to_owned(), vec![read])
            };
            let stages: Vec<_> = names.iter().map(own).collect();
            let stages = stages.iter().map(|(name, w)| (name.as_str(), w.clone()));
            let plan = fixture::plan(stages.collect());
            let loads = (1..=names.len() as u64)
                .map(|n| vec![Load::simple(Op::Read, 100 * n, 4096, 1_000_000, 10)]);
            let loads: Vec<_> = loads.collect();
            let run = fixture::run_of(&fixture::events_of(plan, &loads));
            let summary = crate::summary::summarize(&run);
            let tiles = survey_tiles(&summary.points(&run), None);
            tiles.into_iter().map(|tile| tile.value).collect::<Vec<_>>()
        };
        assert_eq!(tiles_of(&["iops/4k", "iops/confirm-4k"]), ["200"]);
        assert!(tiles_of(&["iops/4k-before", "iops/4k-after"]).is_empty());
        assert!(tiles_of(&["iops/4k-a", "iops/4k-b", "iops/confirm-4k-b"]).is_empty());
    }

    #[test]
    fn the_tile_of_a_survey_shows_the_run_that_confirms_its_highest_rate() {
        let own = |(depth, name): (u32, &str)| {
            let read = fixture::workload("r", OpMix::reads(), 4096, depth, 10);
            (name.to_owned(), vec![read])
        };
        let names = [
            (1, "latency/4k-qd1"),
            (8, "iops/4k-qd8"),
            (2, "depth/4k-qd2"),
            (8, "confirm/4k-qd8"),
        ];
        let stages: Vec<_> = names.into_iter().map(own).collect();
        let stages = stages.iter().map(|(name, w)| (name.as_str(), w.clone()));
        let plan = fixture::plan(stages.collect());
        let loads =
            [100, 400, 200, 392].map(|n| vec![Load::simple(Op::Read, n, 4096, 1_000_000, 10)]);
        let run = fixture::run_of(&fixture::events_of(plan, &loads));
        let tiles = survey_tiles(&crate::summary::summarize(&run).points(&run), None);
        let rates = tiles.iter().filter(|tile| tile.label.contains("IOPS"));
        let rates: Vec<&str> = rates.map(|tile| tile.value.as_str()).collect();
        assert_eq!(rates, ["392"]);
    }

    /// 3,000 a second for half of the time, then 2,000: 2,500 on average, which the volume never did.
    #[test]
    fn the_tile_of_a_rate_that_changed_shows_both_levels() {
        for (name, value) in [
            ("iops/4k", "3,000, then 2,000"),
            ("throughput/4k", "11.7, then 7.81"),
        ] {
            let own = fixture::workload("w", OpMix::reads(), 4096, 8, 60);
            let plan = fixture::plan(vec![(name, vec![own])]);
            let load = Load::simple(Op::Read, 3000, 4096, 200_000, 60);
            let mut run = fixture::run_of(&fixture::events_of(plan, &[vec![load]]));
            for sample in run.stages[0].samples.iter_mut().skip(30) {
                sample.counts.op_mut(Op::Read).ios = 2000;
            }
            let tiles = survey_tiles(&crate::summary::summarize(&run).points(&run), None);
            let rates = tiles.iter().find(|tile| tile.class == "read").unwrap();
            assert_eq!(rates.value, value);
            assert!(rates.note.contains(" into the run and "), "{}", rates.note);
        }
    }

    /// Credits that were spent in the middle of a point, and none after it.
    #[test]
    fn the_tile_of_a_point_in_which_credits_were_spent_says_that_it_mixes_both_rates() {
        let own = fixture::workload("w", OpMix::reads(), 4096, 8, 60);
        let plan = fixture::plan(vec![("iops/4k", vec![own])]);
        let load = Load::simple(Op::Read, 3000, 4096, 200_000, 60);
        let run = fixture::run_of(&fixture::events_of(plan, &[vec![load]]));
        let points = crate::summary::summarize(&run).points(&run);
        let is_marked = |spent: Option<Nanos>| {
            let tiles = survey_tiles(&points, spent);
            tiles[0].note.ends_with(", mixes both rates")
        };
        assert!(is_marked(Some(points[0].intervals[30].start)));
        assert!(!is_marked(Some(Nanos(u64::MAX))) && !is_marked(Some(Nanos::ZERO)));
        assert!(!is_marked(None));
    }

    #[test]
    fn less_than_one_in_flight_has_a_tile_without_an_interval_of_one() {
        let known = |value: f64| Interval {
            value,
            low: 0.5 * value,
            high: 1.5 * value,
            settled: true,
        };
        let tile = useful_tile(&known(0.6));
        assert_eq!(tile.value, "less than 1");
        assert!(!tile.note.contains('\u{b1}'), "{}", tile.note);
        let tile = useful_tile(&known(8.0));
        assert_eq!(tile.value, "8");
        assert!(tile.note.starts_with("\u{b1} 50 %"), "{}", tile.note);
    }

    #[test]
    fn times_read_well() {
        assert_eq!(minutes(3.24), "3.2 s");
        assert_eq!(minutes(59.6), "60 s");
        assert_eq!(minutes(132.0), "2 min 12 s");
        assert_eq!(minutes(7300.0), "2 h 1 min");
        assert_eq!(when(0), "");
        assert_eq!(when(1_767_323_045_678), "2026-01-02 03:04:05 UTC");
        assert_eq!(when(u64::MAX), "");
    }

    #[test]
    fn numbers_stay_with_their_units() {
        assert_eq!(
            unbroken("takes 4 us (99 % of 5 reads)"),
            "takes 4\u{a0}us (99\u{a0}% of 5 reads)"
        );
    }

    #[test]
    fn sentences_have_a_capital_and_an_end() {
        assert_eq!(sentence("the rate fell"), "The rate fell.");
        assert_eq!(sentence(""), "");
        assert_eq!(sentence("Done."), "Done.");
    }
}
