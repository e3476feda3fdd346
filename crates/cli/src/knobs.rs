//! Cures in the words of the front end that was used.
//!
//! Belongs here: which table of words is whose, and the words of leadline's own verbs. Must never: spell another
//! front end's options.

use leadline_model::cure::Knob;
use leadline_model::event::{Event, Outcome};
use leadline_model::failure::Failure;
use leadline_model::finding::Finding;
use leadline_model::plan::Dialect;
use std::borrow::Cow;

/// What a user of this front end writes to turn something; `None` = there is no option for it.
pub(crate) fn words(dialect: Dialect) -> impl Fn(Knob) -> Option<Cow<'static, str>> {
    let own = match dialect {
        Dialect::Native => native,
        Dialect::Fio => leadline_fio::knobs::words,
        Dialect::Vdbench => leadline_vdbench::knobs::words,
        Dialect::Diskspd => leadline_diskspd::knobs::words,
    };
    move |knob| match knob {
        Knob::UnlikeHosts => Some("--accept-unlike-hosts".into()),
        _ => own(knob),
    }
}

/// A finding whose cure has the front end's words in its text.
pub(crate) fn in_words(finding: &Finding, dialect: Dialect) -> Finding {
    Finding {
        cure: finding.cure.in_words_of(words(dialect)),
        ..finding.clone()
    }
}

/// An event with a cure, which gets the front end's words; `None` = it has no cure.
pub(crate) fn event_in_words(event: &Event, dialect: Dialect) -> Option<Event> {
    match event {
        Event::Finding(finding) => Some(Event::Finding(in_words(finding, dialect))),
        Event::RunEnded {
            at,
            outcome: Outcome::Failed(failure),
        } => Some(Event::RunEnded {
            at: *at,
            outcome: Outcome::Failed(Failure {
                cure: failure.cure.in_words_of(words(dialect)),
                ..failure.clone()
            }),
        }),
        _ => None,
    }
}

fn native(knob: Knob) -> Option<Cow<'static, str>> {
    match knob {
        Knob::Engine(kind) => Some(format!("or --engine {}", kind.name()).into()),
        Knob::Destroy => Some("--destroy PATH".into()),
        _ => None,
    }
}
