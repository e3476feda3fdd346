//! A set-up: what is asked about, as options with values.
//!
//! Belongs here: the options, and what does not go together. Must never appear here: what comes out.

use crate::book::Book;
use crate::number::{grouped, sized};
use crate::row::{GIB, MIB, Row, TIB};
use crate::value::{self, Cache, DiskSet, Figure, Rate};
use leadline_dialect::diagnostic::{Diagnostic, Severity, SourceId, Sources, Span, nearest};

/// The most TCP connections that Linux opens for a mount (nfs(5): nconnect).
const MOST_CONNECTIONS: u32 = 16;

/// What is asked about.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Setup {
    /// A service level.
    pub service: Option<String>,
    /// Bytes of the volume's quota.
    pub quota: Option<f64>,
    /// Whether it is a large volume: said, or larger than a regular one can be.
    pub large: bool,
    /// Bytes per second that were set for the volume, or for a pool whose throughput is set.
    pub assigned: Option<f64>,
    /// Bytes of the pool.
    pub pool: Option<f64>,
    /// Disks of each machine.
    pub disks: Vec<DiskSet>,
    /// Size of the machines, and how many, from 1.
    pub machine: Option<(String, u32)>,
    /// Version of NFS: 3 or 4.1.
    pub nfs: Option<String>,
    /// TCP connections of a mount, from 1.
    pub nconnect: Option<u32>,
    /// Bytes of an I/O.
    pub block: Option<f64>,
    /// Share of reads, 0 to 1.
    pub reads: Option<f64>,
    /// Seconds that one I/O takes when it is alone.
    pub latency: Option<f64>,
    /// I/Os in flight in total, from 1.
    pub in_flight: Option<u32>,
    /// TCP connections in total, from 1.
    pub flows: Option<u32>,
    /// What is wanted.
    pub demand: Option<Rate>,
    /// What was measured.
    pub measured: Vec<Figure>,
}

impl Setup {
    /// How many machines there are, from 1.
    #[must_use]
    pub fn machines(&self) -> f64 {
        self.machine
            .as_ref()
            .map_or(1.0, |(_, count)| f64::from(*count))
    }

    /// What it names of the rows: option, section and name, the service first.
    fn names(&self) -> impl Iterator<Item = (&'static str, &'static str, &str)> {
        let service = self.service.as_deref();
        let service = service.map(|name| ("service", "level", name));
        let machine = self.machine.as_ref();
        let machine = machine.map(|(name, _)| ("vm", "machine", name.as_str()));
        let disks = self.disks.iter();
        let disks = disks.map(|set| ("disk", "disk", set.name.as_str()));
        service.into_iter().chain(machine).chain(disks)
    }

    /// The provider that it is of, where something that it names says so.
    pub(crate) fn provider<'a>(&self, book: &'a Book) -> Option<&'a str> {
        self.providers(book).map(|(.., provider)| provider).next()
    }

    /// Whose network the machine and the service are on: disks are on none.
    pub(crate) fn network<'a>(&self, book: &'a Book) -> Option<&'a str> {
        let mut all = self.providers(book);
        all.find_map(|(option, _, provider)| (option != "disk").then_some(provider))
    }

    /// Each option and name with its provider, where a row has that name.
    fn providers<'a>(&self, book: &'a Book) -> impl Iterator<Item = (&'static str, &str, &'a str)> {
        self.names().filter_map(|(option, section, name)| {
            Some((option, name, book.first(section, name)?.text("provider")))
        })
    }
}

