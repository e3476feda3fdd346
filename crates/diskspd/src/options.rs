//! What each option of a command line does to the profile, and which of them exclude each other while
//! they are read.
//!
//! Belongs here: DISKSPD's second pass. Must never appear here: checks of the whole (see `validate`).

use crate::affinity;
use crate::caching;
use crate::distribution;
use crate::number;
use crate::profile::{Batch, Etw, Flush, IoRing, Target, Throughput, WriteBuffer};
use crate::reader::{Opt, Reader, Word};
use leadline_dialect::diagnostic::Diagnostic;

const COUNT: &str = "a whole number of at least 1";

/// Most I/Os in flight, and of a batch, in DISKSPD 2.3.
pub(super) const MOST_REQUESTS: u32 = 65536;

/// Applies one option. Those of the first pass are done already.
pub(super) fn apply(reader: &mut Reader<'_>, opt: &Opt) {
    match opt.letter {
        'a' => affinity::read(reader, opt),
        'B' => base(reader, opt),
        'c' => create(reader, opt),
        'D' => buckets(reader, opt),
        'e' => etw(reader, opt),
        'f' => limit_or_hints(reader, opt),
        'g' => throughput(reader, opt),
        'h' => {
            reader.no_value(opt);
            caching::unbuffered_and_through(reader, opt);
        }
        'I' => priority(reader, opt),
        'N' => flush(reader, opt),
        'o' if opt.value.starts_with('c') => completion_depth(reader, opt),
        'F' | 'i' | 'j' | 'o' | 'O' | 't' => count(reader, opt),
        'l' | 'L' | 'n' | 'p' | 'x' => flag(reader, opt),
        'P' => progress(reader, opt),
        'r' => random(reader, opt),
        's' => sequential(reader, opt),
        'S' => caching::read(reader, opt),
        'T' => thread_stride(reader, opt),
        'u' => ring(reader, opt),
        'w' => writes(reader, opt),
        'y' => event(reader, opt),
        'Z' => content(reader, opt),
        _ => {}
    }
}

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

fn count(reader: &mut Reader<'_>, opt: &Opt) {
    let Some(value) = positive(reader, opt) else {
        return;
    };
    match opt.letter {
        'F' => reader.time_span.thread_count = value,
        'O' => reader.time_span.request_count = value,
        'o' => reader.target.request_count = value,
        't' => reader.target.threads_per_file = value,
        'i' => reader.target.burst = Some(value),
        _ => reader.target.think_ms = Some(value),
    }
    if matches!(opt.letter, 'o' | 'O') && value > MOST_REQUESTS {
        let message = format!(
            "DISKSPD 2.3 takes at most {MOST_REQUESTS} outstanding I/Os, earlier ones any number"
        );
        reader.say(Diagnostic::warning("above-2.3", message).at(opt.value_span(), ""));
    }
}

fn flag(reader: &mut Reader<'_>, opt: &Opt) {
    reader.no_value(opt);
    match opt.letter {
        'l' => reader.target.large_pages = true,
        'L' => reader.time_span.measure_latency = true,
        'n' => reader.time_span.disable_affinity = true,
        'p' => reader.target.parallel = true,
        _ => {
            reader.time_span.completion_routines = true;
            reader.idle("-x", opt);
        }
    }
}

fn base(reader: &mut Reader<'_>, opt: &Opt) {
    let block = reader.target.block_size;
    if opt.value.is_empty() {
        return reader.bad_value(opt, "an offset: `-B<base>`, or `-B<base>:<length>`");
    }
    if reader.target.base > 0 {
        return reader.wrong(
            "said-twice",
            "base target offset (-Bbase[:length]) can only be specified once",
            opt,
        );
    }
    let (base, rest) = match number::size_in_front(&opt.value, block) {
        Ok(read) => read,
        Err(reason) => {
            return reader.bad_size("invalid base target offset passed to -B", &reason, opt);
        }
    };
    let length = match rest.strip_prefix(':') {
        None if rest.is_empty() => None,
        None => {
            return reader.wrong(
                "bad-size",
                "unexpected characters after -Bbase; use ':' to separate -Bbase:length",
                opt,
            );
        }
        Some("") => return reader.wrong("bad-size", "-Bbase:length - no length provided", opt),
        Some(text) => match number::size(text, block) {
            Ok(length) => Some(length),
            Err(reason) => {
                return reader.bad_size("invalid target length passed to -B", &reason, opt);
            }
        },
    };
    reader.target.base = base;
    if let Some(length) = length {
        if reader.target.max > 0 {
            return max_twice(reader, opt);
        }
        match base.checked_add(length) {
            Some(max) => reader.target.max = max,
            None => reader.bad_size(
                "invalid target length passed to -B",
                "base and length go beyond 2^64",
                opt,
            ),
        }
    }
}

