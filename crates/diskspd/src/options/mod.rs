//! What each option of a command line does to the profile, and which of them exclude each other while
//! they are read.
//!
//! Belongs here: DISKSPD's second pass. Must never appear here: checks of the whole (see `validate`).

pub(super) mod place;

use crate::number;
use crate::profile::{
    Batch, BufferSeparation, Etw, Flush, IoRing, Target, Throughput, WriteBuffer,
};
use crate::reader::{Opt, Reader, Word};
use leadline_dialect::diagnostic::Diagnostic;

const COUNT: &str = "a whole number, at least 1";

/// Most I/Os in flight, and of a batch, in DISKSPD 2.3.
pub(super) const MOST_REQUESTS: u32 = 65536;

/// Makes the time span of what was read.
pub(super) fn finish(reader: &mut Reader<'_>, targets: &[Word]) {
    let caching = reader.caching;
    let template = &mut reader.target;
    template.cache = caching.mode.unwrap_or_default();
    template.write_through = caching.through;
    template.memory_mapped = caching.mapped;
    template.flush = caching.flush;
    template.bypass = caching.bypass;
    let mut span = std::mem::take(&mut reader.time_span);
    span.targets = targets
        .iter()
        .map(|word| Target {
            path: word.text.clone(),
            ..reader.target.clone()
        })
        .collect();
    reader.profile.time_spans = vec![span];
}

/// A number of at least 1 by `atoi`; says what is wrong with any other.
fn positive(reader: &mut Reader<'_>, opt: &Opt) -> Option<u32> {
    let number = number::loose(&opt.value);
    match u32::try_from(number.value) {
        Ok(value @ 1..) => {
            if number.bent {
                reader.bent(opt, &opt.value, value);
            }
            Some(value)
        }
        _ => {
            reader.bad_value(opt, COUNT);
            None
        }
    }
}

/// A depth: DISKSPD 2.3 has a highest one.
fn depth(reader: &mut Reader<'_>, opt: &Opt) -> Option<u32> {
    let depth = positive(reader, opt)?;
    if depth > MOST_REQUESTS {
        let message = format!(
            "DISKSPD 2.3 accepts at most {MOST_REQUESTS} outstanding I/Os, earlier versions any \
             number"
        );
        reader.say(Diagnostic::warning("above-2.3", message).at(opt.value_span(), ""));
    }
    Some(depth)
}

/// `-o`.
pub(super) fn requests(reader: &mut Reader<'_>, opt: &Opt) {
    if let Some(depth) = depth(reader, opt) {
        reader.target.request_count = depth;
    }
}

/// `-O`.
pub(super) fn requests_in_all(reader: &mut Reader<'_>, opt: &Opt) {
    if let Some(depth) = depth(reader, opt) {
        reader.time_span.request_count = depth;
    }
}

/// `-t`.
pub(super) fn threads(reader: &mut Reader<'_>, opt: &Opt) {
    if let Some(count) = positive(reader, opt) {
        reader.target.threads_per_file = count;
    }
}

/// `-F`.
pub(super) fn threads_in_all(reader: &mut Reader<'_>, opt: &Opt) {
    if let Some(count) = positive(reader, opt) {
        reader.time_span.thread_count = count;
    }
}

/// `-i`.
pub(super) fn burst(reader: &mut Reader<'_>, opt: &Opt) {
    if let Some(count) = positive(reader, opt) {
        reader.target.burst = Some(count);
    }
}

/// `-j`.
pub(super) fn think(reader: &mut Reader<'_>, opt: &Opt) {
    if let Some(ms) = positive(reader, opt) {
        reader.target.think_ms = Some(ms);
    }
}

/// `-l`.
pub(super) fn large_pages(reader: &mut Reader<'_>, opt: &Opt) {
    reader.no_value(opt);
    reader.target.large_pages = true;
}

/// `-L`.
pub(super) fn latency(reader: &mut Reader<'_>, opt: &Opt) {
    reader.no_value(opt);
    reader.time_span.measure_latency = true;
}

/// `-n`.
pub(super) fn no_affinity(reader: &mut Reader<'_>, opt: &Opt) {
    reader.no_value(opt);
    reader.time_span.disable_affinity = true;
}

/// `-p`.
pub(super) fn parallel(reader: &mut Reader<'_>, opt: &Opt) {
    reader.no_value(opt);
    reader.target.parallel = true;
}

/// `-x`.
pub(super) fn completion_routines(reader: &mut Reader<'_>, opt: &Opt) {
    reader.no_value(opt);
    reader.time_span.completion_routines = true;
    reader.idle("-x", opt);
}

/// `-b`: sizes of later options may be counted in it.
pub(super) fn block_size(reader: &mut Reader<'_>, opt: &Opt) {
    const MESSAGE: &str = "invalid block size passed to -b";
    match number::size(&opt.value, reader.target.block_size).map(u32::try_from) {
        Ok(Ok(0)) => reader.say(
            Diagnostic::error("bad-size", MESSAGE)
                .at(opt.value_span(), "DISKSPD accepts 0 and then divides by it")
                .expected("at least 1 byte"),
        ),
        Ok(Ok(size)) if size < u32::MAX => reader.target.block_size = size,
        Ok(_) => reader.bad_size(MESSAGE, "must be below 4 GiB", opt),
        Err(reason) => reader.bad_size(MESSAGE, &reason, opt),
    }
}

