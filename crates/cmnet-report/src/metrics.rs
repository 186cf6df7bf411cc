//! How wide text is, without a font: the widths of Helvetica, rounded up for others.

use unicode_width::UnicodeWidthChar;

/// Widths of the printable ASCII characters from the space on, in thousandths of the size.
#[rustfmt::skip]
const ASCII: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
    333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];

/// Sans-serif fonts differ by a tenth; boxes have some room on top of this.
const ROOM: f64 = 1.05;

/// Characters that end in the line above where a long name is broken.
const BREAKS: [char; 8] = ['_', ' ', '-', '.', '/', ':', ',', ';'];

/// The width of a text at a font size, in pixels.
pub(super) fn width(text: &str, size: f64) -> f64 {
    let thousandths: u64 = text.chars().map(|c| u64::from(thousandths(c))).sum();
    thousandths as f64 * size * ROOM / 1000.0
}

fn thousandths(c: char) -> u16 {
    match c {
        ' '..='~' => ASCII[c as usize - ' ' as usize],
        _ if is_zero_width(c) => 0,
        _ if is_wide(c) => 1000,
        '\u{2190}'..='\u{2bff}' => 900,
        '\u{a0}'..='\u{24f}' => 600,
        _ => 680,
    }
}

/// Marks that sit on the character before them, joiners and variation selectors.
pub(super) fn is_zero_width(c: char) -> bool {
    c.width() == Some(0)
}

/// Characters of East Asian width, and emoji.
fn is_wide(c: char) -> bool {
    c.width() == Some(2)
}

/// The next even number: halves, and so centres and edges, stay on whole pixels.
pub(super) fn even(length: f64) -> f64 {
    (length / 2.0).ceil() * 2.0
}

/// The text, cut with an ellipsis where it is wider than allowed.
pub(super) fn cut(text: &str, size: f64, most: f64) -> String {
    if width(text, size) <= most {
        return text.to_owned();
    }
    let room = most - width("…", size);
    let mut kept = String::new();
    let mut used = 0.0;
    for c in text.chars() {
        used += f64::from(thousandths(c)) * size * ROOM / 1000.0;
        if used > room {
            break;
        }
        kept.push(c);
    }
    kept.truncate(kept.trim_end().len());
    kept + "…"
}

/// A text on as few lines as fit a width, at most so many, the lines about equally wide.
pub(super) fn broken(text: &str, size: f64, most: f64, lines: usize) -> Vec<String> {
    if width(text, size) <= most {
        return vec![text.to_owned()];
    }
    // The narrowest width at which the text still needs no more lines than at the widest.
    let wanted = filled(text, size, most).len().min(lines);
    let narrow = (1..=20)
        .map(|step| most * f64::from(step) / 20.0)
        .find(|&narrow| filled(text, size, narrow).len() <= wanted)
        .unwrap_or(most);
    let mut found = filled(text, size, narrow);
    if found.len() > lines {
        found = filled(text, size, most);
        let rest = found.split_off(lines - 1).concat();
        found.push(rest);
    }
    found.iter().map(|line| cut(line.trim(), size, most)).collect()
}

/// Lines filled up to a width, broken after a separator where there is one.
fn filled(text: &str, size: f64, most: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for piece in text.split_inclusive(BREAKS) {
        if !line.is_empty() && width(line.trim_end(), size) + width(piece.trim_end(), size) > most {
            lines.push(std::mem::take(&mut line));
        }
        line.push_str(piece);
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_break_after_underscores_into_lines_of_like_width() {
        assert_eq!(broken("smoking", 13.0, 110.0, 2), ["smoking"]);
        assert_eq!(broken("strenuous_mental_work", 13.0, 110.0, 2), ["strenuous_", "mental_work"]);
        assert_eq!(
            broken("other_household_member_working", 13.0, 110.0, 2),
            ["other_household_", "member_working"]
        );
    }

    #[test]
    fn text_that_does_not_fit_is_cut() {
        let name = "x".repeat(100_000);
        let lines = broken(&name, 13.0, 110.0, 2);
        assert!(lines.iter().all(|line| width(line, 13.0) <= 110.0 && line.ends_with('…')));
        assert_eq!(cut("short", 13.0, 100.0), "short");
    }

    #[test]
    fn wide_and_combining_characters_are_measured() {
        assert_eq!(crate::align::columns("日本e\u{301}"), 5);
        assert!(width("日本", 10.0) > width("ab", 10.0));
    }
}
