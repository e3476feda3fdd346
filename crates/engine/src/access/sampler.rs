//! Samplers of uneven distributions: Zipf, Pareto, normal, zones, low ends and hot bands.
//!
//! Belongs here: drawing a rank or place among n blocks by a distribution. Must never: know of bytes in a file
//! beyond the size of a block, or of where popular blocks are scattered to: that is the lane's.
//!
//! Zipf's law is drawn exactly, by rejection from its integral (W. Hormann, G. Derflinger, "Rejection-
//! inversion to generate variates from monotone discrete distributions", 1996): one power and nearly
//! always no second, no table, any n and theta.

use super::rng::Stream;
use leadline_model::plan::Amount;
use leadline_model::plan::access::{Distribution, Zone};

/// Draws from a distribution over `n` blocks.
#[derive(Clone, Debug)]
pub(super) struct Sampler {
    n: u64,
    shape: SamplerKind,
    spread: Spread,
}

/// What [`Sampler::draw`] gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spread {
    /// The place of a block.
    Placed,
    /// The rank of a block by popularity, from 0. Blocks are to be scattered, but the most popular one
    /// may have a place.
    Ranked(Option<u64>),
}

#[derive(Clone, Debug)]
enum SamplerKind {
    Uniform,
    Zipf(Zipf),
    Pareto { power: f64 },
    Normal { center: f64, deviation: f64 },
    Zoned(Box<[Span]>),
    LowEnd(LowEnd),
}

/// An exponential distribution cut at the end of the blocks from `first` to `first + blocks`.
#[derive(Clone, Copy, Debug)]
struct LowEnd {
    first: u64,
    blocks: u64,
    /// How much less dense the end is than the start, as a logarithm; above 0.
    fall: f64,
    /// The whole weight: 1 - e^-fall.
    weight: f64,
}

/// A zone in blocks; `upto` is the share of it and all before, of 2^64.
#[derive(Clone, Copy, Debug)]
struct Span {
    upto: u64,
    first: u64,
    blocks: u64,
}

impl Sampler {
    /// `distribution` over `n` blocks of `unit` bytes each.
    pub(super) fn new(distribution: &Distribution, n: u64, unit: u64) -> Self {
        let whole = n as f64;
        let ranked = |center: &Option<f64>| Spread::Ranked(center.map(|at| block(at * whole, n)));
        let (shape, spread) = match distribution {
            Distribution::Uniform => (SamplerKind::Uniform, Spread::Placed),
            Distribution::Zipf { theta, center } => {
                (SamplerKind::Zipf(Zipf::new(n, *theta)), ranked(center))
            }
            Distribution::Pareto { h, center } => {
                let power = h.ln() / (1.0 - h).ln();
                (SamplerKind::Pareto { power }, ranked(center))
            }
            Distribution::Normal { deviation, center } => {
                // Half a block is added so that the floor rounds.
                let center = center.unwrap_or(0.5) * whole + 0.5;
                let deviation = deviation / 100.0 * whole;
                (SamplerKind::Normal { center, deviation }, Spread::Placed)
            }
            Distribution::Zoned(zones) => (spans(zones, n, unit), Spread::Placed),
            Distribution::LowEnd(number) => (
                SamplerKind::LowEnd(LowEnd::new(0, n, *number)),
                Spread::Placed,
            ),
            Distribution::HotBand { low, high } => {
                let whole = n.saturating_mul(unit);
                let place = |amount: &Amount| (amount.of(whole) / unit.max(1)).min(n);
                let first = place(low).min(n.saturating_sub(1));
                let blocks = place(high).saturating_sub(first).max(1);
                (
                    SamplerKind::LowEnd(LowEnd::new(first, blocks, BAND)),
                    Spread::Placed,
                )
            }
        };
        Self { n, shape, spread }
    }

    /// What draws mean.
    #[inline]
    pub(super) const fn spread(&self) -> Spread {
        self.spread
    }

    /// A number below `n`, which means what [`Sampler::spread`] says.
    pub(super) fn draw(&self, random: &mut Stream) -> u64 {
        let n = self.n as f64;
        match &self.shape {
            SamplerKind::Uniform => random.below(self.n),
            SamplerKind::Zipf(zipf) => zipf.draw(random),
            SamplerKind::Pareto { power } => block(n * random.unit().powf(*power), self.n),
            SamplerKind::Normal { center, deviation } => {
                // Box and Muller. What leaves the region comes back in at its other end.
                let radius = (-2.0 * (1.0 - random.unit()).ln()).sqrt();
                let turn = (random.unit() * std::f64::consts::TAU).cos();
                block((center + radius * turn * deviation).rem_euclid(n), self.n)
            }
            SamplerKind::Zoned(spans) => draw_span(spans, random),
            SamplerKind::LowEnd(low) => low.draw(random),
        }
    }
}

/// The block that the fraction `x` of blocks falls into, kept below `n`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates, and the result is clamped"
)]
fn block(x: f64, n: u64) -> u64 {
    (x as u64).min(n.saturating_sub(1))
}

