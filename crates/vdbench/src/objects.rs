//! Hosts, storage and workloads as they were defined, with all values typed.
//!
//! Belongs here: one definition each, checked by itself and against the names it uses. Must never
//! appear here: runs (see `runs`), the plan (see `lower`).

use crate::definition::{Definition, File, MOST, labels, mask};
use crate::lex::Value;
use crate::number::whole;
use crate::table::row;
use crate::value::{self, Extent, Flags, Seek, Transfer};
use leadline_dialect::diagnostic::{Diagnostic, Span, nearest};
use leadline_model::plan::{HostSpec, Launcher};

/// A host.
#[derive(Clone, Debug)]
pub(crate) struct Host {
    pub(crate) label: String,
    pub(crate) spec: HostSpec,
    pub(crate) local: bool,
    /// What mounts its storage.
    pub(crate) mount: Option<String>,
}

/// Storage.
#[derive(Clone, Debug)]
pub(crate) struct Storage {
    pub(crate) name: String,
    pub(crate) at: Span,
    /// (host, lun), hosts in their own order.
    pub(crate) luns: Vec<(usize, String)>,
    /// In bytes.
    pub(crate) size: Option<u64>,
    pub(crate) threads: u64,
    pub(crate) hitarea: u64,
    pub(crate) range: Option<Extent>,
    pub(crate) offset: u64,
    pub(crate) align: Option<u64>,
    pub(crate) flags: Option<Flags>,
    pub(crate) dedupratio: Option<f64>,
}

impl Storage {
    /// Whether it is a device rather than a file.
    pub(crate) fn raw(&self) -> bool {
        self.luns.iter().any(|(_, lun)| is_raw(lun))
    }
}

/// Whether a lun is a device: Vdbench goes by its name.
pub(crate) fn is_raw(lun: &str) -> bool {
    lun.starts_with("/dev/") && !lun.starts_with("/dev/shm/")
}

/// A workload.
#[derive(Clone, Debug)]
pub(crate) struct WorkloadDef {
    pub(crate) name: String,
    pub(crate) at: Span,
    /// Its storage; `None` when it names none.
    pub(crate) storage: Option<Vec<usize>>,
    pub(crate) hosts: Option<Vec<usize>>,
    pub(crate) transfer: Transfer,
    pub(crate) rdpct: f64,
    pub(crate) rhpct: f64,
    pub(crate) whpct: f64,
    pub(crate) seek: Seek,
    pub(crate) range: Option<Extent>,
    pub(crate) hotband: Option<Extent>,
    pub(crate) stride: Option<(u64, u64)>,
    pub(crate) skew: Option<f64>,
    pub(crate) iorate: Option<f64>,
    pub(crate) priority: Option<u64>,
    /// How many, and the size of each where it is given.
    pub(crate) streams: Option<(u64, Option<u64>)>,
    pub(crate) threads: u64,
    pub(crate) flags: Option<Flags>,
}

/// Names of this machine that need no launcher.
const HERE: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// All hosts: those defined, else those of the command line, else this machine.
pub(crate) fn hosts(file: &File, given: &[HostSpec], says: &mut Vec<Diagnostic>) -> Vec<Host> {
    let mut out: Vec<Host> = Vec::new();
    if let Some(first) = file.hosts.first().filter(|_| !given.is_empty()) {
        let message = "hosts are defined both here and on the command line";
        says.push(
            Diagnostic::error("hosts-twice", message)
                .at(first.at, "")
                .hint("omit `--hosts`, or the hd= of the file"),
        );
    }
    if file.hosts.is_empty() {
        out.extend(given.iter().map(|spec| Host {
            label: spec.label.clone(),
            spec: spec.clone(),
            // A process of its own, here as well.
            local: false,
            mount: None,
        }));
    }
    for definition in &file.hosts {
        let system = definition.given(&row::hd::SYSTEM);
        let user = definition.given(&row::hd::USER);
        let shell = definition.effective(&row::hd::SHELL);
        let mount = definition.given(&row::hd::MOUNT);
        for label in labels(definition) {
            if out.iter().any(|h| h.label == label) {
                let message = format!("there is already a host `{label}`");
                says.push(Diagnostic::error("duplicate-name", message).at(definition.at, ""));
                continue;
            }
            let address = system.clone().unwrap_or_else(|| label.clone());
            let local = HERE.contains(&address.as_str());
            if !local && shell != "ssh" {
                says.push(by_ssh(definition));
            }
            let mut spec = HostSpec::local(&label);
            if !local {
                spec.address = address;
                spec.user = user.clone();
                spec.launcher = Launcher::Ssh;
            }
            out.push(Host {
                label,
                spec,
                local,
                mount: mount.clone(),
            });
        }
    }
    if out.is_empty() {
        let label = "localhost".to_owned();
        let spec = HostSpec::local(&label);
        out.push(Host {
            label,
            spec,
            local: true,
            mount: None,
        });
    }
    out
}

