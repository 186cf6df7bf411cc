//! Line and point charts as SVG, drawn by the crate `plotters`.

use crate::escape::xml;
use crate::metrics;
use plotters::coord::Shift;
use plotters::coord::cartesian::Cartesian2d;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::ops::Range;

const WIDTH: u32 = 720;
const HEIGHT: u32 = 420;
/// Where the legend begins.
const LEGEND: u32 = 566;
/// Colours that remain distinct for colour-blind readers (Okabe and Ito).
const COLORS: [RGBColor; 4] =
    [RGBColor(0, 114, 178), RGBColor(213, 94, 0), RGBColor(0, 158, 115), RGBColor(0, 0, 0)];
const GRID: RGBColor = RGBColor(221, 221, 221);
const AXIS: RGBColor = RGBColor(85, 85, 85);
/// A longer text under an axis is turned.
const LONGEST_LEVEL: usize = 9;

/// One value, with its spread where it is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChartPoint {
    /// The place on the horizontal axis.
    pub x: f64,
    /// The value.
    pub y: f64,
    /// How far it may be off, up and down.
    pub spread: Option<f64>,
}

/// Values that belong together.
#[derive(Clone, Debug, PartialEq)]
pub struct ChartSeries {
    /// What the legend calls them.
    pub name: String,
    /// Place in the list of colours.
    pub color: usize,
    /// Whether points are joined by a line.
    pub joined: bool,
    /// Hollow and dashed: values of others, or to compare with.
    pub hollow: bool,
    /// The values.
    pub points: Vec<ChartPoint>,
}

/// A chart.
///
/// # Example
/// ```
/// use cmnet_report::{Chart, ChartPoint, ChartSeries};
/// let point = |x: f64, y: f64| ChartPoint { x, y, spread: None };
/// let chart = Chart {
///     title: "Growth".to_owned(),
///     x_title: "year".to_owned(),
///     y_title: "height".to_owned(),
///     ticks: vec![(0.0, "first".to_owned()), (1.0, "second".to_owned())],
///     log_y: false,
///     series: vec![ChartSeries {
///         name: "tree".to_owned(),
///         color: 0,
///         joined: true,
///         hollow: false,
///         points: vec![point(0.0, 1.0), point(1.0, 1.8)],
///     }],
/// };
/// assert!(chart.svg().starts_with("<svg role=\"img\""));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// What it shows.
    pub title: String,
    /// What the horizontal axis is.
    pub x_title: String,
    /// What the vertical axis is.
    pub y_title: String,
    /// Places on the horizontal axis and what stands under them.
    pub ticks: Vec<(f64, String)>,
    /// Whether the vertical axis has logarithms.
    pub log_y: bool,
    /// The values.
    pub series: Vec<ChartSeries>,
}

type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Plot<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Axis, Axis>>;

impl Chart {
    /// The picture: one element, which refers to nothing outside.
    pub fn svg(&self) -> String {
        let mut svg = String::new();
        {
            let area = SVGBackend::with_string(&mut svg, (WIDTH, HEIGHT)).into_drawing_area();
            // Writing to a text cannot fail.
            let _ = self.draw(&area).and_then(|()| area.present());
        }
        let svg = svg.replacen("<svg ", "<svg role=\"img\" ", 1);
        match svg.split_once(">\n") {
            Some((tag, rest)) => format!("{tag}>\n<title>{}</title>\n{rest}", xml(&self.title)),
            None => svg,
        }
    }

    fn draw(&self, area: &Area<'_>) -> Drawn {
        area.fill(&WHITE)?;
        let (plot, legend) = area.split_horizontally(LEGEND);
        let turned = self.ticks.iter().any(|(_, text)| text.chars().count() > LONGEST_LEVEL);
        let frame = Frame::of(self);
        let mut chart = ChartBuilder::on(&plot)
            .caption(&self.title, ("sans-serif", 16))
            .margin(12)
            .x_label_area_size(if turned { 130 } else { 46 })
            .y_label_area_size(70)
            .build_cartesian_2d(
                Axis {
                    from: frame.x.0,
                    to: frame.x.1,
                    ticks: self.ticks.iter().map(|tick| tick.0).collect(),
                },
                Axis { from: frame.y.0, to: frame.y.1, ticks: frame.y_ticks.clone() },
            )?;
        let under = |x: &f64| {
            if turned {
                return String::new();
            }
            let near = |tick: &&(f64, String)| (tick.0 - x).abs() < 1e-9;
            self.ticks.iter().find(near).map_or(String::new(), |tick| tick.1.clone())
        };
        let beside = |y: &f64| number(if self.log_y { libm::pow(10.0, *y) } else { *y });
        chart
            .configure_mesh()
            .disable_x_mesh()
            .bold_line_style(GRID)
            .light_line_style(WHITE)
            .axis_style(AXIS)
            .x_label_style(("sans-serif", 13))
            .y_label_style(("sans-serif", 13))
            .x_label_formatter(&under)
            .y_label_formatter(&beside)
            .x_desc(&self.x_title)
            .y_desc(&self.y_title)
            .axis_desc_style(("sans-serif", 13))
            .draw()?;
        if turned {
            let bottom = |x: f64| chart.backend_coord(&(x, frame.y.0));
            self.turned_ticks(area, bottom)?;
        }
        self.values(&mut chart, &legend)
    }

