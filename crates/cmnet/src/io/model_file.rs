//! The model file: versioned JSON with names instead of indices, checked throughout when
//! it is read. `docs/formats.md` describes it.

use super::atomic::write_atomic_with;
use super::confirmed_record::ConfirmedRecord;
use super::fit_record::FitText;
use super::json_text::{json_to_text, write_json};
use super::model_error::error_at;
use super::model_record::{
    ContextRecord, LearnedRecord, ModelRecord, ModelText, RefinedRecord, VariableText, variable_records,
};
use super::source::open_file;
use super::support_record::SupportRecord;
use crate::context::EdgeContext;
use crate::data::{Cuts, DataDigest, MAX_LEVELS, Schema, Variable, check_cuts};
use crate::error::{Error, ErrorKind, Remedy, Result, StructureProblem, quoted};
use crate::graph::Edge;
use crate::model::{Model, Provenance, RefinedScore};
use crate::refine::RefineOptions;
use crate::score::EdgePrior;
use crate::structure::Structure;
use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;

/// The format that this version writes, and the only one so far.
pub(super) const FORMAT: &str = "cmnet-model/1";
/// The format of mixtures.
pub(super) const MIXTURE: &str = "cmnet-mixture/1";
/// The format of ensembles.
pub(super) const ENSEMBLE: &str = "cmnet-ensemble/1";

impl Model {
    /// The text of a model's file: the same bytes for the same self.
    ///
    /// # Errors
    /// When a number in it is not finite.
    pub fn to_json(&self) -> Result<String> {
        json_to_text(&self.text()?).map_err(|error| error_at("model", "", error.to_string()))
    }

    /// All that is written, made while it is written.
    pub(super) fn text(&self) -> Result<ModelText<'_>> {
        let text = ModelText {
            format: FORMAT,
            program: concat!("cmnet ", env!("CARGO_PKG_VERSION")),
            learned: self.provenance().map(LearnedRecord::from),
            variables: variable_records(self.schema()),
            edges: edge_names(self.schema(), self.structure()),
            contexts: context_records(self.schema(), self.structure()),
            confirmed: self
                .confirmed()
                .map(|confirmed| ConfirmedRecord::new(self.schema(), self.structure(), confirmed)),
            support: self
                .support()
                .map(|support| SupportRecord::new(self.schema(), self.structure(), support)),
            parameters: self.fit().map(|fit| FitText::new(self.schema(), fit)),
        };
        if !text.is_finite() {
            let problem = "a number in it is not finite, so it cannot be written";
            return Err(error_at("model", "", problem.to_owned()));
        }
        Ok(text)
    }

    /// Reads and checks a model file's text; `file` names it in errors.
    ///
    /// # Errors
    /// Says where in the document something is wrong and what was expected.
    pub fn from_json(text: &str, file: &str) -> Result<Self> {
        let record: ModelRecord<'_> =
            serde_json::from_str(text).map_err(|error| syntax(file, text, &error))?;
        Reader { file }.model(&record)
    }

    /// Reads and checks a model file.
    ///
    /// # Errors
    /// When the file cannot be read, or as [`Model::from_json`].
    pub fn load(path: &Path) -> Result<Self> {
        Self::from_json(&read_text(path)?, &path.display().to_string())
    }

    /// Writes a model file whole or not at all.
    ///
    /// # Errors
    /// When a number in it is not finite, or the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        let text = self.text()?;
        write_atomic_with(path, |file| write_json(&text, file))
    }
}

/// The text of a model file.
pub(super) fn read_text(path: &Path) -> Result<String> {
    let file = path.display().to_string();
    if path.is_dir() {
        return Err(error_at(&file, "file", "this is a directory; name a model file in it".to_owned()));
    }
    let mut bytes = Vec::new();
    let mut reader = open_file(path)?.take(LARGEST + 1);
    reader.read_to_end(&mut bytes).map_err(|source| Error::io(path, "read", source))?;
    if bytes.len() as u64 > LARGEST {
        return Err(Error::limit(format!("the model file {file}"), "1 GiB", "is it a model file?"));
    }
    String::from_utf8(bytes).map_err(|error| {
        error_at(
            &file,
            &format!("byte {}", error.utf8_error().valid_up_to()),
            "the text is not UTF-8".to_owned(),
        )
    })
}

/// The edges of a structure by name, in column order.
pub fn edge_names(schema: &Schema, structure: &Structure) -> Vec<[String; 2]> {
    structure.graph().edges().map(|edge| pair(schema, edge)).collect()
}