/// `-bs`.
pub(super) fn buffer_separation(reader: &mut Reader<'_>, opt: &Opt) {
    reader.time_span.buffer_separation = separation(reader, opt);
}

fn separation(reader: &mut Reader<'_>, opt: &Opt) -> Option<BufferSeparation> {
    let flag = opt.tail(1);
    let made = match flag.chars().next() {
        Some('n') => Some(BufferSeparation::SystemDefault),
        Some('p') => Some(BufferSeparation::PdeCacheLine),
        None => {
            reader.wrong("bad-value", "-bs requires a flag character (n or p)", opt);
            None
        }
        Some(c) => {
            let message =
                format!("invalid buffer separation flag '{c}' passed to -bs (expected n or p)");
            reader.wrong("bad-value", message, opt);
            None
        }
    };
    if made.is_some() && flag.len() > 1 {
        let message = format!("unexpected characters after -bs{}", &flag[..1]);
        reader.wrong("bad-value", message, opt);
        return None;
    }
    if made.is_some() {
        reader.idle("-bs<n|p>", opt);
    }
    made
}

/// `-B`.
/// `-c`.
/// `-D`.
pub(super) fn buckets(reader: &mut Reader<'_>, opt: &Opt) {
    reader.time_span.iops_std_dev = true;
    let number = number::loose(&opt.value);
    match u32::try_from(number.value) {
        Ok(ms @ 1..) => {
            reader.time_span.bucket_ms = ms;
            if number.bent {
                reader.bent(opt, &opt.value, ms);
            }
        }
        _ => reader.bent(opt, &opt.value, reader.time_span.bucket_ms),
    }
}

/// `-e`.
pub(super) fn etw(reader: &mut Reader<'_>, opt: &Opt) {
    let mut etw = reader.profile.etw.unwrap_or_default();
    let Some(field) = etw_field(&mut etw, &opt.value) else {
        return reader.bad_value(
            opt,
            "q, c, s, p, or one of PROCESS, THREAD, IMAGE_LOAD, DISK_IO, MEMORY_PAGE_FAULTS, \
             MEMORY_HARD_FAULTS, NETWORK, REGISTRY",
        );
    };
    *field = true;
    reader.profile.etw = Some(etw);
    reader.idle("-e<NAME>", opt);
}

fn etw_field<'a>(etw: &'a mut Etw, value: &str) -> Option<&'a mut bool> {
    Some(match value {
        "PROCESS" => &mut etw.process,
        "THREAD" => &mut etw.thread,
        "IMAGE_LOAD" => &mut etw.image_load,
        "DISK_IO" => &mut etw.disk_io,
        "MEMORY_PAGE_FAULTS" => &mut etw.page_faults,
        "MEMORY_HARD_FAULTS" => &mut etw.hard_faults,
        "NETWORK" => &mut etw.network,
        "REGISTRY" => &mut etw.registry,
        // DISKSPD looks at the first letter only.
        other if other.starts_with('p') => &mut etw.paged_memory,
        other if other.starts_with('q') => &mut etw.perf_timer,
        other if other.starts_with('s') => &mut etw.system_timer,
        other if other.starts_with('c') => &mut etw.cycles,
        _ => return None,
    })
}

/// `-f`: a size, or letters.
/// `-g`.
pub(super) fn throughput(reader: &mut Reader<'_>, opt: &Opt) {
    const EXPECTED: &str = "bytes a millisecond, or I/Os a second with `i` after the number";
    let iops = opt.value.ends_with('i');
    let digits = opt.value.strip_suffix('i').unwrap_or(&opt.value);
    let number = number::loose(digits);
    let proper = iops || opt.value.ends_with(|c: char| c.is_ascii_digit());
    match u32::try_from(number.value) {
        Ok(value @ 1..) if proper => {
            if number.bent {
                reader.bent(opt, digits, value);
            }
            reader.target.throughput = Some(if iops {
                Throughput::Iops(value)
            } else {
                Throughput::BytesPerMs(value)
            });
        }
        _ => reader.bad_value(opt, EXPECTED),
    }
}

/// `-I`.
pub(super) fn priority(reader: &mut Reader<'_>, opt: &Opt) {
    let number = number::loose(&opt.value);
    match u32::try_from(number.value) {
        Ok(value @ 1..=3) => {
            if number.bent {
                reader.bent(opt, &opt.value, value);
            }
            reader.target.io_priority = value;
        }
        _ => reader.bad_value(opt, "1 (very low), 2 (low) or 3 (normal)"),
    }
}

/// `-N`.
pub(super) fn flush(reader: &mut Reader<'_>, opt: &Opt) {
    let flush = match opt.value.to_ascii_lowercase().as_str() {
        "v" => Flush::ViewOfFile,
        "n" => Flush::NonVolatile,
        "i" => Flush::NonVolatileNoDrain,
        _ => return reader.bad_value(opt, "v, n or i"),
    };
    if opt.value.starts_with(|c: char| c.is_ascii_uppercase()) {
        let message = "DISKSPD 2.3 accepts the letter in lower case only";
        reader.say(Diagnostic::warning("above-2.3", message).at(opt.value_span(), ""));
    }
    reader.caching.flush = Some(flush);
}

