//! The laws by which a lane draws, file by file.
//!
//! Belongs here: which law is whose. Must never: draw.

use super::{AccessPattern, Track};
use crate::access::law::Law;
use leadline_model::plan::access::Distribution;
use std::collections::HashMap;

/// The laws of a lane's files: files of one size share one.
#[derive(Clone, Debug, Default)]
pub(super) struct Laws {
    all: Vec<Law>,
    /// Index of each file's; empty when there is but one.
    of_file: Box<[u32]>,
}

impl Laws {
    /// Those of a lane that goes by this pattern: none where it draws evenly or does not draw.
    pub(super) fn for_pattern(pattern: &AccessPattern, unit: u64, tracks: &[Track]) -> Self {
        match pattern {
            AccessPattern::Draws(law) if *law != Distribution::Uniform => {
                Self::new(law, unit, tracks)
            }
            _ => Self::default(),
        }
    }

    fn new(distribution: &Distribution, unit: u64, tracks: &[Track]) -> Self {
        let mut laws = Self::default();
        let mut known = HashMap::new();
        laws.of_file = tracks
            .iter()
            .map(|track| {
                let units = track.units.len();
                *known.entry(units).or_insert_with(|| {
                    laws.all.push(Law::new(distribution, units, unit));
                    u32::try_from(laws.all.len() - 1).unwrap_or(0)
                })
            })
            .collect();
        if laws.all.len() <= 1 {
            laws.of_file = Box::default();
        }
        laws
    }

    pub(super) fn of(&self, file: usize) -> Option<&Law> {
        self.all
            .get(self.of_file.get(file).map_or(0, |&i| i as usize))
    }
}
