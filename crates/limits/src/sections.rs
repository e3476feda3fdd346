//! Table: the sections of a limits file with their keys, for the file that is built in and for those of users.

/// What a value has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Any text but an empty one.
    Text,
    /// A number above 0.
    Number,
    /// `true` or `false`.
    Flag,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A year, a month or a day: `2026`, `2026-08`, `2026-08-11`.
    Date,
}

/// A key of a row.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// As it is written.
    pub name: &'static str,
    /// What its value has to be.
    pub kind: Kind,
    /// Whether each row has it.
    pub needed: bool,
    /// What it means, with its unit.
    pub about: &'static str,
}

/// A section: one kind of rows.
#[derive(Debug)]
pub struct Section {
    /// As it is written: `[[level]]`, or `level = [ ... ]`.
    pub name: &'static str,
    /// What its rows are.
    pub about: &'static str,
    /// The keys of its rows, without those of [`SHARED`].
    pub keys: &'static [Key],
}

const fn key(name: &'static str, kind: Kind, about: &'static str) -> Key {
    Key {
        name,
        kind,
        needed: false,
        about,
    }
}

const fn number(name: &'static str, about: &'static str) -> Key {
    key(name, Kind::Number, about)
}

const fn needed(name: &'static str, kind: Kind, about: &'static str) -> Key {
    Key {
        name,
        kind,
        needed: true,
        about,
    }
}

const COUNTS: Key = key(
    "counts",
    Kind::Word(&["reads", "writes"]),
    "What counts; all I/O without it",
);

/// Keys of all rows.
pub const SHARED: &[Key] = &[
    needed(
        "source",
        Kind::Text,
        "The name of a [source.NAME], or an address",
    ),
    key(
        "date",
        Kind::Date,
        "The date of the page; that of the source without it",
    ),
    key(
        "verified",
        Kind::Flag,
        "Whether the row was read in its source; what the source says without it",
    ),
    key(
        "disputed",
        Kind::Flag,
        "Another row contradicts it and is more likely",
    ),
    key(
        "note",
        Kind::Text,
        "What a reader has to know beside the numbers",
    ),
];

/// Keys of a `[source.NAME]`.
pub const SOURCE: &[Key] = &[
    needed("address", Kind::Text, "Where it can be read"),
    needed(
        "date",
        Kind::Date,
        "The date of the page, or the month in which it was read",
    ),
    key(
        "verified",
        Kind::Flag,
        "Whether its rows were read there; false without it",
    ),
];