/// The contexts of a structure by name, in column order.
pub fn context_records(schema: &Schema, structure: &Structure) -> Vec<ContextRecord> {
    structure.contexts().map(|context| context_record(schema, context)).collect()
}

fn pair(schema: &Schema, edge: Edge) -> [String; 2] {
    [schema.name(edge.low()).to_owned(), schema.name(edge.high()).to_owned()]
}

fn context_record(schema: &Schema, context: &EdgeContext) -> ContextRecord {
    let given = context.space().variables();
    let labels = |cell| {
        let levels = context.space().configuration(cell);
        given.iter().zip(levels).map(|(v, level)| schema.variable(v).levels[level as usize].clone()).collect()
    };
    ContextRecord {
        edge: pair(schema, context.edge()),
        given: given.iter().map(|variable| schema.name(variable).to_owned()).collect(),
        elements: context.elements().map(labels).collect(),
    }
}

/// The largest model file that is read, in bytes.
const LARGEST: u64 = 1 << 30;

/// What kinds of values are called in errors, and what people call them.
const KINDS: [(&str, &str); 7] = [
    ("u64", "a whole number, 0 or more"),
    ("u32", "a whole number, 0 or more"),
    ("usize", "a whole number, 0 or more"),
    ("f64", "a number"),
    ("a sequence", "a list"),
    ("a map", "an object"),
    ("struct ", "an object for "),
];

pub(super) fn syntax(file: &str, text: &str, error: &serde_json::Error) -> Error {
    let at = format!("line {}, column {}", error.line(), error.column());
    let mut what = error.to_string().split(" at line ").next().unwrap_or_default().to_owned();
    for (kind, words) in KINDS {
        what = what.replace(&format!("expected {kind}"), &format!("expected {words}"));
    }
    if let Some(format) = other_format(text) {
        let several = [
            (
                MIXTURE,
                "this is a mixture of networks",
                "learn without classes, or take the network of one class",
            ),
            (ENSEMBLE, "this is an ensemble of networks", "take the consensus of the resamples"),
        ];
        if let Some((_, problem, remedy)) = several.iter().find(|(name, ..)| *name == format) {
            let (problem, remedies) = (format!("{problem}, and one network is expected"), (*remedy).into());
            return ErrorKind::Model { file: file.to_owned(), at: "format".to_owned(), problem, remedies }
                .into();
        }
        let problem = format!("the format is {}; expected {FORMAT:?}", quoted(&format));
        return error_at(file, "format", problem);
    }
    let remedies = Remedy::ExpectModelFile.into();
    ErrorKind::Model { file: file.to_owned(), at, problem: what, remedies }.into()
}

/// The format a document declares, when it is JSON of another kind.
fn other_format(text: &str) -> Option<String> {
    let value: serde_json::Value = serde_json::from_str(text).ok()?;
    value.get("format")?.as_str().filter(|&format| format != FORMAT).map(str::to_owned)
}

/// Why a value was refused, where the place in the file says what it is the value of.
fn refusal(error: &Error) -> String {
    match error.kind() {
        ErrorKind::Option { found, expected, .. } => {
            format!("{} is not usable; expected {expected}", quoted(found))
        }
        _ => error.to_string(),
    }
}

/// What a structure cannot hold, with the names of the edge instead of its numbers.
fn named(error: &Error, one: &str, other: &str) -> String {
    match error.kind() {
        ErrorKind::Structure(StructureProblem::FullContext { size, .. }) => format!(
            "the context of {} - {} would cover all {size} configurations of the common neighbours, \
             which means no edge at all (regularity)",
            quoted(one),
            quoted(other)
        ),
        _ => error.to_string(),
    }
}

/// Whether two numbers are the same but for the rounding of their digits.
fn is_near(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * other.abs().max(1.0)
}

/// Checks a record against everything a model promises.
pub(super) struct Reader<'a> {
    pub(super) file: &'a str,
}

