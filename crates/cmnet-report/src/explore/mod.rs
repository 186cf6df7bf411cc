//! A model as one page of HTML that answers questions by itself: it opens by a double-click and asks
//! nothing of any server.
//!
//! The page carries the model's calibrated junction tree, and plain JavaScript that sends evidence
//! through it (`page/*.js`). Names and levels are data in it, never markup. Its policy allows
//! nothing but its own script and style.

mod answers;
mod document;
mod record;

use answers::{Numbers, numbers};
use cmnet::{Control, Dataset, Model, Result, affordable_canonical};
use record::{Facts, PageRecord};
use serde::Serialize;

/// A page to be written.
#[derive(Clone, Debug)]
pub struct Explorer<'a> {
    model: &'a Model,
    title: String,
    file: String,
    table: Option<&'a Dataset>,
}

/// A page, and how it answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplorePage {
    /// The page.
    pub html: String,
    /// How it answers.
    pub answers: PageAnswers,
}

/// How a page answers questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum PageAnswers {
    /// By the model's junction tree, exactly.
    Exact,
    /// By rows drawn from the model: the tree is too large for a page.
    Sampled,
    /// Only by its structure: the model has no parameters.
    Structure,
}

impl<'a> Explorer<'a> {
    /// The page of a model, called by the name of its file.
    ///
    /// # Example
    /// ```
    /// use cmnet::{Model, Schema, Structure, Variable};
    /// use cmnet_report::{Explorer, PageAnswers};
    /// let rain = Variable { name: "rain".into(), levels: vec!["no".into(), "yes".into()] };
    /// let model = Model::new(Schema::new(vec![rain])?, Structure::empty(&[2]))?;
    /// let page = Explorer::new(&model, "rain.model.json").page(&())?;
    /// assert!(page.html.starts_with("<!DOCTYPE html>"));
    /// assert_eq!(page.answers, PageAnswers::Structure);
    /// # Ok::<(), cmnet::Error>(())
    /// ```
    pub fn new(model: &'a Model, file: &str) -> Self {
        let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
        let title = name.strip_suffix(".json").unwrap_or(name);
        let title = title.strip_suffix(".model").unwrap_or(title);
        Self { model, title: title.to_owned(), file: name.to_owned(), table: None }
    }

    /// The same page with another title than the file's name.
    #[must_use]
    pub fn with_title(self, title: impl Into<String>) -> Self {
        Self { title: title.into(), ..self }
    }

    /// The same page, with the shares of levels in a table beside the model's.
    ///
    /// The table has the variables and levels of the model: see [`Model::arrange`].
    #[must_use]
    pub fn with_table(self, table: &'a Dataset) -> Self {
        Self { table: Some(table), ..self }
    }

    /// The page.
    ///
    /// # Errors
    /// When the table is none of the model's; when the control asks to stop.
    pub fn page(&self, control: &dyn Control) -> Result<ExplorePage> {
        let (network, closed);
        let (numbers, known) = if self.model.fit().is_some() {
            network = self.model.network()?;
            (numbers(&network, control)?, network.closed())
        } else {
            closed = affordable_canonical(self.model.structure());
            (Numbers::None, closed.as_ref().unwrap_or(self.model.structure()))
        };
        let facts = Facts { title: &self.title, file: &self.file, table: self.table };
        let answers = numbers.kind();
        let record = PageRecord::new(self.model, known, numbers, &facts)?;
        Ok(ExplorePage { html: document::page(&record), answers })
    }
}
