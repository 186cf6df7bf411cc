//! What methods that are not exact say about themselves.

use cmnet::inference::{Approximation, Climb, Gibbs};
use serde_json::{Value, json};

/// What is known about the error of a method; null when it is exact.
pub fn approximation(approximation: Option<&Approximation>) -> Value {
    match approximation {
        Some(Approximation::Gibbs(found)) => gibbs(found),
        Some(Approximation::Belief(belief)) => {
            json!({"converged": belief.converged, "rounds": belief.rounds, "change": belief.change})
        }
        None => Value::Null,
    }
}

/// How far chains agree. R-hat is null when it is infinite: chains that never leave their
/// places.
pub fn gibbs(gibbs: &Gibbs) -> Value {
    let r_hat = Some(gibbs.worst_r_hat()).filter(|value| value.is_finite());
    json!({"chains": gibbs.chains, "sweeps": gibbs.sweeps, "r_hat": r_hat,
        "effective": gibbs.least_effective(), "agrees": gibbs.agrees()})
}

/// How many climbs ended as high.
pub fn climb(climb: &Climb) -> Value {
    json!({"starts": climb.starts, "agreeing": climb.agreeing,
        "best_start": climb.best_start.to_string(), "blocks": climb.blocks})
}
