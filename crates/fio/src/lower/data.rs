//! What is written.

use super::Lowering;
use crate::table::key;
use leadline_dialect::diagnostic::Diagnostic;
use leadline_dialect::text::Text;
use leadline_model::plan::{Fill, Payload, Refresh};
use leadline_model::units::Percent;

/// Longest pattern of bytes; fio's own limit.
const MAX_PATTERN: usize = 512;

impl Lowering<'_> {
    pub(super) fn payload(&mut self) -> Payload {
        let job = self.job;
        let mut compress = Percent::whole(job.natural::<u8>(&key::BUFFER_COMPRESS_PERCENTAGE));
        let dedupe = Percent::whole(job.natural::<u8>(&key::DEDUPE_PERCENTAGE));
        let pattern = job.list(&key::BUFFER_PATTERN).cloned();
        let pattern = pattern.and_then(|text| self.bytes_of(&text));
        let zero = job.flag(&key::ZERO_BUFFERS) || compress == Percent::ALL;
        if compress == Percent::ALL {
            // Fully compressible data is zeros, as in fio.
            compress = Percent::NONE;
        }
        // In fio a share of duplicates, 0 too, asks for new content in each write.
        let refill = job.flag(&key::REFILL_BUFFERS)
            || (job.get(&key::DEDUPE_PERCENTAGE).is_some()
                && job.get(&key::REFILL_BUFFERS).is_none());
        let made = compress > Percent::NONE || dedupe > Percent::NONE;
        let fill = match pattern {
            Some(bytes) => Fill::Pattern(bytes),
            None if zero && !made => Fill::Zero,
            None => Fill::Random,
        };
        let refresh = match (&fill, made || refill) {
            (Fill::Zero, _) => Refresh::Never,
            (Fill::Pattern(_), _) if !made => Refresh::Never,
            (_, true) => Refresh::Each,
            _ if job.flag(&key::SCRAMBLE_BUFFERS) => Refresh::Stamp,
            _ => Refresh::Never,
        };
        Payload {
            fill,
            refresh,
            compress_percent: compress,
            compress_chunk: job.natural(&key::BUFFER_COMPRESS_CHUNK),
            dedupe_percent: dedupe,
        }
    }

    /// Bytes of a pattern: any mix of "text" in quotes, 'file', 0xhex and decimal numbers.
    fn bytes_of(&mut self, text: &Text) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let rest = &text.as_str()[at..];
            if rest.trim_start().is_empty() {
                break;
            }
            let (piece, length) = match self.piece(rest) {
                Ok(found) => found,
                Err(why) => {
                    self.sink.push(
                        Diagnostic::error("bad-pattern", why)
                            .at(text.span(at, text.len()), "")
                            .expected(
                                "text in double quotes, the name of a file in single quotes, 0x and \
                                 hexadecimal digits, or a number of 32 bits",
                            ),
                    );
                    return None;
                }
            };
            bytes.extend(piece);
            at += length;
        }
        if bytes.len() > MAX_PATTERN {
            let message = format!("the pattern is truncated to {MAX_PATTERN} bytes, as in fio");
            self.note("pattern-cut-off", message, &key::BUFFER_PATTERN);
            bytes.truncate(MAX_PATTERN);
        }
        if bytes.is_empty() {
            let empty = Diagnostic::error("bad-pattern", "this pattern is empty");
            self.sink.push(empty.at(text.whole(), ""));
            return None;
        }
        Some(bytes)
    }

    /// The bytes of the first piece of a pattern, and how long the piece is.
    fn piece(&self, text: &str) -> Result<(Vec<u8>, usize), String> {
        let Some(rest) = text.strip_prefix('\'') else {
            return piece(text);
        };
        let end = rest.find('\'').ok_or("the closing quote is missing")?;
        let name = &rest[..end];
        let read = self.host.read_bytes(name);
        let mut bytes = read.map_err(|why| format!("the file `{name}` cannot be read: {why}"))?;
        bytes.truncate(MAX_PATTERN);
        Ok((bytes, end + 2))
    }
}

/// The bytes of the first piece of a pattern, and how long the piece is.
fn piece(text: &str) -> Result<(Vec<u8>, usize), String> {
    if let Some(rest) = text.strip_prefix('"') {
        let end = rest.find('"').ok_or("the closing quote is missing")?;
        return Ok((rest.as_bytes()[..end].to_vec(), end + 2));
    }
    if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        let digits = hex.bytes().take_while(u8::is_ascii_hexdigit).count();
        if digits == 0 {
            return Err("hexadecimal digits are missing".to_owned());
        }
        // An odd digit in front stands for itself.
        let padded = if digits % 2 == 0 {
            hex[..digits].to_owned()
        } else {
            format!("0{}", &hex[..digits])
        };
        let bytes = (0..padded.len())
            .step_by(2)
            .map(|i| u8::from_str_radix(&padded[i..i + 2], 16))
            .collect::<Result<Vec<u8>, _>>()
            .map_err(|e| e.to_string())?;
        return Ok((bytes, digits + 2));
    }
    let blanks = text.len() - text.trim_start().len();
    let text = &text[blanks..];
    let sign = usize::from(text.starts_with(['-', '+']));
    let mut digits = text[sign..].bytes().take_while(u8::is_ascii_digit).count();
    // The 0 of a hexadecimal number that follows at once belongs to that: `-120xab` is -12 and 0xab.
    let hex = &text.as_bytes()[sign..];
    if digits > 1 && hex[digits - 1] == b'0' && matches!(hex.get(digits), Some(b'x' | b'X')) {
        digits -= 1;
    }
    let number = text[..sign + digits]
        .parse::<i64>()
        .map_err(|_| format!("`{text}` is not understood"))?;
    let number = i32::try_from(number).map_err(|_| format!("{number} has more than 32 bits"))?;
    // Little-endian; a positive one without the bytes that only extend it.
    let mut bytes = number.to_le_bytes().to_vec();
    while bytes.len() > 1 && bytes.last() == Some(&0) {
        bytes.pop();
    }
    Ok((bytes, blanks + sign + digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_a_pattern() {
        assert_eq!(piece("0xdeadface"), Ok((vec![0xde, 0xad, 0xfa, 0xce], 10)));
        assert_eq!(piece("0xabc"), Ok((vec![0x0a, 0xbc], 5)));
        assert_eq!(piece("\"abcd\"0x1"), Ok((b"abcd".to_vec(), 6)));
        assert_eq!(piece("257"), Ok((vec![1, 1], 3)));
        // As fio 3.33: written as -12 and 0xdeadface.
        let minus_12 = (vec![0xf4, 0xff, 0xff, 0xff], 3);
        assert_eq!(piece("-120xdeadface"), Ok(minus_12));
        assert_eq!(piece("100x1"), Ok((vec![10], 2)));
        // As fio: a number has 32 bits, all of which a negative one shows.
        assert_eq!(piece("-12"), Ok((vec![0xf4, 0xff, 0xff, 0xff], 3)));
        assert_eq!(piece(" +5x"), Ok((vec![5], 3)));
        assert_eq!(piece("0"), Ok((vec![0], 1)));
        assert!(piece("2147483648").is_err());
        assert!(piece("0x").is_err());
        assert!(piece("\"open").is_err());
        assert!(piece("x").is_err());
    }
}
