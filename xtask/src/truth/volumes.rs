//! Simulated volumes whose limit is known: drawn from families, and twenty with a name.
//!
//! Must never: know what leadline answers.

use leadline_model::seed::SplitMix;

/// What limits 4 KiB random reads of a volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Cause {
    /// I/Os a second.
    IopsCap,
    /// Bytes a second.
    ByteCap,
    /// I/Os that the device processes at once.
    Parallelism,
    /// The rate of one connection.
    Flow,
    /// I/Os that a host may have outstanding.
    Slots,
    /// Nothing up to the largest depth.
    Concurrency,
    /// A part of the I/Os is served by a cache.
    Cache,
    /// What each host has for itself.
    Client,
}

impl Cause {
    /// Its name in leadline's JSON form.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::IopsCap => "iops-cap",
            Self::ByteCap => "byte-cap",
            Self::Parallelism => "parallelism",
            Self::Flow => "flow",
            Self::Slots => "slots",
            Self::Concurrency => "concurrency",
            Self::Cache => "cache",
            Self::Client => "client",
        }
    }
}

/// A volume and the truth about it.
#[derive(Clone, Debug)]
pub(super) struct Volume {
    pub(super) family: &'static str,
    /// As a target takes it, without `sim:`.
    pub(super) law: String,
    /// Causes that no experiment on the volume separates; any is right.
    pub(super) causes: Vec<Cause>,
    /// A limit just above that: naming both is right too, and naming this one alone is not.
    pub(super) beside: Option<Cause>,
    /// Hosts that use it together.
    pub(super) hosts: u32,
    /// 4 KiB random reads a second that it sustains, of all of them.
    pub(super) iops: f64,
    /// The same while its credits last; right as long as no more is claimed.
    pub(super) burst_iops: Option<f64>,
    /// Nothing is wrong with it: a warning is a false alarm.
    pub(super) clean: bool,
    /// Codes of warnings that are true of it all the same.
    pub(super) expected: &'static [&'static str],
}

impl Volume {
    /// I/Os in flight at its limit, by Little's law: its rate times its latency of one I/O alone; `None` where the
    /// service time is not one number.
    pub(super) fn in_flight(&self) -> Option<f64> {
        let seconds = |key: &str| {
            let word = self
                .law
                .split(',')
                .find_map(|word| word.strip_prefix(key))?;
            let micros = word.strip_suffix("us").map(str::to_owned);
            let millis = || Some(format!("{}e3", word.strip_suffix("ms")?));
            Some(micros.or_else(millis)?.parse::<f64>().ok()? / 1e6)
        };
        Some(self.iops * (seconds("service=")? + seconds("rtt=").unwrap_or_default()))
    }
}

/// The size of a random read.
const BLOCK: f64 = 4096.0;

