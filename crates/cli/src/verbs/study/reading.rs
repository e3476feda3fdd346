//! What the words of `leadline study` ask for, with all that is wrong with them said at once.
//!
//! Belongs here: words to a study on its hosts and targets. Must never: measure, or run a command of the user's.

use super::{resume, room};
use crate::args::GradeLimit;
use crate::examples;
use crate::exit::Exit;
use crate::fleet::HostsRequest;
use crate::out;
use crate::session;
use crate::simulated::{is_simulated, wrong_law};
use crate::switches;
use crate::verbs::targets::{Targets, no_such_directory};
use crate::verbs::{self, Refusal};
use leadline_dialect::diagnostic::Diagnostic;
use leadline_model::plan::study::{Arm, Question, Study, StudyPlace};
use leadline_model::units::Nanos;
use leadline_study::{Beside, Request};

/// What the words are.
pub(super) enum Read {
    /// Help, which was shown, or a target that is not accepted, which was said.
    Ended(Exit),
    /// A study.
    Study(Box<Asked>),
}

/// A study with all that is asked beside it.
pub(super) struct Asked {
    pub(super) study: Study,
    pub(super) targets: Vec<String>,
    pub(super) beside: Beside,
    pub(super) hosts: HostsRequest,
}

/// Reads the words; `None` where something is wrong, which was said.
pub(super) fn read(words: &[String]) -> Option<Read> {
    let callers = switches::of_studies();
    let file = |name: &str| std::fs::read_to_string(name).map_err(|error| error.to_string());
    let parsed = leadline_study::parse(words, &callers, &file);
    if let Some(help) = parsed.help {
        let example = help.map_or_else(
            || examples::end("study"),
            |study| examples::end_of_study(study.example),
        );
        let more = format!("{}\n{example}", switches::help_of_studies());
        let text = leadline_study::usage(help, &more);
        if words.is_empty() {
            // Nothing was asked, not even for help.
            out::say(&text);
            return None;
        }
        out::help(&text);
        return Some(Read::Ended(Exit::Fine));
    }
    let mut fine = verbs::say_diagnostics(&parsed.diagnostics, &parsed.sources);
    // What is wrong with the rest is said as well: the switches that every verb has, hosts, and targets.
    let known = parsed.request.as_ref().or(parsed.refused.as_ref());
    let limit = known.and_then(|request| GradeLimit::of(request.beside.fail_on_grade?));
    let (hosts, _) = HostsRequest::take_graded(&parsed.switches, limit);
    if let (Some(request), Some(hosts)) = (known, &hosts) {
        fine &= verbs::say_diagnostics(&of_hosts(request, hosts), &parsed.sources);
    }
    let elsewhere = |h: &HostsRequest| !h.hosts.is_empty() || h.targets.has_maps();
    let here = !hosts.as_ref().is_some_and(elsewhere);
    let mut wrong = match known {
        Some(request) => wrong_laws(request),
        // A state's own command may make a directory.
        None => wrong_targets(
            &parsed.targets,
            here && !words.iter().any(|w| w.contains("prepare")),
        ),
    };
    if (!fine || hosts.is_none())
        && let Some(request) = known
    {
        // These checks come last, and would not be reached.
        let missing = if here {
            missing_directories(&request.study)
        } else {
            Vec::new()
        };
        wrong.extend(missing);
        let earlier = request.beside.resume.as_deref().map(resume::opened);
        wrong.extend(earlier.and_then(Result::err).map(|(text, _)| text));
    }
    wrong.iter().for_each(|wrong| out::say(wrong));
    if !fine || !wrong.is_empty() {
        return None;
    }
    Some(match settled(parsed.request?, hosts?) {
        Ok(asked) => Read::Study(Box::new(asked)),
        Err((text, exit)) => {
            out::say(&text);
            Read::Ended(exit)
        }
    })
}

/// What the run is called: a target that several states have is named once.
pub(super) fn title(study: &str, targets: &[String]) -> String {
    let mut named: Vec<&str> = Vec::new();
    for target in targets {
        if !named.contains(&target.as_str()) {
            named.push(target);
        }
    }
    format!("{study} study of {}", named.join(" "))
}

/// The place of the class with a rate, where that has one of its own.
const fn rated_place(study: &Study) -> Option<&StudyPlace> {
    match &study.question {
        Question::Combined { rated, .. } => rated.place.as_ref(),
        _ => None,
    }
}

