//! The control language: one command a line, on the command line and in the control file.
//!
//! Pure: text in, [`Command`] or a message out.

use std::time::Duration;

/// The language, for `--help`.
pub(crate) const HELP: &str = "\
commands (OP is read, write, fsync or all; sizes take k, m, g; times take ns, us, ms, s):
  delay OP TIME              answer each OP this much later than it came
  late OP TIME WHEN          answer some of them that much later still
  stall TIME [in TIME]       answer nothing for that long, from now or from that time on
  error OP ERRNO WHEN        fail: EIO, ENOSPC, EROFS, ENODEV, ETIMEDOUT, EAGAIN, EDQUOT, EINTR
  short OP SIZE WHEN         transfer at most SIZE bytes (read and write)
  corrupt OFFSET [xor BYTE]  give back the byte at OFFSET of any file changed (xor 0xff)
  space SIZE                 hold at most SIZE bytes of data, then ENOSPC
  clear                      no delay, stall, error, short, corruption or limit any more
  reset                      counters to zero
WHEN counts I/Os of that OP from when the command came:
  always | every N | at N | range FROM-TO (bytes; TO is not part of it)
";

/// Kinds of I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    /// A read request.
    Read,
    /// A write request.
    Write,
    /// fsync and fdatasync.
    Fsync,
}

/// Which kinds of I/O a rule is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ops {
    /// One kind.
    Only(Op),
    /// Every kind.
    All,
}

impl Ops {
    /// Whether `op` is among them.
    pub(crate) fn holds(self, op: Op) -> bool {
        match self {
            Self::Only(only) => only == op,
            Self::All => true,
        }
    }
}

/// Which I/Os of its kinds a rule strikes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// Each one.
    Always,
    /// The n-th, 2n-th, 3n-th ...; n >= 1.
    Every(u64),
    /// Only the n-th; n >= 1.
    At(u64),
    /// Those that touch bytes from `.0` up to `.1` of their file.
    Range(u64, u64),
}

/// What a rule does to an I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// It fails with this errno.
    Error(i32),
    /// It transfers at most this many bytes.
    Short(u32),
    /// It is answered this much later than others, and is fine otherwise.
    Late(Duration),
}

/// One command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    /// Answer this much later than asked.
    Delay(Ops, Duration),
    /// Answer nothing for `lasts`, beginning `after` now.
    Stall {
        /// How long.
        lasts: Duration,
        /// From now.
        after: Duration,
    },
    /// Strike some I/Os.
    Strike(Ops, Effect, When),
    /// Change the byte at `offset` when it is read.
    Corrupt {
        /// Byte of the file.
        offset: u64,
        /// Bits to flip, not 0.
        xor: u8,
    },
    /// Bytes of data that fit.
    Space(u64),
    /// Forget all of the above.
    Clear,
    /// Counters to zero.
    Reset,
}

/// Reads one command; the error says what was expected.
pub(crate) fn parse(line: &str) -> Result<Command, String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let command = match words.as_slice() {
        ["delay", op, time] => Command::Delay(ops(op)?, duration(time)?),
        ["stall", time] => Command::Stall {
            lasts: duration(time)?,
            after: Duration::ZERO,
        },
        ["stall", time, "in", after] => Command::Stall {
            lasts: duration(time)?,
            after: duration(after)?,
        },
        ["error", op, errno, rest @ ..] => {
            Command::Strike(ops(op)?, Effect::Error(error_number(errno)?), when(rest)?)
        }
        ["short", op, bytes, rest @ ..] => {
            let bytes = u32::try_from(size(bytes)?).map_err(|_| "short: at most 4g".to_owned())?;
            Command::Strike(ops(op)?, Effect::Short(bytes), when(rest)?)
        }
        ["late", op, time, rest @ ..] => {
            Command::Strike(ops(op)?, Effect::Late(duration(time)?), when(rest)?)
        }
        ["corrupt", offset] => Command::Corrupt {
            offset: size(offset)?,
            xor: 0xff,
        },
        ["corrupt", offset, "xor", bits] => Command::Corrupt {
            offset: size(offset)?,
            xor: byte(bits)?,
        },
        ["space", bytes] => Command::Space(size(bytes)?),
        ["clear"] => Command::Clear,
        ["reset"] => Command::Reset,
        _ => return Err(format!("`{line}` is no command; see --help")),
    };
    Ok(command)
}

fn ops(word: &str) -> Result<Ops, String> {
    match word {
        "read" => Ok(Ops::Only(Op::Read)),
        "write" => Ok(Ops::Only(Op::Write)),
        "fsync" => Ok(Ops::Only(Op::Fsync)),
        "all" => Ok(Ops::All),
        _ => Err(format!("`{word}`: expected read, write, fsync or all")),
    }
}