fn by_ssh(definition: &Definition) -> Diagnostic {
    let message = format!("host `{}` is connected to with OpenSSH", definition.name);
    Diagnostic::note("shell-is-ssh", message)
        .at(definition.span(&row::hd::SHELL), "")
        .hint("write `shell=ssh`: rsh and Vdbench's own daemon do not encrypt")
}

/// What is picked among names: all that a list of names, ranges and beginnings with `*` means, in its
/// order.
pub(crate) fn pick(
    value: &Value,
    known: &[&str],
    what: &str,
    says: &mut Vec<Diagnostic>,
) -> Option<Vec<usize>> {
    let wanted = value::names(value).ok()?;
    let mut out: Vec<usize> = Vec::new();
    let mut right = true;
    for (name, span) in wanted {
        let found: Vec<usize> = match name.strip_suffix('*') {
            Some(start) => (0..known.len())
                .filter(|i| known[*i].starts_with(start))
                .collect(),
            None => known.iter().position(|k| *k == name).into_iter().collect(),
        };
        if found.is_empty() {
            right = false;
            let near = nearest(&name, known.iter().copied());
            let hint = near.map(|n| format!("did you mean `{n}`? names are case-sensitive"));
            let message = format!("there is no {what} `{name}`");
            says.push(
                Diagnostic::error("unknown-name", message)
                    .at(span, "")
                    .expected("a name, or a prefix followed by `*`")
                    .maybe_hint(hint),
            );
        }
        for one in found {
            if out.contains(&one) {
                right = false;
                let message = format!("{what} `{}` is listed twice", known[one]);
                says.push(Diagnostic::error("named-twice", message).at(span, ""));
            } else {
                out.push(one);
            }
        }
    }
    right.then_some(out)
}

/// Hosts among those known: one that is named twice counts once.
fn pick_hosts(value: &Value, known: &[&str], says: &mut Vec<Diagnostic>) -> Option<Vec<usize>> {
    let mut all = Vec::new();
    let found = pick(value, known, "host", &mut all);
    all.retain(|d| d.code != "named-twice");
    let right = all.is_empty();
    says.append(&mut all);
    if !right || found.is_some() {
        return found;
    }
    let mut out: Vec<usize> = Vec::new();
    for item in &value.items {
        let one = Value {
            items: vec![item.clone()],
            ..value.clone()
        };
        let some = pick(&one, known, "host", says)?;
        out.extend(
            some.iter()
                .filter(|h| !out.contains(h))
                .copied()
                .collect::<Vec<_>>(),
        );
    }
    Some(out)
}

/// All storage.
pub(crate) fn storage(file: &File, hosts: &[Host], says: &mut Vec<Diagnostic>) -> Vec<Storage> {
    let mut out: Vec<Storage> = Vec::new();
    for definition in &file.storage {
        let Some(one) = one_storage(definition, hosts, says) else {
            continue;
        };
        let series = definition.given(&row::sd::COUNT);
        let (first, many) = series.map_or((0, 1), |(first, many)| (first, many.min(MOST)));
        for n in first..first.saturating_add(many) {
            let mut one = one.clone();
            if series.is_some() {
                one.name = mask(&one.name, n);
                for (_, lun) in &mut one.luns {
                    *lun = mask(lun, n);
                }
            }
            if out.iter().any(|s| s.name == one.name) {
                let message = format!("there is already a storage definition `{}`", one.name);
                says.push(Diagnostic::error("duplicate-name", message).at(one.at, ""));
                break;
            }
            out.push(one);
        }
    }
    out
}

