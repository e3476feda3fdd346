//! Looking keywords up as Vdbench does: by any beginning, the first in the table's order.
//!
//! Belongs here: matching and names for people. Must never appear here: the keywords (see `table`).

use crate::table::{KeywordSpec, Object, keywords};

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

/// All keywords of an object, in the order in which they are matched.
pub(crate) fn of(object: Object) -> impl Iterator<Item = &'static KeywordSpec> {
    keywords()
        .iter()
        .copied()
        .filter(move |spec| spec.object == object)
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
        for spec in keywords() {
            assert!(spec.help.len() > 10, "{} lacks help", spec.name);
            for full in spec.names() {
                let found = find(spec.object, full).map(|s| s.name);
                // `operations` of a run is found before `foroperations`, and so on: never another's.
                assert_eq!(found, Some(spec.name), "{:?} {full}", spec.object);
            }
        }
    }
}