    /// The values, and what the legend calls them.
    fn values(&self, chart: &mut Plot<'_, '_>, legend: &Area<'_>) -> Drawn {
        let place = |point: &ChartPoint| (point.x, self.height(point.y));
        for (row, series) in self.series.iter().enumerate() {
            let color = COLORS[series.color % COLORS.len()];
            if series.joined {
                let points: Vec<(f64, f64)> = series.points.iter().map(place).collect();
                if series.hollow {
                    chart.draw_series(DashedLineSeries::new(points, 5, 4, color.stroke_width(2)))?;
                } else {
                    chart.draw_series(LineSeries::new(points, color.stroke_width(2)))?;
                }
            }
            for point in &series.points {
                let spread = point.spread.unwrap_or(0.0);
                let ends = [-spread, spread].map(|by| (point.x, self.height(point.y + by)));
                chart.draw_series([PathElement::new(ends.to_vec(), color)])?;
                chart.draw_series(marks(place(point), color, series.hollow))?;
            }
            let at = (16, 52 + 20 * row as i32);
            marks(at, color, series.hollow).iter().try_for_each(|mark| legend.draw(mark))?;
            legend.draw(&Text::new(series.name.clone(), (at.0 + 12, at.1 - 7), ("sans-serif", 13)))?;
        }
        Ok(())
    }

    /// Long texts under the axis run downwards.
    fn turned_ticks(&self, area: &Area<'_>, bottom: impl Fn(f64) -> (i32, i32)) -> Drawn {
        let font = ("sans-serif", 11).into_font().transform(FontTransform::Rotate90);
        let style = TextStyle::from(font).pos(Pos::new(HPos::Left, VPos::Center));
        for (x, text) in &self.ticks {
            let (across, down) = bottom(*x);
            let text = metrics::cut(text, 11.0, 108.0);
            area.draw(&Text::new(text, (across, down + 9), style.clone()))?;
        }
        Ok(())
    }

    fn height(&self, y: f64) -> f64 {
        if self.log_y { libm::log10(y.max(1e-12)) } else { y }
    }
}

/// A dot, or a ring with a white ground.
fn marks<C>(at: C, color: RGBColor, hollow: bool) -> [Circle<C, i32>; 2]
where
    C: Copy,
{
    let ground = if hollow { WHITE } else { color };
    [Circle::new(at, 4, ground.filled()), Circle::new(at, 4, color.stroke_width(2))]
}

/// An axis with ticks of its own.
struct Axis {
    from: f64,
    to: f64,
    ticks: Vec<f64>,
}

impl Ranged for Axis {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let share = (value - self.from) / (self.to - self.from);
        limit.0 + (share * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if hint.weight().allow_light_points() { Vec::new() } else { self.ticks.clone() }
    }

    fn range(&self) -> Range<f64> {
        self.from..self.to
    }
}

/// Ranges of both axes, as drawn, with the ticks of the vertical one.
struct Frame {
    x: (f64, f64),
    y: (f64, f64),
    y_ticks: Vec<f64>,
}

impl Frame {
    fn of(chart: &Chart) -> Self {
        let points = || chart.series.iter().flat_map(|series| &series.points);
        let (low, high) = range(points().map(|point| point.x).chain(chart.ticks.iter().map(|tick| tick.0)));
        let pad = (0.05 * (high - low)).max(0.3);
        let ends = |point: &ChartPoint| {
            let spread = point.spread.unwrap_or(0.0);
            [point.y - spread, point.y + spread]
        };
        let values = points().flat_map(ends).filter(|&y| !chart.log_y || y > 0.0);
        let (bottom, top) = range(values.map(|y| chart.height(y)));
        let margin = (0.06 * (top - bottom)).max(1e-6 * top.abs().max(1e-3));
        let y = (bottom - margin, top + margin);
        let y_ticks = if chart.log_y {
            let (from, to) = (libm::pow(10.0, y.0), libm::pow(10.0, y.1));
            let coordinate: LogCoord<f64> = (from..to).log_scale().into();
            coordinate.key_points(7).into_iter().map(libm::log10).collect()
        } else {
            RangedCoordf64::from(y.0..y.1).key_points(7)
        };
        Self { x: (low - pad, high + pad), y, y_ticks }
    }
}

fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values
        .filter(|value| value.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    if low <= high { (low, high) } else { (0.0, 1.0) }
}

/// A number without the noise of its last binary digits.
fn number(value: f64) -> String {
    let text = format!("{value:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(log_y: bool, points: &[(f64, f64)]) -> Chart {
        let points = points.iter().map(|&(x, y)| ChartPoint { x, y, spread: Some(0.001) }).collect();
        let series = ChartSeries { name: "<one>".to_owned(), color: 5, joined: true, hollow: true, points };
        Chart {
            title: "a < b".to_owned(),
            x_title: "size".to_owned(),
            y_title: "share".to_owned(),
            ticks: vec![(1.0, "one".to_owned()), (2.0, "a longer text".to_owned())],
            log_y,
            series: vec![series],
        }
    }

    #[test]
    fn charts_are_pictures_of_their_own_whatever_their_values() {
        for points in [&[][..], &[(1.0, 0.5)], &[(1.0, 0.5), (2.0, 0.5)], &[(1.0, f64::NAN), (2.0, 3.0)]] {
            for log_y in [false, true] {
                let svg = chart(log_y, points).svg();
                assert!(svg.starts_with("<svg role=\"img\"") && svg.trim_end().ends_with("</svg>"), "{svg}");
                assert!(svg.contains("<title>a &lt; b</title>") && svg.contains("&lt;one&gt;"), "{svg}");
                assert!(!svg.contains("NaN") && !svg.contains("href") && !svg.contains("style="), "{svg}");
            }
        }
    }

    #[test]
    fn ticks_are_round() {
        let svg = chart(false, &[(1.0, -4.42), (2.0, -4.25)]).svg();
        assert!(svg.contains("-4.3\n") || svg.contains("-4.3<"), "{svg}");
        assert_eq!((number(0.0), number(-4.350_000_000_001)), ("0".to_owned(), "-4.35".to_owned()));
    }
}
