//! Quotes that end in the middle of a field: `"x"y`.
//!
//! The parser would read `xy` there, which nobody wrote. A quote inside a quoted field is doubled.

/// Where a byte of a table stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// At the beginning of a field.
    Start,
    /// In a field without quotes.
    Plain,
    /// Between the quotes of a field.
    Quoted,
    /// After a quote that ends the field, or is the first of a doubled one.
    Closing,
    /// After blanks behind the end of a quoted field.
    Closed,
}

/// Follows a table byte by byte, where it has quotes.
#[derive(Debug)]
pub(super) struct Quotes {
    delimiter: u8,
    state: State,
    line: u64,
}

impl Quotes {
    pub(super) fn new(delimiter: u8) -> Self {
        Self { delimiter, state: State::Start, line: 1 }
    }

    /// Follows the next part of the text.
    ///
    /// # Errors
    /// The line in which text follows the end of a quoted field.
    pub(super) fn follow(&mut self, bytes: &[u8]) -> Result<(), u64> {
        if matches!(self.state, State::Start | State::Plain) && !bytes.contains(&b'"') {
            self.line += bytes.iter().map(|&byte| u64::from(byte == b'\n')).sum::<u64>();
            if let Some(&last) = bytes.last() {
                self.state = if self.ends_field(last) { State::Start } else { State::Plain };
            }
            return Ok(());
        }
        for &byte in bytes {
            self.state = self.next(byte).ok_or(self.line)?;
            self.line += u64::from(byte == b'\n');
        }
        Ok(())
    }

    fn next(&self, byte: u8) -> Option<State> {
        Some(match (self.state, byte) {
            (State::Quoted, b'"') => State::Closing,
            (State::Start | State::Closing, b'"') | (State::Quoted, _) => State::Quoted,
            (_, byte) if self.ends_field(byte) => State::Start,
            (State::Start | State::Plain, _) => State::Plain,
            (State::Closing | State::Closed, byte) if byte.is_ascii_whitespace() => State::Closed,
            (State::Closing | State::Closed, _) => return None,
        })
    }

    fn ends_field(&self, byte: u8) -> bool {
        byte == self.delimiter || byte == b'\n'
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The line of the first fault, the same for any cut of the text.
    fn fault(text: &str) -> Option<u64> {
        let whole = Quotes::new(b',').follow(text.as_bytes()).err();
        for cut in 0..text.len() {
            let mut quotes = Quotes::new(b',');
            let (one, other) = text.as_bytes().split_at(cut);
            assert_eq!(
                quotes.follow(one).and_then(|()| quotes.follow(other)).err(),
                whole,
                "{text} at {cut}"
            );
        }
        whole
    }

    #[test]
    fn text_after_a_closing_quote_is_found_in_its_line() {
        assert_eq!(fault("a,b\n1,\"x\"y\n"), Some(2));
        assert_eq!(fault("\"p\nq\",\"x\" y\n"), Some(2));
        assert_eq!(fault("a\n\n\"x\" \"y\"\n"), Some(3));
        assert_eq!(fault("\"say \"hi\"\"\n"), Some(1));
    }

    #[test]
    fn quotes_as_they_should_be_are_passed() {
        for text in [
            "\"x\"",
            "\"x\" ,y",
            "\"a\"\"b\",c",
            "\"\",\"\"\"\"",
            "it\"s,b\"\n",
            " \"x\"y",
            "\"a\nb\"\t\n\"c\"",
        ] {
            assert_eq!(fault(text), None, "{text}");
        }
    }
}
