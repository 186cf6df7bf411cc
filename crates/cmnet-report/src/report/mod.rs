//! A model as a page to attach to a paper: data, how it was learned, the network, its contexts with their
//! numbers, predictability, fit, and how to repeat it.
//!
//! The page is one file without any script. It refers to nothing outside.

mod contexts;
mod data;
mod fit;
mod html;
mod learning;
mod network;
mod predictability;

use crate::answer::Description;
use cmnet::{Control, CrossValidation, Dataset, Learned, Model, Network, Result};
use html::Page;

/// A report to be written.
#[derive(Clone, Debug)]
pub struct Report<'a> {
    model: &'a Model,
    title: String,
    command: String,
    table: Option<&'a Dataset>,
    description: Option<&'a Description>,
    learned: Option<&'a Learned>,
    validated: Option<&'a CrossValidation>,
}

impl<'a> Report<'a> {
    /// The report on a model. The command is the one that makes this report again.
    ///
    /// # Example
    /// ```
    /// use cmnet::{Model, Schema, Structure, Variable};
    /// let rain = Variable { name: "rain".into(), levels: vec!["no".into(), "yes".into()] };
    /// let model = Model::new(Schema::new(vec![rain])?, Structure::empty(&[2]))?;
    /// let page = cmnet_report::Report::new(&model, "Rain", "cmnet report rain.model.json -o rain.html").page(&())?;
    /// assert!(page.starts_with("<!DOCTYPE html>") && page.contains("The model has no parameters."));
    /// # Ok::<(), cmnet::Error>(())
    /// ```
    pub fn new(model: &'a Model, title: &str, command: &str) -> Self {
        Self {
            model,
            title: title.to_owned(),
            command: command.to_owned(),
            table: None,
            description: None,
            learned: None,
            validated: None,
        }
    }

    /// The same, with the table and what is known about it. The table has the variables and levels of the
    /// model: see [`Model::arrange`].
    #[must_use]
    pub fn with_table(self, table: &'a Dataset, description: &'a Description) -> Self {
        Self { table: Some(table), description: Some(description), ..self }
    }

    /// The same, with all models that were learned from the table.
    #[must_use]
    pub fn with_learned(self, learned: &'a Learned) -> Self {
        Self { learned: Some(learned), ..self }
    }

    /// The same, with a cross-validation.
    #[must_use]
    pub fn with_validation(self, validated: &'a CrossValidation) -> Self {
        Self { validated: Some(validated), ..self }
    }

    /// The page.
    ///
    /// # Errors
    /// When the control asks to stop.
    pub fn page(&self, control: &dyn Control) -> Result<String> {
        let network: Option<Network> =
            if self.model.fit().is_some() { Some(self.model.network()?) } else { None };
        let network = network.as_ref();
        let mut page = Page::new(&self.title);
        page.paragraph(&summary(self.model));
        data::write(self, &mut page);
        learning::write(self, &mut page);
        network::write(self, network, &mut page, control)?;
        contexts::write(self, &mut page);
        predictability::write(self, network, &mut page, control)?;
        fit::write(self, &mut page, control)?;
        repeat(self, &mut page);
        Ok(page.finish())
    }
}

fn summary(model: &Model) -> String {
    let structure = model.structure();
    let from =
        model.provenance().map_or(String::new(), |learned| format!(" learned from {} rows", learned.rows));
    format!(
        "A contextual Markov network of {} variables{from}: {} edges, {} of them with a context in which the two ends are \
         independent.",
        structure.variables(),
        structure.graph().edge_count(),
        structure.contexts().count()
    )
}

fn repeat(report: &Report<'_>, page: &mut Page) {
    page.heading("How to repeat it");
    page.code(&report.command);
    let mut facts = vec![("cmnet".to_owned(), env!("CARGO_PKG_VERSION").to_owned())];
    if let Some(learned) = report.model.provenance() {
        facts.push(("table, by content".to_owned(), learned.digest.as_str().to_owned()));
        facts.push(("search".to_owned(), learned.search.to_string()));
        facts.push(("kappa".to_owned(), learned.kappa.to_string()));
        facts.push(("alpha".to_owned(), learned.alpha.to_string()));
    }
    if let Some(seed) = report.validated.and_then(|validated| validated.seed) {
        facts.push(("seed of the folds".to_owned(), seed.to_string()));
    }
    if let Some(support) = report.model.support() {
        facts.push(("seed of the resamples".to_owned(), support.seed.to_string()));
    }
    page.facts(&facts);
    page.paragraph("The same table and options give the same numbers on every machine.");
    page.paragraph(
        "Method: J. Pensar, H. Nyman and J. Corander (2017), Structure learning of contextual Markov networks using marginal \
         pseudo-likelihood, Scandinavian Journal of Statistics 44, 455-479.",
    );
}
