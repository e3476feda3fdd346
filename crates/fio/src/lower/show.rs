//! What is shown of a job's figures.

use super::Lowering;
use crate::original::{Directions, Shown};
use crate::table::key;
use leadline_model::plan::{EngineKind, MediumKind, Report};

impl Lowering<'_> {
    pub(super) fn percentiles(&mut self) -> Vec<f64> {
        let Some(list) = self.job.given(&key::PERCENTILE_LIST) else {
            return leadline_model::plan::DEFAULT_PERCENTILES.to_vec();
        };
        let mut list: Vec<f64> = list.into_iter().filter(|p| *p > 0.0).collect();
        list.sort_by(f64::total_cmp);
        list.dedup();
        list
    }

    pub(super) fn report(&mut self, kind: EngineKind) -> Report {
        let job = self.job;
        let reduced = job.flag(&key::GTOD_REDUCE);
        // As in fio: an engine that does one I/O at a time has no submission of its own, nor has null at depth 1.
        let is_async =
            kind.is_async() && (kind.powers().medium != MediumKind::Null || self.depth_asked() > 1);
        let hidden = reduced || (job.flag(&key::DISABLE_SLAT) && job.flag(&key::DISABLE_CLAT));
        Report {
            lat: !(reduced || job.flag(&key::DISABLE_LAT)),
            clat: !(reduced || job.flag(&key::DISABLE_CLAT)),
            parts: is_async && !hidden,
            worker_series: false,
            by_file: false,
        }
    }

    pub(super) fn shown(&mut self) -> Shown {
        let job = self.job;
        let reduced = job.flag(&key::GTOD_REDUCE);
        Shown {
            clat_percentiles: job.flag(&key::CLAT_PERCENTILES),
            lat_percentiles: job.flag(&key::LAT_PERCENTILES),
            slat_percentiles: job.flag(&key::SLAT_PERCENTILES),
            slat: !(reduced || job.flag(&key::DISABLE_SLAT)),
            bandwidth: !(reduced || job.flag(&key::DISABLE_BW_MEASUREMENT)),
            disk_util: job.flag(&key::DISK_UTIL),
            significant_figures: job.natural(&key::SIGNIFICANT_FIGURES),
            kb_base: if job.word(&key::KB_BASE) == "1000" {
                1000
            } else {
                1024
            },
            unit_base: job.word(&key::UNIT_BASE).parse().unwrap_or(0),
            directions: match job.word(&key::UNIFIED_RW_REPORTING) {
                "mixed" | "1" => Directions::Mixed,
                "both" | "2" => Directions::Both,
                _ => Directions::Separate,
            },
            clone_name: Some(job.section.clone())
                .filter(|section| job.natural::<u32>(&key::NUMJOBS) > 1 && self.name() != section),
        }
    }
}
