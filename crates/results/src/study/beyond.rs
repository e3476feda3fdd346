//! What a depth curve says of depths beyond its knee.
//!
//! Belongs here: the words. Must never: choose the knee (`series` does).

use super::series::DepthCurve;
use crate::words::trim_to;

impl DepthCurve {
    /// What more depth than that of the knee adds: `only adds latency`, or by how much the highest rate is above that of the
    /// knee, which is less than what makes another knee, and at which depth that was.
    #[must_use]
    pub fn beyond_knee(&self) -> String {
        self.beyond_knee_before("")
    }

    /// The same before what is said of the point at a depth, which names that depth.
    #[must_use]
    pub fn beyond_knee_before(&self, next_depth: &str) -> String {
        /// Less than this is no gain.
        const NO_GAIN: f64 = 0.01;
        let (best, knee) = (self.confirmed_best(), self.said(self.at_knee()));
        let gain = best.working_iops() / knee.working_iops().max(1e-9) - 1.0;
        match gain < NO_GAIN {
            true => "only adds latency".to_owned(),
            false => {
                let gain = trim_to(gain * 100.0, 1);
                let added = format!("adds latency, and at most {gain} % to the rate");
                match best.depth_words() {
                    depth if depth == next_depth => added,
                    depth => format!("{added}, at {depth}"),
                }
            }
        }
    }
}
