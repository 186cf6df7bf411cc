//! A picture as SVG: one self-contained element, to be opened or put into a page.
//!
//! It has its own white ground, refers to nothing outside, holds no script, no style sheet
//! and no identifiers, and says in words what it shows. Classes start with `cmnet-`. Its size
//! stands in attributes only: a height in the style is read as 0 by converters such as CairoSVG.

use super::dash::{self, DASH, GAP};
use super::draft::{NAME_FONT, NAME_LINE, Node};
use super::escape::xml;
use super::label;
use super::layout::{Frame, Path};
use super::legend;
use super::scene::{Caption, Line, SAMPLE, Scene, TITLE_FONT};
use super::wording::shown_words;
use super::{Drawing, LabelStyle};
use std::fmt::Display;

const INK: &str = "#1b2430";
const MUTED: &str = "#5b6675";
const NODE_FILL: &str = "#eceff3";
const NODE_EDGE: &str = "#55606e";
const LINE_PLAIN: &str = "#707b88";
const LINE_CONTEXT: &str = "#c2410c";
const LABEL_INK: &str = "#9a3412";

/// Draws a structure.
pub fn render(drawing: &Drawing<'_>) -> String {
    let scene = Scene::new(drawing);
    let (width, height) = (scene.size.width, scene.size.height);
    let title = drawing.title().unwrap_or("Contextual Markov network");
    let mut lines = vec![
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"cmnet-drawing\" role=\"img\" \
             width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             font-family=\"Helvetica, Arial, sans-serif\" font-size=\"{NAME_FONT}\" \
             style=\"max-width:100%;direction:ltr;letter-spacing:normal;word-spacing:normal\">"
        ),
        format!("<title>{}</title>", xml(&shown_words(title))),
        format!("<desc>{}</desc>", xml(&scene.about)),
        format!("<rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"#fff\"/>"),
    ];
    let style = format!("font-size=\"{TITLE_FONT}\" font-weight=\"bold\" fill=\"{INK}\"");
    lines.extend(captions(&scene.title, &style));
    // A label hides no line: what another line runs through lies under the lines.
    lines.extend(edge_labels(&scene, |line| line.crossed));
    lines.push(format!("<g fill=\"none\" stroke=\"{LINE_PLAIN}\" stroke-width=\"1.5\">"));
    lines.extend(scene.lines.iter().map(|line| edge(&scene, line)));
    lines.push("</g>".to_owned());
    lines.extend(edge_labels(&scene, |line| !line.crossed));
    lines.push(format!("<g text-anchor=\"middle\" fill=\"{INK}\">"));
    lines.extend(scene.nodes.iter().map(node));
    lines.push("</g>".to_owned());
    lines.extend(scene.sample.map(|from| {
        format!(
            "<path fill=\"none\" stroke=\"{LINE_CONTEXT}\" stroke-width=\"1.5\" \
             stroke-dasharray=\"{DASH} {GAP}\" d=\"M{} {}h{SAMPLE}\"/>",
            number(from.x),
            number(from.y)
        )
    }));
    lines.extend(captions(&scene.legend, &format!("font-size=\"{}\" fill=\"{MUTED}\"", legend::FONT)));
    lines.push("</svg>\n".to_owned());
    lines.join("\n")
}

/// Room between panels, and for the title and the note.
const PANEL_GAP: f64 = 12.0;
const PANEL_TOP: f64 = 44.0;
const PANEL_BOTTOM: f64 = 34.0;

/// Several pictures that this program drew in one: row by row, each in its own corner, all columns
/// as wide as the widest.
///
/// # Example
/// ```
/// use cmnet_report::svg::panels;
/// let small = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"40\" height=\"30\">\n</svg>\n".to_owned();
/// let both = panels("Two", "the same twice", &[small.clone(), small], 2);
/// assert_eq!(both.matches("<svg ").count(), 3);
/// assert!(both.starts_with("<svg ") && both.ends_with("</svg>\n"));
/// ```
pub fn panels(title: &str, note: &str, pictures: &[String], columns: usize) -> String {
    let sizes: Vec<(f64, f64)> =
        pictures.iter().map(|picture| (attribute(picture, "width"), attribute(picture, "height"))).collect();
    let column = sizes.iter().map(|size| size.0).fold(0.0, f64::max) + PANEL_GAP;
    let columns = columns.clamp(1, pictures.len().max(1));
    let mut body = String::new();
    let mut top = PANEL_TOP;
    for (row, heights) in pictures.chunks(columns).zip(sizes.chunks(columns)) {
        for (place, picture) in row.iter().enumerate() {
            let (left, down) = (number(PANEL_GAP + place as f64 * column), number(top));
            body += &picture.replacen("<svg ", &format!("<svg x=\"{left}\" y=\"{down}\" "), 1);
        }
        top += heights.iter().map(|size| size.1).fold(0.0, f64::max) + PANEL_GAP;
    }
    let (width, height) = (number(PANEL_GAP + columns as f64 * column), number(top + PANEL_BOTTOM));
    let (title, note) = (xml(&shown_words(title)), xml(&shown_words(note)));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"Helvetica, Arial, sans-serif\">\n\
         <title>{title}</title>\n<rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n\
         <text x=\"{PANEL_GAP}\" y=\"28\" font-size=\"18\" font-weight=\"bold\" fill=\"{INK}\">{title}</text>\n\
         {body}<text x=\"{PANEL_GAP}\" y=\"{}\" font-size=\"13\" fill=\"{MUTED}\">{note}</text>\n</svg>\n",
        number(top + PANEL_BOTTOM - 14.0)
    )
}

