//! `cmnet check`: the referee's word on a model.

mod ensemble;
mod examined;
mod mixture;
mod parameters;
mod tests;

use self::examined::Examined;
use self::parameters::ParameterVerdict;
use crate::args::{CheckArgs, Format, Printed};
use crate::commands::score::{alpha, prior};
use crate::exit::Outcome;
use crate::interrupt::{self, Interrupt};
use crate::{files, output, progress, weights};
use cmnet::{
    AnyModel, ContextPrior, Control, DataDigest, Edge, Fit, Model, ScoreTest, SearchUsed, StopReason,
    Structure, quoted,
};
use cmnet_check::{
    CheckError, ConditionalBic, KnownEdges, Labelled, Optimality, Score, Scoring, Table, conditional_bic,
    is_locally_optimal, score,
};
use cmnet_report::align::decimal;
use cmnet_report::answer::{CheckedAnswer, scored::tests as named_tests};

/// Scores that differ by more than this share are a disagreement.
const TOLERANCE: f64 = 1e-9;

/// Both optimisers end this near to the maximum of each conditional likelihood.
const REFINED_TOLERANCE: f64 = 1e-4;

pub(crate) fn run(arguments: &Printed<CheckArgs>) -> anyhow::Result<Outcome> {
    let model = match files::any_model(&arguments.score.model.model)? {
        AnyModel::Network(model) => *model,
        AnyModel::Mixture(mixture) => return mixture::run(arguments, &mixture),
        AnyModel::Ensemble(ensemble) => return ensemble::run(arguments, &ensemble),
    };
    let weighed = weights::weighed_for(&model, &arguments.score.data, &arguments.score.weighing)?;
    let examined = Examined::of(&weighed);
    let prior = prior(&model, examined.rows, &arguments.score)?;
    let alpha = alpha(&model, arguments.score.alpha.as_deref())?;
    let scoring = Scoring::new(alpha.to_f64(), prior.log_kappa().map(cmnet::Nats::to_f64))?
        .with_edge_prior(prior.edges().gamma())?
        .with_known(known(&prior));
    let (table, structure) = (examined.table()?, labelled(model.structure()));
    let learner = examined.learner(&model, alpha, &prior)?;
    let digest = examined.digest.clone();
    let same_data = model.provenance().map(|learned| learned.digest == digest);
    let (repeated, optimality) = if arguments.skip_optimality {
        (None, None)
    } else {
        interrupt::listen();
        let repeated = if same_data == Some(true) { Repeated::of(&model, &examined)? } else { None };
        (repeated, Some(examine(&table, &structure, &scoring)?))
    };
    let complaint = repeated.and_then(Repeated::complaint);
    let fitted_here = |fit: &Fit| fit.digest.as_ref() == Some(&digest);
    let examine = |fit| parameters::examine(fit, &table, &structure, fitted_here(fit));
    let parameters = model.fit().map(examine).transpose()?;
    let found = score(&table, &structure, &scoring)?;
    let given = &arguments.score;
    let overridden = given.kappa.is_some() || given.alpha.is_some() || given.edge_prior.is_some();
    let verdict = Verdict {
        rows: examined.rows as f64,
        regular: structure.is_regular(table.cardinalities()),
        score: found.total(),
        wrong_records: [
            wrong_records(&model, &examined, (!overridden).then_some(found)),
            wrong_refinement(&model, &digest, scoring.known(), (&table, &structure))?,
            complaint.iter().filter(|(_, bound)| *bound).map(|(text, _)| text.clone()).collect(),
        ]
        .concat(),
        remark: complaint.filter(|(_, bound)| !bound).map(|(text, _)| text),
        repeated: repeated.map(|repeated| repeated.here),
        learner: learner.map(cmnet::Nats::to_f64),
        recorded: model.provenance().filter(|_| !overridden).map(cmnet::Provenance::score),
        same_data,
        parameters,
        claim: if overridden { Claim::Nothing } else { Claim::of(&model) },
        optimality,
        tests: if arguments.tests { Some(tests::of(&model, &weighed)?) } else { None },
    };
    match arguments.format {
        Format::Text => output::page(&verdict.as_text(&model))?,
        Format::Json => output::answer(&verdict.answer(&model))?,
    }
    let stopped = matches!(verdict.optimality, Some(Optimality::Stopped { .. }));
    Ok(match (stopped, verdict.agrees()) {
        (true, _) => Outcome::Interrupted,
        (false, true) => Outcome::Done,
        (false, false) => Outcome::No,
    })
}