fn one_storage(
    definition: &Definition,
    hosts: &[Host],
    says: &mut Vec<Diagnostic>,
) -> Option<Storage> {
    let luns = luns(definition, hosts, says)?;
    let storage = Storage {
        name: definition.name.clone(),
        at: definition.at,
        luns,
        size: definition.given(&row::sd::SIZE).flatten(),
        threads: whole(definition.effective(&row::sd::THREADS)),
        hitarea: hitarea(definition),
        range: definition.given(&row::sd::RANGE),
        offset: definition.effective(&row::sd::OFFSET),
        align: definition.given(&row::sd::ALIGN).filter(|n| *n > 0),
        flags: definition.given(&row::sd::OPENFLAGS),
        dedupratio: definition.given(&row::sd::DEDUPRATIO),
    };
    if !storage.raw() && storage.size.is_some_and(|n| !n.is_multiple_of(1 << 20)) {
        let message = format!("the size of `{}` is not a multiple of 1m", storage.name);
        says.push(
            Diagnostic::warning("size-not-whole", message)
                .at(definition.span(&row::sd::SIZE), "")
                .hint("Vdbench does not create a file of this size"),
        );
    }
    Some(storage)
}

/// The area that hits go to, in bytes; 0 is as if it were not given.
fn hitarea(definition: &Definition) -> u64 {
    let given = definition.given(&row::sd::HITAREA).flatten();
    let usual = || row::sd::HITAREA.default().flatten();
    given.or_else(usual).unwrap_or_default()
}

/// Where storage is, for each of its hosts.
fn luns(
    definition: &Definition,
    hosts: &[Host],
    says: &mut Vec<Diagnostic>,
) -> Option<Vec<(usize, String)>> {
    let known: Vec<&str> = hosts.iter().map(|h| h.label.as_str()).collect();
    let mut out: Vec<(usize, String)> = Vec::new();
    let mut lun: Option<String> = None;
    let single = definition.paths.len() == 1;
    if let Some(path) = definition
        .paths
        .iter()
        .find(|p| !single && p.hosts.is_none())
    {
        let at = path.lun.as_ref().map_or(definition.at, |v| v.span);
        let message = "several paths need a host for each";
        says.push(
            Diagnostic::error("path-without-host", message)
                .at(at, "")
                .expected("`lun=` and `host=` in pairs"),
        );
    }
    for path in &definition.paths {
        if let Some(value) = &path.lun {
            lun = value::only(value).ok().map(str::to_owned);
        }
        let Some(lun) = &lun else { continue };
        let on = match &path.hosts {
            Some(value) => pick_hosts(value, &known, says)?,
            None => (0..hosts.len()).collect(),
        };
        for host in on {
            match out.iter_mut().find(|(h, _)| *h == host) {
                Some(old) => old.1.clone_from(lun),
                None => out.push((host, lun.clone())),
            }
        }
    }
    if out.is_empty() {
        let message = format!("storage `{}` has no lun", definition.name);
        says.push(
            Diagnostic::error("lun-missing", message)
                .at(definition.at, "")
                .expected("`lun=` and a file or device"),
        );
        return None;
    }
    if !single {
        out.sort_by_key(|(host, _)| *host);
    }
    Some(out)
}

