//! Random job files.
//!
//! Belongs here: what is drawn, and which draws are known to differ. Must never: know a result.

use std::fmt::Write;

/// Names of known differences: each is a row of the page with its reason.
#[cfg(test)]
pub(crate) const KNOWN: [&str; 7] = [
    "trim-on-a-file",
    "sizes-of-their-own",
    "end-of-a-mix",
    "sizes-in-order",
    "rest-of-repeats",
    "rest-of-a-region",
    "last-io-after-a-skip",
];

/// How offsets are to be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// One after the other.
    Exact,
    /// Each kind of operation by itself, as far as both go.
    EachKind,
    /// As a set for each pass.
    Set,
    /// Blocks that are covered, and how often.
    Coverage,
    /// Numbers only.
    Free,
}

/// One random case.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) text: String,
    /// Files that are there before: name and bytes.
    pub(crate) files: Vec<(String, u64)>,
    /// Data files with how they are compared.
    pub(crate) data: Vec<(String, Order)>,
    /// Sizes are drawn: numbers of I/Os vary.
    pub(crate) drawn: bool,
    /// Reads and writes are drawn.
    pub(crate) mixed: bool,
    /// The pace sets the time.
    pub(crate) paced: bool,
    known: Option<&'static str>,
}

impl Case {
    /// The name under which a difference of it is known.
    pub(crate) const fn known(&self) -> Option<&'static str> {
        self.known
    }
}

/// A small generator: SplitMix64.
struct Draw(u64);

impl Draw {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (x ^ (x >> 31)) % n
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    fn of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        let at = usize::try_from(self.below(words.len() as u64)).unwrap_or(0);
        words[at]
    }
}

/// The case of this number.
pub(crate) fn case(seed: u64, number: u32) -> Case {
    let mut draw = Draw(seed << 32 ^ u64::from(number).wrapping_mul(0x2545_f491_4f6c_dd1d));
    let mut case = Case {
        text: "[global]\nioengine=psync\nfallocate=none\n".to_owned(),
        files: Vec::new(),
        data: Vec::new(),
        drawn: false,
        mixed: false,
        paced: false,
        known: None,
    };
    if draw.one_in(8) {
        case.text.push_str("name=global-name\n");
    }
    let sections = 1 + draw.below(8) / 6;
    for section in 0..sections {
        let file = format!("data{section}");
        section_of(&mut case, &mut draw, &file);
    }
    case
}

fn section_of(case: &mut Case, draw: &mut Draw, file: &str) {
    let name = draw.of(&["a", "job", "long name", "x-1"]);
    let rw = draw.of(&[
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
    ]);
    let random = rw.starts_with("rand");
    let _ = write!(case.text, "[{name}]\nfilename={file}\nrw={rw}");
    let skip = !random && !rw.ends_with("rw") && rw != "trim" && draw.one_in(6);
    if skip {
        let _ = write!(
            case.text,
            ":{}",
            draw.of(&["64k", "4k", "32k", "-128k", "192k"])
        );
    }
    case.text.push('\n');
    if draw.one_in(6) {
        case.text.push_str("name=own-name\n");
    }
    let several = sizes(case, draw, skip);
    let mixed = rw.ends_with("rw");
    place(case, draw, rw, file);
    ends(case, draw, mixed || several);
    let free = random && draw.one_in(8);
    if free {
        case.text.push_str("norandommap\n");
    }
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
    let odd = case.files.iter().any(|(_, bytes)| bytes % 4096 > 0);
    case.drawn |= several;
    case.mixed |= mixed;
    let unlike = several && case.text.contains("bs=4k,8k");
    case.known = match () {
        () if rw == "trim" => Some("trim-on-a-file"),
        () if unlike && random => Some("sizes-of-their-own"),
        () if mixed => Some("end-of-a-mix"),
        () if several && !random => Some("sizes-in-order"),
        () if free => Some("rest-of-repeats"),
        () if several && odd => Some("rest-of-a-region"),
        () if skip => Some("last-io-after-a-skip"),
        () => case.known,
    };
    let order = match (random, mixed, several) {
        _ if free || rw == "trim" => Order::Free,
        (true, _, true) => Order::Coverage,
        (true, _, false) => Order::Set,
        (false, _, true) => Order::Free,
        (false, true, false) => Order::EachKind,
        (false, false, false) => Order::Exact,
    };
    case.data.push((file.to_owned(), order));
}

/// Block sizes; whether there are several.
fn sizes(case: &mut Case, draw: &mut Draw, skip: bool) -> bool {
    let several = !skip && draw.one_in(5);
    let size = if several {
        draw.of(&[
            "bssplit=4k/10:64k/50:32k/40",
            "bssplit=4k/50:8k/50",
            "bsrange=4k-16k",
            "bssplit=8k/50:12k/50",
            "bs=4k,8k",
        ])
    } else if skip {
        draw.of(&["bs=64k", "bs=16k", "bs=4k"])
    } else {
        draw.of(&[
            "bs=4k", "bs=8k", "bs=48k", "bs=64k", "bs=12k", "bs=1000", "bs=512",
        ])
    };
    let _ = writeln!(case.text, "{size}");
    several
}

/// Size and offset, and the file that is there before.
fn place(case: &mut Case, draw: &mut Draw, rw: &str, file: &str) {
    let made = rw.ends_with("write") && draw.one_in(2);
    let there = if made {
        0
    } else {
        draw.below(3) * 1_048_576 + 1_048_576 + draw.below(2) * 100_000
    };
    if there > 0 {
        case.files.push((file.to_owned(), there));
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
    let _ = writeln!(case.text, "{size}");
    if made {
        if draw.one_in(4) {
            let _ = writeln!(case.text, "offset={}", draw.of(&["64k", "4096", "100352"]));
        }
    } else if size != "size=1m" || there > 2_000_000 {
        if draw.one_in(2) {
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
}

/// What ends the job, and its pace.
fn ends(case: &mut Case, draw: &mut Draw, drawn: bool) {
    match draw.below(12) {
        0 => case.text.push_str("number_ios=20\n"),
        1 if !drawn => case.text.push_str("loops=2\n"),
        2 if !drawn => case.text.push_str("io_size=192k\n"),
        3 if !drawn => {
            case.text.push_str("number_ios=60\nrate_iops=200\n");
            case.paced = true;
        }
        _ => {}
    }
}
