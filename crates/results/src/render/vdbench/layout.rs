//! Which pages there are, and what stands at their beginning.

use super::{escaped, flat, html, said, scan};
use crate::summary::target_name;
use leadline_model::plan::{Plan, Stage, Workload};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// What a page is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// Everything.
    Total,
    /// One host.
    Host,
    /// One SD.
    Sd,
    /// One WD.
    Wd,
}

/// A page with rows.
#[derive(Clone, Debug)]
pub(super) struct Page {
    pub(super) kind: Kind,
    /// Of the host, SD or WD.
    pub(super) name: String,
    /// Name of its file, without the ending.
    pub(super) file: String,
}

impl Page {
    /// Its file of response times.
    pub(super) fn histogram(&self) -> String {
        match self.kind {
            Kind::Total => "histogram.html".to_owned(),
            _ => format!("{}.histogram.html", self.file),
        }
    }
}

/// Names of the files that every run has.
const FIXED: [&str; 10] = [
    "summary",
    "totals",
    "flatfile",
    "histogram",
    "skew",
    "status",
    "errorlog",
    "logfile",
    "parmfile",
    "parmscan",
];

/// The pages of a run.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// The first is the summary.
    pub(super) pages: Vec<Page>,
    places: BTreeMap<(Kind, String), usize>,
    /// Names of the plan's hosts; empty where it names none.
    hosts: Vec<String>,
    /// What each stage of the plan is called in lists.
    runs: Vec<String>,
}

/// The name of a host that nobody named.
const HERE: &str = "localhost";

/// The WD a workload comes from.
pub(super) fn definition(workload: &Workload) -> &str {
    said(&workload.given, "wd").unwrap_or(&workload.name)
}

/// The name of a stage in rows.
pub(super) fn run_name(stage: &Stage) -> &str {
    said(&stage.given, "run").unwrap_or(&stage.name)
}

/// The loops of a stage in words.
pub(super) fn loops(stage: &Stage) -> &str {
    said(&stage.given, "loops")
        .filter(|l| !l.is_empty())
        .unwrap_or("None")
}

impl Layout {
    pub(super) fn of(plan: &Plan) -> Self {
        let workloads = || plan.stages.iter().flat_map(|s| &s.workloads);
        let mut layout = Self {
            pages: Vec::new(),
            places: BTreeMap::new(),
            hosts: plan.hosts.iter().map(|h| h.label.clone()).collect(),
            runs: plan.stages.iter().map(run_link).collect(),
        };
        let mut taken: BTreeSet<String> = FIXED.map(str::to_owned).into();
        taken.insert("config".to_owned());
        layout.add(Kind::Total, "summary", &mut BTreeSet::new());
        if layout.hosts.is_empty() {
            for workload in workloads() {
                let host = said(&workload.given, "host").unwrap_or(HERE);
                layout.add(Kind::Host, host, &mut taken);
            }
        }
        for label in layout.hosts.clone() {
            layout.add(Kind::Host, &label, &mut taken);
        }
        for workload in workloads() {
            layout.add(Kind::Sd, &target_name(workload), &mut taken);
        }
        let definitions: BTreeSet<&str> = workloads().map(definition).collect();
        if definitions.len() > 1 {
            for workload in workloads() {
                layout.add(Kind::Wd, definition(workload), &mut taken);
            }
        }
        layout
    }

    fn add(&mut self, kind: Kind, name: &str, taken: &mut BTreeSet<String>) {
        let key = (kind, name.to_owned());
        if self.places.contains_key(&key) {
            return;
        }
        let plain = |c: char| {
            if c == '/' || c.is_control() || c.is_whitespace() {
                '_'
            } else {
                c
            }
        };
        let mut file: String = name.chars().map(plain).take(120).collect();
        let mark = match kind {
            Kind::Total => "",
            Kind::Host => "_host",
            Kind::Sd => "_sd",
            Kind::Wd => "_wd",
        };
        let plain = file.clone();
        let mut number = 1;
        while !taken.insert(file.clone()) {
            file = match number {
                1 => format!("{plain}{mark}"),
                n => format!("{plain}{mark}{n}"),
            };
            number += 1;
        }
        self.places.insert(key, self.pages.len());
        self.pages.push(Page {
            kind,
            name: name.to_owned(),
            file,
        });
    }

    /// Whether the plan names hosts.
    pub(super) const fn has_hosts(&self) -> bool {
        !self.hosts.is_empty()
    }

    /// The name of a host by its place in the plan.
    pub(super) fn host_label(&self, host: u32) -> &str {
        let only = || self.pages.iter().find(|p| p.kind == Kind::Host);
        let label = self.hosts.get(host as usize).map(String::as_str);
        label.unwrap_or_else(|| only().map_or(HERE, |p| p.name.as_str()))
    }

    /// The page of a host by its place in the plan.
    pub(super) fn page_of(&self, host: u32) -> Option<usize> {
        self.place(Kind::Host, self.host_label(host))
    }

