//! Standard output that is a terminal: what would steer it is shown. Files and pipes get everything as it is.

use crate::output::steers;
use std::fmt::Write as _;
use std::io::{self, Write};

/// What is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Rows: ends of lines within quotes belong to a name or a label.
    Csv,
    /// A document, whose own escapes serve.
    Json,
    /// A picture or a page.
    Text,
}

/// A writer that shows characters that steer.
pub(crate) struct Terminal<W> {
    out: W,
    form: Form,
    /// Whether a quote of a field is open.
    quoted: bool,
    /// The bytes of a character that is not whole yet.
    begun: Vec<u8>,
}

impl<W: Write> Terminal<W> {
    pub(crate) fn new(out: W, form: Form) -> Self {
        Self { out, form, quoted: false, begun: Vec::new() }
    }

    fn show(&mut self, text: &str) -> io::Result<()> {
        let mut shown = String::with_capacity(text.len());
        for character in text.chars() {
            self.quoted ^= self.form == Form::Csv && character == '"';
            let plain = matches!(character, '\n' | '\t') && !self.quoted;
            if plain || !steers(character) {
                shown.push(character);
            } else if self.form == Form::Json {
                // JSON's own word for a character that is none of its marks; all of them have four digits.
                let _ = write!(shown, "\\u{:04x}", u32::from(character));
            } else {
                shown.extend(character.escape_default());
            }
        }
        self.out.write_all(shown.as_bytes())
    }
}

impl<W: Write> Write for Terminal<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut all = std::mem::take(&mut self.begun);
        all.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&all) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => all.len(),
        };
        self.begun = all.split_off(whole);
        self.show(&String::from_utf8_lossy(&all))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

    use super::*;

    fn shown(form: Form, text: &str) -> String {
        let mut out = Vec::new();
        let mut terminal = Terminal::new(&mut out, form);
        // Byte by byte: characters come in pieces.
        for byte in text.as_bytes() {
            terminal.write_all(&[*byte]).unwrap();
        }
        terminal.flush().unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn what_would_steer_a_terminal_is_shown_in_every_form() {
        let csv = "a\u{1b}[2J,\"b\nc\",\u{e9}\u{202e}\n1,\"\"\"\r\"\t\n";
        let safe = "a\\u{1b}[2J,\"b\\nc\",\u{e9}\\u{202e}\n1,\"\"\"\\r\"\t\n";
        assert_eq!(shown(Form::Csv, csv), safe);
        let json = "{\n  \"a\u{202e}\": \"\u{9b}\u{e9}\"\n}\n";
        assert_eq!(shown(Form::Json, json), "{\n  \"a\\u202e\": \"\\u009b\u{e9}\"\n}\n");
        assert_eq!(shown(Form::Text, "\"a\nb\u{7}\u{2066}\""), "\"a\nb\\u{7}\\u{2066}\"");
    }
}