/// What a model says about the structures around its own.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Claim {
    Nothing,
    /// Algorithms 1 and 2 stay there.
    Local,
    /// None has a higher score.
    Best,
}

impl Claim {
    /// A search that ended by itself makes its claim; without the elements that the table did not confirm its
    /// structure is another.
    fn of(model: &Model) -> Self {
        let ended = |l: &&cmnet::Provenance| l.stop == StopReason::Converged && l.refined.is_none();
        match model.provenance().filter(ended).filter(|_| model.confirmed().is_none()).map(|l| &l.search) {
            Some(SearchUsed::Paper) => Self::Local,
            Some(SearchUsed::Exact) => Self::Best,
            _ => Self::Nothing,
        }
    }
}

/// What the referee found.
struct Verdict {
    rows: f64,
    regular: bool,
    score: f64,
    /// Numbers in the file, the score apart, that are not those of the table and the model.
    wrong_records: Vec<String>,
    /// Where mode `blanket` of this version ends, if that is elsewhere.
    remark: Option<String>,
    /// Whether the recorded search ends here.
    repeated: Option<bool>,
    learner: Option<f64>,
    recorded: Option<f64>,
    same_data: Option<bool>,
    parameters: Option<ParameterVerdict>,
    claim: Claim,
    optimality: Option<Optimality>,
    tests: Option<Vec<ScoreTest>>,
}

impl Verdict {
    fn is_local(&self) -> Option<bool> {
        match self.optimality {
            None | Some(Optimality::Stopped { .. }) => None,
            Some(Optimality::Local { .. }) => Some(true),
            Some(_) => Some(false),
        }
    }

    /// The model's recorded score is only held against the table it was learned from.
    fn claims_hold(&self) -> bool {
        self.same_data == Some(true)
    }

    /// Whether a structure was found that the model says is not there.
    fn claim_is_broken(&self) -> bool {
        let higher = |found: f64| found > self.score && !is_near(self.score, found, self.rows);
        match (self.claim, &self.optimality) {
            (Claim::Local, _) => self.is_local() == Some(false),
            (
                Claim::Best,
                Some(Optimality::OtherContexts { climbed, .. } | Optimality::BetterGraph { climbed, .. }),
            ) => higher(climbed.score),
            (Claim::Best | Claim::Nothing, _) => false,
        }
    }

    fn agrees(&self) -> bool {
        let near = |other: f64| is_near(self.score, other, self.rows);
        let recorded = !self.claims_hold() || self.recorded.is_none_or(near);
        let optimal = !(self.claims_hold() && self.claim_is_broken());
        let parameters = self.parameters.as_ref().is_none_or(ParameterVerdict::agrees);
        self.wrong_records.is_empty()
            && self.regular
            && self.learner.is_none_or(near)
            && recorded
            && optimal
            && parameters
    }