/// How much [`Distribution::LowEnd`]'s number counts: such that with 3 half of the draws lie in the first
/// fifth, which is all that is known of Vdbench's distribution.
const FALL: f64 = 1.093_759_965_4;

/// The exponent of the distribution within a hot band. Vdbench's own is not known.
const BAND: f64 = 3.0;

impl LowEnd {
    fn new(first: u64, blocks: u64, number: f64) -> Self {
        let fall = (number * FALL).max(1e-9);
        Self {
            first,
            blocks,
            fall,
            weight: -(-fall).exp_m1(),
        }
    }

    fn draw(&self, random: &mut Stream) -> u64 {
        let x = -(-random.unit() * self.weight).ln_1p() / self.fall;
        self.first + block(x * self.blocks as f64, self.blocks)
    }
}

/// Zones as spans of blocks. A zone that ends beyond the region is cut; one without a block left is
/// ignored and its share goes to the others in proportion. Without any zone: evenly.
fn spans(zones: &[Zone], n: u64, unit: u64) -> SamplerKind {
    let whole = n.saturating_mul(unit);
    let mut first = 0;
    let mut parts = Vec::new();
    for zone in zones {
        let blocks = zone.extent.of(whole).div_ceil(unit.max(1)).min(n - first);
        if blocks > 0 && zone.access_percent > 0.0 {
            parts.push((first, blocks, zone.access_percent));
        }
        first += blocks;
    }
    let total: f64 = parts.iter().map(|part| part.2).sum();
    let mut sum = 0.0;
    let last = parts.len().saturating_sub(1);
    let spans: Box<[Span]> = parts
        .iter()
        .enumerate()
        .map(|(i, &(first, blocks, percent))| {
            sum += percent / total;
            let upto = if i == last { u64::MAX } else { share(sum) };
            Span {
                upto,
                first,
                blocks,
            }
        })
        .collect();
    if spans.is_empty() {
        SamplerKind::Uniform
    } else {
        SamplerKind::Zoned(spans)
    }
}

/// A share from 0 to 1 as that share of 2^64.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates, which is the nearest share"
)]
fn share(x: f64) -> u64 {
    (x * 2f64.powi(64)) as u64
}

fn draw_span(spans: &[Span], random: &mut Stream) -> u64 {
    let x = random.bits();
    let i = spans.partition_point(|span| span.upto < x);
    spans
        .get(i)
        .map_or(0, |span| span.first + random.below(span.blocks))
}

/// The constants of a draw by Zipf's sampler.
#[derive(Clone, Copy, Debug)]
struct Zipf {
    n: u64,
    theta: f64,
    /// 1 - theta, and 1 over it.
    q: f64,
    inverse_q: f64,
    /// The integral at the lower and upper end.
    low: f64,
    high: f64,
    /// A draw this near above its rank is accepted without a look.
    sure: f64,
}

impl Zipf {
    fn new(n: u64, theta: f64) -> Self {
        // The integral has another form at theta = 1, which dialects refuse; beside it is near enough.
        let q = 1.0 - theta;
        let q = if q.abs() < 1e-6 { 1e-6 } else { q };
        let mut zipf = Self {
            n,
            theta: 1.0 - q,
            q,
            inverse_q: 1.0 / q,
            low: 0.0,
            high: 0.0,
            sure: 0.0,
        };
        zipf.low = zipf.integral(1.5) - 1.0;
        zipf.high = zipf.integral(n as f64 + 0.5);
        zipf.sure = 2.0 - zipf.inverse(zipf.integral(2.5) - 2f64.powf(-zipf.theta));
        zipf
    }

    /// Integral of x^-theta.
    fn integral(&self, x: f64) -> f64 {
        x.powf(self.q) * self.inverse_q
    }

    fn inverse(&self, y: f64) -> f64 {
        (y * self.q).powf(self.inverse_q)
    }

