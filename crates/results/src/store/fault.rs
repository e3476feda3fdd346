//! Why a run file cannot be read.
//!
//! Belongs here: the causes, and their words. Must never: read anything.

use super::StoreError;
use leadline_model::codec::DecodeError;
use std::path::Path;

/// Why reading stopped, before the path is known.
pub(super) enum Fault {
    Sql(rusqlite::Error),
    Bytes(DecodeError),
    Json(serde_json::Error),
    What(String),
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

impl From<DecodeError> for Fault {
    fn from(error: DecodeError) -> Self {
        Self::Bytes(error)
    }
}

impl From<serde_json::Error> for Fault {
    fn from(error: serde_json::Error) -> Self {
        Self::Json(error)
    }
}

impl Fault {
    /// With the file that was read.
    pub(super) fn at(self, path: &Path) -> StoreError {
        let what = match self {
            Self::Sql(error) => error.to_string(),
            Self::Bytes(error) => error.to_string(),
            Self::Json(error) => error.to_string(),
            Self::What(what) => what,
        };
        StoreError::Damaged {
            path: path.to_owned(),
            what,
        }
    }
}