    fn answer(&self, model: &Model) -> CheckedAnswer<'_, &ParameterVerdict> {
        CheckedAnswer {
            agrees: self.agrees(),
            score: self.score,
            locally_optimal: self.is_local(),
            regular: self.regular,
            learner_score: self.learner,
            recorded_score: self.recorded,
            same_data: self.same_data,
            search_repeated: self.repeated,
            wrong_records: &self.wrong_records,
            parameters: self.parameters.as_ref(),
            finding: self.finding(model),
            tests: self.tests.as_ref().map(|found| named_tests(model.schema(), found)),
        }
    }

    fn as_text(&self, model: &Model) -> String {
        let yes = |value: bool| if value { "yes" } else { "NO" };
        let number = |value: Option<f64>| value.map_or("-".to_owned(), decimal);
        let local = self.is_local().map_or("not examined", yes);
        let mut text = format!(
            "score by the referee    {:.6}\n\
             score by the learner    {}\n\
             score in the model file {}\n\
             regular                 {}\n\
             locally optimal         {local}\n",
            self.score,
            number(self.learner),
            number(self.recorded),
            yes(self.regular),
        );
        if let Some(parameters) = &self.parameters {
            text += &parameters.as_text();
        }
        for wrong in self.wrong_records.iter().chain(&self.remark) {
            text += wrong;
            text.push('\n');
        }
        if let Some(found) = &self.tests {
            text += &tests::as_text(&output::printable(model.schema()), found);
        }
        if self.same_data == Some(false) {
            text += "This is not the table the model was learned from: its recorded score is not compared.\n";
        }
        if let Some(finding) = self.finding(model) {
            text.push_str(&finding);
            text.push('\n');
        }
        if self.is_local() == Some(false) && !(self.claims_hold() && self.claim_is_broken()) {
            text += "The model does not claim to be a local optimum on this table.\n";
        }
        let partly = self.parameters.as_ref().is_some_and(|parameters| !parameters.is_complete());
        text + match (self.agrees(), partly) {
            (true, false) => "The referee agrees.\n",
            (true, true) => "The referee agrees with what it examined.\n",
            (false, _) => "The referee DISAGREES.\n",
        }
    }

    /// The better structure, in words, where there is one.
    fn finding(&self, model: &Model) -> Option<String> {
        match self.optimality.as_ref()? {
            Optimality::Local { .. } => None,
            Optimality::OtherContexts { climbed, score } => Some(format!(
                "On the same graph Algorithm 2 ends at other contexts, with score {:.6} instead of {score:.6}.",
                climbed.score
            )),
            Optimality::BetterGraph { edge, climbed, score } => Some(format!(
                "Toggling the edge {} - {} gives the higher score {:.6} instead of {score:.6}.",
                output::on_one_line(model.schema().name(edge.0)),
                output::on_one_line(model.schema().name(edge.1)),
                climbed.score
            )),
            Optimality::Stopped { examined } => {
                Some(format!("Interrupted after {examined} neighbouring graphs; nothing better until then."))
            }
        }
    }
}

/// Whether two scores of so many rows are the same but for rounding: they are sums of logarithms
/// of factorials.
fn is_near(found: f64, other: f64, rows: f64) -> bool {
    let rounding = 4.0 * f64::EPSILON * rows * libm::log(rows);
    (found - other).abs() <= rounding.max(TOLERANCE * found.abs().max(1.0))
}

/// What the file records about learning and is not so. Numbers are held against the table that
/// the model was learned from, and the parts of the score only under its own options.
fn wrong_records(model: &Model, data: &Examined<'_>, found: Option<Score>) -> Vec<String> {
    let Some(learned) = model.provenance() else { return Vec::new() };
    let mut wrong = Vec::new();
    if let SearchUsed::Other(name) = &learned.search {
        wrong.push(format!("The file records the search {}, which does not exist.", quoted(name)));
    }
    if learned.digest != data.digest {
        return wrong;
    }
    if learned.rows != data.rows {
        wrong.push(format!("The file records {} rows; the table has {}.", learned.rows, data.rows));
    }
    if let Some(problem) = data.wrong_weights(learned.weights) {
        wrong.push(problem);
    }
    let Some(found) = found else { return wrong };
    let parts =
        [("log_mpl", learned.log_mpl, found.log_mpl), ("log_prior", learned.log_prior, found.log_prior)];
    for (name, recorded, found) in parts {
        if !is_near(found, recorded, data.rows as f64) {
            wrong.push(format!("The file records {name} {}; that is {}.", decimal(recorded), decimal(found)));
        }
    }
    wrong
}

