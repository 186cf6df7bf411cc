//! Structures as pictures and as text (paper, Figures 1, 2 and 5).
//!
//! Drawings, sentences and answers are pure functions to text: nothing is printed or written, and
//! the same structure gives the same bytes on every platform. No clock is read.
//!
//! # Example
//! ```
//! use cmnet::{Schema, Variable};
//! use cmnet_report::{Drawing, Format, svg};
//! use cmnet::{Edge, Structure};
//! let variable = |name: &str| Variable {
//!     name: name.to_owned(),
//!     levels: vec!["no".to_owned(), "yes".to_owned()],
//! };
//! let schema = Schema::new(vec![variable("rain"), variable("sprinkler")])?;
//! let mut structure = Structure::empty(&schema.cardinalities());
//! structure.toggle_edge(Edge::new(0, 1)?)?;
//! let drawing = Drawing::new(&schema, &structure)?.with_title("Lawn");
//! assert!(svg::render(&drawing).starts_with("<svg "));
//! assert_eq!(Format::from_path("lawn.dot".as_ref())?, Format::Dot);
//! # Ok::<(), cmnet::Error>(())
//! ```

pub mod align;
pub mod answer;
mod chart;
mod cutting;
mod dash;
pub mod dot;
mod draft;
mod escape;
mod explore;
pub mod graphml;
mod group_panels;
mod label;
mod layout;
mod legend;
mod long_run;
mod metrics;
mod places;
mod policy;
mod proof;
mod report;
mod scene;
mod sentence;
mod support;
mod support_chart;
pub mod svg;
pub mod text;
pub mod tikz;
mod together;
mod warning;
mod wording;

pub use chart::{Chart, ChartPoint, ChartSeries};
pub use cutting::cut_text;
pub use explore::{ExplorePage, Explorer, PageAnswers};
pub use group_panels::group_panels;
pub use long_run::LongRun;
pub use places::Places;
pub use proof::Proof;
pub use report::Report;
pub use sentence::{element_name, sentence};
pub use support_chart::support_chart;
pub use together::Together;
pub use warning::warning_text;
pub use wording::many;

use cmnet::{Edge, EdgeStrength, Error, Result, Schema, Spread, Structure, Support};
use layout::Point;
use std::collections::BTreeMap;
use std::path::Path;

/// How contexts are written on edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum LabelStyle {
    /// Names on the edges, or numbers on the edges and names in a list below where names do not fit;
    /// codes where variables and levels are numbers, as in the paper.
    #[default]
    Auto,
    /// The paper's notation: rows of level codes and stars, with a legend.
    Codes,
    /// Names and levels in full: `lipoprotein_ratio >=3`.
    Names,
}

/// A structure to be drawn, with the names to draw it with.
#[derive(Clone, Debug)]
pub struct Drawing<'a> {
    schema: &'a Schema,
    structure: &'a Structure,
    title: Option<String>,
    labels: LabelStyle,
    places: Option<Vec<Point>>,
    strengths: BTreeMap<Edge, f64>,
    support: BTreeMap<Edge, f64>,
    reading: bool,
}

impl<'a> Drawing<'a> {
    /// A drawing without title, labels as they fit.
    ///
    /// # Errors
    /// When schema and structure differ in the number of variables or levels.
    pub fn new(schema: &'a Schema, structure: &'a Structure) -> Result<Self> {
        let (named, drawn) = (schema.cardinalities(), structure.cardinalities());
        if named != drawn {
            let problem = match named.iter().zip(drawn).position(|(one, other)| one != other) {
                Some(variable) if named.len() == drawn.len() => format!(
                    "variable {} has {} levels in the schema and {} in the structure",
                    cmnet::quoted(schema.name(variable)),
                    named[variable],
                    drawn[variable]
                ),
                _ => format!(
                    "the schema has {} variables, the structure {}",
                    schema.len(),
                    structure.variables()
                ),
            };
            return Err(Error::mismatch(
                problem,
                "draw a structure with the schema that it was learned with",
            ));
        }
        Ok(Self {
            schema,
            structure,
            title: None,
            labels: LabelStyle::Auto,
            places: None,
            strengths: BTreeMap::new(),
            support: BTreeMap::new(),
            reading: true,
        })
    }

