//! The charts of the experiments, in which published values stand beside ours.

use cmnet_report::{ChartPoint, ChartSeries};

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
    /// The picture: published values are hollow and dashed.
    pub(super) fn svg(&self) -> String {
        let point = |point: &Point| ChartPoint { x: point.x, y: point.y, spread: point.spread };
        let series = |series: &Series| ChartSeries {
            name: series.name.clone(),
            color: series.color,
            joined: series.joined,
            hollow: series.published,
            points: series.points.iter().map(point).collect(),
        };
        cmnet_report::Chart {
            title: self.title.clone(),
            x_title: self.x_title.clone(),
            y_title: self.y_title.clone(),
            ticks: self.ticks.clone(),
            log_y: self.log_y,
            series: self.series.iter().map(series).collect(),
        }
        .svg()
    }
}
