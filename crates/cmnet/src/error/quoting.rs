//! Texts of the user's in messages: safe to print, and near misses.

/// A text of the user's, escaped and cut, in quotes: safe to print.
pub fn quoted(text: &str) -> String {
    const LONGEST: usize = 40;
    let mut cut: String = text.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    if text.chars().nth(LONGEST).is_some() {
        cut.push('…');
    }
    format!("\"{cut}\"")
}

/// Bytes of the user's that need not be UTF-8, escaped and cut, in quotes: safe to print.
pub fn quoted_bytes(bytes: &[u8]) -> String {
    const LONGEST: usize = 40;
    let mut pieces: Vec<String> = Vec::new();
    for chunk in bytes.utf8_chunks().take(LONGEST) {
        pieces.extend(chunk.valid().chars().take(LONGEST + 1).map(|c| c.escape_debug().to_string()));
        pieces.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    let rest = if pieces.len() > LONGEST { "…" } else { "" };
    pieces.truncate(LONGEST);
    format!("\"{}{rest}\"", pieces.concat())
}

/// The first few of a user's texts, each escaped and cut, and how many more there are.
pub fn quoted_list<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    const MOST: usize = 8;
    let mut texts = texts.into_iter();
    let mut first: Vec<String> = texts.by_ref().take(MOST).map(quoted).collect();
    let more = texts.count();
    if more > 0 {
        first.push(format!("and {more} more"));
    }
    first.join(", ")
}

/// The known name nearest to a mistyped one, if any is near.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = name.to_lowercase();
    // One letter of two is another name, not a slip.
    let limit = match wanted.chars().count() {
        0..=2 => 0,
        letters => (letters / 3).max(1),
    };
    known
        .into_iter()
        .map(|candidate| (strsim::levenshtein(&wanted, &candidate.to_lowercase()), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped_and_cut() {
        assert_eq!(quoted("a\tb"), "\"a\\tb\"");
        assert!(quoted(&"x".repeat(100)).chars().count() < 50);
    }

    #[test]
    fn bytes_are_escaped_and_cut() {
        assert_eq!(quoted_bytes(b"caf\xe9\n"), "\"caf\\xe9\\n\"");
        assert_eq!(quoted_bytes("né".as_bytes()), "\"né\"");
        assert!(quoted_bytes(&[0xff; 1000]).len() < 200);
    }

    #[test]
    fn lists_say_how_many_more() {
        assert_eq!(quoted_list(["a", "b"]), "\"a\", \"b\"");
        assert!(quoted_list(["a"; 10]).ends_with("and 2 more"));
    }

    #[test]
    fn near_names_are_suggested() {
        assert_eq!(nearest("smokng", ["smoking", "sex"]), Some("smoking"));
        assert_eq!(nearest("zzz", ["smoking", "sex"]), None);
        assert_eq!(nearest("2", ["0", "1"]), None);
        assert_eq!(nearest("no", ["yes", "No"]), Some("No"));
    }
}
