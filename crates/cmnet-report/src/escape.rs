//! Text made safe for the formats it is written into.

/// Text of which each character is written by its own rule.
fn escaped(text: &str, write: impl Fn(&mut String, char)) -> String {
    let mut safe = String::with_capacity(text.len());
    text.chars().for_each(|c| write(&mut safe, c));
    safe
}

/// Text for the content of XML elements; not for attributes, which never hold a user's
/// text here. What XML 1.0 does not allow at all becomes the replacement character; line
/// ends survive as references.
pub(super) fn xml(text: &str) -> String {
    escaped(text, |safe, c| match c {
        '&' => safe.push_str("&amp;"),
        '<' => safe.push_str("&lt;"),
        '>' => safe.push_str("&gt;"),
        '\t' | '\n' => safe.push(c),
        '\r' => safe.push_str("&#13;"),
        '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => safe.push('\u{fffd}'),
        _ => safe.push(c),
    })
}

/// Text for a quoted Graphviz label, where backslashes and entities have meanings.
pub(super) fn dot(text: &str) -> String {
    escaped(text, |safe, c| match c {
        '\\' => safe.push_str("\\\\"),
        '"' => safe.push_str("\\\""),
        '&' => safe.push_str("&amp;"),
        '\n' => safe.push_str("\\n"),
        c if c.is_control() => safe.push(' '),
        c => safe.push(c),
    })
}

/// Text for LaTeX: specials as commands; what is not Latin through `\cmnetchar`,
/// which the document defines for engines that know Unicode and for those that do not.
pub(super) fn latex(text: &str) -> String {
    escaped(text, |safe, c| match c {
        '\\' => safe.push_str("\\textbackslash{}"),
        '~' => safe.push_str("\\textasciitilde{}"),
        '^' => safe.push_str("\\textasciicircum{}"),
        '<' => safe.push_str("\\textless{}"),
        '>' => safe.push_str("\\textgreater{}"),
        '|' => safe.push_str("\\textbar{}"),
        '"' => safe.push_str("\\textquotedbl{}"),
        '\'' => safe.push_str("\\textquotesingle{}"),
        '`' => safe.push_str("\\textasciigrave{}"),
        '-' => safe.push_str("{-}"),
        '[' | ']' | ',' => safe.extend(['{', c, '}']),
        '…' => safe.push_str("\\dots{}"),
        '≤' => safe.push_str("\\ensuremath{\\leq}"),
        '≥' => safe.push_str("\\ensuremath{\\geq}"),
        '≠' => safe.push_str("\\ensuremath{\\neq}"),
        '&' | '%' | '$' | '#' | '_' | '{' | '}' => safe.extend(['\\', c]),
        // The few between that its T1 fonts lack.
        'Ħ' | 'ħ' | 'ĸ' | 'Ŀ' | 'ŀ' | 'ŉ' | '\u{ad}' => safe.push_str(&by_number(c)),
        ' '..='~' | '¡'..='ž' => safe.push(c),
        c if c.is_control() => safe.push(' '),
        c => safe.push_str(&by_number(c)),
    })
}

fn by_number(c: char) -> String {
    format!("\\cmnetchar{{{:X}}}", u32::from(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_gets_its_own_escapes() {
        assert_eq!(xml("<a & \"b\">\u{1}\n"), "&lt;a &amp; \"b\"&gt;\u{fffd}\n");
        assert_eq!(dot("a\"\\N&lt;"), "a\\\"\\\\N&amp;lt;");
        assert_eq!(latex("a_b%{\\}"), "a\\_b\\%\\{\\textbackslash{}\\}");
        assert_eq!(latex("é日"), "é\\cmnetchar{65E5}");
    }
}
