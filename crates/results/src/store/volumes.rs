//! Simulated volumes as they were at the end of a stage, beside the run: a run that broke off goes on from there.
//!
//! Belongs here: where they are kept. Must never: know what they are made of.

use super::reader::{connect, meta};
use super::{StoreError, Writer};
use leadline_model::seed::mix;
use std::path::Path;

/// Where in `meta` the volumes are; the number of the stage in the plan and a sum over the text stand before them.
const KEY: &str = "simulated volumes";

impl Writer {
    /// Keeps the volumes as they are after stage `stage` (its number in the plan), in the place of those of stages
    /// before, and commits.
    ///
    /// # Errors
    /// [`StoreError::Write`]; what was committed before stands.
    pub fn volumes(&mut self, stage: usize, volumes: &str) -> Result<(), StoreError> {
        self.meta(KEY, format!("{stage} {:016x} {volumes}", sum(volumes)))
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
        let (stage, rest) = text.split_once(' ')?;
        let (known, volumes) = rest.split_once(' ')?;
        let is_whole = u64::from_str_radix(known, 16).ok()? == sum(volumes);
        is_whole.then_some((stage.parse().ok()?, volumes.to_owned()))
    }))
}

/// A sum over a text that shows damage: a state with another digit in it would be simulated without a word.
fn sum(text: &str) -> u64 {
    let step = |sum: u64, part: &[u8]| {
        let mut word = [0; 8];
        word[..part.len()].copy_from_slice(part);
        mix(sum ^ u64::from_le_bytes(word))
    };
    text.as_bytes().chunks(8).fold(text.len() as u64, step)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::Connection;

    #[test]
    fn damaged_volumes_are_none() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.leadline");
        let mut writer = Writer::create(&path).unwrap();
        let text = r#"{"now": 17, "all": []}"#;
        writer.volumes(3, text).unwrap();
        writer.finish().unwrap();
        assert_eq!(volumes(&path).unwrap(), Some((3, text.to_owned())));
        let db = Connection::open(&path).unwrap();
        let change = "UPDATE meta SET value = replace(value, '17', '18') WHERE key = ?1";
        assert_eq!(db.execute(change, [KEY]).unwrap(), 1);
        drop(db);
        assert_eq!(volumes(&path).unwrap(), None);
    }
}
