//! The samplers by which a lane draws, file by file.
//!
//! Belongs here: which sampler is whose. Must never: draw.

use super::{AccessPattern, Track};
use crate::access::sampler::Sampler;
use leadline_model::plan::access::Distribution;
use std::collections::HashMap;

/// The samplers of a lane's files: files of one size share one.
#[derive(Clone, Debug, Default)]
pub(super) struct Samplers {
    all: Vec<Sampler>,
    /// Index of each file's; empty when there is but one.
    of_file: Box<[u32]>,
}

impl Samplers {
    /// Those of a lane that goes by this pattern: none where it draws evenly or does not draw.
    pub(super) fn for_pattern(pattern: &AccessPattern, unit: u64, tracks: &[Track]) -> Self {
        match pattern {
            AccessPattern::Draws(distribution) if *distribution != Distribution::Uniform => {
                Self::new(distribution, unit, tracks)
            }
            _ => Self::default(),
        }
    }

    fn new(distribution: &Distribution, unit: u64, tracks: &[Track]) -> Self {
        let mut samplers = Self::default();
        let mut known = HashMap::new();
        samplers.of_file = tracks
            .iter()
            .map(|track| {
                let units = track.units.len();
                *known.entry(units).or_insert_with(|| {
                    samplers.all.push(Sampler::new(distribution, units, unit));
                    u32::try_from(samplers.all.len() - 1).unwrap_or_default()
                })
            })
            .collect();
        if samplers.all.len() <= 1 {
            samplers.of_file = Box::default();
        }
        samplers
    }

    pub(super) fn of(&self, file: usize) -> Option<&Sampler> {
        self.all
            .get(self.of_file.get(file).map_or(0, |&i| i as usize))
    }
}