/// `-oc`.
pub(super) fn completion_depth(reader: &mut Reader<'_>, opt: &Opt) {
    match number::digits(opt.tail(1)) {
        Some((depth @ 1..=16, "")) => {
            reader.time_span.completion_depth = u32::try_from(depth).ok();
            reader.idle("-oc<count>", opt);
        }
        _ => reader.wrong(
            "bad-value",
            "completion depth (-oc) must be between 1 and 16",
            opt,
        ),
    }
}

/// `-P`.
pub(super) fn progress(reader: &mut Reader<'_>, opt: &Opt) {
    let number = number::loose(&opt.value);
    let count = u32::try_from(number.value).ok().filter(|n| *n > 0);
    reader.profile.progress = count.unwrap_or(65536);
    if number.bent {
        reader.bent(opt, &opt.value, reader.profile.progress);
    }
}

/// `-r`.
/// `-rs`.
/// `-s`.
/// `-T`.
/// `-u`.
pub(super) fn ring(reader: &mut Reader<'_>, opt: &Opt) {
    let text = opt.value.strip_prefix('n').unwrap_or(&opt.value);
    let registered = text.len() == opt.value.len();
    let batch = if text.is_empty() {
        Ok(Batch::UNNAMED)
    } else {
        batch(text)
    };
    match batch {
        Ok(batch) => {
            reader.time_span.io_ring = Some(IoRing { registered, batch });
            if !registered {
                reader.idle("-un", opt);
            }
        }
        Err(message) => reader.wrong("bad-value", message, opt),
    }
}

fn batch(text: &str) -> Result<Batch, String> {
    let invalid = || "invalid IoRing batch size".to_owned();
    let (value, rest) = number::digits(text).ok_or_else(invalid)?;
    match (u32::try_from(value), rest) {
        (Ok(percent @ 1..=100), "p") => Ok(Batch::Percent(percent)),
        (_, "p") => Err("IoRing batch size percentage must be between 1 and 100".to_owned()),
        (Ok(count @ 1..=MOST_REQUESTS), "") => Ok(Batch::Count(count)),
        (Ok(0), "") => Err(invalid()),
        (_, "") => Err(format!(
            "IoRing batch size of {value} exceeds maximum of {MOST_REQUESTS}"
        )),
        _ => Err(invalid()),
    }
}

/// `-w`.
pub(super) fn writes(reader: &mut Reader<'_>, opt: &Opt) {
    if opt.value.is_empty() {
        let hint = "`-w0` reads only, `-w100` writes only";
        let message = "no write ratio passed to -w";
        return reader.say(
            Diagnostic::error("bad-value", message)
                .at(opt.span, "")
                .hint(hint),
        );
    }
    let number = number::loose(&opt.value);
    match u32::try_from(number.value) {
        Ok(value @ 0..=100) => {
            if number.bent {
                reader.bent(opt, &opt.value, value);
            }
            reader.target.write_percent = value;
        }
        _ => reader.wrong(
            "bad-value",
            "write ratio passed to -w must be between 0 and 100 (percent)",
            opt,
        ),
    }
}

/// `-y` with its letters.
pub(super) fn event(reader: &mut Reader<'_>, opt: &Opt) {
    let name = opt.tail(1).to_owned();
    let events = &mut reader.switches.events;
    let known = matches!(
        opt.value.as_bytes().first(),
        Some(b's' | b'f' | b'r' | b'p' | b'e')
    );
    if known && name.is_empty() {
        let message = format!(
            "`{}` cannot be an event: no other program could set or see it",
            opt.text
        );
        return reader.say(Diagnostic::warning("event-without-name", message).at(opt.span, ""));
    }
    match opt.value.as_bytes().first() {
        Some(b's') => events.started.push(name),
        Some(b'f') => events.finished.push(name),
        Some(b'r') => events.wait = Some(name),
        Some(b'p') => events.stop = Some(name),
        Some(b'e') => events.set.push(name),
        _ => reader.bad_value(opt, "s, f, r, p or e followed by the name of an event"),
    }
}

/// `-Z`.
pub(super) fn content(reader: &mut Reader<'_>, opt: &Opt) {
    const MESSAGE: &str = "invalid size passed to -Z";
    match opt.value.as_str() {
        "" => reader.target.zero = true,
        "r" => reader.time_span.random_write_data = true,
        value => {
            let (size, path) = value.split_once(',').unwrap_or((value, ""));
            match number::size(size, reader.target.block_size) {
                Ok(0) => reader.bad_size(MESSAGE, "must be above 0", opt),
                Ok(size) => {
                    let path = (!path.is_empty()).then(|| path.to_owned());
                    reader.target.write_buffer = Some(WriteBuffer { size, path });
                }
                Err(reason) => reader.bad_size(MESSAGE, &reason, opt),
            }
        }
    }
}