/// The recorded search, made once more.
#[derive(Clone, Copy)]
struct Repeated {
    /// Whether it ends at the structure of the file. Several searches may: then each of their names is true of it.
    here: bool,
    /// Whether it must: the paper's algorithms stay what they are, and need no more than the file records. Mode `blanket`
    /// has limits that it does not record, and may get better with a version.
    bound: bool,
    /// Edges and context elements where it ends.
    found: (usize, usize),
}

impl Repeated {
    fn of(model: &Model, data: &Examined<'_>) -> anyhow::Result<Option<Self>> {
        Ok(data.searched(model)?.map(|found| Self {
            here: found == *model.structure(),
            bound: model.provenance().is_some_and(|learned| learned.search == SearchUsed::Paper),
            found: (found.graph().edge_count(), found.context_elements()),
        }))
    }

    /// What is to be said, and whether it is a disagreement.
    fn complaint(self) -> Option<(String, bool)> {
        let Self { here, bound, found: (edges, elements) } = self;
        let words = if bound {
            "The file records the search paper, which ends"
        } else {
            "Mode blanket, which the file records, ends with its usual options"
        };
        let text =
            format!("{words} at another structure, with {edges} edges and {elements} context elements.");
        (!here).then_some((text, bound))
    }
}

/// Whether the conditional BIC in the file is that of the table that the model was learned from. Tables
/// that are too large for the referee are not examined.
fn wrong_refinement(
    model: &Model,
    digest: &DataDigest,
    known: &KnownEdges,
    (table, structure): (&Table, &Labelled),
) -> anyhow::Result<Vec<String>> {
    let learned = model.provenance().filter(|learned| learned.digest == *digest);
    let Some(refined) = learned.and_then(|learned| learned.refined) else { return Ok(Vec::new()) };
    let rule = ConditionalBic {
        order: refined.options.order,
        gamma: refined.options.edge_prior.gamma(),
        log_odds: known.log_odds.clone(),
    };
    let found = match conditional_bic(table, structure, &rule) {
        Ok(found) => found,
        Err(CheckError::TooLarge { .. }) => return Ok(Vec::new()),
        Err(error) => return Err(error.into()),
    };
    let recorded = refined.conditional_bic;
    if (found - recorded).abs() <= REFINED_TOLERANCE * (1.0 + table.variables() as f64) {
        return Ok(Vec::new());
    }
    Ok(vec![format!(
        "The file records the conditional BIC {}; that is {}.",
        decimal(recorded),
        decimal(found)
    )])
}

/// Asks the referee whether Algorithms 1 and 2 would stay here, with progress and Ctrl-C.
fn examine(table: &Table, structure: &Labelled, scoring: &Scoring) -> anyhow::Result<Optimality> {
    let bar = progress::spinner();
    bar.set_prefix("referee");
    let found = is_locally_optimal(table, structure, scoring, &mut |done, of| {
        bar.set_message(format!("{done} of {of} neighbouring graphs examined"));
        Interrupt.stop().is_none()
    });
    bar.finish_and_clear();
    Ok(found?)
}

/// What is known about edges, as the referee takes it.
fn known(prior: &ContextPrior) -> KnownEdges {
    let rules = prior.rules();
    KnownEdges {
        required: rules.required().map(Edge::ends).collect(),
        forbidden: rules.forbidden().map(Edge::ends).collect(),
        without_contexts: rules.without_contexts().map(Edge::ends).collect(),
        log_odds: rules.log_odds().map(|(edge, odds)| (edge.ends(), odds.to_f64())).collect(),
    }
}

fn labelled(structure: &Structure) -> Labelled {
    let mut plain = Labelled::plain(structure.graph().edges().map(Edge::ends).collect());
    for context in structure.contexts() {
        let wide =
            |cell| context.space().configuration(cell).into_iter().map(|level| level as usize).collect();
        plain.contexts.insert(context.edge().ends(), context.elements().map(wide).collect());
    }
    plain
}
