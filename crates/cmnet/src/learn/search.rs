//! One structure per kappa, by the mode that was asked for.

use super::{LearnOptions, Learned, LearnedModel, SearchMode};
use crate::counts::PlaneCounts;
use crate::data::Dataset;
use crate::error::Result;
use crate::score::{ContextPrior, Kappa, Scorer};
use crate::search::blanket::{BlanketSearch, BlanketState};
use crate::search::{Event, GraphClimb, Observer, StopReason, run as run_climb};

type TableScorer<'a> = Scorer<'a, PlaneCounts<'a>>;

pub(super) fn run(data: &Dataset, options: &LearnOptions, observer: &dyn Observer) -> Result<Learned> {
    let counts = PlaneCounts::new(data);
    let scorer = Scorer::new(&counts, options.alpha);
    let (mode, search_reason) = options.mode(data);
    let mut learned = Learned {
        models: Vec::new(),
        search: if mode == SearchMode::Blanket { "blanket" } else { "paper" },
        search_reason,
        stop: StopReason::Converged,
        selected: None,
        criterion: None,
        limited: Vec::new(),
    };
    let mut blankets = BlanketState::default();
    for (index, &kappa) in options.kappas.iter().enumerate() {
        observer.observe(&Event::Started { index, of: options.kappas.len(), kappa: &kappa.to_string() });
        let model = match mode {
            SearchMode::Blanket => by_blankets(&scorer, options, (&mut blankets, kappa), observer)?,
            _ => by_paper(&scorer, kappa, observer)?,
        };
        let stop = model.stop;
        learned.models.push(model);
        if stop != StopReason::Converged {
            learned.stop = stop;
            break;
        }
    }
    learned.limited = blankets.limited();
    Ok(learned)
}

fn by_paper(scorer: &TableScorer<'_>, kappa: Kappa, observer: &dyn Observer) -> Result<LearnedModel> {
    let prior = ContextPrior::new(kappa, scorer.rows());
    let climb = GraphClimb::new(scorer, prior);
    let mut state = climb.start()?;
    let stop = run_climb(&climb, &mut state, observer)?;
    Ok(LearnedModel {
        prior,
        score: scorer.score(state.structure(), &prior)?,
        structure: state.structure().clone(),
        steps: state.steps().to_vec(),
        moves: state.moves(),
        ties: state.ties(),
        stop,
        fit: None,
    })
}

fn by_blankets(
    scorer: &TableScorer<'_>,
    options: &LearnOptions,
    (state, kappa): (&mut BlanketState, Kappa),
    observer: &dyn Observer,
) -> Result<LearnedModel> {
    let search = BlanketSearch::new(scorer, options.limits, options.candidates);
    state.next_kappa();
    let (structure, stop) = search.run(state, kappa, observer)?;
    let prior = ContextPrior::new(kappa, scorer.rows());
    Ok(LearnedModel {
        prior,
        score: scorer.score(&structure, &prior)?,
        structure,
        steps: Vec::new(),
        moves: state.steps(),
        ties: 0,
        stop,
        fit: None,
    })
}
