//! What was learned from a table, by names.

use super::by_rows::ByRowsAnswer;
use super::contexts_chosen::ContextsChosenAnswer;
use super::groups::GroupsAnswer;
use super::imputed::ImputationAnswer;
use super::mixed::MixtureFacts;
use super::{Answer, confirmed};
use cmnet::{
    CompletedLearning, ContextRecord, Criterion, DataDigest, Dataset, DecomposableGraph, Dialect, Edge,
    Estimate, Fit, FitStatus, IncompleteTable, Learned, LearnedModel, Nats, Refinement, Rounds, Schema,
    StopReason, VariableRecord, WeightedTable, context_records, edge_names, variable_records,
};
use serde::Serialize;
use serde_json::Value;

/// `cmnet-learn/1`: all models that were learned.
#[derive(Clone, Debug, Serialize)]
pub struct LearnedAnswer<'a> {
    /// The table.
    pub data: TableFacts<'a>,
    /// The search mode that was used.
    pub search: String,
    /// Why that one.
    pub search_reason: String,
    /// Why learning ended.
    pub stop: String,
    /// Choices among exactly equal moves.
    pub ties: u64,
    /// Variables whose blanket a limit kept from growing.
    pub limited: Vec<&'a str>,
    /// Kappas that were not searched for, since BIC had fallen before them.
    pub passed_over: Vec<String>,
    /// One model per kappa.
    pub models: Vec<ModelAnswer>,
    /// The chosen model's place.
    pub selected: Option<usize>,
    /// What the choice went by.
    pub criterion: Option<Criterion>,
    /// What rows that were held out chose, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by_rows: Option<ByRowsAnswer>,
    /// The edges that were found first, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backbone: Option<BackboneAnswer>,
    /// How groups differ, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups: Option<GroupsAnswer>,
    /// How missing values were taken in, where there are some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub imputation: Option<ImputationAnswer>,
    /// What holds the models together, where they are the networks of a latent class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mixture: Option<MixtureFacts>,
}

/// The table that was learned from.
#[derive(Clone, Debug, Serialize)]
pub struct TableFacts<'a> {
    /// Observations, counted by weight.
    pub rows: u64,
    /// Rows left out for missing values; not said of stratified models.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dropped_rows: Option<u64>,
    /// The digest of its content.
    pub digest: DataDigest,
    /// Names and levels.
    pub variables: Vec<VariableRecord<'a>>,
    /// What the weights are, where they are real numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weights: Option<WeightFacts>,
}

/// Weights that are real numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WeightFacts {
    /// What they mean.
    pub kind: String,
    /// Rows with a positive weight.
    pub observations: u64,
    /// Their sum.
    pub sum: f64,
    /// Kish's effective sample size.
    pub effective: f64,
}

impl WeightFacts {
    /// The weights of a table.
    pub fn of(table: &WeightedTable) -> Self {
        Self {
            kind: table.kind().to_string(),
            observations: table.observations(),
            sum: table.sum(),
            effective: table.effective(),
        }
    }
}

/// A decomposable graph whose edges every structure has.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BackboneAnswer {
    /// How many edges.
    pub edges: usize,
    /// The logarithm of the probability of the table given the graph.
    pub log_marginal_likelihood: f64,
    /// Moves of its search.
    pub moves: u64,
    /// Why that ended.
    pub stop: String,
    /// Whether rows were held out to judge structures with these edges, which have seen all rows: what is said of
    /// such rows may then look better than it is.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub saw_held_out_rows: bool,
}

impl From<&DecomposableGraph> for BackboneAnswer {
    fn from(found: &DecomposableGraph) -> Self {
        Self {
            edges: found.graph.edge_count(),
            log_marginal_likelihood: found.log_marginal_likelihood,
            moves: found.moves,
            stop: found.stop.to_string(),
            saw_held_out_rows: false,
        }
    }
}

