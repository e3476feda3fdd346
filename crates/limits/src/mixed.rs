//! The cheapest disks of a fixed size, of several kinds, that meet a demand together.
//!
//! Belongs here: the search. Must never appear here: which machine takes them, or what is shown.

use crate::row::Source;

/// A kind of disk of a fixed size, with its price.
#[derive(Clone, Debug)]
pub(crate) struct PricedDisk {
    pub(crate) name: String,
    pub(crate) gib: f64,
    /// What one does of the demand's I/Os and bytes a second; infinite where nothing is wanted of it.
    pub(crate) iops: f64,
    pub(crate) bytes: f64,
    /// A month, above 0.
    pub(crate) month: f64,
}

/// Disks of several kinds.
#[derive(Clone, Debug, PartialEq)]
pub struct MixedDisks {
    /// How many of each kind, by name.
    pub disks: Vec<(u64, String)>,
    /// GiB of all of them.
    pub gib: f64,
    /// What all of them cost a month, in the currency of the rows.
    pub month: f64,
    /// Where the rows are from that it rests on; empty until that is known.
    pub sources: Vec<Source>,
}

/// The cheapest of at most `most` disks that meet a demand of I/Os and bytes a second, 0 where none is wanted of one; `None` where none do, or one kind alone is as cheap. Exact:
/// kinds are taken in turn, and what cannot become cheaper than the best so far is not followed.
pub(crate) fn cheapest(kinds: &[PricedDisk], need: (f64, f64), most: u32) -> Option<MixedDisks> {
    let mut search = Search {
        kinds,
        counts: vec![0; kinds.len()],
        best: None,
    };
    search.from(0, need, most, 0.0);
    let (month, counts) = search.best?;
    let used = || counts.iter().zip(kinds).filter(|(count, _)| **count > 0);
    (used().count() > 1).then(|| MixedDisks {
        disks: used()
            .map(|(n, kind)| (u64::from(*n), kind.name.clone()))
            .collect(),
        gib: used().map(|(n, kind)| f64::from(*n) * kind.gib).sum(),
        month,
        sources: Vec::new(),
    })
}

struct Search<'a> {
    kinds: &'a [PricedDisk],
    counts: Vec<u32>,
    best: Option<(f64, Vec<u32>)>,
}

impl Search<'_> {
    /// Looks at what the kinds from this one on can do for the rest of the demand, with this many disks at most.
    fn from(&mut self, kind: usize, (iops, bytes): (f64, f64), left: u32, month: f64) {
        const MET: f64 = 1e-6;
        if iops <= MET && bytes <= MET {
            if self
                .best
                .as_ref()
                .is_none_or(|(best, _)| month < best - MET)
            {
                self.best = Some((month, self.counts.clone()));
            }
            return;
        }
        let others = &self.kinds[kind.min(self.kinds.len())..];
        // What the rest costs at the least: all of it at the price of the cheapest for each of the two.
        let least = |need: f64, of: &dyn Fn(&PricedDisk) -> f64| {
            let each = others.iter().map(|disk| disk.month / of(disk));
            need.max(0.0) * each.fold(f64::INFINITY, f64::min)
        };
        let rest = match (iops > MET, bytes > MET) {
            (true, true) => least(iops, &|disk| disk.iops).max(least(bytes, &|disk| disk.bytes)),
            (true, false) => least(iops, &|disk| disk.iops),
            (false, _) => least(bytes, &|disk| disk.bytes),
        };
        let beaten = self
            .best
            .as_ref()
            .is_some_and(|(best, _)| month + rest >= best - MET);
        let Some(disk) = others.first().filter(|_| left > 0 && !beaten) else {
            return;
        };
        let enough = |need: f64, one: f64| (need.max(0.0) / one).ceil();
        let enough = enough(iops, disk.iops).max(enough(bytes, disk.bytes));
        // More of it than would do alone is never cheaper.
        for count in (0..=left).rev().filter(|n| f64::from(*n) <= enough) {
            let number = f64::from(count);
            self.counts[kind] = count;
            // Without one nothing is taken off, also of what is without end.
            let less = |need: f64, one: f64| {
                if count == 0 {
                    need
                } else {
                    need - number * one
                }
            };
            let need = (less(iops, disk.iops), less(bytes, disk.bytes));
            self.from(kind + 1, need, left - count, month + number * disk.month);
        }
        self.counts[kind] = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disk(name: &str, iops: f64, month: f64) -> PricedDisk {
        PricedDisk {
            name: name.to_owned(),
            gib: 100.0,
            iops,
            bytes: f64::INFINITY,
            month,
        }
    }

    fn of(kinds: &[PricedDisk], iops: f64, most: u32) -> Option<(f64, Vec<(u64, String)>)> {
        cheapest(kinds, (iops, 0.0), most).map(|found| (found.month, found.disks))
    }

    /// Every set of up to three disks of each kind, counted out.
    fn counted_out(kinds: &[PricedDisk], iops: f64, most: u32) -> f64 {
        let mut best = f64::INFINITY;
        for number in 0..4_u32.pow(4) {
            let digits = (0..4).map(|at| f64::from(number / 4_u32.pow(at) % 4));
            let counts: Vec<f64> = digits.collect();
            let sum = |of: &dyn Fn(&PricedDisk) -> f64| -> f64 {
                counts.iter().zip(kinds).map(|(n, kind)| n * of(kind)).sum()
            };
            if counts.iter().sum::<f64>() <= f64::from(most) && sum(&|k| k.iops) >= iops {
                best = best.min(sum(&|k| k.month));
            }
        }
        best
    }

    #[test]
    fn two_kinds_may_be_cheaper_than_one() {
        let kinds = [
            disk("P10", 500.0, 20.0),
            disk("P30", 5000.0, 135.0),
            disk("P20", 2300.0, 73.0),
        ];
        let found = of(&kinds, 5500.0, 8).expect("two kinds");
        assert_eq!(
            found,
            (155.0, vec![(1, "P10".to_owned()), (1, "P30".to_owned())])
        );
        assert_eq!(of(&kinds, 5000.0, 8), None, "one P30 is enough");
        assert_eq!(of(&kinds, 5500.0, 1), None, "one disk does not do it");
    }

    #[test]
    fn no_set_is_cheaper_than_the_one_that_is_found() {
        let mut state = 1_u64;
        let mut draw = |most: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            1 + (state >> 33) % most
        };
        let mut mixed = 0;
        for _ in 0..300 {
            let kinds: Vec<PricedDisk> = (0..4)
                .map(|at| disk(&format!("d{at}"), draw(50) as f64, draw(50) as f64))
                .collect();
            let (iops, most) = (draw(60) as f64, 3);
            if let Some((month, _)) = of(&kinds, iops, most) {
                mixed += 1;
                assert!(
                    (month - counted_out(&kinds, iops, most)).abs() < 1e-9,
                    "{kinds:?} {iops}"
                );
            }
        }
        assert!(mixed > 20, "{mixed}");
    }
}