    /// The same drawing without the sentence that says how to read its labels: one of several beside each
    /// other. What signs on edges stand for is still listed.
    #[must_use]
    pub fn without_reading(mut self) -> Self {
        self.reading = false;
        self
    }

    /// The same drawing with a title.
    #[must_use]
    pub fn with_title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// The same drawing with another style of labels.
    #[must_use]
    pub fn with_labels(mut self, labels: LabelStyle) -> Self {
        self.labels = labels;
        self
    }

    /// The same drawing with its variables on given places, so that two can be compared by eye.
    ///
    /// # Errors
    /// When a variable has no place.
    pub fn with_places(mut self, places: &Places) -> Result<Self> {
        self.places = Some(places.places(self.schema)?);
        Ok(self)
    }

    /// The same drawing with wider lines for stronger edges; edges without a number are thin.
    #[must_use]
    pub fn with_strengths(mut self, strengths: &[EdgeStrength]) -> Self {
        let known = |strength: &EdgeStrength| Some((strength.edge, strength.information?));
        self.strengths = strengths.iter().filter_map(known).collect();
        self
    }

    /// The same drawing with wider lines for edges that are stronger in the mean of an ensemble's networks.
    #[must_use]
    pub fn with_means(mut self, strengths: &BTreeMap<Edge, Option<Spread>>) -> Self {
        let known = |(&edge, spread): (&Edge, &Option<Spread>)| Some((edge, spread.as_ref()?.mean));
        self.strengths = strengths.iter().filter_map(known).collect();
        self
    }

    /// The same drawing with fainter lines for edges that fewer resamples have.
    #[must_use]
    pub fn with_support(mut self, support: &Support) -> Self {
        let share = |(&edge, &count): (&Edge, &u64)| (edge, count as f64 / support.replicates as f64);
        self.support = support.edges.iter().map(share).collect();
        self
    }

    /// How opaque an edge is drawn, where that says something: never so faint that it is lost.
    fn opacity(&self, edge: Edge) -> Option<f64> {
        self.support.get(&edge).map(|support| (100.0 * (0.2 + 0.8 * support)).round() / 100.0)
    }

    /// How wide an edge is drawn, where that says something.
    fn width(&self, edge: Edge) -> Option<f64> {
        // As in the page of `cmnet explore`: the widest from 0.35 nats on.
        let wide = |nats: f64| 1.0 + 6.0 * (nats.max(0.0) / 0.35).min(1.0).sqrt();
        let known = !self.strengths.is_empty();
        known.then(|| (10.0 * wide(self.strengths.get(&edge).copied().unwrap_or(0.0))).round() / 10.0)
    }

    /// The names and levels.
    pub fn schema(&self) -> &'a Schema {
        self.schema
    }

    /// The structure.
    pub fn structure(&self) -> &'a Structure {
        self.structure
    }

    /// The title, if there is one.
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// The style of labels.
    pub fn labels(&self) -> LabelStyle {
        self.labels
    }
}

/// The formats that a drawing can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// A picture for pages and papers.
    Svg,
    /// Graphviz.
    Dot,
    /// A LaTeX document with a TikZ picture.
    Tikz,
    /// An exchange format of graph programs.
    GraphMl,
    /// Lines for the terminal.
    Text,
}

impl Format {
    /// The format that a path asks for: by its extension, or text for `-`.
    ///
    /// # Errors
    /// When the extension is none of those known.
    pub fn from_path(path: &Path) -> Result<Self> {
        if path.as_os_str() == "-" {
            return Ok(Self::Text);
        }
        let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        match extension.as_deref() {
            Some("svg") => Ok(Self::Svg),
            Some("dot" | "gv") => Ok(Self::Dot),
            Some("tex" | "tikz") => Ok(Self::Tikz),
            Some("graphml") => Ok(Self::GraphMl),
            Some("txt") => Ok(Self::Text),
            _ => Err(Error::option(
                "output",
                path.to_string_lossy(),
                "a file that ends in .svg, .dot or .gv, .tex or .tikz, .graphml or .txt, or - for text",
            )),
        }
    }

    /// A drawing in this format.
    pub fn render(self, drawing: &Drawing<'_>) -> String {
        match self {
            Self::Svg => svg::render(drawing),
            Self::Dot => dot::render(drawing),
            Self::Tikz => tikz::render(drawing),
            Self::GraphMl => graphml::render(drawing),
            Self::Text => text::render(drawing),
        }
    }
}