/// All workloads.
pub(crate) fn workloads(
    file: &File,
    hosts: &[Host],
    storage: &[Storage],
    says: &mut Vec<Diagnostic>,
) -> Vec<WorkloadDef> {
    let mut out: Vec<WorkloadDef> = Vec::new();
    for definition in &file.workloads {
        let name = &definition.name;
        if out.iter().any(|w| w.name == *name) {
            let message = format!("there is already a workload `{name}`");
            says.push(Diagnostic::error("duplicate-name", message).at(definition.at, ""));
        }
        let mut one = workload(definition);
        let names: Vec<&str> = storage.iter().map(|s| s.name.as_str()).collect();
        let labels: Vec<&str> = hosts.iter().map(|h| h.label.as_str()).collect();
        if let Some(entry) = definition.get(&row::wd::SD) {
            one.storage = pick(&entry.value, &names, "storage definition", says);
        }
        if let Some(entry) = definition.get(&row::wd::HOST) {
            one.hosts = pick_hosts(&entry.value, &labels, says);
        }
        check(definition, &one, file, says);
        out.push(one);
    }
    out
}

/// A workload that names nothing.
pub(crate) fn workload(definition: &Definition) -> WorkloadDef {
    let percent = |keyword| f64::min(definition.effective(keyword), 100.0);
    let mut rdpct = percent(&row::wd::RDPCT);
    let asked = definition.get(&row::wd::RDPCT);
    if asked.is_some_and(|e| e.spec.is(&row::wd::WRITEPCT)) {
        rdpct = 100.0 - rdpct;
    }
    WorkloadDef {
        name: definition.name.clone(),
        at: definition.at,
        storage: None,
        hosts: None,
        transfer: definition.effective(&row::wd::XFERSIZE),
        rdpct,
        rhpct: percent(&row::wd::RHPCT),
        whpct: percent(&row::wd::WHPCT),
        seek: definition.effective(&row::wd::SEEKPCT),
        range: definition.given(&row::wd::RANGE),
        hotband: definition.given(&row::wd::HOTBAND),
        stride: definition.given(&row::wd::STRIDE),
        // Zero is none, as with Vdbench.
        skew: definition.given(&row::wd::SKEW).filter(|n| *n > 0.0),
        iorate: definition.given(&row::wd::IORATE).filter(|n| *n > 0.0),
        priority: definition.given(&row::wd::PRIORITY),
        streams: definition.given(&row::wd::STREAMS),
        threads: definition.effective(&row::wd::THREADS),
        flags: definition.given(&row::wd::OPENFLAGS),
    }
}

/// What must hold of a workload by itself.
fn check(definition: &Definition, one: &WorkloadDef, file: &File, says: &mut Vec<Diagnostic>) {
    let concatenated = file.general.effective(&row::general::CONCATENATESDS);
    if definition.get(&row::wd::THREADS).is_some() && !concatenated {
        says.push(
            Diagnostic::error(
                "threads-of-workload",
                "`threads=` belongs to storage and runs",
            )
            .at(definition.span(&row::wd::THREADS), "")
            .hint("set it in the sd or the rd; in a wd only with concatenatesds=yes"),
        );
    }
    if one.iorate.is_some() && one.priority.is_none() {
        says.push(
            Diagnostic::error(
                "rate-without-priority",
                "a workload with its own rate needs a priority",
            )
            .at(definition.span(&row::wd::IORATE), "")
            .expected("`priority=` with every workload"),
        );
    }
    if let Some((min, max)) = one.stride {
        let at = definition.span(&row::wd::STRIDE);
        if one.seek.is_sequential() {
            let message = "a sequential workload has no stride";
            says.push(
                Diagnostic::error("stride-of-sequential", message)
                    .at(at, "")
                    .expected("`seekpct=` above 0"),
            );
        }
        if min > max {
            let message = "the largest step is below the smallest";
            says.push(Diagnostic::error("value-not-understood", message).at(at, ""));
        }
    }
    if let Transfer::One(n) = one.transfer
        && !n.is_multiple_of(512)
    {
        says.push(
            Diagnostic::warning("size-not-of-512", format!("{n} is not a multiple of 512"))
                .at(definition.span(&row::wd::XFERSIZE), "")
                .hint("devices, and files opened with o_direct, reject it"),
        );
    }
}
