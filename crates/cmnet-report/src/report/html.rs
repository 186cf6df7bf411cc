//! A page without script, put together from texts: whatever they hold, they stay texts.

use crate::escape::xml;
use crate::policy::digest;
use crate::wording::shown_words;
use std::fmt::Write;

const STYLE: &str = include_str!("../../page/report.css");

/// A page that grows.
pub(super) struct Page {
    text: String,
}

impl Page {
    pub(super) fn new(title: &str) -> Self {
        let title = xml(&shown_words(title));
        let policy = format!(
            "default-src 'none'; style-src {}; img-src data:; base-uri 'none'; form-action 'none'",
            digest(STYLE)
        );
        Self {
            text: format!(
                "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
                 <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
                 <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
                 <title>{title}</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>{STYLE}</style>\n</head>\n\
                 <body>\n<main>\n<h1>{title}</h1>\n"
            ),
        }
    }

    pub(super) fn heading(&mut self, text: &str) {
        let _ = writeln!(self.text, "<h2>{}</h2>", xml(text));
    }

    pub(super) fn paragraph(&mut self, text: &str) {
        let _ = writeln!(self.text, "<p>{}</p>", xml(text));
    }

    pub(super) fn warning(&mut self, text: &str) {
        let _ = writeln!(self.text, "<p class=\"warning\"><strong>Warning:</strong> {}</p>", xml(text));
    }

    pub(super) fn code(&mut self, text: &str) {
        let _ = writeln!(self.text, "<pre><code>{}</code></pre>", xml(text));
    }

    /// A picture of our own making, with what it shows in words. A policy without inline styles takes
    /// none of its attributes.
    pub(super) fn figure(&mut self, svg: &str, caption: &str) {
        let plain = match svg.split_once(" style=\"") {
            Some((before, after)) if !before.contains('>') => match after.split_once('"') {
                Some((_, rest)) => format!("{before}{rest}"),
                None => svg.to_owned(),
            },
            _ => svg.to_owned(),
        };
        let _ = writeln!(
            self.text,
            "<figure>{}<figcaption>{}</figcaption></figure>",
            plain.trim_end(),
            xml(caption)
        );
    }

    /// A table. Columns of numbers stand to the right.
    pub(super) fn table(&mut self, caption: &str, columns: &[&str], rows: &[Vec<String>]) {
        let is_number = |place: usize| {
            place > 0 && rows.iter().all(|row| row.get(place).is_none_or(|cell| number_alone(cell)))
        };
        let classes: Vec<&str> =
            (0..columns.len()).map(|place| if is_number(place) { " class=\"number\"" } else { "" }).collect();
        let name = |(name, class): (&&str, &&str)| format!("<th scope=\"col\"{class}>{}</th>", xml(name));
        let names: String = columns.iter().zip(&classes).map(name).collect();
        let _ = writeln!(
            self.text,
            "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\"><table>\n<caption>{0}</caption>\n\
             <thead><tr>{names}</tr></thead>\n<tbody>",
            xml(caption)
        );
        for row in rows {
            let cell = |(place, (text, class)): (usize, (&String, &&str))| match place {
                0 => format!("<th scope=\"row\">{}</th>", xml(text)),
                _ => format!("<td{class}>{}</td>", xml(text)),
            };
            let cells: String = row.iter().zip(&classes).enumerate().map(cell).collect();
            let _ = writeln!(self.text, "<tr>{cells}</tr>");
        }
        self.text.push_str("</tbody></table></div>\n");
    }

    /// Names and what they stand for.
    pub(super) fn facts(&mut self, facts: &[(String, String)]) {
        self.text.push_str("<dl>\n");
        for (name, value) in facts {
            let _ = writeln!(self.text, "<div><dt>{}</dt><dd>{}</dd></div>", xml(name), xml(value));
        }
        self.text.push_str("</dl>\n");
    }

    pub(super) fn finish(mut self) -> String {
        self.text.push_str("</main>\n</body>\n</html>\n");
        self.text
    }
}

/// Whether a cell holds a number, a share or a dash, with nothing else.
fn number_alone(cell: &str) -> bool {
    cell.chars().all(|c| c.is_ascii_digit() || ".-–% *".contains(c))
}

/// A number with so many decimals; a dash where there is none.
pub(super) fn fixed(number: Option<f64>, decimals: usize) -> String {
    number
        .filter(|number| number.is_finite())
        .map_or("–".to_owned(), |number| format!("{number:.decimals$}"))
}

/// A share as a percentage.
pub(super) fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}
