//! Block sizes: one, a range, or shares of several.
//!
//! Must never: say where the I/Os lie.

use super::Section;
use leadline_model::op::Op;
use leadline_model::plan::Workload;
use leadline_model::plan::access::{BlockSizes, Grid, Sizes};

/// Adds the sizes of a workload's I/Os, and what their offsets are multiples of.
pub(super) fn sizes(w: &Workload, s: &mut Section) {
    let BlockSizes {
        by_op: by,
        align,
        by_order,
    } = &w.blocks().sizes;
    let same = by.read == by.write && by.write == by.trim;
    let ops: &[Op] = if same { &[Op::Read] } else { &Op::BLOCK };
    let each: Vec<&Sizes> = ops.iter().map(|op| by.get(*op)).collect();
    let join = |texts: Vec<String>| texts.join(",");
    let kinds = each.iter().map(|x| SizesKind::of(x));
    match kinds.max().unwrap_or(SizesKind::One) {
        SizesKind::One => {
            let one = each.iter().map(|x| x.max().to_string());
            s.set("bs", join(one.collect()));
        }
        kind @ (SizesKind::Range | SizesKind::Loose) => {
            let range = |x: &&Sizes| format!("{}-{}", x.min(), x.max());
            s.set("bsrange", join(each.iter().map(range).collect()));
            s.set_if(kind == SizesKind::Loose, "bs_unaligned", "");
        }
        SizesKind::Shares => {
            s.set("bssplit", join(each.iter().map(|x| split(x)).collect()));
            s.remarks.extend(each.iter().find_map(|x| rounded(x)));
            let is_range =
                |x: &&Sizes| matches!(SizesKind::of(x), SizesKind::Range | SizesKind::Loose);
            if each.iter().any(is_range) {
                s.remarks
                    .push("an operation has a range of block sizes; here its largest");
            }
        }
    }
    s.set_if(*by_order, "bs_is_seq_rand", 1);
    let is_given = align.read.or(align.write).or(align.trim).is_some();
    match w.blocks().access.grid {
        Grid::Bytes(align) => s.set("blockalign", align),
        Grid::Sizes if !is_given => {}
        // fio's own default: of each operation its smallest size.
        Grid::Sizes => {
            let of = |op: Op| align.get(op).unwrap_or_else(|| by.get(op).min());
            let each = [Op::Read, Op::Write, Op::Trim].map(of);
            match each {
                [one, b, c] if one == b && b == c => s.set("blockalign", one),
                several => s.set("blockalign", join(several.map(|n| n.to_string()).to_vec())),
            }
        }
        Grid::Own if each.iter().all(|x| SizesKind::of(x) == SizesKind::One) => {}
        Grid::Own => s
            .remarks
            .push("each I/O lies at a multiple of its own size"),
    }
}

/// How fio names the sizes of an operation, the most general last: what has several kinds is printed as that.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum SizesKind {
    One,
    Range,
    /// A range of which any number of bytes is drawn.
    Loose,
    Shares,
}

impl SizesKind {
    fn of(sizes: &Sizes) -> Self {
        match sizes {
            Sizes::Fixed(_) => Self::One,
            Sizes::Range {
                min: _,
                max: _,
                unaligned: false,
            } => Self::Range,
            Sizes::Range {
                min: _,
                max: _,
                unaligned: true,
            } => Self::Loose,
            Sizes::Split(_) => Self::Shares,
        }
    }
}

fn split(sizes: &Sizes) -> String {
    match sizes {
        Sizes::Split(parts) => {
            let shares = percents(parts);
            let texts = shares.iter().map(|(n, p)| format!("{n}/{p}"));
            texts.collect::<Vec<_>>().join(":")
        }
        Sizes::Fixed(size)
        | Sizes::Range {
            min: _,
            max: size,
            unaligned: _,
        } => format!("{size}/100"),
    }
}

/// What is lost where shares are no whole percentages.
fn rounded(sizes: &Sizes) -> Option<&'static str> {
    match sizes {
        Sizes::Split(parts) if !whole(parts) => {
            Some("block size shares in fractions of a percent; here whole percents")
        }
        Sizes::Split(_)
        | Sizes::Fixed(_)
        | Sizes::Range {
            min: _,
            max: _,
            unaligned: _,
        } => None,
    }
}

/// Whether all shares are whole percentages.
fn whole(parts: &[(u64, u32)]) -> bool {
    let sum: u64 = parts.iter().map(|p| u64::from(p.1)).sum();
    parts
        .iter()
        .all(|p| (u64::from(p.1) * 100).is_multiple_of(sum.max(1)))
}

/// Shares in whole percent that sum to 100, the ends of each rounded to the nearest; what rounds to nothing is left out.
fn percents(parts: &[(u64, u32)]) -> Vec<(u64, u64)> {
    let sum: u64 = parts.iter().map(|p| u64::from(p.1)).sum();
    let (mut upto, mut taken) = (0, 0);
    let share = |&(size, weight): &(u64, u32)| {
        upto += u64::from(weight);
        let end = (upto * 200 + sum) / (2 * sum.max(1));
        let share = end - taken;
        taken = end;
        (share > 0).then_some((size, share))
    };
    parts.iter().filter_map(share).collect()
}
