//! What points have in common by their names and settings.
//!
//! Must never: look at what was measured.

use crate::summary::measured::Setting;

/// Whether two settings differ in depth at most.
pub(super) fn is_at_another_depth(a: &Setting, b: &Setting) -> bool {
    *a == Setting {
        depth: a.depth,
        in_flight: a.in_flight,
        ..b.clone()
    }
}

/// The first part of a point's name and the number after it: `size-2/...` is of the second round.
pub(super) fn family_of(name: &str) -> (&str, u32) {
    let family = name.split('/').next().unwrap_or_default();
    match family.rsplit_once('-') {
        Some((word, number)) => match number.parse() {
            Ok(number) => (word, number),
            Err(_) => (family, 1),
        },
        None => (family, 1),
    }
}

/// Whether a point of a survey measures the best one once more.
pub(crate) fn is_confirmation(name: &str) -> bool {
    family_of(name).0 == "confirm"
}