fn when(words: &[&str]) -> Result<When, String> {
    match words {
        ["always"] => Ok(When::Always),
        ["every", n] => Ok(When::Every(count(n)?)),
        ["at", n] => Ok(When::At(count(n)?)),
        ["range", range] => {
            let (from, to) = range
                .split_once('-')
                .ok_or_else(|| format!("`{range}`: expected FROM-TO"))?;
            let (from, to) = (size(from)?, size(to)?);
            if from >= to {
                return Err(format!("`{range}`: FROM has to be below TO"));
            }
            Ok(When::Range(from, to))
        }
        _ => Err("expected always, every N, at N or range FROM-TO".to_owned()),
    }
}

fn error_number(name: &str) -> Result<i32, String> {
    const NAMES: &[(&str, i32)] = &[
        ("EIO", libc::EIO),
        ("ENOSPC", libc::ENOSPC),
        ("EROFS", libc::EROFS),
        ("ENODEV", libc::ENODEV),
        ("ETIMEDOUT", libc::ETIMEDOUT),
        ("EAGAIN", libc::EAGAIN),
        ("EDQUOT", libc::EDQUOT),
        ("EINTR", libc::EINTR),
    ];
    NAMES
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, number)| *number)
        .ok_or_else(|| format!("`{name}`: not an error this tool can give"))
}

fn count(word: &str) -> Result<u64, String> {
    match word.parse() {
        Ok(0) | Err(_) => Err(format!("`{word}`: expected a count from 1")),
        Ok(count) => Ok(count),
    }
}

fn byte(word: &str) -> Result<u8, String> {
    let parsed = match word.strip_prefix("0x") {
        Some(digits) => u8::from_str_radix(digits, 16),
        None => word.parse(),
    };
    match parsed {
        Ok(0) | Err(_) => Err(format!("`{word}`: expected a byte other than 0")),
        Ok(byte) => Ok(byte),
    }
}

fn size(word: &str) -> Result<u64, String> {
    let (digits, shift) = match word.char_indices().last() {
        Some((at, 'k' | 'K')) => (&word[..at], 10),
        Some((at, 'm' | 'M')) => (&word[..at], 20),
        Some((at, 'g' | 'G')) => (&word[..at], 30),
        _ => (word, 0),
    };
    let number: Option<u64> = digits.parse().ok();
    number
        .and_then(|number| number.checked_mul(1 << shift))
        .ok_or_else(|| format!("`{word}`: expected a size such as 4096, 4k or 1g"))
}

fn duration(word: &str) -> Result<Duration, String> {
    let units = [
        ("ns", 1),
        ("us", 1_000),
        ("ms", 1_000_000),
        ("s", 1_000_000_000_u64),
    ];
    units
        .iter()
        .find_map(|(unit, nanos)| {
            let number: u64 = word.strip_suffix(unit)?.parse().ok()?;
            number.checked_mul(*nanos).map(Duration::from_nanos)
        })
        .ok_or_else(|| format!("`{word}`: expected a time such as 500us, 1ms or 2s"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_read() {
        let ms = Duration::from_millis;
        let cases = [
            ("delay read 1ms", Command::Delay(Ops::Only(Op::Read), ms(1))),
            (
                "stall 2s",
                Command::Stall {
                    lasts: ms(2000),
                    after: Duration::ZERO,
                },
            ),
            (
                " stall 2s in 500ms ",
                Command::Stall {
                    lasts: ms(2000),
                    after: ms(500),
                },
            ),
            (
                "error all EIO every 100",
                Command::Strike(Ops::All, Effect::Error(libc::EIO), When::Every(100)),
            ),
            (
                "error fsync ENOSPC at 3",
                Command::Strike(
                    Ops::Only(Op::Fsync),
                    Effect::Error(libc::ENOSPC),
                    When::At(3),
                ),
            ),
            (
                "short write 512 range 4k-1m",
                Command::Strike(
                    Ops::Only(Op::Write),
                    Effect::Short(512),
                    When::Range(4096, 1 << 20),
                ),
            ),
            (
                "corrupt 4k",
                Command::Corrupt {
                    offset: 4096,
                    xor: 0xff,
                },
            ),
            ("corrupt 7 xor 0x01", Command::Corrupt { offset: 7, xor: 1 }),
            ("space 1g", Command::Space(1 << 30)),
            ("clear", Command::Clear),
            ("reset", Command::Reset),
        ];
        for (text, command) in cases {
            assert_eq!(parse(text), Ok(command), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        let cases = [
            ("", "no command"),
            ("delay", "no command"),
            ("delay seek 1ms", "seek"),
            ("delay read 1", "`1`"),
            ("delay read 99999999999s", "99999999999s"),
            ("error read EFOO always", "EFOO"),
            ("error read EIO", "expected always"),
            ("error read EIO every 0", "`0`"),
            ("error read EIO range 5-5", "5-5"),
            ("corrupt 0 xor 0", "`0`"),
            ("space 99999999999999999999g", "99999999999999999999g"),
        ];
        for (text, part) in cases {
            let message = parse(text).unwrap_err();
            assert!(message.contains(part), "{text}: {message}");
        }
    }
}
