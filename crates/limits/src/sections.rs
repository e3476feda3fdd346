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
    "What counts; without it, all I/O",
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
        "The date of the page; without it, that of the source",
    ),
    key(
        "verified",
        Kind::Flag,
        "Whether the row was read in its source; without it, as for the source",
    ),
    key(
        "disputed",
        Kind::Flag,
        "Another, more likely row contradicts it",
    ),
    key(
        "note",
        Kind::Text,
        "What a reader must know besides the numbers",
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
        "Whether its rows were read there; default false",
    ),
];

/// All sections but `[source.NAME]`.
pub const SECTIONS: &[Section] = &[
    Section {
        name: "level",
        about: "A service level: the limits of a volume or pool by its size",
        keys: &[
            needed("name", Kind::Text, "The service, as in --service"),
            needed(
                "family",
                Kind::Text,
                "Family of its volumes, as in [[volume]]",
            ),
            needed("provider", Kind::Text, "azure, gcp, aws or another"),
            number("mib_per_tib", "MiB/s per TiB of quota"),
            number("mib_included", "MiB/s without any setting"),
            number("mib_max", "MiB/s at most"),
            number("iops_included", "IOPS without any setting"),
            number("iops_per_mib", "IOPS per MiB/s above those included"),
            number("iops_per_tib", "IOPS per TiB of quota"),
            number("iops_max", "IOPS at most"),
            number(
                "pool_mib_least",
                "Minimum MiB/s of a pool whose throughput is set",
            ),
            number(
                "pool_mib_per_tib",
                "MiB/s that can be set per TiB of the pool",
            ),
        ],
    },
    Section {
        name: "volume",
        about: "Limits of a family's volumes, whatever their level",
        keys: &[
            needed("family", Kind::Text, "As in [[level]]"),
            needed("name", Kind::Word(&["regular", "large"]), "Which volumes"),
            number("gib_least", "Minimum quota in GiB"),
            number("gib_most", "Maximum quota in GiB"),
            needed("mib_max", Kind::Number, "MiB/s at most"),
            key(
                "measured",
                Kind::Flag,
                "The highest published result, not a limit of the provider",
            ),
            COUNTS,
        ],
    },
    Section {
        name: "disk",
        about: "A disk: fixed limits, limits by size, or configurable limits",
        keys: &[
            needed(
                "name",
                Kind::Text,
                "The provider's name for it, as in --disk",
            ),
            needed("provider", Kind::Text, "azure, gcp, aws or another"),
            number("gib", "GiB, where its size is fixed"),
            number(
                "gib_least",
                "Minimum GiB of a disk with a configurable size",
            ),
            number(
                "gib_most",
                "The row applies to disks of up to this many GiB",
            ),
            number("gib_above", "The row applies to disks above this many GiB"),
            number("iops", "IOPS"),
            number("iops_base", "IOPS in addition to those by size"),
            number("iops_per_gib", "IOPS per GiB"),
            number("iops_least", "IOPS of the smallest disk"),
            number("iops_max", "Maximum IOPS by size"),
            number("iops_most", "Maximum IOPS that can be set"),
            number("iops_most_per_gib", "Maximum IOPS that can be set per GiB"),
            number("mb", "MB/s"),
            number("mib", "MiB/s"),
            number("mib_base", "MiB/s in addition to those by size"),
            number("mib_per_tib", "MiB/s per TiB"),
            number("mib_max", "Maximum MiB/s by size"),
            number("mb_most", "Maximum MB/s that can be set"),
            number("mib_most", "Maximum MiB/s that can be set"),
            number("mb_per_iops", "Maximum MB/s per IOPS"),
            number("mib_per_iops", "Maximum MiB/s per IOPS"),
            number("burst_iops", "IOPS while credits last"),
            number("burst_mb", "MB/s while credits last"),
            number(
                "burst_s",
                "Seconds of burst from full credits, if the base rate is used otherwise",
            ),
            number("burst_ios", "I/Os that full credits hold"),
            key(
                "max_of_machine",
                Kind::Flag,
                "iops_max and mib_max apply to all such disks of a machine together",
            ),
            number("burst_mib", "MiB/s while credits last"),
            number("burst_mib_per_tib", "MiB/s per TiB while credits last"),
            number("burst_mib_max", "Maximum MiB/s of a burst"),
            number(
                "burst_tib_per_tib",
                "TiB that full credits hold per TiB of the disk",
            ),
            number("io_kib", "KiB above which an I/O counts as several"),
            key("uncached_only", Kind::Flag, "The host does not cache it"),
            COUNTS,
        ],
    },
    Section {
        name: "machine",
        about: "Limits of a machine size on one of its paths",
        keys: &[
            needed("name", Kind::Text, "The provider's name for it, as in --vm"),
            needed("provider", Kind::Text, "azure, gcp, aws or another"),
            needed(
                "path",
                Kind::Word(&["uncached", "cached", "network", "disks"]),
                "To disks without the host's cache, to disks with it, network egress, or the disks it takes",
            ),
            number(
                "vcpus",
                "Processors; used to choose the smallest machine that is enough",
            ),
            number("iops", "IOPS"),
            number("mb", "MB/s"),
            number("mib", "MiB/s"),
            number("mbit", "Mbit/s (10^6)"),
            number("burst_iops", "IOPS while credits last"),
            number("burst_mb", "MB/s while credits last"),
            number("burst_s", "Seconds of burst from full credits"),
            number("cache_gib", "GiB of the host's cache"),
            number(
                "disks_most",
                "Maximum number of disks besides the system disk",
            ),
        ],
    },
    Section {
        name: "slots",
        about: "NFS requests in flight",
        keys: &[
            needed("name", Kind::Word(&["3", "4.1"]), "The version of NFS"),
            key(
                "of",
                Kind::Text,
                "Which slots, where a mount has several kinds",
            ),
            needed("each", Kind::Number, "Requests per connection"),
            number(
                "most",
                "Maximum requests per mount, whatever its connections",
            ),
        ],
    },
    Section {
        name: "flow",
        about: "Limit of one TCP connection",
        keys: &[
            needed("name", Kind::Text, "The provider"),
            needed("mbit", Kind::Number, "Mbit/s (10^6)"),
        ],
    },
    Section {
        name: "least",
        about: "The smallest size of a service level or disk that can be bought, where it is published separately from its limits",
        keys: &[
            needed(
                "name",
                Kind::Text,
                "The level or disk, as in [[level]] and [[disk]]",
            ),
            number("gib", "Minimum GiB of the volume or disk"),
            number("pool_gib", "Minimum GiB of the volume's pool"),
        ],
    },
    Section {
        name: "price",
        about: "Monthly price of a disk or machine, in one currency for all rows; none is built in",
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
    about: "An application's storage requirements: a row is a test",
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
        key(
            "about",
            Kind::Text,
            "What the profile describes, in a sentence",
        ),
        needed(
            "job",
            Kind::Text,
            "The work, as options of a fio job without its target",
        ),
        needed("job_source", Kind::Text, "Source of the work, an address"),
        needed(
            "op",
            Kind::Word(&["read", "write", "sync"]),
            "The operation that is judged",
        ),
        key(
            "of",
            Kind::Word(&["mean", "p50", "p90", "p95", "p99", "p99.9"]),
            "The latency to which `below_ms` applies",
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
