//! Several runs side by side: what each is called, and the curves of all.
//!
//! Belongs here: names that distinguish runs, and which curve belongs to which run. Must never: draw, or
//! judge which run is better.

use super::response::{ResponseCurve, curves_or_depths};
use crate::run::Run;
use leadline_model::facts::FactKey;

/// A run among others.
#[derive(Clone, Debug)]
pub struct Named<'a> {
    /// Its name, unique among them.
    pub name: String,
    /// What was done.
    pub run: &'a Run,
    /// Its curves; none where it measured no two rates or depths of the same work.
    pub curves: Vec<ResponseCurve>,
}

/// The runs with their curves. Each comes with what the user calls it, if that was said, and with a name
/// made of where it is kept. Runs that were not named get the first of these that distinguishes all of them:
/// their own names, their hosts, where they were made, where they are kept.
#[must_use]
pub fn named<'a>(runs: &[(Option<String>, String, &'a Run)]) -> Vec<Named<'a>> {
    let open: Vec<&(Option<String>, String, &Run)> =
        runs.iter().filter(|r| r.0.is_none()).collect();
    let kinds: [fn(&Run) -> String; 3] = [title, hosts, machine];
    let found = kinds
        .iter()
        .map(|kind| open.iter().map(|r| kind(r.2)).collect::<Vec<_>>());
    let kept = || open.iter().map(|r| r.1.clone()).collect();
    let mut names = found
        .into_iter()
        .find(|n| differ(n))
        .unwrap_or_else(kept)
        .into_iter();
    let mut taken: Vec<String> = Vec::new();
    runs.iter()
        .map(|(said, _, run)| {
            let wanted = said.clone().or_else(|| names.next()).unwrap_or_default();
            let name = free(&wanted, &taken);
            taken.push(name.clone());
            Named {
                name,
                run,
                curves: curves_or_depths(run),
            }
        })
        .collect()
}

fn differ(names: &[String]) -> bool {
    let first = |(i, name): (usize, &String)| !names[..i].contains(name);
    names.iter().all(|n| !n.is_empty()) && names.iter().enumerate().all(first)
}

/// The name, with a number where it is taken.
fn free(wanted: &str, taken: &[String]) -> String {
    let wanted = if wanted.is_empty() { "run" } else { wanted };
    let numbered = (2..).map(|n| format!("{wanted} ({n})"));
    let mut all = std::iter::once(wanted.to_owned()).chain(numbered);
    all.find(|n| !taken.contains(n)).unwrap_or_default()
}

fn title(run: &Run) -> String {
    run.plan
        .as_ref()
        .map_or_else(String::new, |p| p.title.trim().to_owned())
}

/// Labels of the hosts of the plan.
fn hosts(run: &Run) -> String {
    let hosts = run.plan.as_ref().map_or(&[][..], |p| &p.hosts);
    let labels: Vec<&str> = hosts.iter().map(|h| h.label.as_str()).collect();
    match labels.as_slice() {
        [first, .., last] if labels.len() > 3 => format!("{first} to {last}"),
        few => few.join(", "),
    }
}

/// What the machine that ran it calls itself.
fn machine(run: &Run) -> String {
    let found = run.facts.iter().find(|f| f.key() == FactKey::HOST_NAME);
    found.map(|f| f.value.to_string()).unwrap_or_default()
}

impl Named<'_> {
    /// The label of a curve of this run among all: the name of the run where it has only one.
    #[must_use]
    pub fn label(&self, curve: &ResponseCurve) -> String {
        match self.curves.len() {
            1 => self.name.clone(),
            _ => format!("{}: {}", self.name, curve.label()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::response::tests::curve_run;
    use leadline_model::plan::HostSpec;

    fn names(runs: &[(Option<String>, String, &Run)]) -> Vec<String> {
        named(runs).into_iter().map(|n| n.name).collect()
    }

    #[test]
    fn runs_are_named_by_what_distinguishes_them() {
        let (mut a, mut b) = (curve_run(), curve_run());
        let of = |a: &Run, b: &Run| names(&[(None, "a".into(), a), (None, "b".into(), b)]);
        assert_eq!(of(&a, &b), ["a", "b"]);
        a.plan.as_mut().unwrap().hosts = vec![HostSpec::local("near")];
        assert_eq!(of(&a, &b), ["a", "b"], "one alone has a host");
        b.plan.as_mut().unwrap().hosts = ["f1", "f2", "f3", "f4"].map(HostSpec::local).to_vec();
        assert_eq!(of(&a, &b), ["near", "f1 to f4"]);
        a.plan.as_mut().unwrap().title = "before".into();
        b.plan.as_mut().unwrap().title = "after".into();
        assert_eq!(of(&a, &b), ["before", "after"]);
    }

    #[test]
    fn what_the_user_says_counts_and_no_two_are_called_alike() {
        let run = curve_run();
        let said = [
            (Some("x".into()), "a".into(), &run),
            (None, "run".into(), &run),
            (Some("x".into()), "run".into(), &run),
        ];
        let title = run.plan.as_ref().unwrap().title.clone();
        assert_eq!(names(&said), ["x".to_owned(), title, "x (2)".to_owned()]);
    }

    #[test]
    fn a_curve_is_called_like_its_run_unless_there_are_more() {
        let run = curve_run();
        let runs = named(&[(Some("near".into()), String::new(), &run)]);
        let labels = runs[0].curves.iter().map(|c| runs[0].label(c));
        assert_eq!(labels.collect::<Vec<_>>(), ["near: c", "near: l"]);
    }
}
