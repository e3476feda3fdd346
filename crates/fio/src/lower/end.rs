//! When: pace, pauses, start, stop, errors.

use super::Lowering;
use crate::table::key;
use leadline_dialect::diagnostic::{Diagnostic, nearest};
use leadline_dialect::errno;
use leadline_model::op::PerOp;
use leadline_model::plan::access::Sizes;
use leadline_model::plan::{
    Arrival, BlockSizes, EndsOthers, OnError, OpMix, Pace, Rate, Start, Stop, SyncCadence, Think,
};
use leadline_model::units::Nanos;

impl Lowering<'_> {
    /// fio goes by bytes at equal intervals and by I/Os at random ones, and takes each for the smallest block size of its kind:
    /// of blocks of several sizes, `rate_iops=1000` of 4 KiB and more are 4,000 KiB/s, and fewer than 1,000 I/Os.
    pub(super) fn pace(&mut self, sizes: &BlockSizes) -> Pace {
        let job = self.job;
        let bytes = some(job.per_op(&key::RATE));
        let iops = some(job.per_op(&key::RATE_IOPS));
        if bytes != PerOp::default() && iops != PerOp::default() {
            let span = job.span_of(&key::RATE);
            self.sink.push(
                Diagnostic::error("rate-twice", "`rate` and `rate_iops` cannot be combined")
                    .at(span, "")
                    .at(job.span_of(&key::RATE_IOPS), "")
                    .expected("one of the two"),
            );
        }
        if bytes == PerOp::default() && iops == PerOp::default() {
            return Pace::Closed;
        }
        let is_random = job.word(&key::RATE_PROCESS) == "poisson";
        let (message, option) = match is_random {
            true => (
                "with several block sizes and random arrivals, fio paces by I/Os: `rate` is divided by the smallest size",
                &key::RATE,
            ),
            false => (
                "with several block sizes, fio paces by bytes: `rate_iops` counts blocks of the smallest size",
                &key::RATE_IOPS,
            ),
        };
        let is_other = job.get(option).is_some();
        let several = |of: &Sizes| sizes.by_order || !matches!(of, Sizes::Fixed(_));
        let PerOp { read, write, trim } = &sizes.by_op;
        if is_other && [read, write, trim].into_iter().any(several) {
            self.note("rate-of-smallest", message, option);
        }
        let rate = |bytes: Option<u64>, iops: Option<u64>, of: &Sizes| {
            let least = of.min().max(1);
            let given = bytes
                .map(Rate::Bytes)
                .or(iops.map(|n| Rate::Iops(n as f64)))?;
            Some(match given {
                given if !several(of) => given,
                Rate::Bytes(bytes) if is_random => Rate::Iops((bytes / least).max(1) as f64),
                Rate::Iops(_) if !is_random => Rate::Bytes(iops?.saturating_mul(least)),
                given => given,
            })
        };
        Pace::Open {
            together: None,
            rates: PerOp {
                read: rate(bytes.read, iops.read, read),
                write: rate(bytes.write, iops.write, write),
                trim: rate(bytes.trim, iops.trim, trim),
            },
            arrival: match is_random {
                true => Arrival::Poisson,
                false => Arrival::Constant,
            },
            schedule: Vec::new(),
        }
    }

    pub(super) fn think(&mut self) -> Option<Think> {
        let job = self.job;
        let pause = job.micros(&key::THINKTIME);
        if pause == 0 {
            return None;
        }
        let spin = job.micros(&key::THINKTIME_SPIN);
        if spin > pause {
            let message =
                "`thinktime_spin` is longer than `thinktime`: the CPU is busy for the whole pause";
            self.note("spin-beyond-pause", message, &key::THINKTIME_SPIN);
        }
        Some(Think {
            pause: Nanos::from_micros(pause),
            spin: Nanos::from_micros(spin.min(pause)),
            every: job.natural::<u32>(&key::THINKTIME_BLOCKS).max(1),
            on_submit: job.word(&key::THINKTIME_BLOCKS_TYPE) == "issue",
            after_busy: Nanos::from_micros(job.micros(&key::THINKTIME_IOTIME)),
        })
    }

    pub(super) fn sync(&mut self) -> SyncCadence {
        SyncCadence {
            fsync_every: self.job.natural(&key::FSYNC),
            fdatasync_every: self.job.natural(&key::FDATASYNC),
            at_end: self.job.flag(&key::END_FSYNC),
            on_close: self.job.flag(&key::FSYNC_ON_CLOSE),
        }
    }

    pub(super) fn stop(&mut self, mix: OpMix) -> Stop {
        let job = self.job;
        let runtime = job.micros(&key::RUNTIME);
        let mut time_based = job.flag(&key::TIME_BASED);
        if time_based && runtime == 0 {
            let message = "`time_based` needs a `runtime`; without one fio switches it off";
            let warning = Diagnostic::warning("time-based-without-runtime", message);
            self.sink.push(
                warning
                    .at(job.span_of(&key::TIME_BASED), "")
                    .expected("`runtime=`"),
            );
            time_based = false;
        }
        if runtime > 0 && !time_based && !job.flag(&key::CREATE_ONLY) {
            let message = "without `time_based`, a job ends when its size is done, even before `runtime` \
                           is up";
            self.note("runtime-is-a-cap", message, &key::RUNTIME);
        }
        // Loops of reads are refused.
        let may_loop = time_based || !mix.has_reads();
        if job.flag(&key::UNLINK_EACH_LOOP) && job.natural::<u32>(&key::LOOPS) > 1 && may_loop {
            let message = "`unlink_each_loop` has no effect: files stay between loops";
            self.note("no-effect", message, &key::UNLINK_EACH_LOOP);
        }
        if job.get(&key::EXIT_WHAT).is_some() && !job.flag(&key::EXITALL) {
            let message = "`exit_what` has no effect without `exitall`";
            self.note("no-effect", message, &key::EXIT_WHAT);
        }
        let ios = job.natural::<u64>(&key::NUMBER_IOS);
        let io_bytes = job
            .amount(&key::IO_SIZE)
            .filter(|a| *a != leadline_model::plan::Amount::Bytes(0));
        Stop {
            runtime: (runtime > 0).then(|| Nanos::from_micros(runtime)),
            time_based,
            io_bytes,
            ios: (ios > 0).then_some(ios),
            loops: job.natural::<u32>(&key::LOOPS).max(1),
            warmup: Nanos::from_micros(job.micros(&key::RAMP_TIME)),
            ends_others: match (job.flag(&key::EXITALL), job.word(&key::EXIT_WHAT)) {
                (false, _) => EndsOthers::None,
                (true, "stonewall") => EndsOthers::Stage,
                (true, "all") => EndsOthers::All,
                (true, _) => EndsOthers::Group,
            },
            cooldown: Nanos::ZERO,
        }
    }

    pub(super) fn start(&mut self) -> Start {
        let (low, high) = self.job.given(&key::STARTDELAY).unwrap_or_default();
        Start {
            delay: (Nanos::from_micros(low), Nanos::from_micros(high)),
            after: self.job.text(&key::WAIT_FOR).map(str::to_owned),
            from_run: self.job.get(&key::STARTDELAY).is_some(),
        }
    }

    pub(super) fn on_error(&mut self) -> OnError {
        let word = self.job.word(&key::CONTINUE_ON_ERROR);
        let all = matches!(word, "io" | "all" | "1");
        let go_on = PerOp {
            read: all || word == "read",
            write: all || word == "write",
            trim: all || word == "write",
        };
        let latency = some(self.job.per_op(&key::MAX_LATENCY));
        OnError {
            go_on,
            ignore: self.ignored_errors(),
            end_all: self.job.flag(&key::EXITALL_ON_ERROR),
            removes: None,
            max_latency: PerOp {
                read: latency.read.map(Nanos::from_micros),
                write: latency.write.map(Nanos::from_micros),
                trim: latency.trim.map(Nanos::from_micros),
            },
        }
    }

    /// Lists of errors for reads, writes and verification; `:` within a list, `,` between lists.
    fn ignored_errors(&mut self) -> PerOp<Vec<i32>> {
        let mut lists = PerOp::default();
        let Some(text) = self.job.list(&key::IGNORE_ERROR).cloned() else {
            return lists;
        };
        let mut start = 0;
        for (i, list) in text.as_str().split(',').enumerate() {
            let mut numbers = Vec::new();
            for name in list.split(':') {
                let at = (start, start + name.len());
                start = at.1 + 1;
                if name.trim().is_empty() {
                    continue;
                }
                if let Some(number) = errno::parse(name.trim()) {
                    numbers.push(number);
                    continue;
                }
                let near = nearest(name.trim(), errno::names());
                self.sink.push(
                    Diagnostic::error("unknown-errno", format!("there is no error `{name}`"))
                        .at(text.span(at.0, at.1), "")
                        .expected("the name or number of an error, such as EIO")
                        .maybe_hint(near.map(|n| format!("did you mean `{n}`?"))),
                );
            }
            match i {
                0 => lists.read = numbers,
                1 => {
                    lists.trim.clone_from(&numbers);
                    lists.write = numbers;
                }
                _ => {}
            }
        }
        lists
    }
}

/// Zero means none.
fn some(values: PerOp<Option<u64>>) -> PerOp<Option<u64>> {
    let some = |v: Option<u64>| v.filter(|n| *n > 0);
    PerOp {
        read: some(values.read),
        write: some(values.write),
        trim: some(values.trim),
    }
}
