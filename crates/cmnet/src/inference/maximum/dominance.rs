//! Dead-end elimination: a level goes when another one of its variable is better whatever the
//! other variables are (Desmet, De Maeyer, Hazes and Lasters 1992; Goldstein 1994).

use super::problem::Problem;

/// Removes dominated levels until none is left; returns how many cells were looked at.
///
/// Only what is worse by more than `margin`, for rounding: of equally good levels all stay.
pub(super) fn remove_dominated(
    problem: &mut Problem,
    start: impl Iterator<Item = usize>,
    margin: f64,
) -> u64 {
    let mut waiting = vec![false; problem.names.len()];
    let mut queue = std::collections::VecDeque::new();
    for v in start {
        waiting[v] = true;
        queue.push_back(v);
    }
    let mut work = 0;
    while let Some(v) = queue.pop_front() {
        waiting[v] = false;
        let mut removed = false;
        while problem.levels[v].len() > 1 {
            let cells: usize = problem.at[v].iter().map(|&f| problem.factors[f].table.len()).sum();
            work += (cells * problem.levels[v].len()) as u64;
            // All neighbours before the variable is settled, which ends its neighbourhood.
            let Some(level) = dominated(problem, v, margin) else { break };
            let near = if removed { Vec::new() } else { problem.neighbors(v) };
            removed = true;
            problem.remove(v, level);
            for other in near.into_iter().filter(|&other| problem.levels[other].len() > 1) {
                if !std::mem::replace(&mut waiting[other], true) {
                    queue.push_back(other);
                }
            }
        }
    }
    work
}

/// A level of a variable that another one beats whatever the other variables are.
fn dominated(problem: &Problem, v: usize, margin: f64) -> Option<usize> {
    let own = &problem.own[v];
    let worse = |one: usize, other: usize| {
        let mut advantage = own[one] - own[other];
        for &index in &problem.at[v] {
            let factor = &problem.factors[index];
            advantage += factor.largest_advantage(factor.place(v), one, other);
        }
        advantage < -margin
    };
    let levels = 0..own.len();
    levels.clone().find(|&one| levels.clone().any(|other| other != one && worse(one, other)))
}
