//! JSON laid out for people and for `diff`: one fact per line, short lists on one line.

use serde::Serialize;
use std::io::{self, Write};

/// The longest list that is written on one line.
const LINE: usize = 100;

/// How deep a list or object stands at least that may be written on one line.
const INLINE_DEPTH: usize = 2;

/// Writes a JSON document with two-space indentation, its short lists on one line, and a line
/// break at its end.
///
/// The document is never held as a whole: it takes the memory of one line.
///
/// # Errors
/// When `out` refuses, or a map in the value has keys that are no texts.
pub fn write_json(value: &(impl Serialize + ?Sized), out: impl Write) -> io::Result<()> {
    let mut layout = Layout::new(out);
    serde_json::to_writer(&mut layout, value)?;
    layout.out.write_all(b"\n")?;
    layout.out.flush()
}

/// The text of [`write_json`].
///
/// # Errors
/// When a map in the value has keys that are no texts.
pub fn json_to_text(value: &(impl Serialize + ?Sized)) -> io::Result<String> {
    let mut bytes = Vec::new();
    write_json(value, &mut bytes)?;
    String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// Lays out the compact JSON that is written to it.
struct Layout<W> {
    out: W,
    text: TextState,
    /// Lists and objects that stand open, each item on a line of its own.
    depth: usize,
    /// Whether the innermost of them has no item yet.
    opened: bool,
    /// The list or object that may still fit on one line.
    line: Option<Line>,
}

/// Where in or outside of a quoted text the next byte stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TextState {
    Outside,
    Inside,
    Escaped,
}

impl TextState {
    fn after(self, byte: u8) -> Self {
        match (self, byte) {
            (Self::Outside, b'"') | (Self::Escaped, _) => Self::Inside,
            (Self::Inside, b'\\') => Self::Escaped,
            (Self::Inside, b'"') => Self::Outside,
            (state, _) => state,
        }
    }
}

/// A list or object that is still open, as compact JSON and as one line.
#[derive(Default)]
struct Line {
    compact: Vec<u8>,
    spaced: Vec<u8>,
    depth: usize,
}

impl<W: Write> Layout<W> {
    fn new(out: W) -> Self {
        Self { out, text: TextState::Outside, depth: 0, opened: false, line: None }
    }

    fn byte(&mut self, byte: u8) -> io::Result<()> {
        let plain = self.text == TextState::Outside;
        self.text = self.text.after(byte);
        if let Some(line) = &mut self.line {
            line.compact.push(byte);
            line.spaced.push(byte);
            match byte {
                b',' | b':' if plain => line.spaced.push(b' '),
                b'[' | b'{' if plain => line.depth += 1,
                b']' | b'}' if plain => line.depth -= 1,
                _ => {}
            }
            return self.settle();
        }
        match byte {
            b'[' | b'{' if plain => {
                self.first_item()?;
                if self.depth >= INLINE_DEPTH {
                    self.line = Some(Line { compact: vec![byte], spaced: vec![byte], depth: 1 });
                    return Ok(());
                }
                self.open(byte)
            }
            b']' | b'}' if plain => {
                self.depth -= 1;
                if !std::mem::take(&mut self.opened) {
                    self.new_line()?;
                }
                self.out.write_all(&[byte])
            }
            b',' if plain => {
                self.out.write_all(b",")?;
                self.new_line()
            }
            b':' if plain => self.out.write_all(b": "),
            _ => {
                self.first_item()?;
                self.out.write_all(&[byte])
            }
        }
    }

    /// Writes the line when it is complete; starts it over, item by item, when it is too long.
    fn settle(&mut self) -> io::Result<()> {
        let Some(line) = self.line.take_if(|line| line.depth == 0 || line.spaced.len() > LINE) else {
            return Ok(());
        };
        if line.spaced.len() <= LINE {
            return self.out.write_all(&line.spaced);
        }
        self.open(line.compact[0])?;
        self.text = TextState::Outside;
        line.compact[1..].iter().try_for_each(|&byte| self.byte(byte))
    }

    fn open(&mut self, bracket: u8) -> io::Result<()> {
        self.depth += 1;
        self.opened = true;
        self.out.write_all(&[bracket])
    }

    /// The first item of a list or object begins a line, as every later one does.
    fn first_item(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.opened) { self.new_line() } else { Ok(()) }
    }

    fn new_line(&mut self) -> io::Result<()> {
        self.out.write_all(b"\n")?;
        (0..self.depth).try_for_each(|_| self.out.write_all(b"  "))
    }
}

impl<W: Write> Write for Layout<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        bytes.iter().try_for_each(|&byte| self.byte(byte))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn short_lists_stay_on_one_line_and_everything_parses_back() {
        let long: Vec<u32> = (0..60).collect();
        let value =
            json!({"a": [["x", "y"], ["z", "w"]], "b": {"c": 1.5, "d": [], "e": {}}, "f": [long], "g": []});
        let text = json_to_text(&value).unwrap();
        assert!(text.contains("\n    [\"x\", \"y\"],\n"));
        assert!(text.lines().all(|line| line.len() <= 2 * LINE));
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
    }

    #[test]
    fn the_layout_is_this_one() {
        let name = "[{\"\\,:".repeat(20);
        let value = json!({"empty": {}, "none": [], "deep": [{"a": 1, "b": [name]}, [[], {}]], "n": null});
        let quoted = Value::from(name).to_string();
        let expected = format!(
            "{{\n  \"empty\": {{}},\n  \"none\": [],\n  \"deep\": [\n    {{\n      \"a\": 1,\n      \"b\": [\n        \
             {quoted}\n      ]\n    }},\n    [[], {{}}]\n  ],\n  \"n\": null\n}}\n"
        );
        assert_eq!(json_to_text(&value).unwrap(), expected);
    }

    #[test]
    fn a_line_of_just_the_length_stays() {
        for (length, lines) in [(LINE - 4, 5), (LINE - 3, 7)] {
            let text = json_to_text(&json!({"a": [["x".repeat(length)]]})).unwrap();
            assert_eq!(text.lines().count(), lines, "{text}");
        }
    }
}