/// All sections but `[source.NAME]`.
pub const SECTIONS: &[Section] = &[
    Section {
        name: "level",
        about: "A service level: what a volume or pool is allowed for its size",
        keys: &[
            needed("name", Kind::Text, "The service, as --service has it"),
            needed(
                "family",
                Kind::Text,
                "Whose volumes it has, as in [[volume]]",
            ),
            needed("provider", Kind::Text, "azure, gcp, aws or another"),
            number("mib_per_tib", "MiB/s for each TiB of the quota"),
            number("mib_included", "MiB/s without any setting"),
            number("mib_max", "MiB/s at most"),
            number("iops_included", "IOPS without any setting"),
            number("iops_per_mib", "IOPS for each MiB/s above those included"),
            number("iops_per_tib", "IOPS for each TiB of the quota"),
            number("iops_max", "IOPS at most"),
            number(
                "pool_mib_least",
                "MiB/s of a pool whose throughput is set, at least",
            ),
            number(
                "pool_mib_per_tib",
                "MiB/s that can be set for each TiB of a pool",
            ),
        ],
    },
    Section {
        name: "volume",
        about: "What a volume of a family may be, whatever its level",
        keys: &[
            needed("family", Kind::Text, "As in [[level]]"),
            needed("name", Kind::Word(&["regular", "large"]), "Which volumes"),
            number("gib_least", "GiB of the quota, at least"),
            number("gib_most", "GiB of the quota, at most"),
            needed("mib_max", Kind::Number, "MiB/s at most"),
            key(
                "measured",
                Kind::Flag,
                "The highest published result, no limit of the provider's",
            ),
            COUNTS,
        ],
    },
    Section {
        name: "disk",
        about: "A disk: fixed figures, or figures for its size, or figures that are set",
        keys: &[
            needed(
                "name",
                Kind::Text,
                "As its provider writes it, and as --disk has it",
            ),
            needed("provider", Kind::Text, "azure, gcp, aws or another"),
            number("gib", "GiB, where its size is fixed"),
            number("gib_least", "GiB of a disk of a size that is set, at least"),
            number("gib_most", "GiB of a disk that the row is about, at most"),
            number("gib_above", "GiB above which the row is about a disk"),
            number("iops", "IOPS"),
            number("iops_base", "IOPS beside those for its size"),
            number("iops_per_gib", "IOPS for each GiB"),
            number("iops_least", "IOPS of the smallest"),
            number("iops_max", "IOPS at most for its size"),
            number("iops_most", "IOPS that can be set, at most"),
            number(
                "iops_most_per_gib",
                "IOPS that can be set for each GiB, at most",
            ),
            number("mb", "MB/s"),
            number("mib", "MiB/s"),
            number("mib_base", "MiB/s beside those for its size"),
            number("mib_per_tib", "MiB/s for each TiB"),
            number("mib_max", "MiB/s at most for its size"),
            number("mb_most", "MB/s that can be set, at most"),
            number("mib_most", "MiB/s that can be set, at most"),
            number("mb_per_iops", "MB/s for each I/O per second, at most"),
            number("mib_per_iops", "MiB/s for each I/O per second, at most"),
            number("burst_iops", "IOPS as long as credits last"),
            number("burst_mb", "MB/s as long as credits last"),
            number(
                "burst_s",
                "Seconds for which full credits give the burst, if the base is used otherwise",
            ),
            number("burst_ios", "I/Os that full credits hold"),
            key(
                "max_of_machine",
                Kind::Flag,
                "iops_max and mib_max are of all such disks of a machine together",
            ),
            number("burst_mib", "MiB/s as long as credits last"),
            number(
                "burst_mib_per_tib",
                "MiB/s for each TiB as long as credits last",
            ),
            number("burst_mib_max", "MiB/s of a burst at most"),
            number(
                "burst_tib_per_tib",
                "TiB that full credits hold for each TiB of the disk",
            ),
            number("io_kib", "KiB beyond which an I/O counts as several"),
            key("uncached_only", Kind::Flag, "The host does not cache it"),
            COUNTS,
        ],
    },
    Section {
        name: "machine",
        about: "What a size of machine does on one of its paths",
        keys: &[
            needed(
                "name",
                Kind::Text,
                "As its provider writes it, and as --vm has it",
            ),
            needed("provider", Kind::Text, "azure, gcp, aws or another"),
            needed(
                "path",
                Kind::Word(&["uncached", "cached", "network", "disks"]),
                "To disks without the host's cache, with it, what it sends, or which disks it takes",
            ),
            number(
                "vcpus",
                "Processors; the smallest machine that will do is chosen by them",
            ),
            number("iops", "IOPS"),
            number("mb", "MB/s"),
            number("mib", "MiB/s"),
            number("mbit", "Mbit/s (10^6)"),
            number("burst_iops", "IOPS as long as credits last"),
            number("burst_mb", "MB/s as long as credits last"),
            number("burst_s", "Seconds for which full credits give the burst"),
            number("cache_gib", "GiB of the host's cache"),
            number("disks_most", "Disks beside that of the system, at most"),
        ],
    },
    Section {
        name: "slots",
        about: "Requests of NFS in flight",
        keys: &[
            needed("name", Kind::Word(&["3", "4.1"]), "The version of NFS"),
            key(
                "of",
                Kind::Text,
                "Which slots, where a mount has several kinds",
            ),
            needed("each", Kind::Number, "Requests of a connection"),
            number("most", "Requests of a mount, whatever its connections"),
        ],
    },
    Section {
        name: "flow",
        about: "What one TCP connection is allowed",
        keys: &[
            needed("name", Kind::Text, "The provider"),
            needed("mbit", Kind::Number, "Mbit/s (10^6)"),
        ],
    },
    Section {
        name: "least",
        about: "The least that can be bought of a service level or a disk, where a page says it apart from what that does",
        keys: &[
            needed(
                "name",
                Kind::Text,
                "The level or disk, as in [[level]] and [[disk]]",
            ),
            number("gib", "GiB of the volume or disk, at least"),
            number("pool_gib", "GiB of the pool that a volume is in, at least"),
        ],
    },
    Section {
        name: "price",
        about: "What a disk or a machine costs a month, in one currency for all rows; none is built in",
        keys: &[
            needed(
                "name",
                Kind::Text,
                "The disk or machine, as in [[disk]] and [[machine]]",
            ),
            number("month", "Of one"),
            number("gib_month", "Of each GiB"),
            number("iops_month", "Of each I/O per second above those included"),
            number("mib_month", "Of each MiB/s above those included"),
        ],
    },
];

/// The section of a file of profiles, beside `[source.NAME]`.
pub const PROFILES: &[Section] = &[Section {
    name: "profile",
    about: "What an application asks of storage: a row is a test",
    keys: &[
        needed(
            "name",
            Kind::Text,
            "The profile; its tests are the rows of one name",
        ),
        needed(
            "test",
            Kind::Text,
            "What the test is called within the profile",
        ),
        key("about", Kind::Text, "What the profile is of, in a sentence"),
        needed(
            "job",
            Kind::Text,
            "The work, in the words of a fio job without its target",
        ),
        needed(
            "job_source",
            Kind::Text,
            "Where the work is from, an address",
        ),
        needed(
            "op",
            Kind::Word(&["read", "write", "sync"]),
            "The operation that is judged",
        ),
        key(
            "of",
            Kind::Word(&["mean", "p50", "p90", "p95", "p99", "p99.9"]),
            "Which latency `below_ms` is about",
        ),
        number(
            "below_ms",
            "The latency must be below this, in milliseconds",
        ),
        number("iops_least", "At least this many I/Os a second"),
        number("mb_least", "At least this many MB/s (10^6)"),
    ],
}];

impl Section {
    /// The section of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        SECTIONS.iter().find(|section| section.name == name)
    }

    /// The key of a name, one of all rows included.
    #[must_use]
    pub fn key(&self, name: &str) -> Option<&'static Key> {
        self.all_keys().find(|key| key.name == name)
    }

    /// Its keys and those of all rows.
    pub fn all_keys(&self) -> impl Iterator<Item = &'static Key> + use<> {
        self.keys.iter().chain(SHARED)
    }
}
