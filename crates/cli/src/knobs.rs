//! Cures in the words of the front end that was used.
//!
//! Belongs here: which table of words is whose, and the words of leadline's own verbs. Must never: spell another
//! front end's options.

use crate::switches::ACCEPT_UNLIKE;
use leadline_model::cure::Knob;
use leadline_model::event::{Event, HostNews, HostState, Outcome};
use leadline_model::failure::Failure;
use leadline_model::finding::Finding;
use leadline_model::plan::{Dialect, Plan};
use std::borrow::Cow;

/// Whose options a user writes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Language {
    /// `leadline study`.
    Study,
    /// A front end, or `leadline measure`.
    Of(Dialect),
}

impl Default for Language {
    fn default() -> Self {
        Self::Of(Dialect::default())
    }
}

impl Language {
    /// That in which a run was asked for.
    pub(crate) fn of(plan: &Plan) -> Self {
        match &plan.study {
            Some(_) => Self::Study,
            None => Self::Of(plan.source.dialect),
        }
    }
}

/// What a user of this language writes to turn something; `None` = there is no option for it.
pub(crate) fn words(language: Language) -> impl Fn(Knob) -> Option<Cow<'static, str>> {
    let own = match language {
        Language::Study => of_study,
        Language::Of(Dialect::Native) => native,
        Language::Of(Dialect::Fio) => leadline_fio::knobs::words,
        Language::Of(Dialect::Vdbench) => leadline_vdbench::knobs::words,
        Language::Of(Dialect::Diskspd) => leadline_diskspd::knobs::words,
    };
    move |knob| match knob {
        Knob::UnlikeHosts => Some(format!("--{ACCEPT_UNLIKE}").into()),
        _ => own(knob),
    }
}

/// A finding whose cure has the front end's words in its text.
pub(crate) fn in_words(finding: &Finding, language: Language) -> Finding {
    Finding {
        cure: finding.cure.in_words_of(words(language)),
        ..finding.clone()
    }
}

/// An event with a cure, which gets the front end's words; `None` = it has no cure.
pub(crate) fn event_in_words(event: &Event, language: Language) -> Option<Event> {
    match event {
        Event::Finding(finding) => Some(Event::Finding(in_words(finding, language))),
        Event::RunEnded {
            at,
            outcome: Outcome::Failed(failure),
        } => Some(Event::RunEnded {
            at: *at,
            outcome: Outcome::Failed(failure_in_words(failure, language)),
        }),
        Event::Host(news) => match &news.what {
            HostState::Lost { stage, why } => {
                let what = HostState::Lost {
                    stage: *stage,
                    why: failure_in_words(why, language),
                };
                Some(Event::Host(Box::new(HostNews { what, ..**news })))
            }
            HostState::Connected { .. } | HostState::Started { .. } => None,
        },
        _ => None,
    }
}

fn failure_in_words(failure: &Failure, language: Language) -> Failure {
    Failure {
        cure: failure.cure.in_words_of(words(language)),
        ..failure.clone()
    }
}

/// The options of `leadline study`.
fn of_study(knob: Knob) -> Option<Cow<'static, str>> {
    let word = match knob {
        Knob::QueueDepth => "--depths",
        Knob::Size | Knob::FileSize => "--dataset",
        Knob::FileCount | Knob::FewerFiles => "--files",
        Knob::WarmUp => "--warmup",
        other => return native(other),
    };
    Some(word.into())
}

/// The options of `leadline measure`.
fn native(knob: Knob) -> Option<Cow<'static, str>> {
    let word = match knob {
        Knob::Engine(kind) => return Some(format!("or --engine {}", kind.name()).into()),
        Knob::RunTime => "--time",
        Knob::QueueDepth => "--depth",
        Knob::Workers => "--jobs",
        Knob::BlockSize => "--bs",
        Knob::Size | Knob::FileSize => "--size",
        Knob::Direct => "remove --buffered",
        Knob::Buffered => "--buffered",
        Knob::FreshSeed => "remove --seed",
        Knob::Destroy => "--destroy PATH",
        Knob::WholeTime
        | Knob::WarmUp
        | Knob::Loops
        | Knob::Stages
        | Knob::Threads
        | Knob::FewerFiles
        | Knob::FileCount
        | Knob::Alignment
        | Knob::Amount
        | Knob::Offset
        | Knob::OffsetStep
        | Knob::Range
        | Knob::Rate
        | Knob::Pauses
        | Knob::NotSynchronous
        | Knob::Mapped
        | Knob::NotMapped
        | Knob::NoMapFlush
        | Knob::NotAtomic
        | Knob::NoPolling
        | Knob::MayWait
        | Knob::KeepCached
        | Knob::Processors
        | Knob::Nice
        | Knob::IoPriority
        | Knob::OrdinaryMemory
        | Knob::RandomData
        | Knob::NewData
        | Knob::DataSource
        | Knob::Create
        | Knob::CreateOnOpen
        | Knob::Remove
        | Knob::NoReserve
        | Knob::WriteOnce
        | Knob::Writable
        | Knob::UnlikeHosts => return None,
    };
    Some(word.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Cli;
    use clap::CommandFactory as _;
    use leadline_model::error_code::ErrorCode;
    use leadline_model::units::Nanos;

    #[test]
    fn the_loss_of_a_host_has_the_words_of_its_front_end() {
        let why = Failure::new(ErrorCode::NoSpace, "no space", ("use less", [Knob::Size]));
        let news = HostNews {
            host: 1,
            at: Nanos::SECOND,
            what: HostState::Lost { stage: None, why },
        };
        let said = event_in_words(&Event::Host(Box::new(news)), Language::Of(Dialect::Native));
        let Some(Event::Host(news)) = said else {
            panic!("{said:?}")
        };
        let HostState::Lost { why, .. } = &news.what else {
            panic!("{news:?}")
        };
        assert_eq!(why.line(), "no space (use less (--size))");
    }

    #[test]
    fn every_word_is_an_option_of_the_studies() {
        let options = leadline_study::usage(None, &crate::switches::help_of_studies());
        let mut known = 0;
        let words = words(Language::Study);
        for word in Knob::ALL.iter().filter_map(|knob| words(*knob)) {
            let name = word.split(' ').find(|part| part.starts_with("--"));
            let name = name.unwrap();
            assert!(options.contains(&format!("\n  {name} ")), "{word}");
            known += 1;
        }
        assert!(known > 8, "{known}");
    }

    #[test]
    fn every_word_is_an_option_of_the_survey() {
        let command = Cli::command();
        let measure = command.find_subcommand("measure").unwrap();
        let mut known = 0;
        let words = words(Language::Of(Dialect::Native));
        for word in Knob::ALL.iter().filter_map(|knob| words(*knob)) {
            let name = word.split(' ').find_map(|part| part.strip_prefix("--"));
            let listed = measure.get_arguments().any(|arg| arg.get_long() == name);
            assert!(name.is_some() && listed, "{word}");
            known += 1;
        }
        assert!(known > 8, "{known}");
    }
}