/// A number among the attributes of a picture's first element.
fn attribute(picture: &str, name: &str) -> f64 {
    let head = picture.split('>').next().unwrap_or_default();
    let value = head.split(&format!(" {name}=\"")).nth(1).and_then(|rest| rest.split('"').next());
    value.and_then(|value| value.parse().ok()).unwrap_or(0.0)
}

/// Lines of text in a style of their own.
fn captions(captions: &[Caption], style: &str) -> Vec<String> {
    if captions.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![format!("<g {style}>")];
    lines.extend(
        captions.iter().map(|caption| text(number(caption.at.x), number(caption.at.y), &xml(&caption.text))),
    );
    lines.push("</g>".to_owned());
    lines
}

fn text(x: impl Display, y: impl Display, content: &str) -> String {
    format!("<text x=\"{x}\" y=\"{y}\">{content}</text>")
}

fn edge(scene: &Scene, line: &Line) -> String {
    let context = match &line.label {
        Some((label, _)) => {
            let ends = [line.ends.0, line.ends.1].map(|end| scene.nodes[end].frame);
            let dashes: Vec<String> =
                dash::pattern(&line.path, *label, ends).into_iter().map(number).collect();
            format!(" stroke=\"{LINE_CONTEXT}\" stroke-dasharray=\"{}\"", dashes.join(" "))
        }
        None => String::new(),
    };
    let width = line.width.map_or(String::new(), |width| format!(" stroke-width=\"{}\"", number(width)));
    let opacity = line.opacity.map_or(String::new(), |opacity| format!(" stroke-opacity=\"{opacity}\""));
    format!(
        "<path class=\"cmnet-edge\"{context}{width}{opacity} d=\"{}\"><title>{}</title></path>",
        path(&line.path),
        xml(&line.about)
    )
}

fn path(path: &Path) -> String {
    let (from, to) = (path.from, path.to);
    let (x, y) = (number(from.x), number(from.y));
    match path.control {
        None => format!("M{x} {y}L{} {}", number(to.x), number(to.y)),
        Some(control) => {
            format!("M{x} {y}Q{} {} {} {}", number(control.x), number(control.y), number(to.x), number(to.y))
        }
    }
}

fn edge_labels(scene: &Scene, chosen: fn(&Line) -> bool) -> Vec<String> {
    if scene.lines.iter().all(|line| !chosen(line) || line.label.is_none()) {
        return Vec::new();
    }
    let codes = scene.style == LabelStyle::Codes;
    let font = if codes { " font-family=\"monospace\" font-weight=\"bold\"" } else { "" };
    let size = label::FONT;
    let mut groups =
        vec![format!("<g text-anchor=\"middle\" font-size=\"{size}\"{font} fill=\"{LABEL_INK}\">")];
    for line in scene.lines.iter().filter(|line| chosen(line)) {
        let Some((frame, lines)) = &line.label else { continue };
        let ground = if line.sign {
            rect(*frame, 8.0, &format!("fill=\"#fff\" stroke=\"{LINE_CONTEXT}\" stroke-width=\"1\""))
        } else {
            rect(*frame, 4.0, "fill=\"#fff\" fill-opacity=\"0.92\"")
        };
        let texts: Vec<String> = lines
            .iter()
            .enumerate()
            .map(|(place, words)| {
                // Columns of codes keep their spaces.
                let words = if codes { words.replace(' ', "\u{a0}") } else { words.clone() };
                let y = base_line(*frame, place, lines.len(), (label::LINE, size));
                text(number(frame.center.x), y, &xml(&words))
            })
            .collect();
        let about = xml(&line.about);
        groups.push(format!("<g class=\"cmnet-label\"><title>{about}</title>{ground}{}</g>", texts.concat()));
    }
    groups.push("</g>".to_owned());
    groups
}

fn node(shape: &Node) -> String {
    let frame = shape.frame;
    let radius = if shape.lines.len() == 1 { frame.half.y } else { 15.0 };
    let style = format!("fill=\"{NODE_FILL}\" stroke=\"{NODE_EDGE}\" stroke-width=\"1.2\"");
    let line = |(place, words): (usize, &String)| {
        let prefix = shape
            .number
            .filter(|_| place == 0)
            .map(|number| format!("<tspan fill=\"{MUTED}\" font-size=\"11\">{number}</tspan> "));
        let y = base_line(frame, place, shape.lines.len(), (NAME_LINE, NAME_FONT));
        text(number(frame.center.x), y, &(prefix.unwrap_or_default() + &xml(words)))
    };
    let texts: Vec<String> = shape.lines.iter().enumerate().map(line).collect();
    let (about, ground) = (xml(&shape.about), rect(frame, radius, &style));
    format!("<g class=\"cmnet-node\"><title>{about}</title>{ground}{}</g>", texts.concat())
}

fn rect(frame: Frame, radius: f64, style: &str) -> String {
    let corner = frame.center.minus(frame.half);
    format!(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\" {style}/>",
        number(corner.x),
        number(corner.y),
        number(2.0 * frame.half.x),
        number(2.0 * frame.half.y),
        number(radius)
    )
}

/// The base line of one of several lines in a box, given the lines' height and font size.
fn base_line(frame: Frame, place: usize, lines: usize, (line, font): (f64, f64)) -> String {
    let first = frame.center.y - (lines as f64 - 1.0) * line / 2.0;
    number(first + place as f64 * line + 0.35 * font)
}

/// A coordinate with one decimal at most.
fn number(value: f64) -> String {
    let tenths = (value * 10.0).round() / 10.0;
    // Adding zero turns -0 into 0.
    format!("{}", tenths + 0.0)
}