    /// A rank from 0.
    fn draw(&self, random: &mut Stream) -> u64 {
        loop {
            let u = self.high + random.unit() * (self.low - self.high);
            let x = self.inverse(u);
            let rank = block(x - 0.5, self.n);
            let k = (rank + 1) as f64;
            if k - x <= self.sure || u >= self.integral(k + 0.5) - k.powf(-self.theta) {
                return rank;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frequencies(sampler: &Sampler, draws: u32) -> Vec<f64> {
        let mut random = Stream::new(11);
        let mut counts = vec![0f64; usize::try_from(sampler.n).unwrap()];
        for _ in 0..draws {
            counts[usize::try_from(sampler.draw(&mut random)).unwrap()] += 1.0;
        }
        counts
    }

    fn assert_fits(counts: &[f64], weights: &[f64], what: &str) {
        let draws: f64 = counts.iter().sum();
        let total: f64 = weights.iter().sum();
        let chi: f64 = counts
            .iter()
            .zip(weights)
            .map(|(c, w)| {
                let expected = draws * w / total;
                assert!(expected > 5.0, "{what}: too few draws for the test");
                (c - expected).powi(2) / expected
            })
            .sum();
        let free = (counts.len() - 1) as f64;
        let limit = free + 5.0 * (2.0 * free).sqrt() + 1e-9;
        assert!(chi < limit, "{what}: chi square {chi}, limit {limit}");
    }

    #[test]
    fn zipf_follows_the_exact_law() {
        for n in [1u64, 2, 3, 10, 100] {
            for theta in [0.2, 0.5, 0.99, 1.000_000_1, 1.2, 1.8] {
                let center = Some(0.0);
                let sampler = Sampler::new(&Distribution::Zipf { theta, center }, n, 4096);
                let weights: Vec<f64> = (1..=n).map(|k| (k as f64).powf(-theta)).collect();
                let counts = frequencies(&sampler, 400_000);
                assert_fits(&counts, &weights, &format!("n {n} theta {theta}"));
            }
        }
    }

    #[test]
    fn zipf_reaches_over_the_largest_region() {
        let center = None;
        let sampler = Sampler::new(
            &Distribution::Zipf { theta: 0.8, center },
            u64::MAX / 512,
            512,
        );
        let mut random = Stream::new(1);
        let top = (0..100_000)
            .map(|_| sampler.draw(&mut random))
            .max()
            .unwrap();
        assert!(top > u64::MAX / 1024);
        assert_eq!(sampler.spread(), Spread::Ranked(None));
    }

    #[test]
    fn pareto_is_self_similar() {
        for h in [0.2, 0.3, 0.5, 0.9] {
            let center = Some(0.0);
            let sampler = Sampler::new(&Distribution::Pareto { h, center }, 1000, 4096);
            let counts = frequencies(&sampler, 100_000);
            for (part, share) in [(h, 1.0 - h), (h * h, (1.0 - h) * (1.0 - h))] {
                let edge = (part * 1000.0_f64).round();
                let low: f64 = (0..1000)
                    .filter(|&i| f64::from(i) < edge)
                    .map(|i| counts[usize::try_from(i).unwrap()])
                    .sum();
                assert!((low / 1e5 - share).abs() < 0.01, "h {h}: {low} in {part}");
            }
        }
    }

    #[test]
    fn the_bell_has_its_width_and_centre() {
        for center in [None, Some(0.25)] {
            let sampler = Sampler::new(
                &Distribution::Normal {
                    deviation: 5.0,
                    center,
                },
                1000,
                512,
            );
            let counts = frequencies(&sampler, 100_000);
            let mean = counts
                .iter()
                .zip(0..)
                .map(|(c, i)| c * f64::from(i))
                .sum::<f64>()
                / 1e5;
            let variance = counts
                .iter()
                .zip(0..)
                .map(|(c, i)| c * (f64::from(i) - mean).powi(2))
                .sum::<f64>()
                / 1e5;
            assert!(
                (mean - center.unwrap_or(0.5) * 1000.0).abs() < 1.0,
                "mean {mean}"
            );
            assert!(
                (variance.sqrt() - 50.0).abs() < 0.7,
                "deviation {}",
                variance.sqrt()
            );
        }
    }

    #[test]
    fn zones_get_their_shares() {
        let zone = |access_percent, extent| Zone {
            access_percent,
            extent,
        };
        let zones = vec![
            zone(60.0, Amount::Percent(10)),
            zone(0.0, Amount::Percent(10)),
            zone(30.0, Amount::Bytes(300 * 4096)),
            zone(10.0, Amount::Percent(50)),
        ];
        let sampler = Sampler::new(&Distribution::Zoned(zones), 1000, 4096);
        let counts = frequencies(&sampler, 100_000);
        let sum = |a: usize, b: usize| counts[a..b].iter().sum::<f64>();
        assert!((sum(0, 100) - 60_000.0).abs() < 1000.0);
        assert!(sum(100, 200) < 0.5);
        assert!((sum(200, 500) - 30_000.0).abs() < 1000.0);
        assert!((sum(500, 1000) - 10_000.0).abs() < 600.0);
    }

    #[test]
    fn zones_beyond_the_region_are_cut() {
        let zone = |access_percent, bytes| Zone {
            access_percent,
            extent: Amount::Bytes(bytes),
        };
        let zones = Distribution::Zoned(vec![
            zone(50.0, 8192),
            zone(25.0, 1 << 40),
            zone(25.0, 4096),
        ]);
        let sampler = Sampler::new(&zones, 10, 4096);
        let counts = frequencies(&sampler, 90_000);
        assert!((counts[..2].iter().sum::<f64>() - 60_000.0).abs() < 1000.0);
        assert!((counts[2..].iter().sum::<f64>() - 30_000.0).abs() < 1000.0);
        let none = Sampler::new(&Distribution::Zoned(vec![zone(100.0, 0)]), 4, 4096);
        assert_fits(&frequencies(&none, 10_000), &[1.0; 4], "no zone");
    }
}
