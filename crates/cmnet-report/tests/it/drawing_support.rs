//! Reading drawings back as XML.

use std::collections::BTreeMap;

/// An element of an XML document: its name and attributes.
pub(crate) struct Element {
    pub(crate) name: String,
    pub(crate) attributes: BTreeMap<String, String>,
}

impl Element {
    pub(crate) fn number(&self, attribute: &str) -> f64 {
        self.attributes[attribute].parse().unwrap()
    }

    /// Left, top, right and bottom of a rectangle.
    pub(crate) fn sides(&self) -> [f64; 4] {
        let (x, y) = (self.number("x"), self.number("y"));
        [x, y, x + self.number("width"), y + self.number("height")]
    }
}

/// Reads XML strictly enough to notice any text that got out of its place.
pub(crate) fn elements(xml: &str) -> Vec<Element> {
    let mut elements: Vec<Element> = Vec::new();
    let mut open: Vec<String> = Vec::new();
    let mut rest = xml;
    while let Some(start) = rest.find('<') {
        check_text(&rest[..start]);
        let end = start + rest[start..].find('>').unwrap();
        let tag = &rest[start + 1..end];
        rest = &rest[end + 1..];
        if tag.starts_with('?') {
            continue;
        }
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name));
            continue;
        }
        let body = tag.strip_suffix('/').unwrap_or(tag);
        let (name, attributes) = body.split_once(' ').unwrap_or((body, ""));
        assert!(name.chars().all(|c| c.is_ascii_alphanumeric()), "{name}");
        if !tag.ends_with('/') {
            open.push(name.to_owned());
        }
        elements.push(Element { name: name.to_owned(), attributes: pairs(attributes) });
    }
    assert!(open.is_empty() && rest.trim().is_empty());
    elements
}

fn pairs(mut attributes: &str) -> BTreeMap<String, String> {
    let mut pairs = BTreeMap::new();
    while !attributes.trim().is_empty() {
        let (name, rest) = attributes.trim_start().split_once("=\"").unwrap();
        let (value, rest) = rest.split_once('"').unwrap();
        check_text(value);
        assert!(pairs.insert(name.to_owned(), value.to_owned()).is_none(), "{name} twice");
        attributes = rest;
    }
    pairs
}

fn check_text(text: &str) {
    for (place, _) in text.match_indices('&') {
        let entity = text[place..].split_once(';').unwrap().0;
        assert!(matches!(entity, "&amp" | "&lt" | "&gt" | "&#13"), "{entity}");
    }
    let forbidden =
        |c: char| (c < ' ' && !matches!(c, '\t' | '\n')) || matches!(c, '>' | '\u{fffe}' | '\u{ffff}');
    assert!(!text.contains(forbidden), "{text:?}");
}
