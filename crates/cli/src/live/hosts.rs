//! What the hosts of a run do, in a few words for one line.

use leadline_model::plan::HostSpec;
use leadline_model::sample::Sample;
use leadline_model::units::{Nanos, number_of, whole};
use leadline_results::words::thousands;
use std::collections::BTreeMap;

/// By host: its latest interval, and the I/Os in it.
#[derive(Default)]
pub(super) struct HostRates(BTreeMap<u32, (u64, u64)>);

impl HostRates {
    /// Takes an interval.
    pub(super) fn take(&mut self, sample: &Sample) {
        let latest = self.0.entry(sample.host).or_default();
        if latest.0 != sample.interval {
            *latest = (sample.interval, 0);
        }
        let data = sample.counts.ops.data();
        latest.1 += data.map(|counts| counts.ios).sum::<u64>();
    }

    /// A lost host is named once, and not waited for.
    pub(super) fn lose(&mut self, host: u32) {
        self.0.remove(&host);
    }

    /// Of several hosts: what each does, where there is room for it; else the slowest. One that has
    /// not been heard of for a while is named in any case. `ios` are those of each host in the time `span`; `None` = those
    /// of its latest interval, which is so long.
    pub(super) fn in_words(
        &self,
        (ios, span): (Option<&BTreeMap<u32, u64>>, Nanos),
        hosts: &[HostSpec],
        width: usize,
    ) -> String {
        if hosts.len() < 2 {
            return String::new();
        }
        let name = |host: u32| hosts.get(host as usize).map_or("?", |h| h.label.as_str());
        let done = |host: u32, latest: u64| match ios {
            Some(ios) => ios.get(&host).copied().unwrap_or(0),
            None => latest,
        };
        let rate =
            |host: u32, latest: u64| done(host, latest) as f64 / span.as_secs_f64().max(1e-9);
        let shown = |rate: f64| thousands(whole(rate));
        let newest = self.0.values().map(|v| v.0).max().unwrap_or(0);
        let is_late = |at: u64| at.saturating_add(2) < newest;
        let each = self.0.iter().map(|(&host, &(at, latest))| {
            if is_late(at) {
                format!("{} no news", name(host))
            } else {
                format!("{} {}", name(host), shown(rate(host, latest)))
            }
        });
        let all = each.collect::<Vec<_>>().join(", ");
        if !all.is_empty() && all.chars().count() <= width / 3 {
            return format!("  {all}");
        }
        let late = self.0.iter().find(|(_, v)| is_late(v.0));
        let slowest = self.0.iter().min_by_key(|(host, v)| done(**host, v.1));
        let count = number_of(self.0.len() as u64, "host");
        match (late, slowest) {
            (Some((&host, _)), _) => format!("  {count}, no report from {}", name(host)),
            (None, Some((&host, &(_, latest)))) => {
                format!(
                    "  {count}, slowest {} {} IOPS",
                    name(host),
                    shown(rate(host, latest))
                )
            }
            (None, None) => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_host_is_shown_where_there_is_room_and_lagging_hosts_always() {
        let half = Nanos::from_millis(500);
        let hosts = |labels: &[&str]| -> Vec<HostSpec> {
            labels.iter().map(|label| HostSpec::local(label)).collect()
        };
        let mut rates = HostRates([(0, (8, 32)), (1, (8, 40)), (2, (5, 50))].into());
        assert_eq!(
            rates.in_words((None, half), &hosts(&["a", "b", "c"]), 90),
            "  a 64, b 80, c no news"
        );
        let long = hosts(&["client-of-the-north", "client-of-the-south", "c"]);
        let words = rates.in_words((None, half), &long, 90);
        assert_eq!(words, "  3 hosts, no report from c");
        let since = BTreeMap::from([(0, 500), (1, 400)]);
        let words = rates.in_words((Some(&since), Nanos::SECOND), &hosts(&["a", "b", "c"]), 90);
        assert_eq!(words, "  a 500, b 400, c no news");
        rates.lose(2);
        let words = rates.in_words((None, half), &long, 90);
        assert_eq!(words, "  2 hosts, slowest client-of-the-north 64 IOPS");
        assert_eq!(rates.in_words((None, half), &hosts(&["a"]), 90), "");
    }
}
