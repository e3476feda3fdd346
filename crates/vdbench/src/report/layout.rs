//! Which pages there are, and what is at their beginning.

use super::{columns, html, scan};
use crate::original::{PlanOriginal, StageOriginal, WorkloadOriginal};
use leadline_model::plan::{Plan, Stage, Workload};
use leadline_results::summary::target_name;
use leadline_text::markup::{self, content};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// What a page is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PageKind {
    /// Everything.
    Total,
    /// One host.
    Host,
    /// The one slave of a host: leadline's own process there.
    Slave,
    /// One SD.
    Sd,
    /// One WD.
    Wd,
    /// One SD on one host.
    HostSd,
    /// One SD by one slave.
    SlaveSd,
}

impl PageKind {
    /// Whether its page shows the processors of one host rather than the mean of all.
    pub(super) const fn of_one_host(self) -> bool {
        matches!(
            self,
            Self::Host | Self::Slave | Self::HostSd | Self::SlaveSd
        )
    }

    /// Whether a page of response times is beside it.
    pub(super) const fn has_histogram(self) -> bool {
        !matches!(self, Self::Host | Self::Slave)
    }
}

/// A page with rows.
#[derive(Clone, Debug)]
pub(super) struct Page {
    pub(super) kind: PageKind,
    /// Of the host, SD or WD.
    pub(super) name: String,
    /// Name of its file, without the ending.
    pub(super) file: String,
    /// The page of its host, where it is about one.
    pub(super) host: Option<usize>,
    /// It has a file: the run that fills files has none as a WD, and `report=no_sd_detail` leaves those of
    /// SDs out.
    pub(super) written: bool,
}

