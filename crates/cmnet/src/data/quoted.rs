//! Lists that people type: parts between marks, and in double quotes what contains a mark.

/// The parts of a text between marks that are not inside double quotes.
pub fn split(text: &str, mark: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((part, more)) = split_once(rest, mark) {
        parts.push(part);
        rest = more;
    }
    parts.push(rest);
    parts
}

/// The parts of a text before and after the first mark that is not inside double quotes.
pub fn split_once(text: &str, mark: char) -> Option<(&str, &str)> {
    let mut inside = false;
    let at = text.char_indices().find(|&(_, c)| {
        inside ^= c == '"';
        c == mark && !inside
    });
    at.map(|(at, _)| (&text[..at], &text[at + mark.len_utf8()..]))
}

/// A text without the blanks and quotes around it; quotes inside are doubled.
pub fn unquoted(text: &str) -> String {
    let text = text.trim();
    match text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
        Some(inside) => inside.replace("\"\"", "\""),
        None => text.to_owned(),
    }
}

/// The names in a list with commas between them.
///
/// ```
/// use cmnet::quoted_names;
/// assert_eq!(quoted_names(r#"a, "b,c",d"#), ["a", "b,c", "d"]);
/// ```
pub fn quoted_names(text: &str) -> Vec<String> {
    split(text, ',').into_iter().map(unquoted).collect()
}
