//! Line and point charts as SVG: small, plain, the same bytes everywhere.

use std::fmt::Write;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 420.0;
/// Left, right, top and bottom of the plotting area.
const AREA: [f64; 4] = [80.0, 560.0, 48.0, 350.0];
/// Colours that remain distinct for colour-blind readers (Okabe and Ito).
const COLORS: [&str; 4] = ["#0072b2", "#d55e00", "#009e73", "#000000"];

/// One value, with its spread where it is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) spread: Option<f64>,
}

/// Values that belong together.
#[derive(Clone, Debug)]
pub(super) struct Series {
    pub(super) name: String,
    /// Place in the list of colours.
    pub(super) color: usize,
    /// Whether points are joined by a line.
    pub(super) joined: bool,
    /// Hollow and dashed: published values.
    pub(super) published: bool,
    pub(super) points: Vec<Point>,
}

/// A chart.
#[derive(Clone, Debug)]
pub(super) struct Chart {
    pub(super) title: String,
    pub(super) x_title: String,
    pub(super) y_title: String,
    /// Places on the horizontal axis and what stands under them.
    pub(super) ticks: Vec<(f64, String)>,
    pub(super) log_y: bool,
    pub(super) series: Vec<Series>,
}

impl Chart {
    /// The picture.
    pub(super) fn svg(&self) -> String {
        let frame = Frame::new(self);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
             viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"13\">\n\
             <title>{title}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n\
             <text x=\"{left}\" y=\"26\" font-size=\"16\">{title}</text>\n",
            title = escape(&self.title),
            left = AREA[0],
        );
        self.axes(&frame, &mut svg);
        for (place, series) in self.series.iter().enumerate() {
            draw(series, &frame, &mut svg);
            legend(series, place, &mut svg);
        }
        svg.push_str("</svg>\n");
        svg
    }

    fn axes(&self, frame: &Frame, svg: &mut String) {
        let [left, right, top, bottom] = AREA;
        for &value in &frame.y_ticks {
            let y = frame.y(value);
            let _ = writeln!(
                svg,
                "<line x1=\"{left}\" y1=\"{y:.1}\" x2=\"{right}\" y2=\"{y:.1}\" stroke=\"#dddddd\"/>\n\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                left - 8.0,
                y + 4.5,
                number(value)
            );
        }
        let slanted = self.ticks.iter().any(|(_, text)| text.len() > 9);
        for (value, text) in &self.ticks {
            let x = frame.x(*value);
            let place = if slanted {
                format!(
                    "text-anchor=\"end\" transform=\"translate({x:.1} {:.1}) rotate(-24)\"",
                    bottom + 16.0
                )
            } else {
                format!("text-anchor=\"middle\" x=\"{x:.1}\" y=\"{:.1}\"", bottom + 20.0)
            };
            let size = if slanted { 10 } else { 13 };
            let _ = writeln!(
                svg,
                "<line x1=\"{x:.1}\" y1=\"{bottom}\" x2=\"{x:.1}\" y2=\"{:.1}\" stroke=\"#555555\"/>\n\
                 <text font-size=\"{size}\" {place}>{}</text>",
                bottom + 5.0,
                escape(text)
            );
        }
        let middle = f64::midpoint(top, bottom);
        let _ = writeln!(
            svg,
            "<path d=\"M{left} {top}V{bottom}H{right}\" fill=\"none\" stroke=\"#555555\"/>\n\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n\
             <text transform=\"translate(18 {middle:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            f64::midpoint(left, right),
            HEIGHT - 12.0,
            escape(&self.x_title),
            escape(&self.y_title)
        );
    }
}

fn draw(series: &Series, frame: &Frame, svg: &mut String) {
    let color = COLORS[series.color % COLORS.len()];
    let dash = if series.published { " stroke-dasharray=\"5 4\"" } else { "" };
    if series.joined && series.points.len() > 1 {
        let mut path = String::new();
        for (place, point) in series.points.iter().enumerate() {
            let command = if place == 0 { 'M' } else { 'L' };
            let _ = write!(path, "{command}{:.1} {:.1}", frame.x(point.x), frame.y(point.y));
        }
        let _ =
            writeln!(svg, "<path d=\"{path}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"1.6\"{dash}/>");
    }
    for point in &series.points {
        let x = frame.x(point.x);
        if let Some(spread) = point.spread {
            let (low, high) = (frame.y(point.y - spread), frame.y(point.y + spread));
            let _ = writeln!(
                svg,
                "<line x1=\"{x:.1}\" y1=\"{low:.1}\" x2=\"{x:.1}\" y2=\"{high:.1}\" stroke=\"{color}\"/>"
            );
        }
        mark(svg, color, series.published, (x, frame.y(point.y)));
    }
}

