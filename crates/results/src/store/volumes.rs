//! Simulated volumes as they were at the end of a stage, beside the run: a run that broke off goes on from there.
//!
//! Belongs here: where they are kept. Must never: know what they are made of.

use super::reader::{connect, meta};
use super::{StoreError, Writer};
use std::path::Path;

/// Where in `meta` the volumes are; the number of the stage in the plan stands before them.
const KEY: &str = "simulated volumes";

impl Writer {
    /// Keeps the volumes as they are after stage `stage` (its number in the plan), in the place of those of stages
    /// before, and commits.
    ///
    /// # Errors
    /// [`StoreError::Write`]; what was committed before stands.
    pub fn volumes(&mut self, stage: usize, volumes: &str) -> Result<(), StoreError> {
        self.meta(KEY, format!("{stage} {volumes}"))
            .and_then(|()| self.commit())
            .map_err(|error| self.failed(error))
    }
}

/// The volumes that a run file keeps, with the number in the plan of the stage after which they were so; `None` where
/// there are none.
///
/// # Errors
/// As [`super::open`].
pub fn volumes(path: &Path) -> Result<Option<(usize, String)>, StoreError> {
    let text = meta::<String>(&connect(path)?, KEY).ok().flatten();
    Ok(text.and_then(|text| {
        let (stage, volumes) = text.split_once(' ')?;
        Some((stage.parse().ok()?, volumes.to_owned()))
    }))
}
