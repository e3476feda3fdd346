//! What is shown of a job's figures.

use super::Lowering;
use crate::value::Value;
use leadline_model::plan::{Directions, EngineKind, Medium, Report};

impl Lowering<'_> {
    pub(super) fn percentiles(&mut self) -> Vec<f64> {
        let Some(Value::Floats(list)) = self.job.get("percentile_list").map(|s| s.value.clone())
        else {
            return leadline_model::plan::DEFAULT_PERCENTILES.to_vec();
        };
        let mut list: Vec<f64> = list.into_iter().filter(|p| *p > 0.0).collect();
        list.sort_by(f64::total_cmp);
        list.dedup();
        list
    }

    pub(super) fn report(&mut self, kind: EngineKind) -> Report {
        let job = self.job;
        let reduced = job.flag("gtod_reduce");
        // As in fio: an engine that does one I/O at a time has no submission of its own, nor has null at depth 1.
        let is_async =
            kind.is_async() && (kind.powers().medium != Medium::Null || self.depth_asked() > 1);
        let hidden = reduced || (job.flag("disable_slat") && job.flag("disable_clat"));
        Report {
            clat_percentiles: job.flag("clat_percentiles"),
            lat_percentiles: job.flag("lat_percentiles"),
            slat_percentiles: job.flag("slat_percentiles"),
            lat: !(reduced || job.flag("disable_lat")),
            clat: !(reduced || job.flag("disable_clat")),
            slat: !(reduced || job.flag("disable_slat")),
            parts: is_async && !hidden,
            bandwidth: !(reduced || job.flag("disable_bw_measurement")),
            disk_util: job.flag("disk_util"),
            significant_figures: job.natural("significant_figures"),
            kb_base: if job.word("kb_base") == "1000" {
                1000
            } else {
                1024
            },
            unit_base: job.word("unit_base").parse().unwrap_or(0),
            directions: match job.word("unified_rw_reporting") {
                "mixed" | "1" => Directions::Mixed,
                "both" | "2" => Directions::Both,
                _ => Directions::Separate,
            },
            worker_series: false,
            by_file: false,
            clone_name: Some(job.section.clone())
                .filter(|section| job.natural::<u32>("numjobs") > 1 && self.name() != section),
        }
    }
}