fn max_twice(reader: &mut Reader<'_>, opt: &Opt) {
    reader.wrong(
        "said-twice",
        "maximum target offset (-Bbase:length or -fsize) can only be specified once",
        opt,
    );
}

fn create(reader: &mut Reader<'_>, opt: &Opt) {
    if opt.value.is_empty() {
        return reader.bad_value(opt, "a size");
    }
    match number::size(&opt.value, reader.target.block_size) {
        Ok(size) => reader.target.file_size = Some(size),
        Err(reason) => reader.bad_size("invalid file size passed to -c", &reason, opt),
    }
}

fn buckets(reader: &mut Reader<'_>, opt: &Opt) {
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

fn etw(reader: &mut Reader<'_>, opt: &Opt) {
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

fn limit_or_hints(reader: &mut Reader<'_>, opt: &Opt) {
    if opt.value.starts_with(|c: char| c.is_ascii_digit()) {
        if reader.target.max > 0 {
            return max_twice(reader, opt);
        }
        return match number::size(&opt.value, reader.target.block_size) {
            Ok(size) => reader.target.max = size,
            Err(reason) => reader.bad_size("invalid max file size passed to -f", &reason, opt),
        };
    }
    if opt.value.is_empty() || opt.value.chars().any(|c| !"rst".contains(c)) {
        return reader.bad_value(opt, "a size, or hints of the letters r, s and t");
    }
    let target = &mut reader.target;
    target.random_access |= opt.value.contains('r');
    target.sequential_scan |= opt.value.contains('s');
    target.temporary |= opt.value.contains('t');
    if opt.value.contains('t') {
        reader.idle("-ft", opt);
    }
}

fn throughput(reader: &mut Reader<'_>, opt: &Opt) {
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

fn priority(reader: &mut Reader<'_>, opt: &Opt) {
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

fn flush(reader: &mut Reader<'_>, opt: &Opt) {
    let flush = match opt.value.to_ascii_lowercase().as_str() {
        "v" => Flush::ViewOfFile,
        "n" => Flush::NonVolatile,
        "i" => Flush::NonVolatileNoDrain,
        _ => return reader.bad_value(opt, "v, n or i"),
    };
    if opt.value.starts_with(|c: char| c.is_ascii_uppercase()) {
        let message = "DISKSPD 2.3 takes the letter in lower case only";
        reader.say(Diagnostic::warning("above-2.3", message).at(opt.value_span(), ""));
    }
    reader.caching.flush = Some(flush);
}

fn completion_depth(reader: &mut Reader<'_>, opt: &Opt) {
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

fn progress(reader: &mut Reader<'_>, opt: &Opt) {
    let number = number::loose(&opt.value);
    let count = u32::try_from(number.value).ok().filter(|n| *n > 0);
    reader.profile.progress = count.unwrap_or(65536);
    if number.bent {
        reader.bent(opt, &opt.value, reader.profile.progress);
    }
}

fn random(reader: &mut Reader<'_>, opt: &Opt) {
    if let Some(percent) = opt.value.strip_prefix('s') {
        return random_share(reader, opt, percent);
    }
    if opt.value.starts_with('d') {
        return distribution::read(reader, opt);
    }
    let mut align = u64::from(reader.target.block_size);
    if !opt.value.is_empty() {
        match number::size(&opt.value, reader.target.block_size) {
            Ok(0) => {
                return reader.bad_size("invalid alignment passed to -r", "must be above 0", opt);
            }
            Ok(size) => align = size,
            Err(reason) => return reader.bad_size("invalid alignment passed to -r", &reason, opt),
        }
    }
    let target = &mut reader.target;
    let aligned = target.alignment.is_some();
    if aligned && target.random_percent > 0 {
        return reader.wrong("said-twice", "random IO (-r) specified multiple times", opt);
    }
    if aligned {
        return reader.wrong(
            "conflict",
            "sequential IO (-s) conflicts with random IO (-r/-rs)",
            opt,
        );
    }
    if target.random_percent == 0 {
        target.random_percent = 100;
    }
    target.alignment = Some(align);
}

fn random_share(reader: &mut Reader<'_>, opt: &Opt, percent: &str) {
    if percent.is_empty() {
        return reader.wrong("bad-value", "no random percentage passed to -rs", opt);
    }
    let number = number::loose(percent);
    let value = match u32::try_from(number.value) {
        Ok(value @ 1..=100) => value,
        _ => {
            return reader.wrong(
                "bad-value",
                "random percentage passed to -rs should be between 1 and 100",
                opt,
            );
        }
    };
    if number.bent {
        reader.bent(opt, percent, value);
    }
    let target = &mut reader.target;
    if target.random_percent == 0 && target.alignment.is_some() {
        return reader.wrong(
            "conflict",
            "use -r to specify IO alignment when using mixed random/sequential IO (-rs)",
            opt,
        );
    }
    if target.random_percent != 0 && target.random_percent != 100 {
        return reader.wrong(
            "said-twice",
            "mixed random/sequential IO (-rs) specified multiple times",
            opt,
        );
    }
    target.random_percent = value;
}

fn sequential(reader: &mut Reader<'_>, opt: &Opt) {
    let stride = opt.value.strip_prefix('i').unwrap_or(&opt.value);
    reader.target.interlocked |= stride.len() < opt.value.len();
    if reader.target.random_percent > 0 {
        let message = if reader.target.random_percent == 100 {
            "sequential IO (-s) conflicts with random IO (-r/-rs)"
        } else {
            "use -r to specify IO alignment for -rs"
        };
        return reader.wrong("conflict", message, opt);
    }
    if reader.target.alignment.is_some() {
        return reader.wrong(
            "said-twice",
            "sequential IO (-s) specified multiple times",
            opt,
        );
    }
    let block = reader.target.block_size;
    reader.target.alignment = if stride.is_empty() {
        Some(u64::from(block))
    } else {
        match number::size(stride, block) {
            Ok(size) => Some(size),
            Err(reason) => {
                return reader.bad_size("invalid stride size passed to -s", &reason, opt);
            }
        }
    };
}

fn thread_stride(reader: &mut Reader<'_>, opt: &Opt) {
    const MESSAGE: &str = "invalid offset passed to -T";
    match number::size(&opt.value, reader.target.block_size) {
        Ok(0) => reader.bad_size(MESSAGE, "must be above 0", opt),
        Ok(size) => reader.target.thread_stride = size,
        Err(reason) => reader.bad_size(MESSAGE, &reason, opt),
    }
}

fn ring(reader: &mut Reader<'_>, opt: &Opt) {
    let text = opt.value.strip_prefix('n').unwrap_or(&opt.value);
    let registered = text.len() == opt.value.len();
    let batch = if text.is_empty() {
        Ok(Batch::Percent(25))
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

fn writes(reader: &mut Reader<'_>, opt: &Opt) {
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

fn event(reader: &mut Reader<'_>, opt: &Opt) {
    let name = opt.tail(1).to_owned();
    let events = &mut reader.switches.events;
    let known = matches!(
        opt.value.as_bytes().first(),
        Some(b's' | b'f' | b'r' | b'p' | b'e')
    );
    if known && name.is_empty() {
        let message = format!(
            "`{}` names no event: nobody can set it or see it set",
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

fn content(reader: &mut Reader<'_>, opt: &Opt) {
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