/// What a place is called.
const fn names_of(place: &StudyPlace) -> &[String] {
    match place {
        StudyPlace::Paths(names) => names.as_slice(),
        StudyPlace::Directory(name) => std::slice::from_ref(name),
    }
}

/// What is wrong with the laws of simulated volumes, each said once.
fn wrong_laws(request: &Request) -> Vec<String> {
    let own = request.study.arms.iter().filter_map(|a| a.place.as_ref());
    let named = own.chain(rated_place(&request.study)).flat_map(names_of);
    let simulated = request
        .targets
        .iter()
        .chain(named)
        .filter(|target| is_simulated(target));
    let mut wrong: Vec<String> = Vec::new();
    for why in simulated.filter_map(|target| wrong_law(target)) {
        if !wrong.contains(&why) {
            wrong.push(why);
        }
    }
    wrong
}

/// What is said of directories that are to be measured and are not there: a name with a mistake, or a mount that is missing,
/// would be measured as if it were meant. That of a state whose own command may make it is looked for after the command.
fn missing_directories(study: &Study) -> Vec<String> {
    let now = study.arms.iter().filter(|arm| arm.prepare.is_empty());
    let of_states = now.map(|arm| place_of(study, arm));
    let common = study.arms.is_empty().then_some(&study.scope.place);
    let places = common
        .into_iter()
        .chain(of_states)
        .chain(rated_place(study));
    let is_real = |name: &str| !name.is_empty() && !is_simulated(name);
    let mut missing: Vec<String> = Vec::new();
    for name in places.flat_map(names_of).filter(|name| is_real(name)) {
        let said = no_such_directory(name).map(|(text, _)| text);
        missing.extend(said.filter(|text| !missing.contains(text)));
    }
    missing
}

/// Where a state is measured.
fn place_of<'s>(study: &'s Study, arm: &'s Arm) -> &'s StudyPlace {
    arm.place.as_ref().unwrap_or(&study.scope.place)
}

/// What is wrong with targets, whatever else is: the law of a simulated volume, and a directory that is not `here`, on this
/// machine.
fn wrong_targets(targets: &[String], here: bool) -> Vec<String> {
    let wrong = |target: &String| match is_simulated(target) {
        true => wrong_law(target),
        false if here => no_such_directory(target).map(|(text, _)| text),
        false => None,
    };
    targets.iter().filter_map(wrong).collect()
}

/// A study on its scope: what is known of hosts and targets put into it.
fn settled(request: Request, hosts: HostsRequest) -> Result<Asked, Refusal> {
    let mut study = request.study;
    let place_of = |named: &[String]| {
        let targets = Targets {
            named,
            destroy: &request.beside.destroy,
            elsewhere: !hosts.hosts.is_empty(),
            writer: "the study",
        };
        targets.place()
    };
    let mut targets = request.targets.clone();
    let mut wrong: Vec<Refusal> = Vec::new();
    let rated = match &mut study.question {
        Question::Combined { rated, .. } => rated.place.as_mut(),
        _ => None,
    };
    let arms = study.arms.iter_mut().filter_map(|arm| arm.place.as_mut());
    for place in arms.chain(rated) {
        if let StudyPlace::Paths(named) = place {
            let named = std::mem::take(named);
            match place_of(&named) {
                Ok(known) => *place = known,
                Err(why) => wrong.push(why),
            }
            targets.extend(named);
        }
    }
    match (request.targets.is_empty(), study.arms.first()) {
        (true, Some(first)) => study.scope.place = first.place.clone().unwrap_or(study.scope.place),
        _ => match place_of(&request.targets) {
            Ok(known) => study.scope.place = known,
            Err(why) => wrong.insert(0, why),
        },
    }
    if let Some((_, exit)) = wrong.first() {
        let exit = *exit;
        let said: Vec<String> = wrong.into_iter().map(|(text, _)| text).collect();
        return Err((said.join("\n"), exit));
    }
    study.scope.maps = hosts.targets.maps_in_words();
    study.scope.hosts = u32::try_from(hosts.hosts.len()).unwrap_or(u32::MAX).max(1);
    if !study.seeded {
        study.seed = session::fresh_seed();
    }
    let mut asked = Asked {
        study,
        targets,
        beside: request.beside,
        hosts,
    }
    .filled();
    if let Some(points) = asked.far_too_many() {
        return Err((super::too_many(points), Exit::Usage));
    }
    if !request.sized {
        room::make_fit(&mut asked.study, request.least, &asked.hosts);
    }
    Ok(asked)
}

