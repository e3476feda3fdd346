//! Looking keywords up as Vdbench does: by any beginning, the first in the table's order.
//!
//! Belongs here: matching and names for people. Must never appear here: the keywords (see `table`).

use crate::table::{KEYWORDS, KeywordSpec, Kind, Object};

impl KeywordSpec {
    /// All full names, the canonical one first.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }

    /// Whether it makes one run for each of its values, and the loop's name as results show it.
    #[must_use]
    pub(crate) fn loop_name(&self) -> Option<&'static str> {
        let looped = matches!(self.kind, Kind::Numbers | Kind::Sizes | Kind::Areas);
        (self.object == Object::Rd && looped && self.name != "curve")
            .then(|| self.name.strip_prefix("for").unwrap_or(self.name))
    }
}

impl Object {
    /// What the object is called in a file.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::General => "general",
            Self::Hd => "hd",
            Self::Sd => "sd",
            Self::Fsd => "fsd",
            Self::Wd => "wd",
            Self::Fwd => "fwd",
            Self::Rd => "rd",
        }
    }

    /// The object for people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::General => "general parameters",
            Self::Hd => "host definition (hd)",
            Self::Sd => "storage definition (sd)",
            Self::Fsd => "file system definition (fsd)",
            Self::Wd => "workload definition (wd)",
            Self::Fwd => "file system workload definition (fwd)",
            Self::Rd => "run definition (rd)",
        }
    }

    /// The object that a keyword begins, when it stands where objects may begin.
    pub(crate) fn begun_by(word: &str) -> Option<Self> {
        [Self::Hd, Self::Sd, Self::Fsd, Self::Wd, Self::Fwd, Self::Rd]
            .into_iter()
            .find(|o| o.word() == word)
    }
}

impl Kind {
    /// Name of the kind, for people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Names => "names, a range `(sd1-sd4)`, or a beginning and `*`",
            Self::Text => "text",
            Self::Free => "values",
            Self::Count => "whole number",
            Self::Bytes => "bytes, or `(bytes,n)`",
            Self::Blocks => "bytes, a multiple of 512",
            Self::Percent => "0 to 100",
            Self::Ratio => "number above 0",
            Self::Time => "seconds, or minutes and hours with `m` and `h`",
            Self::YesNo => "yes or no",
            Self::Choice(_) => "one of the words",
            Self::Transfer => "size, `(size,percent,...)` or `(smallest,largest,step)`",
            Self::Seek => "0 to 100, random, sequential, seqnz, eof, `(poisson,n)`",
            Self::Rate => "I/Os a second, a list, a range, max, curve or `n%`",
            Self::Numbers => "number, list `(1,2)`, range `(1-10,1)` or `(1-64,d)`",
            Self::Sizes => "multiples of 512 bytes, list `(4k,8k)`, range `(4k-64k,d)`",
            Self::Areas => "bytes, list `(4k,8k)`, range `(4k-64k,d)`",
            Self::Streams => "number, or `(number,bytes)`",
            Self::Limit => "number, 0 or above",
            Self::Extent => "`(from,to)` in percent, or in bytes above 200",
            Self::Pair => "`(smallest,largest)` in bytes",
            Self::Series => "`(first,how many)`",
            Self::Flags => "o_direct, directio, o_sync, o_dsync, o_rsync, fsync or 0xNN",
            Self::Distribution => "exponential, uniform or deterministic, and variable",
            Self::Errors => "number of errors, `(errors,seconds)`, `remove`, or a command",
            Self::Bounds => "microseconds in rising order, `default`, `suppress`",
            Self::Command => "`(command,[cons|sum|log],[master|slave],[abort])`",
            Self::Pages => "host_detail, slave_detail, no_sd_detail, no_fsd_detail",
            Self::Repeat => "number of rounds, or a time with s, m or h",
        }
    }
}

/// All keywords of an object, in the order in which they are matched.
pub(crate) fn of(object: Object) -> impl Iterator<Item = &'static KeywordSpec> {
    KEYWORDS.iter().filter(move |spec| spec.object == object)
}

/// The keyword meant by a text of at least two characters, in any case.
pub(crate) fn find(object: Object, text: &str) -> Option<&'static KeywordSpec> {
    let text = text.to_ascii_lowercase();
    if text.len() < 2 {
        return None;
    }
    of(object).find(|spec| {
        spec.names()
            .any(|name| name == text || (!spec.exact && name.starts_with(&text)))
    })
}

/// The first of `words` that `text` is a beginning of, in any case.
pub(crate) fn word<'a>(text: &str, words: &[&'a str]) -> Option<&'a str> {
    let text = text.to_ascii_lowercase();
    words
        .iter()
        .copied()
        .find(|w| !text.is_empty() && w.starts_with(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(object: Object, text: &str) -> &'static str {
        find(object, text).map_or("", |spec| spec.name)
    }

    #[test]
    fn the_first_keyword_of_which_it_is_a_beginning_is_meant() {
        let rd = |text| name(Object::Rd, text);
        assert_eq!(rd("in"), "interval");
        assert_eq!(rd("io"), "iorate");
        assert_eq!(rd("fo"), "format");
        assert_eq!(rd("forx"), "forxfersize");
        assert_eq!(rd("fort"), "forthreads");
        assert_eq!(rd("forr"), "forrdpct");
        assert_eq!(rd("fw"), "fwdrate");
        assert_eq!(rd("st"), "stopcurve");
        assert_eq!(rd("el"), "elapsed");
        assert_eq!(rd("THREAD"), "threads");
        assert_eq!(rd("e"), "");
        let wd = |text| name(Object::Wd, text);
        assert_eq!(wd("se"), "seekpct");
        assert_eq!(wd("st"), "stride");
        assert_eq!(wd("ra"), "range");
        assert_eq!(wd("th"), "threads");
        assert_eq!(wd("wr"), "writepct");
        assert_eq!(wd("xf"), "xfersize");
        assert_eq!(name(Object::Fsd, "fi"), "files");
        assert_eq!(name(Object::Fwd, "fi"), "fileselect");
        assert_eq!(name(Object::General, "data_error"), "data_errors");
        assert_eq!(name(Object::General, "debu"), "");
    }

    #[test]
    fn every_keyword_is_described_and_reached_by_each_full_name() {
        for spec in KEYWORDS {
            assert!(spec.help.len() > 10, "{} lacks help", spec.name);
            for full in spec.names() {
                let found = find(spec.object, full).map(|s| s.name);
                // `operations` of a run is found before `foroperations`, and so on: never another's.
                assert_eq!(found, Some(spec.name), "{:?} {full}", spec.object);
            }
        }
    }
}
