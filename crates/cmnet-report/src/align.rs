//! Texts in columns of a terminal, where some characters take two columns and some none.

use unicode_width::UnicodeWidthStr;

/// Columns that a text takes in a terminal.
pub fn columns(text: &str) -> usize {
    text.width()
}

/// A text with blanks after it, so many that it takes at least this many columns.
pub fn left(text: &str, width: usize) -> String {
    format!("{text}{:room$}", "", room = width.saturating_sub(columns(text)))
}

/// A number with six decimals, or in scientific notation where it would be a long row of digits.
pub fn decimal(value: f64) -> String {
    if value.abs() < 1e15 { format!("{value:.6}") } else { format!("{value:e}") }
}

/// A text with blanks before it, so many that it takes at least this many columns.
pub fn right(text: &str, width: usize) -> String {
    format!("{:room$}{text}", "", room = width.saturating_sub(columns(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_take_two_columns_and_marks_none() {
        assert_eq!(columns("日本e\u{301}"), 5);
        assert_eq!(columns("👩\u{200d}🔬"), 2);
        assert_eq!((left("日", 4), right("e\u{301}", 3)), ("日  ".to_owned(), "  e\u{301}".to_owned()));
        assert_eq!(left("longer", 3), "longer");
    }
}