/// What of a study does not go with its hosts.
fn of_hosts(request: &Request, hosts: &HostsRequest) -> Vec<Diagnostic> {
    let labels: Vec<&str> = hosts.hosts.iter().map(|h| h.label.as_str()).collect();
    let at = |option| request.place(option).unwrap_or_default();
    match &request.study.question {
        Question::ScaleOut { counts } => {
            let count = labels.len().max(1);
            let is_above = |n: &&u32| usize::try_from(**n).is_ok_and(|n| n > count);
            let above: Vec<String> = counts.iter().filter(is_above).map(u32::to_string).collect();
            if above.is_empty() {
                return Vec::new();
            }
            let there = match count {
                1 => "is 1 host".to_owned(),
                more => format!("are {more} hosts"),
            };
            let message = format!("counts: {} requested, but there {there}", above.join(", "));
            let wrong = Diagnostic::error("counts-above-hosts", message).at(at("counts"), "");
            vec![
                wrong
                    .hint("lower --counts, or name more in --hosts, for example --hosts 'vm[1-8]'"),
            ]
        }
        Question::NearFar { groups } => {
            let named = groups.iter().flat_map(|group| &group.hosts);
            let unknown = named.filter(|host| !labels.contains(&host.as_str()));
            let each = unknown.map(|host| {
                let message = format!("groups: {host} is not among the hosts");
                let wrong = Diagnostic::error("no-such-host", message).at(at("groups"), "");
                match labels.is_empty() {
                    true => wrong.hint("name the hosts of all groups in --hosts"),
                    false => wrong
                        .expected(labels.join(", "))
                        .hint("name it in --hosts too, or correct it"),
                }
            });
            let is_idle =
                |label: &&&str| !groups.iter().any(|g| g.hosts.iter().any(|h| h == **label));
            let idle = labels.iter().filter(is_idle).map(|label| {
                let message = format!("groups: {label} is not in any group, so nothing runs there");
                Diagnostic::warning("idle-host", message).at(at("groups"), "")
            });
            each.chain(idle).collect()
        }
        _ => Vec::new(),
    }
}

impl Asked {
    /// The same, its question filled with what follows from the hosts.
    fn filled(mut self) -> Self {
        let count = self.study.scope.hosts;
        self.hosts.targets.parts = count;
        match &mut self.study.question {
            Question::ScaleOut { counts } if counts.is_empty() => *counts = doublings(count),
            Question::NearFar { groups } => {
                for group in groups {
                    let numbers = (0_u32..).zip(&self.hosts.hosts);
                    let own = numbers.filter(|(_, h)| group.hosts.contains(&h.label));
                    group.numbers = own.map(|(number, _)| number).collect();
                    let far = group.numbers.iter().map(|host| (*host, group.distance));
                    let far = far.filter(|(_, distance)| *distance > Nanos::ZERO);
                    self.hosts.targets.distances.extend(far);
                }
            }
            _ => {}
        }
        self
    }

    /// What is said of directories that are not there; those on other hosts or simulated are not looked for here.
    pub(super) fn missing_directories(&self) -> Vec<String> {
        match self.is_here() {
            true => missing_directories(&self.study),
            false => Vec::new(),
        }
    }

    /// The directory of a state, where it is not there.
    pub(super) fn missing_of(&self, arm: &Arm) -> Option<String> {
        match place_of(&self.study, arm) {
            StudyPlace::Directory(name) if self.is_here() => {
                no_such_directory(name).map(|_| name.clone())
            }
            _ => None,
        }
    }

    fn is_here(&self) -> bool {
        self.hosts.hosts.is_empty() && !self.hosts.targets.has_maps()
    }
}

/// 1, 2, 4 and on, and all.
fn doublings(all: u32) -> Vec<u32> {
    let powers = std::iter::successors(Some(1_u32), |n| n.checked_mul(2));
    powers.take_while(|n| *n < all).chain([all]).collect()
}

#[cfg(test)]
mod title_tests {
    #[test]
    fn a_target_of_several_states_is_named_once() {
        let targets = ["/mnt/a", "/mnt/b", "/mnt/a"].map(str::to_owned);
        let title = super::title("iops", &targets);
        assert_eq!(title, "iops study of /mnt/a /mnt/b");
    }
}