/// The model of one kappa.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ModelAnswer {
    /// kappa as it was asked for.
    pub kappa: String,
    /// Its logarithm; null where it is minus infinity.
    pub log_kappa: Option<f64>,
    /// The edges.
    pub edges: Vec<[String; 2]>,
    /// The contexts.
    pub contexts: Vec<ContextRecord>,
    /// What the table says about the context elements, where they were to be confirmed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmed: Option<Value>,
    /// Why they could not be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unconfirmed: Option<String>,
    /// Which contexts it has, where all of the search and the confirmed ones were compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contexts_chosen: Option<ContextsChosenAnswer>,
    /// The log marginal pseudo-likelihood.
    pub log_mpl: f64,
    /// The log prior.
    pub log_prior: Option<f64>,
    /// Their sum.
    pub score: Option<f64>,
    /// Free parameters.
    pub parameters: Option<usize>,
    /// The log-likelihood.
    pub log_likelihood: Option<f64>,
    /// The Bayesian information criterion.
    pub bic: Option<f64>,
    /// The criterion per row.
    pub sbic: Option<f64>,
    /// The criterion by pseudo-likelihood, where models are compared by it.
    pub pseudo_bic: Option<f64>,
    /// How the parameters were estimated.
    pub fit: Option<ModelFit>,
    /// Why there are no parameters.
    pub unfitted: Option<String>,
    /// Accepted steps.
    pub steps: usize,
    /// Moves that were evaluated.
    pub moves: u64,
    /// Choices among exactly equal moves.
    pub ties: u64,
    /// Why its search ended.
    pub stop: String,
    /// Sweeps over all toggles that served several steps each; absent where each step was the best
    /// of all toggles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounds: Option<RoundsAnswer>,
    /// What a refinement did to it; absent where none was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refinement: Option<RefinementAnswer>,
}

/// Sweeps over all toggles that served several steps each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RoundsAnswer {
    /// How many.
    pub sweeps: u64,
    /// Configurations of blankets that they went through.
    pub work: u64,
    /// Whether that reached its bound, so that no other sweep followed.
    pub spent: bool,
}

impl RoundsAnswer {
    fn of(rounds: &Rounds) -> Option<Self> {
        let Rounds { sweeps, work, spent, .. } = *rounds;
        (sweeps > 0).then_some(Self { sweeps, work, spent })
    }
}

/// What a refinement did to a structure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RefinementAnswer {
    /// Whether the refined structure is kept.
    pub kept: bool,
    /// The most variables of a term.
    pub order: usize,
    /// The prior of graphs.
    pub edge_prior: String,
    /// The conditional BIC of the structure that the search found.
    pub before: f64,
    /// The conditional BIC of the refined structure.
    pub after: f64,
    /// Edges that were added.
    pub added: Vec<[String; 2]>,
    /// Edges that were removed.
    pub removed: Vec<[String; 2]>,
}

impl RefinementAnswer {
    fn of(refinement: &Refinement, schema: &Schema) -> Self {
        let names = |edges: &[Edge]| {
            let pair = |edge: &Edge| [edge.low(), edge.high()].map(|end| schema.name(end).to_owned());
            edges.iter().map(pair).collect()
        };
        Self {
            kept: refinement.kept,
            order: refinement.options.order,
            edge_prior: refinement.options.edge_prior.to_string(),
            before: refinement.before,
            after: refinement.after,
            added: names(&refinement.added),
            removed: names(&refinement.removed),
        }
    }
}

/// How the parameters of a model were estimated.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ModelFit {
    /// By which method.
    pub method: Estimate,
    /// How the estimate ended.
    pub status: FitStatus,
    /// Why that method.
    pub reason: String,
    /// The pseudo-log-likelihood.
    pub pseudo_log_likelihood: Option<f64>,
    /// Terms without a finite estimate.
    pub boundary: usize,
}

impl Answer for LearnedAnswer<'_> {
    const FORMAT: &'static str = "cmnet-learn/1";
}

impl<'a> LearnedAnswer<'a> {
    /// Everything that was learned from a table of which so many rows were left out, with
    /// reasons in the words of a front end.
    pub fn of(learned: &Learned, data: &'a Dataset, dropped_rows: u64, dialect: &dyn Dialect) -> Self {
        let facts = TableFacts { dropped_rows: Some(dropped_rows), ..TableFacts::of(data) };
        Self::with(learned, (data.schema(), facts), dialect)
    }

    /// Everything that was learned from a table with missing values.
    pub fn of_incomplete(
        found: &CompletedLearning,
        table: &'a IncompleteTable,
        dialect: &dyn Dialect,
    ) -> Self {
        let imputation = ImputationAnswer::of(found, table);
        let facts = (table.schema(), TableFacts::of_incomplete(table));
        Self { imputation, ..Self::with(&found.learned, facts, dialect) }
    }

    /// Everything that was learned from a table whose weights are real numbers.
    pub fn of_weighted(
        learned: &Learned,
        table: &'a WeightedTable,
        dropped_rows: u64,
        dialect: &dyn Dialect,
    ) -> Self {
        let facts = TableFacts {
            rows: table.rows(),
            dropped_rows: Some(dropped_rows),
            digest: table.digest(),
            variables: variable_records(table.schema()),
            weights: Some(WeightFacts::of(table)),
        };
        Self::with(learned, (table.schema(), facts), dialect)
    }