/// A family of volumes.
type Family = (&'static str, fn(&mut Draw) -> Volume);

/// Each draws one volume.
pub(super) const FAMILIES: [Family; 19] = [
    ("iops-cap", iops_cap),
    ("byte-cap", byte_cap),
    ("slices", slices),
    ("separate-caps", separate_caps),
    ("write-cost", write_cost),
    ("parallelism", parallelism),
    ("flow", flow),
    ("slots", slots),
    ("burst", burst),
    ("cache", cache),
    ("periodic-stall", periodic_stall),
    ("level-shift", level_shift),
    ("far-client", far_client),
    ("neighbour", neighbour),
    ("none", none),
    ("host-cap", host_cap),
    ("hosts-share", hosts_share),
    ("hosts-both", hosts_both),
    ("close", close),
];

/// Random choices of one volume.
pub(super) struct Draw(SplitMix);

impl Draw {
    pub(super) const fn new(seed: u64) -> Self {
        Self(SplitMix::new(seed))
    }

    /// Between the two, evenly on a scale of ratios, to three digits.
    pub(super) fn between(&mut self, low: f64, high: f64) -> f64 {
        let part = self.0.unit();
        let value = low * (high / low).powf(part);
        let digit = 10_f64.powf(value.log10().floor() - 2.0);
        (value / digit).round() * digit
    }

    /// 2, 3 or 5.
    fn hosts(&mut self) -> u32 {
        match self.between(1.0, 8.0) {
            low if low < 2.0 => 2,
            middle if middle < 4.0 => 3,
            _ => 5,
        }
    }
}

fn volume(family: &'static str, law: String, causes: &[Cause], iops: f64) -> Volume {
    Volume {
        family,
        law,
        causes: causes.to_vec(),
        beside: None,
        hosts: 1,
        iops,
        burst_iops: None,
        clean: true,
        expected: &[],
    }
}

/// A service time in microseconds, and a parallelism that reaches three times `iops` with it.
fn roomy(draw: &mut Draw, iops: f64) -> String {
    let service = draw.between(100.0, 1000.0);
    let parallel = (3.0 * iops * service / 1e6).ceil().max(4.0);
    format!("size=64g,service={service}us,parallel={parallel}")
}

fn iops_cap(draw: &mut Draw) -> Volume {
    let cap = draw.between(1000.0, 60_000.0);
    let law = format!("{},iops={cap}", roomy(draw, cap));
    volume("iops-cap", law, &[Cause::IopsCap], cap)
}

/// As Linux's cgroups do: it stands still from the moment a slice is used up until the next.
fn slices(draw: &mut Draw) -> Volume {
    let cap = draw.between(300.0, 30_000.0);
    let law = format!("{},iops={cap},slice=100ms", roomy(draw, cap));
    Volume {
        expected: &["stall", "short-stalls"],
        ..volume("slices", law, &[Cause::IopsCap], cap)
    }
}

fn byte_cap(draw: &mut Draw) -> Volume {
    let bytes = draw.between(8e6, 250e6);
    let law = format!("{},bytes={bytes}", roomy(draw, bytes / BLOCK));
    volume("byte-cap", law, &[Cause::ByteCap], bytes / BLOCK)
}

fn separate_caps(draw: &mut Draw) -> Volume {
    let (reads, writes) = (
        draw.between(2000.0, 40_000.0),
        draw.between(1000.0, 20_000.0),
    );
    let room = roomy(draw, reads.max(writes));
    let law = format!("{room},read_iops={reads},write_iops={writes}");
    volume("separate-caps", law, &[Cause::IopsCap], reads)
}

fn write_cost(draw: &mut Draw) -> Volume {
    let (cap, cost) = (draw.between(2000.0, 60_000.0), draw.between(1.5, 4.0));
    let law = format!("{},iops={cap},write_cost={cost}", roomy(draw, cap));
    volume("write-cost", law, &[Cause::IopsCap], cap)
}

fn parallelism(draw: &mut Draw) -> Volume {
    let parallel = draw.between(2.0, 64.0).round();
    let service = draw.between(100.0, 2000.0);
    let law = format!("size=64g,service=exp:{service}us,parallel={parallel}");
    let iops = parallel * 1e6 / service;
    volume("parallelism", law, &[Cause::Parallelism], iops)
}

fn flow(draw: &mut Draw) -> Volume {
    let bytes = draw.between(20e6, 200e6).round();
    // The one worker has a connection of its own, or one or two that all workers share.
    let shared = bytes % 3.0;
    let given = match shared > 0.0 {
        true => format!(",connections={shared}"),
        false => String::new(),
    };
    let room = roomy(draw, 4.0 * bytes / BLOCK);
    let law = format!("{room},connection={bytes}{given}");
    volume("flow", law, &[Cause::Flow], bytes / BLOCK)
}

fn slots(draw: &mut Draw) -> Volume {
    let (slots, trip) = (
        draw.between(8.0, 128.0).round(),
        draw.between(500.0, 3000.0),
    );
    let service = draw.between(100.0, 400.0);
    let law = format!("size=64g,service={service}us,parallel=4096,slots={slots},rtt={trip}us");
    // With a service time that does not grow with size, a number of slots looks like a number of servers.
    let causes = [Cause::Slots, Cause::Parallelism, Cause::IopsCap];
    volume("slots", law, &causes, slots * 1e6 / (service + trip))
}

fn burst(draw: &mut Draw) -> Volume {
    let (cap, times) = (draw.between(300.0, 3000.0), draw.between(2.0, 8.0));
    let seconds = draw.between(5.0, 2000.0);
    let fast = cap * times;
    let store = (seconds * (fast - cap)).round();
    let room = roomy(draw, fast);
    let law = format!("{room},iops={cap},burst_iops={fast},burst_store={store}");
    let volume = volume("burst", law, &[Cause::IopsCap], cap);
    Volume {
        clean: false,
        burst_iops: Some(fast),
        ..volume
    }
}

fn cache(draw: &mut Draw) -> Volume {
    let (parallel, service) = (draw.between(4.0, 32.0).round(), draw.between(500.0, 2000.0));
    let mebibytes = draw.between(205.0, 1024.0).round();
    let law = format!("size=1g,service={service}us,parallel={parallel},cache={mebibytes}m:50us");
    let iops = parallel * 1e6 / service;
    let volume = volume("cache", law, &[Cause::Cache, Cause::Parallelism], iops);
    Volume {
        clean: false,
        ..volume
    }
}

fn periodic_stall(draw: &mut Draw) -> Volume {
    let (parallel, service) = (draw.between(4.0, 32.0).round(), draw.between(100.0, 1000.0));
    let (period, share) = (draw.between(1.0, 5.0), draw.between(0.05, 0.3));
    let stall = (period * share * 1000.0).round();
    let law = format!(
        "size=64g,service={service}us,parallel={parallel},every={}ms:{stall}ms",
        period * 1000.0
    );
    let iops = parallel * 1e6 / service * (1.0 - stall / (period * 1000.0));
    let volume = volume("periodic-stall", law, &[Cause::Parallelism], iops);
    Volume {
        clean: false,
        ..volume
    }
}

fn level_shift(draw: &mut Draw) -> Volume {
    let (cap, part) = (draw.between(2000.0, 20_000.0), draw.between(0.2, 0.6));
    let (at, after) = (draw.between(20.0, 80.0), (cap * part).round());
    let law = format!("{},iops={cap},at={at}s:iops={after}", roomy(draw, cap));
    let volume = volume("level-shift", law, &[Cause::IopsCap], after);
    Volume {
        clean: false,
        ..volume
    }
}

fn far_client(draw: &mut Draw) -> Volume {
    let (cap, trip) = (draw.between(1000.0, 40_000.0), draw.between(1.0, 8.0));
    let law = format!("{},rtt={trip}ms,iops={cap}", roomy(draw, cap));
    volume("far-client", law, &[Cause::IopsCap], cap)
}

fn neighbour(draw: &mut Draw) -> Volume {
    let (cap, part) = (draw.between(2000.0, 30_000.0), draw.between(0.1, 0.5));
    let others = (cap * part).round();
    let law = format!("{},iops={cap},neighbour={others}:4k", roomy(draw, cap));
    volume("neighbour", law, &[Cause::IopsCap], cap - others)
}

fn none(draw: &mut Draw) -> Volume {
    let service = draw.between(4000.0, 20_000.0);
    let law = format!("size=64g,service={service}us,parallel=8192");
    // As far as the largest depth goes.
    volume("none", law, &[Cause::Concurrency], 1024.0 * 1e6 / service)
}

/// An IOPS cap with another limit 2 % to a half above it: a cap of bytes, or I/Os at once. Up to a twentieth apart, either is right.
fn close(draw: &mut Draw) -> Volume {
    match draw.between(1.0, 16.0) {
        n if n < 2.0 => close_to_a_connection(draw),
        n if n < 4.0 => close_to_a_host(draw),
        _ => close_caps(draw),
    }
}

/// A cap of bytes just above what one connection brings.
fn close_to_a_connection(draw: &mut Draw) -> Volume {
    let rate = draw.between(2000.0, 40_000.0);
    let one = (rate * BLOCK).round();
    let all = (one * draw.between(1.005, 1.03)).round();
    let law = format!("{},connection={one},bytes={all}", roomy(draw, rate));
    Volume {
        beside: Some(Cause::ByteCap),
        ..volume("close", law, &[Cause::Flow], one / BLOCK)
    }
}

/// A cap of bytes of all hosts, and one of each just above its part of that.
fn close_to_a_host(draw: &mut Draw) -> Volume {
    let hosts = draw.hosts();
    let bytes = draw.between(10e6 * f64::from(hosts), 250e6).round();
    let own = (bytes / f64::from(hosts) * draw.between(1.005, 1.03)).round();
    let all = bytes / BLOCK;
    let law = format!("{},bytes={bytes},host_bytes={own}", roomy(draw, all));
    Volume {
        hosts,
        beside: Some(Cause::Client),
        ..volume("close", law, &[Cause::ByteCap], all)
    }
}

/// A cap of I/Os, and another limit above it.
fn close_caps(draw: &mut Draw) -> Volume {
    let (cap, times) = (draw.between(1000.0, 60_000.0), draw.between(1.02, 1.5));
    let (law, other) = match draw.between(1.0, 2.0) < 1.5 {
        true => {
            let bytes = (cap * times * BLOCK).round();
            let law = format!("{},iops={cap},bytes={bytes}", roomy(draw, cap));
            (law, Cause::ByteCap)
        }
        false => {
            let parallel = draw.between(4.0, 32.0).round();
            let service = (parallel * 1e6 / (cap * times)).round();
            let law = format!("size=64g,service=exp:{service}us,parallel={parallel},iops={cap}");
            (law, Cause::Parallelism)
        }
    };
    let causes = [Cause::IopsCap, other];
    let is_close = times < 1.05;
    volume(
        "close",
        law,
        if is_close { &causes } else { &causes[..1] },
        cap,
    )
}

/// Several hosts, each of which has a cap of its own.
fn host_cap(draw: &mut Draw) -> Volume {
    let hosts = draw.hosts();
    let bytes = draw.between(8e6, 100e6);
    let all = f64::from(hosts) * bytes / BLOCK;
    let law = format!("{},host_bytes={bytes}", roomy(draw, all));
    Volume {
        hosts,
        ..volume("host-cap", law, &[Cause::Client], all)
    }
}

/// Several hosts of a volume with a cap, above what makes 32 blocks of 64 KiB of each host take a quarter of a second: those
/// are warned of, rightly.
fn hosts_share(draw: &mut Draw) -> Volume {
    let hosts = draw.hosts();
    let bytes = draw.between(10e6 * f64::from(hosts), 250e6);
    let all = bytes / BLOCK;
    let (cap, cause) = match draw.between(1.0, 2.0) < 1.5 {
        true => (format!("bytes={bytes}"), Cause::ByteCap),
        false => (format!("iops={}", all.round()), Cause::IopsCap),
    };
    let law = format!("{},{cap}", roomy(draw, all));
    Volume {
        hosts,
        ..volume("hosts-share", law, &[cause], all)
    }
}

/// Several hosts of a volume with a cap of bytes, below what their own caps would let through: a tenth more to twice as much.
fn hosts_both(draw: &mut Draw) -> Volume {
    let hosts = draw.hosts();
    let bytes = draw.between(10e6 * f64::from(hosts), 250e6);
    let own = (bytes / f64::from(hosts) * draw.between(1.1, 2.0)).round();
    let all = bytes / BLOCK;
    let law = format!("{},bytes={bytes},host_bytes={own}", roomy(draw, all));
    Volume {
        hosts,
        ..volume("hosts-both", law, &[Cause::ByteCap], all)
    }
}

/// A volume with a name: the name, its law, its causes, its IOPS, and whether nothing is wrong with it.
type NamedRow = (&'static str, &'static str, &'static [Cause], f64, bool);

/// Those that published disks, volumes and clients behave like.
#[rustfmt::skip]
const NAMED: [NamedRow; 20] = [
    ("plain SSD", "size=64g,service=100us,parallel=32", &[Cause::Parallelism], 320_000.0, true),
    ("IOPS cap", "size=64g,service=500us,parallel=128,iops=20000", &[Cause::IopsCap], 20_000.0, true),
    ("cap below one at a time", "size=64g,service=200us,parallel=32,iops=2000", &[Cause::IopsCap], 2000.0, true),
    ("byte cap", "size=64g,service=500us,parallel=128,bytes=100m", &[Cause::ByteCap], 25_600.0, true),
    ("both caps", "size=64g,service=500us,parallel=128,iops=10000,bytes=200m", &[Cause::IopsCap], 10_000.0, true),
    ("one flow", "size=64g,service=1ms,parallel=4096,connection=190m,bytes=4500m", &[Cause::Flow], 48_640.0, true),
    ("P10", "size=64g,service=1ms,parallel=128,iops=500,burst_iops=3500,burst_store=5400000", &[Cause::IopsCap], 500.0, false),
    ("short burst", "size=64g,service=500us,parallel=128,iops=1000,burst_iops=5000,burst_store=120000", &[Cause::IopsCap], 1000.0, false),
    ("gp2 100 GiB", "size=64g,service=800us,parallel=128,iops=300,burst_iops=3000,burst_store=5400000", &[Cause::IopsCap], 300.0, false),
    ("byte credits", "size=64g,service=1ms,parallel=128,bytes=25m,burst_bytes=170m,burst_bytes_store=261g", &[Cause::ByteCap], 6400.0, false),
    ("half in the cache", "size=1g,service=1ms,parallel=64,cache=512m:50us", &[Cause::Cache, Cause::Parallelism], 64_000.0, false),
    ("all in the cache", "size=1g,service=2ms,parallel=16,cache=2g:500us", &[Cause::Cache, Cause::Parallelism], 8000.0, false),
    ("stall each second", "size=64g,service=200us,parallel=16,every=1s:50ms", &[Cause::Parallelism], 76_000.0, false),
    ("heavy tail", "size=64g,service=lognormal:500us:1.5,parallel=64", &[Cause::Parallelism], 41_558.0, true),
    ("M/M/16", "size=64g,service=exp:1ms,parallel=16", &[Cause::Parallelism], 16_000.0, true),
    ("disk of two arms", "size=64g,service=exp:8ms,parallel=2", &[Cause::Parallelism], 250.0, true),
    ("far, capped", "size=64g,service=100us,parallel=64,rtt=5ms,iops=10000", &[Cause::IopsCap], 10_000.0, true),
    ("NFS slots", "size=64g,service=200us,parallel=4096,slots=128,rtt=1800us", &[Cause::Slots, Cause::Parallelism, Cause::IopsCap], 64_000.0, true),
    ("cap that drops", "size=64g,service=500us,parallel=128,iops=5000,at=40s:iops=1000", &[Cause::IopsCap], 1000.0, false),
    ("very parallel", "size=64g,service=4ms,parallel=8192", &[Cause::Concurrency], 256_000.0, true),
];

/// The rate of 4 KiB reads that the burst rates of a law allow.
fn burst_of(law: &str) -> Option<f64> {
    let value = |key: &str| {
        let word = law.split(',').find_map(|word| word.strip_prefix(key))?;
        let number = word.trim_end_matches('m').parse::<f64>().ok()?;
        Some(if word.ends_with('m') {
            number * f64::from(1 << 20)
        } else {
            number
        })
    };
    value("burst_iops=").or_else(|| Some(value("burst_bytes=")? / BLOCK))
}

/// Volumes with a name.
pub(super) fn named() -> Vec<Volume> {
    let of = |&(family, law, causes, iops, clean): &NamedRow| Volume {
        clean,
        burst_iops: burst_of(law),
        ..volume(family, law.to_owned(), causes, iops)
    };
    NAMED.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_draws_the_same_volumes_and_each_law_is_read() {
        for (number, (name, draw)) in (0..).zip(FAMILIES) {
            for seed in 0..50 {
                let drawn = draw(&mut Draw::new(seed * 100 + number));
                let again = draw(&mut Draw::new(seed * 100 + number));
                assert_eq!((drawn.family, &drawn.law), (name, &again.law));
                let read = leadline_dialect::sim::parse(&drawn.law);
                assert!(read.is_ok(), "{}: {read:?}", drawn.law);
                assert!(drawn.iops > 0.0 && !drawn.causes.is_empty());
            }
        }
        assert_eq!(named().len(), 20);
        for volume in named() {
            assert!(
                leadline_dialect::sim::parse(&volume.law).is_ok(),
                "{}",
                volume.law
            );
        }
    }
}
