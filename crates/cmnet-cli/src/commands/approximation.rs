//! What methods that are not exact say about themselves, in words and JSON.

use cmnet::inference::{Approximation, Belief, Climb, Gibbs};
use serde_json::{Value, json};

pub(crate) fn as_text(approximation: &Approximation) -> String {
    match approximation {
        Approximation::Gibbs(gibbs) => gibbs_text(gibbs),
        Approximation::Belief(belief) => belief_text(*belief),
    }
}

pub(crate) fn as_json(approximation: Option<&Approximation>) -> Value {
    match approximation {
        Some(Approximation::Gibbs(gibbs)) => gibbs_json(gibbs),
        Some(Approximation::Belief(belief)) => {
            json!({"converged": belief.converged, "rounds": belief.rounds, "change": belief.change})
        }
        None => Value::Null,
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

/// R-hat is null when it is infinite: chains that never leave their places.
pub(crate) fn gibbs_json(gibbs: &Gibbs) -> Value {
    let r_hat = Some(gibbs.worst_r_hat()).filter(|value| value.is_finite());
    json!({"chains": gibbs.chains, "sweeps": gibbs.sweeps, "r_hat": r_hat,
        "effective": gibbs.least_effective(), "agrees": gibbs.agrees()})
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

pub(crate) fn climb_json(climb: &Climb) -> Value {
    json!({"starts": climb.starts, "agreeing": climb.agreeing,
        "best_start": climb.best_start.to_string(), "blocks": climb.blocks})
}