    fn with(learned: &Learned, (schema, data): (&'a Schema, TableFacts<'a>), dialect: &dyn Dialect) -> Self {
        Self {
            data,
            search: learned.search.to_string(),
            search_reason: learned.search_reason.to_string(),
            stop: learned.stop.to_string(),
            ties: learned.ties(),
            limited: learned.limited.iter().map(|&variable| schema.name(variable)).collect(),
            passed_over: learned.passed_over.iter().map(ToString::to_string).collect(),
            models: learned.models.iter().map(|model| ModelAnswer::of(model, schema, dialect)).collect(),
            selected: learned.selected,
            criterion: learned.criterion,
            by_rows: ByRowsAnswer::of(learned, schema),
            backbone: None,
            groups: None,
            imputation: None,
            mixture: None,
        }
    }

    /// The same with the edges that were found first.
    #[must_use]
    pub fn with_backbone(mut self, found: Option<&DecomposableGraph>) -> Self {
        let judged = |known: &ByRowsAnswer| !known.kappas.is_empty() || known.target.is_some();
        let saw_held_out_rows = self.by_rows.as_ref().is_some_and(judged);
        self.backbone = found.map(|found| BackboneAnswer { saw_held_out_rows, ..found.into() });
        self
    }

    /// The same with what the comparison of groups found.
    #[must_use]
    pub fn with_groups(mut self, groups: Option<GroupsAnswer>) -> Self {
        self.groups = groups;
        self
    }
}

impl<'a> TableFacts<'a> {
    /// The facts of a table.
    pub fn of(data: &'a Dataset) -> Self {
        Self {
            rows: data.rows(),
            dropped_rows: None,
            digest: DataDigest::of(data),
            variables: variable_records(data.schema()),
            weights: None,
        }
    }

    /// The facts of a table with missing values, of which no row is left out.
    pub fn of_incomplete(table: &'a IncompleteTable) -> Self {
        Self {
            rows: table.rows(),
            dropped_rows: Some(0),
            digest: table.digest(),
            variables: variable_records(table.schema()),
            weights: None,
        }
    }
}

impl ModelAnswer {
    /// A learned model by names.
    pub fn of(model: &LearnedModel, schema: &Schema, dialect: &dyn Dialect) -> Self {
        let fit = model.fit.as_ref();
        Self {
            kappa: model.prior.kappa().to_string(),
            log_kappa: model.prior.log_kappa().map(Nats::to_f64),
            edges: edge_names(schema, &model.structure),
            contexts: context_records(schema, &model.structure),
            confirmed: model.confirmed.as_ref().map(|known| confirmed(schema, &model.structure, known)),
            unconfirmed: model.unconfirmed.as_ref().map(|why| why.words(dialect)),
            contexts_chosen: model.contexts_chosen.map(ContextsChosenAnswer::from),
            log_mpl: model.score.log_mpl.to_f64(),
            log_prior: model.score.log_prior.map(Nats::to_f64),
            score: model.score.total().map(Nats::to_f64),
            parameters: fit.map(|fit| fit.free_parameters),
            log_likelihood: fit.and_then(|fit| fit.log_likelihood),
            bic: fit.map(Fit::bic),
            sbic: fit.map(Fit::sbic),
            pseudo_bic: model.pseudo_bic(),
            fit: fit.map(|fit| ModelFit {
                method: fit.estimate,
                status: fit.status,
                reason: fit.reason.to_string(),
                pseudo_log_likelihood: fit.pseudo_log_likelihood,
                boundary: fit.boundary.len(),
            }),
            unfitted: model.unfitted.as_ref().map(|why| why.words(dialect)),
            steps: model.climb.steps.len(),
            moves: model.climb.moves,
            ties: model.climb.ties,
            stop: model.climb.stop.to_string(),
            rounds: RoundsAnswer::of(&model.climb.rounds),
            refinement: model.refinement.as_ref().map(|one| RefinementAnswer::of(one, schema)),
        }
    }
}