    /// The page of a host on which a workload was counted.
    pub(super) fn host(&self, workload: &Workload, host: u32) -> Option<usize> {
        let label = match self.hosts.get(host as usize) {
            Some(label) => label.as_str(),
            None => said(&workload.given, "host").unwrap_or(HERE),
        };
        self.place(Kind::Host, label)
    }

    /// The pages of a workload's SD and WD.
    pub(super) fn own(&self, workload: &Workload) -> [Option<usize>; 2] {
        [
            self.place(Kind::Sd, &target_name(workload)),
            self.place(Kind::Wd, definition(workload)),
        ]
    }

    fn place(&self, kind: Kind, name: &str) -> Option<usize> {
        self.places.get(&(kind, name.to_owned())).copied()
    }

    /// What stands at the beginning of each file, behind its title.
    pub(super) fn beginnings(
        &self,
        plan: &Plan,
        directory: &str,
        created: &str,
    ) -> Vec<(String, String)> {
        let runs = self.run_links();
        let mut out = vec![(
            "summary.html".to_owned(),
            format!(
                "leadline summary of {directory}, created {created}\n\n{}{runs}\n{CPU}\n",
                self.links()
            ),
        )];
        let fixed = [
            ("totals", format!("Averages of each run\n\n{runs}\n")),
            ("flatfile", flat::beginning()),
            (
                "histogram",
                format!("Response times of all I/Os\n\n{runs}\n"),
            ),
            (
                "skew",
                format!(
                    "How the work was spread; where there is only one of a kind, no table\n\n{runs}\n"
                ),
            ),
            ("status", STATUS.to_owned()),
            (
                "errorlog",
                format!("Errors, created {created}\nNothing below this line: no I/O failed.\n"),
            ),
            ("logfile", format!("Log, created {created}\n")),
            ("parmfile", scan::parmfile(plan)),
            ("parmscan", scan::parmscan(plan)),
            ("config", "What is known of the hosts\n\n".to_owned()),
        ];
        out.extend(fixed.map(|(name, text)| (html(name), text)));
        for page in self.pages.iter().skip(1) {
            let name = escaped(&page.name);
            let what = match page.kind {
                Kind::Total => continue,
                Kind::Host => format!("Host report for host={name}\n\n{runs}\n"),
                Kind::Sd | Kind::Wd => {
                    let kind = if page.kind == Kind::Sd { "sd" } else { "wd" };
                    let link = link(
                        "Link to response time histogram:",
                        &[("histogram", page.histogram())],
                    );
                    let text = format!("Response times of {kind}={name}\n\n{runs}\n");
                    out.push((page.histogram(), text));
                    format!("Report for {kind}={name}\n\n{link}\n{runs}\n")
                }
            };
            out.push((html(&page.file), what));
        }
        out
    }

    fn links(&self) -> String {
        let mut out = String::new();
        for (title, file) in [
            ("Link to logfile:", "logfile"),
            ("Run totals:", "totals"),
            ("Status:", "status"),
            ("Copy of parameter files:", "parmfile"),
            ("Scan of parameter files:", "parmscan"),
            ("Link to errorlog:", "errorlog"),
            ("Link to flatfile:", "flatfile"),
            ("Link to response time histogram:", "histogram"),
            ("Link to workload skew report:", "skew"),
            ("Link to config output:", "config"),
        ] {
            out.push_str(&link(title, &[(file, html(file))]));
        }
        for (kind, title) in [
            (Kind::Host, "Link to HOST reports:"),
            (Kind::Sd, "Link to SD reports:"),
            (Kind::Wd, "Link to WD reports:"),
        ] {
            let own = self.pages.iter().filter(|p| p.kind == kind);
            let all: Vec<_> = own.map(|p| (p.name.as_str(), html(&p.file))).collect();
            for (number, some) in all.chunks(5).enumerate() {
                out.push_str(&link(if number == 0 { title } else { "" }, some));
            }
        }
        out.push('\n');
        out
    }

    fn run_links(&self) -> String {
        let mut out = String::new();
        for (number, name) in (1..).zip(&self.runs) {
            let title = if number == 1 {
                "Link to Run Definitions:"
            } else {
                ""
            };
            let _ = writeln!(
                out,
                "{title:<33}<A HREF=\"#_{number}\">{}</A>",
                escaped(name)
            );
        }
        out
    }
}

fn run_link(stage: &Stage) -> String {
    format!("{} For loops: {}", run_name(stage), loops(stage))
}

fn link(title: &str, targets: &[(&str, String)]) -> String {
    let mut out = format!("{title:<33}");
    for (name, file) in targets {
        let file = escaped(file).replace('"', "%22");
        let _ = write!(out, "<A HREF=\"{file}\">{}</A>   ", escaped(name));
    }
    out.trim_end().to_owned() + "\n"
}

/// Said where processor shares are shown.
const CPU: &str = "cpu% is the share of all processors of a host that was at work, for whatever process; of several \
                   hosts, the mean.\nNaN: not known, as of a simulated device and of intervals below 0.1 s. Where the \
                   kernel tells nothing, averages are of\nleadline's workers alone.\n";

const STATUS: &str = "* Where the run is: a line for each step, written at once; date and words are parted by tabs.\n\n";