/// An option with its value.
pub type Asked = (&'static str, String);

/// Puts the value of an option into a set-up, or says what is wrong with it.
type Take = fn(&mut Setup, &str) -> Result<(), String>;

/// An option: its name, an example of its value, and what it does with one.
type Choice = (&'static str, &'static str, Take);

#[rustfmt::skip]
const OPTIONS: &[Choice] = &[
    ("service", "anf-premium", |s, v| { s.service = Some(v.to_ascii_lowercase()); Ok(()) }),
    ("quota", "70.31TiB", |s, v| { s.quota = Some(value::size(v)?); Ok(()) }),
    ("large", "", |s, _| { s.large = true; Ok(()) }),
    ("assigned", "2000MiB/s", |s, v| { s.assigned = Some(value::throughput(v)?); Ok(()) }),
    ("pool", "10TiB", |s, v| { s.pool = Some(value::size(v)?); Ok(()) }),
    ("disk", "3xP30:none,P30:ro", |s, v| value::disks(&mut s.disks, v)),
    ("vm", "D8s_v3:2", |s, v| { s.machine = Some(value::machine(v)?); Ok(()) }),
    ("nfs", "3", |s, v| { s.nfs = Some(nfs(v)?); Ok(()) }),
    ("nconnect", "8", |s, v| { s.nconnect = Some(value::count(v)?); Ok(()) }),
    ("bs", "64k", |s, v| { s.block = Some(value::size(v)?); Ok(()) }),
    ("read", "70", |s, v| { s.reads = Some(value::share(v)?); Ok(()) }),
    ("latency", "1.14ms", |s, v| { s.latency = Some(value::seconds(v)?); Ok(()) }),
    ("inflight", "32", |s, v| { s.in_flight = Some(value::count(v)?); Ok(()) }),
    ("flows", "8", |s, v| { s.flows = Some(value::count(v)?); Ok(()) }),
    ("demand", "4500MiB/s", |s, v| { s.demand = Some(value::rate(v)?); Ok(()) }),
    ("measured", "read:78300,write:12600", |s, v| { s.measured.extend(value::figures(v)?); Ok(()) }),
];

fn nfs(text: &str) -> Result<String, String> {
    match text {
        "3" | "v3" => Ok("3".to_owned()),
        "4.1" | "v4.1" => Ok("4.1".to_owned()),
        _ => Err(format!("'{text}' is neither 3 nor 4.1")),
    }
}

/// What the options mean together.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The set-up; what was wrong is missing in it.
    pub setup: Setup,
    /// The rows, with those of the user's file.
    pub book: Book,
    /// All that is to be said.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts that the diagnostics point into.
    pub sources: Sources,
}

impl Parsed {
    /// Whether nothing is wrong.
    #[must_use]
    pub fn is_right(&self) -> bool {
        self.diagnostics
            .iter()
            .all(|said| said.severity != Severity::Error)
    }
}

/// Reads options, and the user's files: the name and text of each. A row of a later file takes the place of those before it
/// that are about the same.
#[must_use]
pub fn parse(asked: &[Asked], files: &[(&str, &str)]) -> Parsed {
    let (mut sources, mut says) = (Sources::default(), Vec::new());
    let mut book = Book::built_in();
    for (name, text) in files {
        book.add(name, text, &mut sources, &mut says);
    }
    let (line, places) = line(asked);
    let source = sources.add("command line", line);
    let mut setup = Setup::default();
    let mut checking = Checking {
        source,
        asked,
        places,
        says,
    };
    for (at, (name, value)) in asked.iter().enumerate() {
        let Some((_, example, take)) = OPTIONS.iter().find(|(known, ..)| known == name) else {
            continue;
        };
        if let Err(why) = take(&mut setup, value) {
            let place = checking.place(at);
            checking.says.push(
                Diagnostic::error("bad-value", format!("--{name}: {why}"))
                    .at(place, "")
                    .hint(format!("for example --{name} {example}")),
            );
        }
    }
    checking.named(&setup, &book);
    checking.of_nothing(&book);
    checking.together(&setup, &book);
    checking.one_provider(&setup, &book);
    checking.counts(&setup, &book);
    checking.volume(&mut setup, &book);
    checking.pool(&setup, &book);
    checking.assigned(&setup, &book);
    Parsed {
        setup,
        book,
        diagnostics: checking.says,
        sources,
    }
}

/// The options as one line, and the place of each value in it.
fn line(asked: &[Asked]) -> (String, Vec<(usize, usize)>) {
    let mut line = String::new();
    let mut places = Vec::new();
    for (name, value) in asked {
        let gap = if line.is_empty() { "" } else { " " };
        line.push_str(&format!("{gap}--{name} "));
        places.push((line.len(), line.len() + value.len()));
        line.push_str(value);
    }
    (line, places)
}

struct Checking<'a> {
    source: SourceId,
    asked: &'a [Asked],
    places: Vec<(usize, usize)>,
    says: Vec<Diagnostic>,
}

