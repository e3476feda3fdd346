//! For how long a study looked at a volume: a rate that is paid by burst credits holds until they are spent.
//!
//! Belongs here: the sentence on it. Must never: say that there are credits (`burst` does).

use super::answer::Answer;
use super::{Measured, confirming, results};
use crate::words::span;
use leadline_model::plan::study::{Question, Study};

/// Adds how long the longest point was, where the answer names a highest rate: no figure of the study includes what
/// credits pay for longer than that.
pub(super) fn add(study: &Study, done: &[Measured], answer: &mut Answer) {
    let of_rates = confirming::has_maximum(&study.question)
        || matches!(study.question, Question::Limit { .. });
    let points = results(done).filter(|m| !m.role().prepares());
    let Some(longest) = points.map(|m| m.summary.figures.span).max() else {
        return;
    };
    if of_rates && !answer.sentences.is_empty() {
        answer.say(format!(
            "The longest point took {}: burst credits that last longer cannot be excluded; `leadline study burst` would show \
             them.",
            span(longest.0 as f64)
        ));
    }
}
