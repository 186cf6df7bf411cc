//! Supports with their intervals as a chart: one line for each edge and each context element.

use crate::escape::xml;
use crate::metrics;
use crate::sentence::element_name;
use crate::wording::shown;
use cmnet::{Bootstrap, Frequency, Schema, Verdict};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// The most lines; the rest is counted.
const MOST_LINES: usize = 80;
const LINE: i32 = 20;
const TOP: i32 = 58;
const BOTTOM: i32 = 54;
const NAMES: i32 = 330;
const PLOT: i32 = 360;
const RIGHT: i32 = 110;
const FONT: i32 = 12;
/// Colours that remain distinct for colour-blind readers (Okabe and Ito).
const CONCLUSIVE: RGBColor = RGBColor(0, 114, 178);
const INCONCLUSIVE: RGBColor = RGBColor(213, 94, 0);
const ABSENT: RGBColor = RGBColor(110, 110, 110);
const GRID: RGBColor = RGBColor(221, 221, 221);
const INK: RGBColor = RGBColor(40, 40, 40);

type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// What a line shows.
struct Row {
    name: String,
    found: Frequency,
}

/// The supports of a bootstrap as one SVG element: edges first, then the context elements of the
/// consensus's edges, each by support. Dots are supports, lines their 95 % intervals.
pub fn support_chart(schema: &Schema, found: &Bootstrap) -> String {
    let (rows, left_out) = rows(schema, found);
    let size = ((NAMES + PLOT + RIGHT) as u32, (TOP + BOTTOM + LINE * rows.len() as i32) as u32);
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        // Writing to a text cannot fail.
        let _ = draw(&area, &rows, left_out, found).and_then(|()| area.present());
    }
    let svg = svg.replacen("<svg ", "<svg role=\"img\" ", 1);
    match svg.split_once(">\n") {
        Some((tag, rest)) => format!("{tag}>\n<title>{}</title>\n{rest}", xml(&title(found))),
        None => svg,
    }
}

fn title(found: &Bootstrap) -> String {
    format!("Support in {} replicates", found.finished)
}

/// The lines, and how many more there would be.
fn rows(schema: &Schema, found: &Bootstrap) -> (Vec<Row>, usize) {
    let name = |v| shown(schema.name(v));
    let mut edges: Vec<Row> = found
        .edges
        .iter()
        .map(|known| Row {
            name: format!("{} - {}", name(known.edge.low()), name(known.edge.high())),
            found: known.found,
        })
        .collect();
    let graph = found.consensus.graph();
    let mut elements: Vec<Row> = found
        .elements
        .iter()
        .filter(|known| graph.contains(known.edge))
        .map(|known| Row { name: shown(&element_name(schema, known.edge, &known.given)), found: known.found })
        .collect();
    for part in [&mut edges, &mut elements] {
        part.sort_by_key(|row| std::cmp::Reverse(row.found.count));
    }
    edges.extend(elements);
    let left_out = edges.len().saturating_sub(MOST_LINES);
    edges.truncate(MOST_LINES);
    (edges, left_out)
}

fn draw(area: &Area<'_>, rows: &[Row], left_out: usize, found: &Bootstrap) -> Drawn {
    area.fill(&WHITE)?;
    area.draw(&Text::new(title(found), (12, 22), words(16, HPos::Left)))?;
    legend(area, &words(FONT, HPos::Left))?;
    let bottom = TOP + LINE * rows.len() as i32;
    for (share, label) in [(0.0, "0"), (0.25, "0.25"), (0.5, "0.5"), (0.75, "0.75"), (1.0, "1")] {
        let x = across(share);
        area.draw(&PathElement::new(vec![(x, TOP - 4), (x, bottom)], GRID))?;
        area.draw(&Text::new(label, (x, bottom + 14), words(FONT, HPos::Center)))?;
    }
    for (place, row) in rows.iter().enumerate() {
        let y = TOP + LINE * place as i32 + LINE / 2;
        let color = color(row.found.verdict());
        let name = metrics::cut(&row.name, f64::from(FONT), f64::from(NAMES - 24));
        area.draw(&Text::new(name, (NAMES - 10, y), words(FONT, HPos::Right)))?;
        let [low, high] = row.found.interval().map(across);
        area.draw(&PathElement::new(vec![(low, y), (high, y)], color.stroke_width(2)))?;
        area.draw(&Circle::new((across(row.found.support()), y), 4, color.filled()))?;
    }
    let mut note = "dot: support; line: its 95 % interval by the number of replicates".to_owned();
    if left_out > 0 {
        note = format!("{note}; {left_out} more lines are in the answer");
    }
    area.draw(&Text::new(note, (12, bottom + 36), words(FONT, HPos::Left)))
}

fn words(size: i32, side: HPos) -> TextStyle<'static> {
    TextStyle::from(("sans-serif", size).into_font()).color(&INK).pos(Pos::new(side, VPos::Center))
}

/// What the colours mean.
fn legend(area: &Area<'_>, style: &TextStyle<'_>) -> Drawn {
    let verdicts = [Verdict::Conclusive, Verdict::Inconclusive, Verdict::Absent];
    for (place, verdict) in verdicts.into_iter().enumerate() {
        let x = NAMES + 6 + 120 * place as i32;
        area.draw(&Circle::new((x, 42), 4, color(verdict).filled()))?;
        area.draw(&Text::new(verdict.to_string(), (x + 10, 42), style.clone()))?;
    }
    Ok(())
}

fn color(verdict: Verdict) -> RGBColor {
    match verdict {
        Verdict::Conclusive => CONCLUSIVE,
        Verdict::Inconclusive => INCONCLUSIVE,
        Verdict::Absent => ABSENT,
    }
}

fn across(share: f64) -> i32 {
    NAMES + (share * f64::from(PLOT)).round() as i32
}