impl Checking<'_> {
    fn place(&self, at: usize) -> Span {
        let (start, end) = self.places.get(at).copied().unwrap_or_default();
        Span::new(self.source, start, end)
    }

    /// The place of the first value of an option; `None` where it is missing.
    fn place_of(&self, name: &str) -> Option<Span> {
        let at = self.asked.iter().position(|(asked, _)| *asked == name)?;
        Some(self.place(at))
    }

    fn error(&mut self, code: &'static str, option: &str, message: String, hint: Option<String>) {
        let place = self.place_of(option).unwrap_or_default();
        self.says.push(
            Diagnostic::error(code, message)
                .at(place, "")
                .maybe_hint(hint),
        );
    }

    /// Names that no row has, with the nearest that one has.
    fn named(&mut self, setup: &Setup, book: &Book) {
        for (option, section, name) in setup.names() {
            if book.named(section, name).next().is_some() {
                continue;
            }
            let known = book.names(section);
            let near = match nearest(name, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`? "),
                None => String::new(),
            };
            let message = format!("unknown {option} `{name}`");
            let hint = format!(
                "{near}known are {}; --limits FILE adds others",
                known.join(", ")
            );
            self.error("no-such-name", option, message, Some(hint));
        }
    }

    /// Prices and least sizes of what no row is about.
    fn of_nothing(&mut self, book: &Book) {
        let of = [
            ("price", ["disk", "machine"], "disk or machine"),
            ("least", ["disk", "level"], "disk or service level"),
        ];
        for (section, sections, what) in of {
            let known = sections.map(|section| book.names(section)).concat();
            for row in book.of(section) {
                let name = row.text("name");
                if known.iter().any(|known| known.eq_ignore_ascii_case(name)) {
                    continue;
                }
                let near = nearest(name, known.iter().copied());
                self.says.push(
                    Diagnostic::error("no-such-name", format!("unknown {what} `{name}`"))
                        .at(row.at, "")
                        .maybe_hint(near.map(|near| format!("did you mean `{near}`?"))),
                );
            }
        }
    }

    /// Options that do not go together.
    fn together(&mut self, setup: &Setup, book: &Book) {
        if self.place_of("service").is_none() {
            for option in ["quota", "large", "pool", "assigned"] {
                if self.place_of(option).is_some() {
                    let message = format!("--{option} needs --service");
                    let hint = format!(
                        "add --service with one of {}",
                        book.names("level").join(", ")
                    );
                    self.error("no-service", option, message, Some(hint));
                }
            }
        }
        if self.place_of("nconnect").is_some() && self.place_of("nfs").is_none() {
            let message = "--nconnect needs --nfs: slots depend on the version".to_owned();
            self.error(
                "no-nfs",
                "nconnect",
                message,
                Some("--nfs 3 or --nfs 4.1".to_owned()),
            );
        }
        for disk in &setup.disks {
            self.disk(disk, book);
        }
    }

    /// What a disk needs, and what it cannot be.
    fn disk(&mut self, disk: &DiskSet, book: &Book) {
        let name = &disk.name;
        let rows: Vec<_> = book.disk(name, disk.gib()).collect();
        let mut wrong = |code, message: String, hint: Option<String>| {
            self.error(code, "disk", message, hint);
        };
        if rows.is_empty() {
            let of = |key| {
                book.named("disk", name)
                    .filter_map(move |row| row.number(key))
            };
            if let (Some(least), Some(most)) = (
                of("gib_least").reduce(f64::min),
                of("gib_most").reduce(f64::max),
            ) {
                let message = format!(
                    "no {name} has {}: {} to {} GiB",
                    sized(disk.bytes.unwrap_or_default()),
                    grouped(least),
                    grouped(most)
                );
                wrong("disk-range", message, None);
            }
            return;
        }
        let least = book.least(name).find_map(|row| row.number("gib"));
        if let Some((least, gib)) = least.zip(disk.gib()).filter(|(least, gib)| gib < least) {
            let (least, gib) = (grouped(least), sized(gib * GIB));
            wrong(
                "disk-range",
                format!("{name} cannot have {gib}: at least {least} GiB"),
                None,
            );
        }
        let has = |key: &str| rows.iter().any(|row| row.number(key).is_some());
        let fixed = rows.iter().find_map(|row| row.number("gib"));
        if let Some((fixed, gib)) = fixed
            .zip(disk.gib())
            .filter(|(fixed, gib)| (fixed - gib).abs() > 1e-6)
        {
            let message = format!(
                "{name} has {} GiB, not {}",
                grouped(fixed),
                sized(gib * GIB)
            );
            let hint = "leave the size out, or name the disk of that size".to_owned();
            wrong("disk-range", message, Some(hint));
        }
        let by_size = ["iops_per_gib", "mib_per_tib", "iops_most_per_gib"];
        if disk.bytes.is_none() && fixed.is_none() && by_size.into_iter().any(has) {
            let message = format!("the limits of {name} depend on its size");
            wrong(
                "no-size",
                message,
                Some(format!("for example {name}:100GiB")),
            );
        }
        if has("iops_most") && !has("iops") && disk.iops.is_none() {
            let message = format!("the IOPS of {name} are configurable: give them");
            let hint = format!("for example {name}:100GiB:5000iops");
            wrong("no-iops", message, Some(hint));
        }
        if disk.cache != Cache::None && rows.iter().any(|row| row.is("uncached_only")) {
            let message = format!("the host does not cache {name}");
            wrong("not-cached", message, Some(format!("{name}:none")));
        }
        self.set(disk, &rows);
    }

    /// What was set for a disk: whether it can be, and how much of it.
    fn set(&mut self, disk: &DiskSet, rows: &[&Row]) {
        let name = &disk.name;
        let can = |keys: &[&str]| {
            let has = |row: &&&Row| keys.iter().any(|key| row.number(key).is_some());
            rows.iter().find(has)
        };
        let of_size = disk
            .bytes
            .map_or(String::new(), |bytes| format!(" of {}", sized(bytes)));
        let mut wrong = |message: String| self.error("not-set", "disk", message, None);
        let mut iops = None;
        match (disk.iops, can(&["iops_most"])) {
            (Some(_), None) => wrong(format!("the IOPS of {name} cannot be set")),
            (Some(asked), Some(row)) => {
                let most = row.iops_most(disk.gib());
                if asked > most {
                    let (asked, most) = (grouped(asked), grouped(most));
                    wrong(format!(
                        "{name}{of_size} takes at most {most} IOPS, not {asked}"
                    ));
                }
                iops = Some(asked.min(most));
            }
            (None, row) => iops = row.and_then(|row| row.number("iops")),
        }
        match (disk.rate, can(&["mb_most", "mib_most"])) {
            (Some(_), None) => wrong(format!("the throughput of {name} cannot be set")),
            (Some(asked), Some(row)) => {
                let most = row.rate_most(iops);
                if asked > most {
                    let with = iops.map_or(String::new(), |iops| {
                        format!(" with {} IOPS", grouped(iops))
                    });
                    let shown = |bytes: f64| format!("{} MiB/s", grouped(bytes / MIB));
                    let (asked, most) = (shown(asked), shown(most));
                    wrong(format!("{name}{with} takes at most {most}, not {asked}"));
                }
            }
            (None, _) => {}
        }
    }

    /// Machine, disks and service are of one provider; a user's own may be reached from anywhere.
    fn one_provider(&mut self, setup: &Setup, book: &Book) {
        let public =
            |(.., provider): &(&str, &str, &str)| ["azure", "gcp", "aws"].contains(provider);
        let mut known = setup.providers(book).filter(public);
        let Some((_, first, provider)) = known.next() else {
            return;
        };
        if let Some((option, name, other)) = known.find(|(.., of)| *of != provider) {
            let message = format!("{first} is from {provider}, but {name} from {other}");
            self.error("providers", option, message, None);
        }
    }

    /// How many disks a machine takes, and connections a mount.
    fn counts(&mut self, setup: &Setup, book: &Book) {
        let count: u32 = setup
            .disks
            .iter()
            .map(|set| set.count)
            .fold(0, u32::saturating_add);
        if let Some((machine, _)) = &setup.machine {
            let mut rows = book.named("machine", machine);
            let most = rows.find_map(|row| row.number("disks_most"));
            if let Some(most) = most.filter(|most| f64::from(count) > *most) {
                let message = format!(
                    "{machine} takes at most {} disks, not {count}",
                    grouped(most)
                );
                self.error("disk-range", "disk", message, None);
            }
        }
        if setup
            .nconnect
            .is_some_and(|connections| connections > MOST_CONNECTIONS)
        {
            let message = format!("a Linux mount has at most {MOST_CONNECTIONS} connections");
            self.error("bad-value", "nconnect", message, None);
        }
    }

    /// What was set for a service, within what it takes.
    fn assigned(&mut self, setup: &Setup, book: &Book) {
        let (Some(service), Some(assigned)) = (&setup.service, setup.assigned) else {
            return;
        };
        for row in book.named("level", service) {
            let mib = assigned / MIB;
            let is_of_pool = row.number("pool_mib_per_tib").is_some();
            let of_pool = setup.pool.zip(row.number("pool_mib_per_tib"));
            let of_pool = of_pool.map(|(pool, per)| pool / TIB * per);
            let least = row.number("mib_included").or(row.number("pool_mib_least"));
            let kind = if setup.large { "large" } else { "regular" };
            let of_volume = book
                .volumes(row)
                .filter(|v| v.text("name") == kind)
                .find_map(|v| v.number("mib_max"));
            let bounds = [
                (
                    row.number("mib_max").filter(|most| mib > *most),
                    "at most",
                    "",
                ),
                (
                    of_pool.filter(|most| mib > *most),
                    "at most",
                    " for such a pool",
                ),
                (
                    // What is set for a pool of its own size may be more than one volume takes.
                    of_volume.filter(|most| mib > *most && !(is_of_pool && setup.pool.is_some())),
                    "at most",
                    " for a volume",
                ),
                (least.filter(|least| mib < *least), "at least", ""),
            ];
            for (bound, word, of) in bounds {
                if let Some(bound) = bound {
                    let (bound, mib) = (grouped(bound), grouped(mib));
                    let message = format!("{service} takes {bound} MiB/s {word}{of}, not {mib}");
                    self.error("not-set", "assigned", message, None);
                }
            }
        }
    }

    /// A pool is one that can be had, and a volume is in its pool.
    fn pool(&mut self, setup: &Setup, book: &Book) {
        let Some(pool) = setup.pool else {
            return;
        };
        let service = setup.service.as_deref().unwrap_or_default();
        let least = book.least(service).find_map(|row| row.number("pool_gib"));
        if let Some(least) = least.filter(|least| pool / GIB < *least) {
            let least = sized(least * GIB);
            let message = format!("no pool of {service} is smaller than {least}");
            self.error("quota-range", "pool", message, None);
        }
        if let Some(quota) = setup.quota.filter(|quota| *quota > pool) {
            let (quota, pool) = (sized(quota), sized(pool));
            let message = format!("a quota of {quota} exceeds the pool of {pool}");
            let hint = "use a smaller --quota or a larger --pool".to_owned();
            self.error("quota-range", "quota", message, Some(hint));
        }
    }

    /// Which kind of volume has such a quota.
    fn volume(&mut self, setup: &mut Setup, book: &Book) {
        let (Some(service), Some(quota)) = (&setup.service, setup.quota) else {
            return;
        };
        let family = book
            .named("level", service)
            .next()
            .map(|row| row.text("family"));
        let volumes: Vec<_> = book
            .of("volume")
            .filter(|row| Some(row.text("family")) == family && row.number("gib_most").is_some())
            .collect();
        let most = |name: &str| {
            let of = volumes.iter().filter(|row| row.text("name") == name);
            of.filter_map(|row| row.number("gib_most"))
                .fold(0.0, f64::max)
        };
        let gib = quota / GIB;
        let (regular, large) = (most("regular"), most("large"));
        setup.large = setup.large || (regular > 0.0 && gib > regular);
        let largest = regular.max(large);
        if largest > 0.0 && gib > largest {
            let message = format!("no volume of {service} is larger than {largest:.0} GiB");
            self.error("quota-range", "quota", message, None);
        }
        let kind = if setup.large { "large" } else { "regular" };
        let least = volumes.iter().filter(|row| row.text("name") == kind);
        let least = least.filter_map(|row| row.number("gib_least"));
        let least = least.fold(f64::INFINITY, f64::min);
        if least.is_finite() && gib < least {
            let message = format!("no {kind} volume of {service} is smaller than {least:.0} GiB");
            self.error("quota-range", "quota", message, None);
        }
    }
}
