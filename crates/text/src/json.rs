//! JSON in the styles of its readers; serde_json does the rest.
//!
//! Belongs here: how values are printed. Must never appear here: the keys of any document.

use serde::Serialize;
use serde_json::ser::{CharEscape, Formatter, Serializer};
use std::io::{self, Write};

/// As fio prints it, with a line end: two spaces a level, a space before each colon, floats with six
/// decimals. Readers depend on integers and floats staying apart.
///
/// # Errors
///
/// A key that is no text.
pub fn fio(value: &impl Serialize) -> serde_json::Result<String> {
    let mut text = print(value, Fio::default())?;
    text.push('\n');
    Ok(text)
}

/// On one line for a `<script>` of a page: nothing in it can end that element, and a float that is whole
/// has no decimals.
///
/// # Errors
///
/// A key that is no text.
pub fn script(value: &impl Serialize) -> serde_json::Result<String> {
    print(value, Script)
}

fn print(value: &impl Serialize, style: impl Formatter) -> serde_json::Result<String> {
    let mut out = Vec::with_capacity(1024);
    value.serialize(&mut Serializer::with_formatter(&mut out, style))?;
    Ok(String::from_utf8_lossy(&out).into_owned())
}

#[derive(Default)]
struct Fio {
    level: usize,
}

impl Fio {
    fn line<W: Write + ?Sized>(&self, out: &mut W) -> io::Result<()> {
        write!(out, "\n{:1$}", "", self.level * 2)
    }

    fn open<W: Write + ?Sized>(&mut self, out: &mut W, bracket: u8) -> io::Result<()> {
        self.level += 1;
        out.write_all(&[bracket])
    }

    /// The bracket has a line of its own where nothing is between it and the first, too.
    fn close<W: Write + ?Sized>(&mut self, out: &mut W, bracket: u8) -> io::Result<()> {
        self.level -= 1;
        self.line(out)?;
        out.write_all(&[bracket])
    }

    fn item<W: Write + ?Sized>(&self, out: &mut W, first: bool) -> io::Result<()> {
        if !first {
            out.write_all(b",")?;
        }
        self.line(out)
    }
}

impl Formatter for Fio {
    fn write_f64<W: Write + ?Sized>(&mut self, out: &mut W, value: f64) -> io::Result<()> {
        write!(out, "{value:.6}")
    }

    fn write_char_escape<W: Write + ?Sized>(
        &mut self,
        out: &mut W,
        escape: CharEscape,
    ) -> io::Result<()> {
        match escape {
            CharEscape::Quote => out.write_all(b"\\\""),
            CharEscape::ReverseSolidus => out.write_all(b"\\\\"),
            CharEscape::Solidus => out.write_all(b"\\/"),
            CharEscape::LineFeed => out.write_all(b"\\n"),
            CharEscape::CarriageReturn => out.write_all(b"\\r"),
            CharEscape::Tab => out.write_all(b"\\t"),
            // By number, as all the others.
            CharEscape::Backspace => out.write_all(b"\\u0008"),
            CharEscape::FormFeed => out.write_all(b"\\u000c"),
            CharEscape::AsciiControl(byte) => write!(out, "\\u{byte:04x}"),
        }
    }

    fn begin_array<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.open(out, b'[')
    }

    fn end_array<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.close(out, b']')
    }

    fn begin_array_value<W: Write + ?Sized>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.item(out, first)
    }

    fn begin_object<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.open(out, b'{')
    }

    fn end_object<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.close(out, b'}')
    }

    fn begin_object_key<W: Write + ?Sized>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.item(out, first)
    }

    fn begin_object_value<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b" : ")
    }
}

struct Script;

impl Formatter for Script {
    fn write_f64<W: Write + ?Sized>(&mut self, out: &mut W, value: f64) -> io::Result<()> {
        write!(out, "{value}")
    }

    fn write_string_fragment<W: Write + ?Sized>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        for (number, part) in fragment.split('<').enumerate() {
            if number > 0 {
                out.write_all(b"\\u003c")?;
            }
            out.write_all(part.as_bytes())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn it_prints_as_fio_does_and_any_json_reader_reads_it() {
        let value = json!([-1, { "b \"quoted\"\u{1}": "x\\y\n\u{8}\u{c}", "a": 1.5 }, {}]);
        let text = fio(&value).unwrap();
        assert_eq!(
            text,
            "[\n  -1,\n  {\n    \"b \\\"quoted\\\"\\u0001\" : \"x\\\\y\\n\\u0008\\u000c\",\n    \
             \"a\" : 1.500000\n  },\n  {\n  }\n]\n"
        );
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
    }

    #[test]
    fn no_data_ends_the_script_that_holds_it() {
        let value = json!({ "a<": "</script><!--", "b": [2.0, 0.25, null, 3] });
        let text = script(&value).unwrap();
        assert_eq!(
            text,
            "{\"a\\u003c\":\"\\u003c/script>\\u003c!--\",\"b\":[2,0.25,null,3]}"
        );
        let same = json!({ "a<": "</script><!--", "b": [2, 0.25, null, 3] });
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), same);
    }
}
