//! Options that say which part of a target is used, and in which order.
//!
//! Belongs here: `-B`, `-c`, `-f`, `-r`, `-s` and `-T`. Must never appear here: how fast or how deep.

use crate::number;
use crate::reader::{Opt, Reader};

pub(crate) fn base(reader: &mut Reader<'_>, opt: &Opt) {
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
                "base plus length exceeds 2^64",
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

pub(crate) fn create(reader: &mut Reader<'_>, opt: &Opt) {
    if opt.value.is_empty() {
        return reader.bad_value(opt, "a size");
    }
    match number::size(&opt.value, reader.target.block_size) {
        Ok(size) => reader.target.file_size = Some(size),
        Err(reason) => reader.bad_size("invalid file size passed to -c", &reason, opt),
    }
}

pub(crate) fn limit_or_hints(reader: &mut Reader<'_>, opt: &Opt) {
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

pub(crate) fn random(reader: &mut Reader<'_>, opt: &Opt) {
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

pub(crate) fn random_share(reader: &mut Reader<'_>, opt: &Opt) {
    let percent = opt.tail(1);
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

pub(crate) fn sequential(reader: &mut Reader<'_>, opt: &Opt) {
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

pub(crate) fn thread_stride(reader: &mut Reader<'_>, opt: &Opt) {
    const MESSAGE: &str = "invalid offset passed to -T";
    match number::size(&opt.value, reader.target.block_size) {
        Ok(0) => reader.bad_size(MESSAGE, "must be above 0", opt),
        Ok(size) => reader.target.thread_stride = size,
        Err(reason) => reader.bad_size(MESSAGE, &reason, opt),
    }
}
