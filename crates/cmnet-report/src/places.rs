//! Where the variables of a drawing stand, so that another drawing can put them there.

use super::Drawing;
use super::layout::Point;
use super::scene::Scene;
use super::wording::shown;
use cmnet::{Error, Result, Schema, quoted};

/// The places of variables, by what a drawing says about them.
///
/// # Example
/// ```
/// use cmnet::{Edge, Schema, Structure, Variable};
/// use cmnet_report::{Drawing, Places, svg};
/// let variable = |name: &str| Variable { name: name.into(), levels: vec!["no".into(), "yes".into()] };
/// let schema = Schema::new(vec![variable("rain"), variable("wet")])?;
/// let bare = Structure::empty(&[2, 2]);
/// let mut joined = bare.clone();
/// joined.toggle_edge(Edge::new(0, 1)?)?;
/// let first = svg::render(&Drawing::new(&schema, &joined)?);
/// let places = Places::from_svg(&first)?;
/// let second = Drawing::new(&schema, &bare)?.with_places(&places)?;
/// assert_eq!(Places::from_svg(&svg::render(&second))?, places);
/// # Ok::<(), cmnet::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Places {
    boxes: Vec<(String, Point)>,
}

/// What stands before the words about a variable in an SVG drawing.
const NODE: &str = "<g class=\"cmnet-node\"><title>";

impl Places {
    /// The places in a drawing as it would be laid out.
    pub fn of(drawing: &Drawing<'_>) -> Self {
        let boxes = Scene::new(drawing).nodes.into_iter().map(|node| (node.about, node.frame.center));
        Self { boxes: boxes.collect() }
    }

    /// The places in an SVG drawing of this crate.
    ///
    /// # Errors
    /// When the text is no such drawing.
    pub fn from_svg(text: &str) -> Result<Self> {
        let boxes: Option<Vec<(String, Point)>> = text.split(NODE).skip(1).map(node).collect();
        match boxes {
            Some(boxes) if !boxes.is_empty() => Ok(Self { boxes }),
            _ => Err(Error::mismatch(
                "the picture has no variables of a cmnet drawing".to_owned(),
                "give an SVG file that cmnet drew, or a model file",
            )),
        }
    }

    /// The same places further apart, by a factor: room for longer labels.
    #[must_use]
    pub fn spread(mut self, factor: f64) -> Self {
        for (_, place) in &mut self.boxes {
            *place = place.times(factor).rounded();
        }
        self
    }

    /// The places of a schema's variables, in its order.
    pub(super) fn places(&self, schema: &Schema) -> Result<Vec<Point>> {
        let place = |name: &str| {
            let start = format!("{}: ", shown(name));
            self.boxes.iter().find(|(about, _)| about.starts_with(&start)).map(|(_, at)| *at)
        };
        let found = schema.variables().iter().map(|variable| {
            place(&variable.name).ok_or_else(|| {
                Error::mismatch(
                    format!("there is no place for the variable {}", quoted(&variable.name)),
                    "take the places from a drawing of the same variables",
                )
            })
        });
        found.collect()
    }
}

/// What is said about a variable, and the middle of its box.
fn node(text: &str) -> Option<(String, Point)> {
    let (about, rest) = text.split_once("</title><rect ")?;
    let (rect, _) = rest.split_once("/>")?;
    let number = |name: &str| -> Option<f64> {
        let (_, after) = rect.split_once(&format!("{name}=\""))?;
        after.split_once('"')?.0.parse().ok().filter(|number: &f64| number.is_finite())
    };
    let (x, y) = (number("x")?, number("y")?);
    let center = Point::new(x + number(" width")? / 2.0, y + number(" height")? / 2.0);
    let plain = about.replace("&lt;", "<").replace("&gt;", ">").replace("&#13;", "\r").replace("&amp;", "&");
    Some((plain, center))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_drawing_is_refused() {
        for text in
            ["", "<svg></svg>", "<g class=\"cmnet-node\"><title>a: x</title><rect x=\"NaN\" y=\"1\"/>"]
        {
            assert!(Places::from_svg(text).is_err(), "{text}");
        }
    }
}