fn mark(svg: &mut String, color: &str, hollow: bool, (x, y): (f64, f64)) {
    let fill = if hollow { "#ffffff" } else { color };
    let _ = writeln!(
        svg,
        "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{fill}\" stroke=\"{color}\" stroke-width=\"1.5\"/>"
    );
}

fn legend(series: &Series, place: usize, svg: &mut String) {
    let (x, y) = (AREA[1] + 18.0, AREA[2] + 14.0 + 20.0 * place as f64);
    mark(svg, COLORS[series.color % COLORS.len()], series.published, (x, y - 4.5));
    let _ = writeln!(svg, "<text x=\"{:.1}\" y=\"{y:.1}\">{}</text>", x + 12.0, escape(&series.name));
}

/// Where values stand in the plotting area.
struct Frame {
    x: (f64, f64),
    y: (f64, f64),
    log_y: bool,
    y_ticks: Vec<f64>,
}

impl Frame {
    fn new(chart: &Chart) -> Self {
        let points = || chart.series.iter().flat_map(|series| &series.points);
        let xs = points().map(|point| point.x).chain(chart.ticks.iter().map(|tick| tick.0));
        let (low, high) = range(xs);
        let pad = 0.05 * (high - low).max(1e-9);
        let ends = |point: &Point| {
            let spread = point.spread.unwrap_or(0.0);
            [point.y - spread, point.y + spread]
        };
        let (bottom, top) = range(points().flat_map(ends).filter(|&y| !chart.log_y || y > 0.0));
        let transform = |y: f64| if chart.log_y { libm::log10(y.max(1e-12)) } else { y };
        let (bottom, top) = (transform(bottom), transform(top));
        let margin = 0.06 * (top - bottom).max(1e-9);
        let y = (bottom - margin, top + margin);
        let y_ticks = if chart.log_y { decades(y) } else { steps(y) };
        Self { x: (low - pad, high + pad), y, log_y: chart.log_y, y_ticks }
    }

    fn x(&self, value: f64) -> f64 {
        AREA[0] + (value - self.x.0) / (self.x.1 - self.x.0) * (AREA[1] - AREA[0])
    }

    fn y(&self, value: f64) -> f64 {
        let value = if self.log_y { libm::log10(value.max(1e-12)) } else { value };
        let height = AREA[3] - AREA[2];
        (AREA[3] - (value - self.y.0) / (self.y.1 - self.y.0) * height).clamp(AREA[2], AREA[3])
    }
}

fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values
        .filter(|value| value.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    if low <= high { (low, high) } else { (0.0, 1.0) }
}

/// Round numbers in a range, about five of them.
fn steps((low, high): (f64, f64)) -> Vec<f64> {
    let rough = (high - low) / 5.0;
    let unit = libm::pow(10.0, libm::floor(libm::log10(rough)));
    let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * unit).into_iter().find(|&step| step >= rough);
    let step = step.unwrap_or(unit);
    let (first, last) = (libm::ceil(low / step) as i64, libm::floor(high / step) as i64);
    (first..=last).map(|multiple| multiple as f64 * step).collect()
}

/// 1, 2 and 5 times powers of ten in a range of logarithms.
fn decades((low, high): (f64, f64)) -> Vec<f64> {
    let powers = libm::floor(low) as i32..=libm::ceil(high) as i32;
    let values =
        powers.flat_map(|power| [1.0, 2.0, 5.0].map(|factor| factor * libm::pow(10.0, f64::from(power))));
    values.filter(|&value| (low..=high).contains(&libm::log10(value))).collect()
}

/// A number without the noise of its last binary digits.
fn number(value: f64) -> String {
    let text = format!("{value:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(
            steps((-4.42, -4.25)).iter().map(|&t| number(t)).collect::<Vec<_>>(),
            ["-4.4", "-4.35", "-4.3", "-4.25"]
        );
        assert_eq!(
            decades((-2.4, -1.2)).iter().map(|&t| number(t)).collect::<Vec<_>>(),
            ["0.005", "0.01", "0.02", "0.05"]
        );
        assert_eq!(number(0.0), "0");
    }

    #[test]
    fn a_chart_without_points_is_still_a_picture() {
        let chart = Chart {
            title: "a < b".to_owned(),
            x_title: String::new(),
            y_title: String::new(),
            ticks: Vec::new(),
            log_y: true,
            series: Vec::new(),
        };
        let svg = chart.svg();
        assert!(svg.contains("a &lt; b") && !svg.contains("NaN") && svg.ends_with("</svg>\n"));
    }
}