impl Reader<'_> {
    fn bad<T>(&self, at: impl Into<String>, problem: impl Into<String>) -> Result<T> {
        Err(error_at(self.file, &at.into(), problem.into()))
    }

    pub(super) fn model(&self, record: &ModelRecord<'_>) -> Result<Model> {
        if record.format != FORMAT {
            return self
                .bad("format", format!("the format is {}; expected {FORMAT:?}", quoted(&record.format)));
        }
        let schema = self.schema(&record.variables)?;
        let mut structure = Structure::empty(&schema.cardinalities());
        for (place, names) in record.edges.iter().enumerate() {
            let at = format!("edges[{place}]");
            let edge = self.edge(&schema, names, &at)?;
            if !structure.add_edge(edge)? {
                return self.bad(
                    at,
                    format!("the edge {} - {} appears twice", quoted(&names[0]), quoted(&names[1])),
                );
            }
        }
        for (place, context) in record.contexts.iter().enumerate() {
            self.context(&schema, &mut structure, context, &format!("contexts[{place}]"))?;
        }
        let learned = record.learned.as_ref().map(|learned| self.learned(learned, &schema)).transpose()?;
        let fit =
            record.parameters.as_ref().map(|fit| fit.to_fit(self.file, &schema, &structure)).transpose()?;
        let support = record.support.as_ref();
        let support = support.map(|known| known.to_support(self.file, &schema, &structure)).transpose()?;
        let confirmed = record.confirmed.as_ref();
        let confirmed =
            confirmed.map(|known| known.to_confirmed(self.file, &schema, &structure)).transpose()?;
        let mut model = Model::new(schema, structure)?;
        if let Some(confirmed) = confirmed {
            model = model.with_confirmed(confirmed)?;
        }
        if let Some(support) = support {
            model = model.with_support(support)?;
        }
        if let Some(learned) = learned {
            model = model.with_provenance(learned);
        }
        match fit {
            Some(fit) => model.with_fit(fit),
            None => Ok(model),
        }
    }

    pub(super) fn schema(&self, variables: &[VariableText]) -> Result<Schema> {
        let mut names = BTreeSet::new();
        for (place, variable) in variables.iter().enumerate() {
            let at = format!("variables[{place}]");
            if variable.name.is_empty() {
                return self.bad(at + ".name", "the name is empty");
            }
            if !names.insert(&variable.name) {
                return self.bad(at + ".name", format!("the name {} appears twice", quoted(&variable.name)));
            }
            if variable.levels.is_empty() || variable.levels.len() > MAX_LEVELS {
                let found = variable.levels.len();
                return self.bad(at + ".levels", format!("{found} levels; expected 1 to {MAX_LEVELS}"));
            }
            let mut seen = BTreeSet::new();
            if let Some(twice) = variable.levels.iter().find(|level| !seen.insert(level.as_str())) {
                return self.bad(at + ".levels", format!("the level {} appears twice", quoted(twice)));
            }
        }
        if variables.is_empty() {
            return self.bad("variables", "there is none; expected at least one");
        }
        let plain = |text: &VariableText| Variable { name: text.name.clone(), levels: text.levels.clone() };
        let cuts = (0..variables.len()).map(|place| self.cuts(&variables[place], place));
        let cuts: Vec<Option<Cuts>> = cuts.collect::<Result<_>>()?;
        Ok(Schema::new_unchecked(variables.iter().map(plain).collect()).with_all_cuts(cuts))
    }

    fn cuts(&self, variable: &VariableText, place: usize) -> Result<Option<Cuts>> {
        let Some(points) = &variable.cuts else { return Ok(None) };
        let at = || format!("variables[{place}].cuts");
        let cuts = Cuts::new(points.clone()).or_else(|error| self.bad(at(), refusal(&error)))?;
        check_cuts(&variable.levels, &cuts).or_else(|problem| self.bad(at(), problem.to_string()))?;
        Ok(Some(cuts))
    }

    fn variable(&self, schema: &Schema, name: &str, at: &str) -> Result<usize> {
        if let Some(variable) = schema.find(name) {
            return Ok(variable);
        }
        // Only now: the nearest name takes a look at all of them.
        match schema.suggest(name) {
            Some(near) => {
                self.bad(at, format!("there is no variable {}; did you mean {}?", quoted(name), quoted(near)))
            }
            None => self.bad(at, format!("there is no variable {}", quoted(name))),
        }
    }

    fn edge(&self, schema: &Schema, names: &[String; 2], at: &str) -> Result<Edge> {
        let [one, other] = names;
        let ends = (self.variable(schema, one, at)?, self.variable(schema, other, at)?);
        Edge::new(ends.0, ends.1).or_else(|_| {
            self.bad(at, format!("an edge from {} to itself; expected two variables", quoted(one)))
        })
    }

    fn context(
        &self,
        schema: &Schema,
        structure: &mut Structure,
        record: &ContextRecord,
        at: &str,
    ) -> Result<()> {
        let edge = self.edge(schema, &record.edge, &format!("{at}.edge"))?;
        let [one, other] = &record.edge;
        if !structure.graph().contains(edge) {
            let problem = format!(
                "{} - {} is not among the edges; a context needs an edge",
                quoted(one),
                quoted(other)
            );
            return self.bad(format!("{at}.edge"), problem);
        }
        if structure.context(edge).is_some() {
            return self.bad(
                format!("{at}.edge"),
                format!("{} - {} has a context already", quoted(one), quoted(other)),
            );
        }
        let space = structure.context_space(edge)?;
        let expected: Vec<&str> = space.variables().iter().map(|variable| schema.name(variable)).collect();
        if record.given != expected {
            let problem = format!(
                "found {:?}; expected the common neighbours in column order, {expected:?}",
                record.given
            );
            return self.bad(format!("{at}.given"), problem);
        }
        if record.elements.is_empty() {
            return self.bad(format!("{at}.elements"), "there is none; leave out a context without elements");
        }
        for (place, labels) in record.elements.iter().enumerate() {
            let at = format!("{at}.elements[{place}]");
            let levels = self.levels(schema, &record.given, labels, &at)?;
            match structure.add_context_element(edge, space.cell(&levels)) {
                Ok(true) => {}
                Ok(false) => return self.bad(at, "this element appears twice"),
                Err(error) => return self.bad(at, named(&error, one, other)),
            }
        }
        Ok(())
    }

    fn levels(&self, schema: &Schema, given: &[String], labels: &[String], at: &str) -> Result<Vec<u32>> {
        if labels.len() != given.len() {
            return self.bad(at, format!("{} levels for {} common neighbours", labels.len(), given.len()));
        }
        let level = |(name, label): (&String, &String)| {
            let variable = schema.variable(self.variable(schema, name, at)?);
            match variable.level(label) {
                Some(level) => Ok(level),
                None => self.bad(at, format!("{} is not a level of {}", quoted(label), quoted(name))),
            }
        };
        given.iter().zip(labels).map(level).collect()
    }

    fn refined(&self, record: &RefinedRecord) -> Result<RefinedScore> {
        let bad =
            |field: &str, problem: String| error_at(self.file, &format!("learned.refined.{field}"), problem);
        if record.order < 2 {
            return Err(bad("order", format!("{}; expected 2 or more", record.order)));
        }
        let edge_prior =
            record.edge_prior.parse().map_err(|error: Error| bad("edge_prior", refusal(&error)))?;
        let options = RefineOptions { order: record.order, edge_prior, max_cells: None };
        Ok(RefinedScore { options, conditional_bic: record.conditional_bic })
    }

    fn learned(&self, record: &LearnedRecord, schema: &Schema) -> Result<Provenance> {
        let bad = |field: &str, problem: String| error_at(self.file, &format!("learned.{field}"), problem);
        if record.rows == 0 {
            return Err(bad("rows", "0; expected at least 1".to_owned()));
        }
        let digest = DataDigest::parse(&record.digest).ok_or_else(|| {
            bad("digest", format!("{}; expected sha256: and 64 hexadecimal digits", quoted(&record.digest)))
        })?;
        let score = record.log_mpl + record.log_prior;
        if let Some(recorded) = record.score.filter(|recorded| !is_near(*recorded, score)) {
            let problem = format!("{recorded:?} is not the sum of log_mpl and log_prior; that is {score:?}");
            return Err(bad("score", problem));
        }
        record.knowledge.rules(schema).map_err(|error| bad("knowledge", refusal(&error)))?;
        if record.weights.is_some_and(|weights| !weights.is_sound()) {
            return Err(bad("weights", "these are no weights".to_owned()));
        }
        Ok(Provenance {
            rows: record.rows,
            digest,
            weights: record.weights,
            kappa: record.kappa.parse().map_err(|error: Error| bad("kappa", refusal(&error)))?,
            alpha: record.alpha.parse().map_err(|error: Error| bad("alpha", refusal(&error)))?,
            edge_prior: match &record.edge_prior {
                Some(text) => text.parse().map_err(|error: Error| bad("edge_prior", refusal(&error)))?,
                None => EdgePrior::default(),
            },
            knowledge: record.knowledge.clone(),
            refined: record.refined.as_ref().map(|refined| self.refined(refined)).transpose()?,
            search: record.search.as_str().into(),
            stop: record.stop,
            log_mpl: record.log_mpl,
            log_prior: record.log_prior,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_near_to_nine_digits() {
        assert!(is_near(2.0, 2.0) && is_near(1e12, 1e12 + 1.0) && is_near(0.0, 1e-10));
        assert!(!is_near(2.0, 2.000_001) && !is_near(1e12, 1.000_001e12) && !is_near(0.0, 1e-6));
        assert!(!is_near(f64::NAN, 1.0));
    }
}
