//! Answers by names, in the one form that the command line prints as JSON and that Python
//! returns: `docs/formats.md` describes them.
//!
//! Every answer is one type that serialises its fields in the order of the document. The
//! command prints [`document`], Python takes [`fields`]. Rows and cells, of which there can be
//! millions, are made one by one while they are written.

/// An answer whose fields are put together by its `to_json`.
macro_rules! answer_by_json {
    ($answer:ident, $format:literal) => {
        impl crate::answer::Answer for $answer<'_> {
            const FORMAT: &'static str = $format;
        }

        impl serde::Serialize for $answer<'_> {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
                self.to_json().serialize(serializer)
            }
        }
    };
}

pub mod approximation;
pub mod bootstrapped;
pub mod by_rows;
pub mod compared;
pub mod contexts_chosen;
pub mod cross_validated;
pub mod described;
pub mod discretized;
pub mod effects;
pub mod ensemble;
pub mod explained;
pub mod filled;
pub mod fitted;
pub mod groups;
pub mod imputed;
pub mod independent;
pub mod intervals;
pub mod learned;
pub mod mathematics;
pub mod missing;
pub mod mixed;
pub mod mixture;
pub mod names;
pub mod optimum;
pub mod posterior;
pub mod predicted;
pub mod queried;
pub mod scored;
pub mod written;

pub use bootstrapped::{BootstrappedAnswer, supported};
pub use compared::Compared;
pub use contexts_chosen::contexts_chosen_line;
pub use cross_validated::CrossValidatedAnswer;
pub use described::Description;
pub use discretized::DiscretizedAnswer;
pub use effects::{confirmed, confirmed_lines};
pub use ensemble::{EnsembleFacts, EnsembleMarginals, ExplainedEnsemble};
pub use explained::Explained;
pub use filled::FilledAnswer;
pub use fitted::{EvaluatedAnswer, FitFacts, FittedAnswer};
pub use groups::GroupsAnswer;
pub use imputed::ImputationAnswer;
pub use independent::IndependentAnswer;
pub use intervals::Intervals;
pub use learned::{LearnedAnswer, LearnedSummary, StratifiedAnswer};
pub use mathematics::{Mathematics, Shown};
pub use missing::MissingAnswer;
pub use mixed::{MixtureFacts, class_models};
pub use mixture::{ExplainedMixture, MixtureMarginals, MixtureMostProbable, MixtureSampled};
pub use optimum::OptimumAnswer;
pub use posterior::PosteriorAnswer;
pub use predicted::{Accuracy, PredictedAnswer};
pub use queried::{Information, JointDistribution, Marginals, MostProbable};
pub use scored::{CheckedAnswer, ScoredAnswer};
pub use written::{
    DrawnAnswer, ExperimentAnswer, ExploredAnswer, ExportedAnswer, ImportedAnswer, MergedAnswer,
    ReportedAnswer, SampledAnswer,
};

use serde::Serialize;
use serde_json::Value;

/// An answer that is a JSON document of its own.
pub trait Answer: Serialize {
    /// The name of the document's format, such as `cmnet-query/1`.
    const FORMAT: &'static str;
}

/// The fields of an answer.
///
/// # Errors
/// When a map in it has keys that are no texts; answers have none.
pub fn fields(answer: &impl Serialize) -> serde_json::Result<Value> {
    serde_json::to_value(answer)
}

/// The document of an answer: the name of its format, then its fields.
pub fn document<A: Answer>(answer: &A) -> impl Serialize {
    #[derive(Serialize)]
    struct Document<'a, A> {
        format: &'static str,
        #[serde(flatten)]
        answer: &'a A,
    }
    Document { format: A::FORMAT, answer }
}
