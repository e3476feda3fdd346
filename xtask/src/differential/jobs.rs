//! Random job files.
//!
//! Belongs here: what is drawn. Must never: know a result, or what is known to differ.

use leadline_model::seed::{Purpose, SplitMix, derive};
use std::fmt::Write;

/// How offsets are to be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// One after the other.
    Exact,
    /// Each kind of operation by itself, as far as both go.
    EachKind,
    /// Each I/O begins where the one before ends.
    Chain,
    /// As a set for each pass.
    Set,
    /// Blocks that are covered, and how often.
    Coverage,
    /// Numbers only.
    Free,
}

/// One job section as it was drawn.
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts of a draw, each read on its own"
)]
#[derive(Clone, Debug)]
pub(crate) struct Section {
    /// Its files; all are compared alike.
    pub(crate) files: Vec<String>,
    pub(crate) order: Order,
    pub(crate) jobs: usize,
    pub(crate) random: bool,
    /// Reads and writes are drawn.
    pub(crate) mixed: bool,
    /// It only reads: what is written is a layout.
    pub(crate) reads: bool,
    /// Sizes are drawn.
    pub(crate) several: bool,
    /// Reads and writes have unlike sizes.
    pub(crate) unlike: bool,
    /// It ends before its region does.
    pub(crate) cut: bool,
    /// The pace sets the time.
    pub(crate) paced: bool,
    /// Blocks may repeat.
    pub(crate) repeats: bool,
    /// A jump only after this many I/Os.
    pub(crate) runs: bool,
    /// It leaves bytes out after each I/O, and has an offset.
    pub(crate) skips_from: bool,
}

/// One random case.
#[derive(Debug)]
pub(crate) struct JobCase {
    pub(crate) text: String,
    /// Files that are there before: name and bytes.
    pub(crate) files: Vec<(String, u64)>,
    pub(crate) sections: Vec<Section>,
}

/// Random choices of a case.
pub(super) struct JobDraw(pub(super) SplitMix);

impl JobDraw {
    pub(super) fn below(&mut self, n: u64) -> u64 {
        self.0.bits() % n
    }

