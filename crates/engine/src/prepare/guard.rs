//! The last look before anything is touched: only regular files and block devices are targets, and a
//! device that carries data or is in use is written only when the user named it.

use super::PrepareError;
use super::job::Job;
use crate::schedule::{HostFacts, PathKind};
use crate::sys::host::Host;
use crate::sys::safety::{self, Objections};
use leadline_model::finding::{Finding, Severity};
use std::path::Path;

/// Looks at all targets; nothing is opened for writing before all of them have passed.
///
/// # Errors
/// [`PrepareError::Refused`] for the first target that may not be used so.
pub(super) fn all(jobs: &[Job<'_>], destroy: &[String]) -> Result<Vec<Finding>, PrepareError> {
    let mut findings = Vec::new();
    for job in jobs {
        let shown = shown(job.path, safety::real_end(job.path).as_deref());
        // What it is now, whatever it was when the schedule was made.
        match Host.path_kind(job.path) {
            PathKind::Unreachable(what) => {
                return Err(PrepareError::Environment {
                    text: format!("{shown} cannot be reached any more: {what}"),
                    cure: "look who changes the target, and start again".into(),
                    errno: None,
                });
            }
            PathKind::Other(what) => {
                return Err(PrepareError::Refused {
                    text: format!("{shown} is {what}"),
                    cure: "name a regular file or a block device".into(),
                });
            }
            PathKind::Block { .. } if !job.is_block() => {
                return Err(PrepareError::Refused {
                    text: format!("{shown} has become a block device"),
                    cure: "look who changes the target, and start again".into(),
                });
            }
            PathKind::Block { .. } if job.writes => {
                findings.extend(device(job, &shown, destroy)?);
            }
            _ => {}
        }
    }
    Ok(findings)
}

/// A path, and its end when it is a link.
fn shown(path: &Path, end: Option<&Path>) -> String {
    end.map_or_else(
        || path.display().to_string(),
        |end| format!("{} (which is {})", path.display(), end.display()),
    )
}

fn device(job: &Job<'_>, shown: &str, destroy: &[String]) -> Result<Option<Finding>, PrepareError> {
    let found = safety::objections(job.path);
    if found.is_empty() {
        return Ok(None);
    }
    if !safety::is_named(job.path, destroy) {
        return Err(PrepareError::Refused {
            text: format!("{shown} would be written, but {}", found.words()),
            cure: cure(&found, job.path),
        });
    }
    let busy = !found.in_use.is_empty();
    Ok(Some(Finding {
        code: if busy {
            "device-in-use"
        } else {
            "data-destroyed"
        }
        .into(),
        severity: if busy { Severity::Fail } else { Severity::Warn },
        stage: None,
        workload: Some(job.index),
        text: format!(
            "{shown} is written because it was named for it, although {}",
            found.words()
        ),
        cure: if busy {
            "whoever uses the device disturbs the figures and is left with damaged data: unmount and \
             release it first"
                .into()
        } else {
            String::new()
        },
    }))
}

fn cure(found: &Objections, path: &Path) -> String {
    let name = found.end.as_deref().unwrap_or(path).display();
    if found.in_use.is_empty() {
        format!("use a file or an empty device; to lose all that is on it, add --destroy {name}")
    } else {
        format!(
            "unmount or release it first; to write it all the same and lose what is on it, add \
             --destroy {name}"
        )
    }
}
