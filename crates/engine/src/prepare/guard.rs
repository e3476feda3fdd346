//! The last look before anything is touched: only regular files and block devices are targets, nothing is
//! written that is in use, and a device that carries data is written only when the user named it.
//!
//! A device is held before it is checked, so that what was seen stays true; what is found in use is
//! refused whatever the user named.

use super::PrepareError;
use super::holds::Holds;
use super::job::Job;
use crate::host_facts::PathKind;
use crate::os::errno;
use crate::os::file::block_device as number_of;
use crate::os::hold::NotHeld;
use crate::os::host;
use crate::os::layers;
use crate::os::safety::{self, InUse};
use leadline_model::cure::{Cure, Knob};
use leadline_model::error_code::ErrorCode;
use leadline_model::finding::{Finding, Severity};
use std::io;
use std::path::Path;

/// Looks at all targets, and takes the devices that will be written; nothing is opened for writing before
/// all of them have passed.
///
/// # Errors
/// [`PrepareError::Refused`] for the first target that may not be used so.
pub(super) fn all(
    jobs: &[Job<'_>],
    destroy: &[String],
    holds: &mut Holds,
) -> Result<Vec<Finding>, PrepareError> {
    let mut findings = Vec::new();
    let in_use = InUse::now(holds.run());
    // Disks before partitions: who holds the disk holds those too.
    let is_part =
        |job: &Job<'_>| number_of(job.path).is_some_and(|n| layers::whole_of(n).is_some());
    let (parts, others): (Vec<&Job<'_>>, Vec<_>) = jobs.iter().partition(|job| is_part(job));
    for job in others.into_iter().chain(parts) {
        let shown = shown(job.path);
        // What it is now, whatever it was when the schedule was made.
        match host::path_kind(job.path) {
            PathKind::Unreachable(what) => {
                return Err(PrepareError::Environment {
                    code: ErrorCode::TargetMissing,
                    text: format!("{shown} is no longer accessible: {what}"),
                    cure: "find out what is changing the target, and start again".into(),
                    errno: None,
                });
            }
            PathKind::Other(what) => {
                return Err(PrepareError::Refused {
                    code: ErrorCode::TargetKind,
                    text: format!("{shown} is {what}"),
                    cure: "name a regular file or a block device".into(),
                });
            }
            PathKind::Block { .. } if !job.is_block() => {
                return Err(PrepareError::Refused {
                    code: ErrorCode::TargetChanged,
                    text: format!("{shown} has become a block device"),
                    cure: "find out what is changing the target, and start again".into(),
                });
            }
            PathKind::Block { .. } if job.writes => {
                if number_of(job.path).is_some_and(|dev| holds.has(dev)) {
                    continue;
                }
                free(&in_use.uses(job.path), &shown)?;
                take(job.path, &shown, holds)?;
                take_beside(&in_use, job.path, &shown, holds)?;
                findings.extend(device(job, &shown, destroy, holds)?);
            }
            PathKind::File { .. } if job.changes() => {
                free(&in_use.uses(job.path), &shown)?;
                take_beside(&in_use, job.path, &shown, holds)?;
            }
            PathKind::File { .. } if job.goes => free_to_go(&in_use.uses(job.path), &shown)?,
            _ => {}
        }
    }
    Ok(findings)
}

/// The devices that will be written are checked once more, after files were laid out: by then others had
/// their time, and not all who write to a device ask whether it is held. `held` are those that were taken for
/// this stage.
///
/// # Errors
/// [`PrepareError::Refused`] for the first device that is no longer as it was.
pub(super) fn again(
    jobs: &[Job<'_>],
    destroy: &[String],
    holds: &Holds,
    held: &[u64],
) -> Result<(), PrepareError> {
    let in_use = InUse::now(holds.run());
    for job in jobs.iter().filter(|job| job.is_block() && job.writes) {
        let shown = shown(job.path);
        let dev = number_of(job.path).filter(|dev| holds.has(*dev));
        let Some(dev) = dev else {
            return Err(PrepareError::Refused {
                code: ErrorCode::TargetChanged,
                text: format!("{shown} is no longer the same device"),
                cure: "find out what is changing the target, and start again".into(),
            });
        };
        free(&in_use.uses(job.path), &shown)?;
        if held.contains(&dev) {
            device(job, &shown, destroy, holds)?;
        }
    }
    Ok(())
}

/// A path, and its end when it is a link.
pub(super) fn shown(path: &Path) -> String {
    safety::real_end(path).map_or_else(
        || path.display().to_string(),
        |end| format!("{} (which is {})", path.display(), end.display()),
    )
}

/// Refuses to write what is used.
pub(super) fn free(uses: &[String], shown: &str) -> Result<(), PrepareError> {
    unused(uses, shown, "written")
}

/// Refuses to delete what is used: the file of a loop device that is mounted, say.
pub(super) fn free_to_go(uses: &[String], shown: &str) -> Result<(), PrepareError> {
    unused(uses, shown, "deleted")
}

fn unused(uses: &[String], shown: &str, done: &str) -> Result<(), PrepareError> {
    if uses.is_empty() {
        return Ok(());
    }
    Err(PrepareError::Refused {
        code: ErrorCode::InUse,
        text: format!("{shown} would be {done}, but {}", uses.join("; ")),
        cure: "unmount or release it first, or use another target; no option overrides this".into(),
    })
}

/// Takes a device that nothing was seen to use.
fn take(path: &Path, shown: &str, holds: &mut Holds) -> Result<(), PrepareError> {
    match holds.take(path) {
        Ok(()) => Ok(()),
        Err(NotHeld::Busy) => {
            // The process that came in between may say which it is.
            free(&InUse::now(holds.run()).uses(path), shown)?;
            let words = "another program or the kernel has it open exclusively";
            free(&[words.to_owned()], shown)
        }
        Err(NotHeld::NotShared) => Err(PrepareError::Environment {
            code: ErrorCode::InUse,
            text: format!(
                "{shown} is held by another agent of this run on this machine, and the kernel \
                 does not let this agent share it"
            ),
            cure: "give each host its own device, or run the agents as one user who may ptrace \
                   the others (kernel.yama.ptrace_scope=0)"
                .into(),
            errno: None,
        }),
        Err(NotHeld::Failed(error)) => Err(PrepareError::of("opening", path, &errno::error(error))),
    }
}

/// Takes the devices that are made of the same bytes: whether they are in use shows only when they can be opened.
fn take_beside(
    in_use: &InUse,
    path: &Path,
    shown: &str,
    holds: &mut Holds,
) -> Result<(), PrepareError> {
    for other in in_use.beside(path) {
        if holds.take(&other) == Err(NotHeld::Busy) {
            let words = format!(
                "another program or the kernel has {}, which shares its storage, open exclusively",
                other.display()
            );
            free(&[words], shown)?;
        }
    }
    Ok(())
}

/// What is on a device that is held: refused, unless it was named for it.
fn device(
    job: &Job<'_>,
    shown: &str,
    destroy: &[String],
    holds: &Holds,
) -> Result<Option<Finding>, PrepareError> {
    let Some(hold) = holds.of(job.path) else {
        // Its disk is held, and was checked.
        return Ok(None);
    };
    let carries = carries(job.path, shown, safety::carried(hold), destroy)?;
    Ok(carries.map(|words| Finding {
        code: "data-destroyed".into(),
        severity: Severity::Warn,
        stage: None,
        workload: Some(job.index),
        text: format!("{shown} is overwritten as requested by name, although {words}"),
        cure: Cure::none(),
    }))
}

/// What a device carries, in words, where it was named for it; refused where it was not.
pub(super) fn carries(
    path: &Path,
    shown: &str,
    marks: io::Result<Vec<&'static str>>,
    destroy: &[String],
) -> Result<Option<String>, PrepareError> {
    let words = match marks {
        Ok(marks) if marks.is_empty() => return Ok(None),
        Ok(marks) => format!("it contains {}", marks.join(" and ")),
        Err(error) => format!("its content cannot be checked ({error})"),
    };
    if !safety::is_named(path, destroy) {
        let end = safety::real_end(path);
        let name = end.as_deref().unwrap_or(path).display();
        return Err(PrepareError::Refused {
            code: ErrorCode::ForeignData,
            text: format!("{shown} would be written, but {words}"),
            cure: Cure::from((
                format!(
                    "use a file or an empty device, or name {name} to overwrite all data on it"
                ),
                [Knob::Destroy],
            )),
        });
    }
    Ok(Some(words))
}