    pub(super) fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    pub(super) fn of(&mut self, words: &[&'static str]) -> &'static str {
        let at = usize::try_from(self.below(words.len() as u64)).unwrap_or(0);
        words[at]
    }
}

/// The case of this number.
pub(crate) fn case(seed: u64, number: u32) -> JobCase {
    let mut draw = JobDraw(SplitMix::new(derive(seed, Purpose::JobCase, number.into())));
    let mut case = JobCase {
        text: "[global]\nioengine=psync\nfallocate=none\n".to_owned(),
        files: Vec::new(),
        sections: Vec::new(),
    };
    if draw.one_in(8) {
        case.text.push_str("name=global-name\n");
    }
    let sections = 1 + draw.below(8) / 6;
    for section in 0..sections {
        section_of(&mut case, &mut draw, section);
    }
    case
}

/// What jobs do; the usual kinds more often.
const KINDS: [&str; 11] = [
    "read",
    "read",
    "write",
    "write",
    "randread",
    "randread",
    "randwrite",
    "randwrite",
    "rw",
    "randrw",
    "trim",
];

fn section_of(case: &mut JobCase, draw: &mut JobDraw, number: u64) {
    let name = draw.of(&["a", "job", "long name", "x-1"]);
    let rw = draw.of(&KINDS);
    let mut files = vec![format!("data{number}")];
    if matches!(rw, "read" | "randread") && draw.one_in(8) {
        files.push(format!("data{number}b"));
    }
    let (random, mixed) = (rw.starts_with("rand"), rw.ends_with("rw"));
    let filename = files.join(":");
    let _ = write!(case.text, "[{name}]\nfilename={filename}\nrw={rw}");
    let skip = if !random && !mixed && rw != "trim" && draw.one_in(6) {
        draw.of(&["64k", "4k", "32k", "-128k", "192k"])
    } else {
        ""
    };
    let runs = random && !mixed && draw.one_in(12);
    let onward = if runs { draw.of(&["2", "8"]) } else { skip };
    if !onward.is_empty() {
        let _ = write!(case.text, ":{onward}");
    }
    case.text.push('\n');
    if draw.one_in(6) {
        case.text.push_str("name=own-name\n");
    }
    let size = sizes(draw, !skip.is_empty() || runs);
    let several = !size.starts_with("bs=") || size.contains(',');
    let _ = writeln!(case.text, "{size}");
    let offset = place(case, draw, rw, &files);
    let (cut, paced) = ends(case, draw, mixed || several);
    let repeats = random && draw.one_in(8);
    if repeats {
        may_repeat(case, draw, mixed || several || cut || paced);
    }
    let jobs = if draw.one_in(10) { 2 } else { 1 };
    if jobs > 1 {
        let _ = writeln!(case.text, "numjobs={jobs}");
    }
    wrong(case, draw);
    let order = match (random, mixed, several) {
        _ if repeats || runs || rw == "trim" => Order::Free,
        // Which part of a file, and in what order, is chance.
        (true, ..) if cut && (jobs > 1 || files.len() > 1) => Order::Free,
        (false, true, _) if jobs > 1 => Order::Free,
        (true, _, true) => Order::Coverage,
        (true, _, false) => Order::Set,
        (false, true, true) => Order::Free,
        (false, false, true) => Order::Chain,
        (false, true, false) => Order::EachKind,
        (false, false, false) => Order::Exact,
    };
    case.sections.push(Section {
        files,
        order,
        jobs,
        random,
        mixed,
        reads: rw.ends_with("read"),
        several,
        unlike: size.contains(','),
        cut,
        paced,
        repeats,
        runs,
        skips_from: !skip.is_empty() && offset,
    });
}

/// Blocks may repeat: where all I/Os are alike and nothing else ends the job sometimes with loops of more bytes than there
/// are, which then are no whole passes.
fn may_repeat(case: &mut JobCase, draw: &mut JobDraw, bound: bool) {
    case.text.push_str("norandommap\n");
    if !bound && draw.one_in(2) {
        case.text.push_str("loops=2\nio_size=4500k\n");
    }
}

/// Sometimes a line that fio refuses, or takes without effect.
fn wrong(case: &mut JobCase, draw: &mut JobDraw) {
    if draw.one_in(25) {
        let bad = draw.of(&[
            "zonesize=128k",
            "rw=nonsense",
            "bs=0",
            "unknown_option=1",
            "cpus_allowed=999",
        ]);
        let _ = writeln!(case.text, "{bad}");
    }
}

/// Block sizes.
fn sizes(draw: &mut JobDraw, one: bool) -> &'static str {
    if !one && draw.one_in(5) {
        draw.of(&[
            "bssplit=4k/10:64k/50:32k/40",
            "bssplit=4k/50:8k/50",
            "bsrange=4k-16k",
            "bssplit=8k/50:12k/50",
            "bs=4k,8k",
        ])
    } else if one {
        draw.of(&["bs=64k", "bs=16k", "bs=4k"])
    } else {
        draw.of(&[
            "bs=4k", "bs=8k", "bs=48k", "bs=64k", "bs=12k", "bs=1000", "bs=512",
        ])
    }
}

/// Size and offset, and the files that are there before; whether there is an offset.
fn place(case: &mut JobCase, draw: &mut JobDraw, rw: &str, files: &[String]) -> bool {
    let made = rw.ends_with("write") && draw.one_in(2);
    let there = if made {
        0
    } else {
        draw.below(3) * 1_048_576 + 1_048_576 + draw.below(2) * 100_000
    };
    if there > 0 {
        let all = files.iter().map(|file| (file.clone(), there));
        case.files.extend(all);
    }
    // Never beyond what is there: who lays out what is not compared.
    let sizes: &[&str] = if made {
        &["size=1m", "size=1000000", "size=640k"]
    } else {
        &[
            "size=1m",
            "size=500k",
            "size=33%",
            "size=640000",
            "",
            "size=100%",
        ]
    };
    let size = draw.of(sizes);
    let mut moved = false;
    let _ = writeln!(case.text, "{size}");
    if made {
        if draw.one_in(4) {
            moved = true;
            let _ = writeln!(case.text, "offset={}", draw.of(&["64k", "4096", "100352"]));
        }
    } else if size != "size=1m" || there > 2_000_000 {
        if draw.one_in(2) {
            moved = true;
            let offset = draw.of(&[
                "offset=33%",
                "offset=10%",
                "offset=64k",
                "offset=7%",
                "offset=20480",
            ]);
            let _ = writeln!(case.text, "{offset}");
        }
        if draw.one_in(5) {
            let _ = writeln!(case.text, "offset_align={}", draw.of(&["4k", "64k", "512"]));
        }
    }
    moved
}

/// What ends the job, and its pace: whether it ends early, and whether it is paced.
fn ends(case: &mut JobCase, draw: &mut JobDraw, drawn: bool) -> (bool, bool) {
    match draw.below(12) {
        0 => {
            case.text.push_str("number_ios=20\n");
            (true, false)
        }
        1 if !drawn => {
            case.text.push_str("loops=2\n");
            (false, false)
        }
        2 if !drawn => {
            case.text.push_str("io_size=192k\n");
            (true, false)
        }
        3 if !drawn => {
            case.text.push_str("number_ios=60\nrate_iops=200\n");
            (true, true)
        }
        _ => (false, false),
    }
}
