//! Curves found in a set of points by their settings alone, so that any run whose stages differ only in
//! depth or in mix gets its curve, whatever wrote the plan.

use super::point::{PointResult, Setting};

/// A step that gains less than this share is no gain.
pub const GAIN: f64 = 0.05;

/// Throughput against queue depth; all else equal.
#[derive(Clone, Debug)]
pub struct DepthCurve {
    /// The setting of the first point; its depth means nothing.
    pub setting: Setting,
    /// The points by rising depth, at least three.
    pub points: Vec<PointResult>,
    /// Where it stops rising: the last point that gained 5 % over the best before it.
    pub knee: usize,
}

impl DepthCurve {
    /// The highest throughput, I/Os a second.
    #[must_use]
    pub fn best(&self) -> f64 {
        self.points
            .iter()
            .map(PointResult::iops)
            .fold(0.0, f64::max)
    }

    /// The point at the knee.
    #[must_use]
    pub fn at_knee(&self) -> &PointResult {
        &self.points[self.knee]
    }

    /// Whether the throughput has stopped rising: two deeper points gained less than 5 %, or the deepest lost
    /// as much.
    #[must_use]
    pub fn plateau(&self) -> bool {
        let deepest = self.points.last().map_or(0.0, PointResult::iops);
        self.points.len() >= self.knee + 3 || deepest < self.best() * (1.0 - GAIN)
    }

    /// The point to tell people of: the knee, or, while the throughput still rises, the deepest there is.
    #[must_use]
    pub fn told(&self) -> &PointResult {
        match self.points.last() {
            Some(deepest) if !self.plateau() => deepest,
            _ => self.at_knee(),
        }
    }

    /// Useful concurrency N* = `X_max` * R0 (Little's law with the latency at the smallest load);
    /// `None` when the curve does not start at one I/O in flight.
    #[must_use]
    pub fn useful_concurrency(&self) -> Option<f64> {
        let first = self.points.first()?;
        (first.setting.in_flight == u64::from(first.setting.jobs))
            .then(|| self.best() * first.mean_latency_s())
            .filter(|n| *n > 0.0)
    }
}

/// Throughput against the share of reads; all else equal.
#[derive(Clone, Debug)]
pub struct MixSeries {
    /// The setting of the first point; its share of reads means nothing.
    pub setting: Setting,
    /// The points from reads only to writes only, at least three.
    pub points: Vec<PointResult>,
}

/// Index of the last point that gained [`GAIN`] over the best before it.
#[must_use]
pub fn knee_of(rates: &[f64]) -> usize {
    let mut best = 0.0;
    let mut knee = 0;
    for (i, &rate) in rates.iter().enumerate() {
        if i > 0 && rate >= best * (1.0 + GAIN) {
            knee = i;
        }
        best = f64::max(best, rate);
    }
    knee
}

/// The depth curves among `points`: groups that differ in depth only, of three depths or more.
#[must_use]
pub fn depth_curves(points: &[PointResult]) -> Vec<DepthCurve> {
    let same = |a: &Setting, b: &Setting| {
        let depth = a.depth;
        *a == Setting {
            depth,
            in_flight: a.in_flight,
            ..b.clone()
        }
    };
    groups(points, same)
        .into_iter()
        .filter_map(|mut group| {
            group.sort_by_key(|p| p.setting.depth);
            group.dedup_by_key(|p| p.setting.depth);
            let rates: Vec<f64> = group.iter().map(PointResult::iops).collect();
            (group.len() >= 3 && group[0].setting.engine.is_async()).then(|| DepthCurve {
                setting: group[0].setting.clone(),
                knee: knee_of(&rates),
                points: group,
            })
        })
        .collect()
}

/// The mixes among `points`: groups that differ in the share of reads only, of three shares or more.
#[must_use]
pub fn mixes(points: &[PointResult]) -> Vec<MixSeries> {
    let same = |a: &Setting, b: &Setting| {
        let read_percent = a.read_percent;
        *a == Setting {
            read_percent,
            ..b.clone()
        }
    };
    groups(points, same)
        .into_iter()
        .filter_map(|mut group| {
            group.retain(|p| p.setting.read_percent.is_some());
            group.sort_by_key(|p| std::cmp::Reverse(p.setting.read_percent));
            group.dedup_by_key(|p| p.setting.read_percent);
            (group.len() >= 3).then(|| MixSeries {
                setting: group[0].setting.clone(),
                points: group,
            })
        })
        .collect()
}

fn groups(
    points: &[PointResult],
    same: impl Fn(&Setting, &Setting) -> bool,
) -> Vec<Vec<PointResult>> {
    let mut groups: Vec<Vec<PointResult>> = Vec::new();
    for point in points
        .iter()
        .filter(|p| !p.setting.paced && p.figures.data.ios > 0)
    {
        match groups
            .iter_mut()
            .find(|g| same(&g[0].setting, &point.setting))
        {
            Some(group) => group.push(point.clone()),
            None => groups.push(vec![point.clone()]),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_knee_is_the_last_step_that_gained() {
        assert_eq!(knee_of(&[]), 0);
        assert_eq!(knee_of(&[100.0]), 0);
        assert_eq!(knee_of(&[100.0, 200.0, 380.0, 390.0, 391.0]), 2);
        assert_eq!(knee_of(&[100.0, 90.0, 80.0]), 0);
        // A dip that recovers to the old best is no gain.
        assert_eq!(knee_of(&[100.0, 50.0, 100.0, 104.0]), 0);
    }
}
