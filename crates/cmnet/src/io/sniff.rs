//! The delimiter: given by the user, or found in the first rows.

use crate::error::{Error, OptionName, Result};

/// What may separate fields unless the user says otherwise.
const CANDIDATES: [u8; 4] = [b',', b'\t', b';', b'|'];

/// Rows looked at.
const ROWS: usize = 100;

/// A delimiter as a user writes it: a character, `\t`, or one of the words `tab`, `comma`,
/// `semicolon`, `pipe`, `space`.
///
/// # Errors
/// When it is anything but a single ASCII character that can separate fields.
pub fn parse_delimiter(text: &str) -> Result<u8> {
    let delimiter = match text {
        "\\t" | "tab" => b'\t',
        "comma" => b',',
        "semicolon" => b';',
        "pipe" => b'|',
        "space" => b' ',
        _ => match *text.as_bytes() {
            [byte] => byte,
            _ => 0,
        },
    };
    check_delimiter(delimiter).map_err(|_| unusable(text))
}

/// Checks that a byte can separate fields.
pub(super) fn check_delimiter(delimiter: u8) -> Result<u8> {
    match delimiter {
        b'"' => Err(unusable("\"")),
        b'\t' | b' ' => Ok(delimiter),
        _ if delimiter.is_ascii_punctuation() => Ok(delimiter),
        _ => Err(unusable(&delimiter.escape_ascii().to_string())),
    }
}

fn unusable(text: &str) -> Error {
    let expected = "a single character such as , or ;, or one of tab, comma, semicolon, pipe, space";
    Error::option(OptionName::Delimiter, text, expected)
}

/// The delimiter of a text by its beginning: the candidate that cuts most of the first rows
/// into as many fields as the first line, and of those the one that gives most fields.
/// A comma, or a tab in a file named so, where nothing tells.
pub(super) fn sniff(name: &str, head: &[u8], is_whole: bool) -> u8 {
    let mut candidates = CANDIDATES;
    if [".tsv", ".tab", ".tsv.gz", ".tab.gz"].iter().any(|ending| name.ends_with(ending)) {
        candidates.swap(0, 1);
    }
    let mut best = (candidates[0], (0, 0));
    for delimiter in candidates {
        let fit = fit(delimiter, head, is_whole);
        if fit > best.1 {
            best = (delimiter, fit);
        }
    }
    best.0
}

/// How well a delimiter fits: the share of rows as long as the first one in thousandths, and
/// that length; nothing when it does not occur in the first line.
fn fit(delimiter: u8, head: &[u8], is_whole: bool) -> (usize, usize) {
    let mut reader =
        ::csv::ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(head);
    let mut lengths: Vec<usize> = reader
        .byte_records()
        .map_while(std::result::Result::ok)
        .map(|record| record.len())
        .take(ROWS + 1)
        .collect();
    if lengths.len() > 1 && (lengths.len() > ROWS || !is_whole) {
        // The last row may be cut off by the end of the head.
        lengths.pop();
    }
    match lengths.first() {
        Some(&first) if first > 1 => {
            let alike = lengths.iter().filter(|&&length| length == first).count();
            (alike * 1000 / lengths.len(), first)
        }
        _ => (0, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> char {
        char::from(sniff("x.csv", text.as_bytes(), true))
    }

    #[test]
    fn the_delimiter_is_what_cuts_all_rows_alike() {
        let tables = [
            (',', "a,b\n1,2\n"),
            ('\t', "a\tb\n1\t2\n"),
            (';', "a;b\n1,5;2\n1,5;2,5\n"),
            ('|', "a|b|c\n1|2,2|3\n"),
            (',', "\"a;b\",c\n\"x;y;z\",1\n"),
            (';', "a, b;c\n1;2\n3;4\n"),
            // A ragged table keeps its delimiter, so that the error is about the row.
            (',', "a,b\n1,2\n1,2,3\n4\n"),
        ];
        for (delimiter, text) in tables {
            assert_eq!(found(text), delimiter, "{text}");
        }
    }

    #[test]
    fn where_nothing_tells_the_name_does() {
        assert_eq!(found("a\n1\n"), ',');
        assert_eq!(sniff("x.tsv", b"a\n1\n", true), b'\t');
        assert_eq!(sniff("x.tsv", b"a,b\n1,2\n", true), b',');
        assert_eq!(sniff("x.tsv.gz", b"a,x\tb,y\n1,2\t3,4\n", true), b',');
    }

    #[test]
    fn delimiters_are_read_as_people_write_them() {
        for (text, byte) in [(",", b','), ("\t", b'\t'), ("\\t", b'\t'), ("tab", b'\t'), (" ", b' ')] {
            assert_eq!(parse_delimiter(text).unwrap(), byte);
        }
        for text in ["", "ab", "a", "\"", "\n", "é", "0"] {
            assert!(parse_delimiter(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_row_that_the_end_of_the_head_cuts_off_does_not_count() {
        assert_eq!(fit(b',', b"a,b\n1,2\n1", false), (1000, 2));
        assert_eq!(fit(b',', b"a,b\n1,2\n1", true), (666, 2));
        let long = "1,2\n".repeat(ROWS) + "1\n";
        assert_eq!(fit(b',', long.as_bytes(), true), (1000, 2));
    }
}