impl Page {
    /// Its file of response times.
    pub(super) fn histogram(&self) -> String {
        match self.kind {
            PageKind::Total => "histogram.html".to_owned(),
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
    places: BTreeMap<(PageKind, String), usize>,
    /// Names of the plan's hosts; empty where it names none.
    hosts: Vec<String>,
    /// What each stage of the plan is called in lists.
    runs: Vec<String>,
    detail: Detail,
}

/// What `report=` asks for.
#[derive(Clone, Copy, Debug, Default)]
struct Detail {
    host: bool,
    slave: bool,
    no_sd: bool,
}

impl Detail {
    fn of(plan: &Plan) -> Self {
        let pages = PlanOriginal::of(plan).pages;
        let asked = |word: &str| pages.iter().any(|page| page == word);
        Self {
            host: asked("host_detail"),
            slave: asked("slave_detail"),
            no_sd: asked("no_sd_detail"),
        }
    }
}

/// The slave of a host: there is one, since one process drives all its I/O.
pub(super) fn slave_of(host: &str) -> String {
    format!("{host}-0")
}

/// The name of a host without a name.
const HERE: &str = "localhost";

/// The WD of the run that fills files: it counts as one, and has no page.
pub(super) const FORMAT: &str = "SD_format";

/// Label of the host of a workload whose plan names no hosts.
fn own_host(workload: &Workload) -> String {
    WorkloadOriginal::of(workload).map_or_else(|| HERE.to_owned(), |w| w.host)
}

/// The name of a stage in rows.
pub(super) fn run_name(stage: &Stage) -> String {
    StageOriginal::of(stage).run
}

impl Layout {
    pub(super) fn of(plan: &Plan) -> Self {
        let workloads = || plan.stages.iter().flat_map(|s| &s.workloads);
        let mut layout = Self {
            pages: Vec::new(),
            places: BTreeMap::new(),
            hosts: plan.hosts.iter().map(|h| h.label.clone()).collect(),
            // One that may end without I/O has no link.
            runs: plan
                .stages
                .iter()
                .filter(|s| plan.hosts.is_empty() || run_name(s) != FORMAT)
                .map(run_link)
                .collect(),
            detail: Detail::of(plan),
        };
        let mut taken: BTreeSet<String> = FIXED.map(str::to_owned).into();
        taken.insert("config".to_owned());
        layout.add(PageKind::Total, "summary", &mut BTreeSet::new());
        if layout.hosts.is_empty() {
            for workload in workloads() {
                layout.add(PageKind::Host, &own_host(workload), &mut taken);
            }
        }
        for label in layout.hosts.clone() {
            layout.add(PageKind::Host, &label, &mut taken);
        }
        let of_host = |p: &Page| (p.kind == PageKind::Host).then(|| slave_of(&p.name));
        let slaves: Vec<String> = layout.pages.iter().filter_map(of_host).collect();
        for slave in slaves {
            layout.add(PageKind::Slave, &slave, &mut taken);
        }
        for workload in workloads() {
            layout.add(PageKind::Sd, &target_name(workload), &mut taken);
        }
        let definitions: BTreeSet<&str> = workloads().map(Workload::definition).collect();
        let several = |s: &Stage| StageOriginal::of(s).several_definitions;
        if definitions.len() > 1 || plan.stages.iter().any(several) {
            for workload in workloads() {
                layout.add(PageKind::Wd, workload.definition(), &mut taken);
            }
        }
        for workload in workloads() {
            layout.add_details(workload, &mut taken);
        }
        layout
    }

    /// The pages of a workload's SD on each host and by each slave, where they are asked for.
    fn add_details(&mut self, workload: &Workload, taken: &mut BTreeSet<String>) {
        let hosts: Vec<String> = if self.hosts.is_empty() {
            vec![own_host(workload)]
        } else {
            let all = u32::try_from(self.hosts.len()).unwrap_or(u32::MAX);
            let each = workload.hosts.among(all);
            each.map(|host| self.host_label(host).to_owned()).collect()
        };
        for host in hosts {
            if self.detail.host {
                self.add(PageKind::HostSd, &detail_of(&host, workload), taken);
            }
            if self.detail.slave {
                let name = detail_of(&slave_of(&host), workload);
                self.add(PageKind::SlaveSd, &name, taken);
            }
        }
    }

    fn add(&mut self, kind: PageKind, name: &str, taken: &mut BTreeSet<String>) {
        let key = (kind, name.to_owned());
        if self.places.contains_key(&key) {
            return;
        }
        let plain = |c: char| {
            // What means something in a path, in a page, in a shell or to Windows.
            let special = "/\\<>&\"'`|*?:;$!(){}[]#%~";
            if special.contains(c) || c.is_control() || c.is_whitespace() {
                '_'
            } else {
                c
            }
        };
        let mut file: String = name.chars().map(plain).take(120).collect();
        let mark = match kind {
            PageKind::Total => "",
            PageKind::Host => "_host",
            PageKind::Slave => "_slave",
            PageKind::Sd | PageKind::HostSd | PageKind::SlaveSd => "_sd",
            PageKind::Wd => "_wd",
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
        let place = self.pages.len();
        self.places.insert(key, place);
        let host = kind.of_one_host().then(|| self.host_of(kind, name));
        self.pages.push(Page {
            kind,
            name: name.to_owned(),
            file,
            host: host.map(|h| h.unwrap_or(place)),
            written: match kind {
                PageKind::Sd => !self.detail.no_sd,
                PageKind::Wd => name != FORMAT,
                _ => true,
            },
        });
    }

    /// The page of the host that a page is about; `None` for that page itself.
    fn host_of(&self, kind: PageKind, name: &str) -> Option<usize> {
        let own = |page: &&Page| {
            page.kind == PageKind::Host
                && match kind {
                    PageKind::Slave => name == slave_of(&page.name),
                    PageKind::HostSd => begins(name, &page.name),
                    PageKind::SlaveSd => begins(name, &slave_of(&page.name)),
                    _ => false,
                }
        };
        let found = self.pages.iter().filter(own).max_by_key(|p| p.name.len())?;
        self.place(PageKind::Host, &found.name)
    }

    /// Whether the plan names hosts.
    pub(super) const fn has_hosts(&self) -> bool {
        !self.hosts.is_empty()
    }

    /// The name of a host by its place in the plan.
    pub(super) fn host_label(&self, host: u32) -> &str {
        let only = || self.pages.iter().find(|p| p.kind == PageKind::Host);
        let label = self.hosts.get(host as usize).map(String::as_str);
        label.unwrap_or_else(|| only().map_or(HERE, |p| p.name.as_str()))
    }

    /// The page of a host by its place in the plan.
    pub(super) fn page_of(&self, host: u32) -> Option<usize> {
        self.place(PageKind::Host, self.host_label(host))
    }

    /// The page of a host on which a workload was counted.
    pub(super) fn host(&self, workload: &Workload, host: u32) -> Option<usize> {
        let label = match self.hosts.get(host as usize) {
            Some(label) => label.clone(),
            None => own_host(workload),
        };
        self.place(PageKind::Host, &label)
    }

    /// All pages on which a workload of a host is counted.
    pub(super) fn places(&self, workload: &Workload, host: u32) -> Vec<usize> {
        let page = self.host(workload, host);
        let label = page.map_or("", |p| self.pages[p].name.as_str());
        let slave = slave_of(label);
        let mut all = vec![
            Some(0),
            page,
            self.place(PageKind::Slave, &slave),
            self.place(PageKind::Sd, &target_name(workload)),
            self.place(PageKind::Wd, workload.definition()),
        ];
        if self.detail.host {
            all.push(self.place(PageKind::HostSd, &detail_of(label, workload)));
        }
        if self.detail.slave {
            all.push(self.place(PageKind::SlaveSd, &detail_of(&slave, workload)));
        }
        all.into_iter().flatten().collect()
    }

    fn place(&self, kind: PageKind, name: &str) -> Option<usize> {
        self.places.get(&(kind, name.to_owned())).copied()
    }

    /// What is at the beginning of each file, after its title.
    pub(super) fn beginnings(
        &self,
        plan: &Plan,
        directory: &str,
        (created, time): (&str, &str),
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
            ("flatfile", columns::beginning()),
            (
                "histogram",
                format!("Response times of all I/Os\n\n{runs}\n"),
            ),
            (
                "skew",
                format!(
                    "Distribution of the work; no table where there is only one of a \
                     kind\n\n{runs}\n"
                ),
            ),
            ("status", STATUS.to_owned()),
            (
                "errorlog",
                format!("Errors, created {created}\nIf nothing follows, no I/O failed.\n"),
            ),
            ("logfile", format!("Log, created {created}\n")),
            ("parmfile", scan::parmfile(plan)),
            ("parmscan", scan::parmscan(plan, time)),
            ("config", "Host configuration\n\n".to_owned()),
        ];
        out.extend(fixed.map(|(name, text)| (html(name), text)));
        for (place, page) in self.pages.iter().enumerate().skip(1) {
            if !page.written {
                continue;
            }
            let name = content(&page.name);
            let what = match page.kind {
                PageKind::Total => continue,
                PageKind::Host => format!(
                    "Host report for host={name}\n\n{}\n{runs}\n",
                    self.links_of_host(place)
                ),
                PageKind::Slave => format!(
                    "Slave report for slave={name}: leadline's own process on its host\n\n{runs}\n"
                ),
                PageKind::Sd | PageKind::Wd | PageKind::HostSd | PageKind::SlaveSd => {
                    let kind = if page.kind == PageKind::Wd {
                        "wd"
                    } else {
                        "sd"
                    };
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
            (PageKind::Host, "Link to HOST reports:"),
            (PageKind::Sd, "Link to SD reports:"),
            (PageKind::Wd, "Link to WD reports:"),
        ] {
            out.push_str(&self.list(title, |p| p.kind == kind));
        }
        out.push('\n');
        out
    }

    /// What a host's page points to.
    fn links_of_host(&self, host: usize) -> String {
        let of = |kind: PageKind| move |p: &Page| p.kind == kind && p.host == Some(host);
        [
            (PageKind::Slave, "Link to slave reports:"),
            (PageKind::HostSd, "Link to its SD reports:"),
            (PageKind::SlaveSd, "Link to slave SD reports:"),
        ]
        .map(|(kind, title)| self.list(title, of(kind)))
        .concat()
    }

    /// Links to some pages, five in a line.
    fn list(&self, title: &str, wanted: impl Fn(&Page) -> bool) -> String {
        let own = self.pages.iter().filter(|p| p.written && wanted(p));
        let all: Vec<_> = own.map(|p| (p.name.as_str(), html(&p.file))).collect();
        let lines = all.chunks(5).enumerate();
        lines
            .map(|(number, some)| link(if number == 0 { title } else { "" }, some))
            .collect()
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
                content(name)
            );
        }
        out
    }
}

/// What the page of an SD on a host or by a slave is called.
fn detail_of(place: &str, workload: &Workload) -> String {
    format!("{place}.{}", target_name(workload))
}

/// Whether a name is that of a detail page of this place.
fn begins(name: &str, place: &str) -> bool {
    name.strip_prefix(place)
        .is_some_and(|rest| rest.starts_with('.'))
}

fn run_link(stage: &Stage) -> String {
    let kept = StageOriginal::of(stage);
    format!("{} For loops: {}", kept.run, kept.loops())
}

fn link(title: &str, targets: &[(&str, String)]) -> String {
    let mut out = format!("{title:<33}");
    for (name, file) in targets {
        let file = markup::attribute(file);
        let _ = write!(out, "<A HREF=\"{file}\">{}</A>   ", content(name));
    }
    out.trim_end().to_owned() + "\n"
}

/// Said where processor shares are shown.
const CPU: &str = "cpu% is the busy share of all processors of a host, for all processes; for \
                   several hosts, the mean.\nNaN: not known, as for a simulated device and \
                   intervals below 0.1 s. Where the kernel reports nothing, averages \
                   cover\nleadline's workers only.\n";

const STATUS: &str = "* Progress of the run: a line for each step, written immediately; fields \
                      are separated by tabs.\n\n";
