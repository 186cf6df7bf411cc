//! What methods that are not exact say about themselves, in words.

use cmnet::{Approximation, Belief, Climb, Gibbs};

pub(crate) fn as_text(approximation: &Approximation) -> String {
    match approximation {
        Approximation::Gibbs(gibbs) => gibbs_text(gibbs),
        Approximation::Belief(belief) => belief_text(*belief),
    }
}

pub(crate) fn gibbs_text(gibbs: &Gibbs) -> String {
    let judgement = if gibbs.agrees() { "the chains agree" } else { "the chains do NOT agree yet" };
    format!(
        "{} chains of {} sweeps: split R-hat at most {:.4}, at least {:.0} effective draws; {judgement}\n",
        gibbs.chains,
        gibbs.sweeps,
        gibbs.worst_r_hat(),
        gibbs.least_effective()
    )
}

fn belief_text(belief: Belief) -> String {
    let judgement = if belief.converged { "settled" } else { "did NOT settle" };
    format!(
        "messages {judgement} after {} rounds (last change {:.1e}); loops make this approximate\n",
        belief.rounds, belief.change
    )
}

pub(crate) fn climb_text(climb: &Climb) -> String {
    format!(
        "{} of {} starts climbed as high, the first from {}; {} blocks of variables solved exactly\n",
        climb.agreeing, climb.starts, climb.best_start, climb.blocks
    )
}