/// A learned model as a row of a table of scores: numbers instead of edges and contexts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScoreRow {
    kappa: String,
    log_kappa: Option<f64>,
    edges: usize,
    context_elements: usize,
    log_mpl: f64,
    log_prior: Option<f64>,
    score: Option<f64>,
    steps: usize,
    moves: u64,
    ties: u64,
    stop: String,
    pseudo_bic: Option<f64>,
    /// Why there are no parameters.
    pub unfitted: Option<String>,
    parameters: Option<usize>,
    log_likelihood: Option<f64>,
    pseudo_log_likelihood: Option<f64>,
    bic: Option<f64>,
    sbic: Option<f64>,
    method: Option<Estimate>,
    status: Option<FitStatus>,
}

impl From<ModelAnswer> for ScoreRow {
    fn from(model: ModelAnswer) -> Self {
        let fit = model.fit.as_ref();
        Self {
            edges: model.edges.len(),
            context_elements: model.contexts.iter().map(|context| context.elements.len()).sum(),
            pseudo_log_likelihood: fit.and_then(|fit| fit.pseudo_log_likelihood),
            method: fit.map(|fit| fit.method),
            status: fit.map(|fit| fit.status),
            kappa: model.kappa,
            log_kappa: model.log_kappa,
            log_mpl: model.log_mpl,
            log_prior: model.log_prior,
            score: model.score,
            steps: model.steps,
            moves: model.moves,
            ties: model.ties,
            stop: model.stop,
            pseudo_bic: model.pseudo_bic,
            unfitted: model.unfitted,
            parameters: model.parameters,
            log_likelihood: model.log_likelihood,
            bic: model.bic,
            sbic: model.sbic,
        }
    }
}

/// What was learned, in numbers alone.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LearnedSummary<'a> {
    search: String,
    search_reason: String,
    stop: String,
    ties: u64,
    selected: Option<usize>,
    criterion: Option<Criterion>,
    #[serde(skip_serializing_if = "Option::is_none")]
    by_rows: Option<ByRowsAnswer>,
    limited: Vec<&'a str>,
    passed_over: Vec<String>,
    /// One row per model.
    pub scores: Vec<ScoreRow>,
    /// For each model which contexts it has, where all of the search and the confirmed ones were compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    contexts_chosen: Option<Vec<Option<ContextsChosenAnswer>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    imputation: Option<ImputationAnswer>,
}

impl<'a> LearnedSummary<'a> {
    /// What was learned from a table, with reasons in the words of a front end.
    pub fn of(learned: &Learned, schema: &'a Schema, dialect: &dyn Dialect) -> Self {
        let chosen = |model: &LearnedModel| model.contexts_chosen.map(ContextsChosenAnswer::from);
        let contexts: Vec<_> = learned.models.iter().map(chosen).collect();
        Self {
            contexts_chosen: contexts.iter().any(Option::is_some).then_some(contexts),
            search: learned.search.to_string(),
            search_reason: learned.search_reason.to_string(),
            stop: learned.stop.to_string(),
            ties: learned.ties(),
            selected: learned.selected,
            criterion: learned.criterion,
            by_rows: ByRowsAnswer::of(learned, schema),
            limited: learned.limited.iter().map(|&variable| schema.name(variable)).collect(),
            passed_over: learned.passed_over.iter().map(ToString::to_string).collect(),
            scores: learned
                .models
                .iter()
                .map(|model| ModelAnswer::of(model, schema, dialect).into())
                .collect(),
            imputation: None,
        }
    }

    /// What was learned from a table with missing values.
    pub fn of_incomplete(
        found: &CompletedLearning,
        table: &'a IncompleteTable,
        dialect: &dyn Dialect,
    ) -> Self {
        let imputation = ImputationAnswer::of(found, table);
        Self { imputation, ..Self::of(&found.learned, table.schema(), dialect) }
    }
}

/// `cmnet-sgm/1`: a stratified graphical model.
#[derive(Clone, Debug, Serialize)]
pub struct StratifiedAnswer<'a> {
    /// The table.
    pub data: TableFacts<'a>,
    /// The seed of the random search.
    pub seed: u64,
    /// Proposals made.
    pub proposals: u32,
    /// Proposals accepted.
    pub accepted: u32,
    /// Why the search ended.
    pub stop: StopReason,
    /// The log posterior of the model.
    pub log_posterior: f64,
    /// The edges.
    pub edges: Vec<[String; 2]>,
    /// The contexts.
    pub contexts: Vec<ContextRecord>,
    /// Free parameters.
    pub parameters: usize,
    /// The log-likelihood.
    pub log_likelihood: f64,
    /// The Bayesian information criterion.
    pub bic: f64,
    /// The criterion per row.
    pub sbic: f64,
}

impl Answer for StratifiedAnswer<'_> {
    const FORMAT: &'static str = "cmnet-sgm/1";
}
