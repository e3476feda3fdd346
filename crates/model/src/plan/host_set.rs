//! Which hosts of a plan something is for.
//!
//! Belongs here: sets of hosts. Must never: know what a host is.

use serde::{Deserialize, Serialize};

/// Hosts of a plan, by their place in [`super::Plan::hosts`]: each of them, or some. At least one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Option<Vec<u32>>", into = "Option<Vec<u32>>")]
pub struct HostSet(
    /// In ascending order, each once, not empty; `None` = each host of the plan.
    Option<Box<[u32]>>,
);

impl HostSet {
    /// Each host of the plan, or this machine where the plan names none.
    pub const ALL: Self = Self(None);

    /// One host.
    #[must_use]
    pub fn one(host: u32) -> Self {
        Self(Some(Box::new([host])))
    }

    /// These hosts, in any order; `None` where there are none.
    #[must_use]
    pub fn only(hosts: impl IntoIterator<Item = u32>) -> Option<Self> {
        let mut hosts: Vec<u32> = hosts.into_iter().collect();
        hosts.sort_unstable();
        hosts.dedup();
        (!hosts.is_empty()).then(|| Self(Some(hosts.into())))
    }

    /// Whether it is each host of the plan.
    #[must_use]
    pub const fn is_all(&self) -> bool {
        self.0.is_none()
    }

    /// Whether this host is one of them.
    #[must_use]
    pub fn contains(&self, host: u32) -> bool {
        self.0
            .as_deref()
            .is_none_or(|hosts| hosts.binary_search(&host).is_ok())
    }

    /// The host, where it names exactly one.
    #[must_use]
    pub fn single(&self) -> Option<u32> {
        match self.0.as_deref() {
            Some([one]) => Some(*one),
            _ => None,
        }
    }

    /// The hosts it names, in ascending order, or all of a plan of `count` hosts.
    pub fn among(&self, count: u32) -> impl Iterator<Item = u32> + '_ {
        let named = self.0.as_deref();
        let all = 0..if named.is_none() { count } else { 0 };
        named.unwrap_or_default().iter().copied().chain(all)
    }
}

impl TryFrom<Option<Vec<u32>>> for HostSet {
    type Error = &'static str;

    fn try_from(hosts: Option<Vec<u32>>) -> Result<Self, Self::Error> {
        match hosts {
            None => Ok(Self::ALL),
            Some(hosts) => Self::only(hosts).ok_or("a set of hosts without a host"),
        }
    }
}

impl From<HostSet> for Option<Vec<u32>> {
    fn from(set: HostSet) -> Self {
        set.0.map(Vec::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_sorted_and_has_what_it_was_given() {
        let set = HostSet::only([7, 2, 7, 3]).unwrap();
        assert_eq!(set, HostSet::only([2, 3, 7]).unwrap());
        assert!([2, 3, 7].into_iter().all(|host| set.contains(host)));
        assert!(![0, 1, 4, 8].into_iter().any(|host| set.contains(host)));
        assert!(set.among(100).eq([2, 3, 7]));
        assert_eq!((set.single(), set.is_all()), (None, false));
        let one = HostSet::one(4);
        assert_eq!((one.single(), one.is_all()), (Some(4), false));
        assert!(one.contains(4) && !one.contains(0));
        assert_eq!((HostSet::ALL.single(), HostSet::ALL.is_all()), (None, true));
        assert!(HostSet::ALL.contains(u32::MAX) && HostSet::ALL.among(3).eq(0..3));
        assert_eq!(HostSet::only([]), None);
        assert_eq!(HostSet::default(), HostSet::ALL);
    }

    #[test]
    fn a_stored_set_is_null_or_a_list_and_none_is_empty() {
        for (set, text) in [
            (HostSet::ALL, "null"),
            (HostSet::one(0), "[0]"),
            (HostSet::only([1, 5]).unwrap(), "[1,5]"),
        ] {
            assert_eq!(serde_json::to_string(&set).unwrap(), text);
            assert_eq!(serde_json::from_str::<HostSet>(text).unwrap(), set);
        }
        let read = serde_json::from_str::<HostSet>;
        assert_eq!(read("[5,1,1]").unwrap(), HostSet::only([1, 5]).unwrap());
        assert!(read("[]").is_err());
    }
}
