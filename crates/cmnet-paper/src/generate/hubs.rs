//! Hubs: a few variables that many others hang on. Every blanket but theirs is small.

use super::{Known, below, table_of, uniform};
use cmnet::{Edge, Parameters, Result, Structure, Terms, Var};
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

/// The log odds that a variable takes the level that a neighbour asks for.
const STRENGTH: f64 = 1.2;
/// One leaf in so many hangs on two hubs.
const SHARED: usize = 4;

/// What a table of hubs is to be like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hubs {
    /// The number of variables.
    pub variables: usize,
    /// How many of them are hubs: each has about `variables / hubs` neighbours.
    pub hubs: usize,
    /// The number of levels of every variable.
    pub levels: u32,
}

/// What one variable is drawn from: earlier ones, each with the level that it asks for at each
/// of its own levels.
type Parents = Vec<(Var, Vec<usize>)>;

/// A chain of hubs; every other variable hangs on one of them, or on two that are neighbours.
/// Rows are drawn one variable after the other, so that they are independent.
///
/// # Errors
/// When there is no row.
pub fn hubs(kind: Hubs, rows: usize, seed: u64) -> Result<Known> {
    let mut generator = Pcg64Mcg::seed_from_u64(seed);
    let levels = kind.levels as usize;
    let mut parents: Vec<Parents> = Vec::new();
    for node in 0..kind.variables {
        let chosen: Vec<Var> = if node < kind.hubs {
            (node.saturating_sub(1)..node).collect()
        } else {
            let first = below(&mut generator, kind.hubs);
            let shared = first + 1 < kind.hubs && below(&mut generator, SHARED) == 0;
            (first..first + 1 + usize::from(shared)).collect()
        };
        let asks = chosen.into_iter().map(|parent| (parent, permutation(levels, &mut generator))).collect();
        parents.push(asks);
    }
    let mut structure = Structure::empty(&vec![kind.levels; kind.variables]);
    for (node, parents) in parents.iter().enumerate() {
        for &(parent, _) in parents {
            structure.toggle_edge(Edge::new(parent, node)?)?;
        }
    }
    let columns = draw(&parents, levels, rows, &mut generator);
    let tables = parents.iter().enumerate().map(|(node, own)| table(node, own, levels));
    let parameters = Parameters::from_tables(Terms::new(&structure, None)?, tables)?;
    Ok(Known { structure, parameters, data: table_of(columns, kind.levels)? })
}

/// A variable after its parents, and the logarithms of its probabilities, the last fastest.
fn table(node: Var, parents: &Parents, levels: usize) -> (Vec<Var>, Vec<f64>) {
    let mut logs = Vec::new();
    for configuration in 0..levels.pow(parents.len() as u32) {
        let mut odds = vec![0.0; levels];
        let mut rest = configuration;
        for (_, asked) in parents.iter().rev() {
            odds[asked[rest % levels]] += STRENGTH;
            rest /= levels;
        }
        let total: f64 = odds.iter().map(|&odds| libm::exp(odds)).sum();
        logs.extend(odds.iter().map(|odds| odds - libm::log(total)));
    }
    (parents.iter().map(|&(parent, _)| parent).chain([node]).collect(), logs)
}

/// A random order of the levels.
pub(super) fn permutation(levels: usize, generator: &mut Pcg64Mcg) -> Vec<usize> {
    let mut order: Vec<usize> = (0..levels).collect();
    for place in (1..levels).rev() {
        order.swap(place, below(generator, place + 1));
    }
    order
}

fn draw(parents: &[Parents], levels: usize, rows: usize, generator: &mut Pcg64Mcg) -> Vec<Vec<u16>> {
    let mut columns: Vec<Vec<u16>> = Vec::new();
    for own in parents {
        let mut column = Vec::with_capacity(rows);
        for row in 0..rows {
            let mut odds = vec![0.0; levels];
            for (parent, asked) in own {
                odds[asked[columns[*parent][row] as usize]] += STRENGTH;
            }
            column.push(pick(&odds, generator));
        }
        columns.push(column);
    }
    columns
}

/// A level with probability proportional to the exponential of its log odds.
pub(super) fn pick(odds: &[f64], generator: &mut Pcg64Mcg) -> u16 {
    let weights: Vec<f64> = odds.iter().map(|&odds| libm::exp(odds)).collect();
    let mut left = uniform(generator) * weights.iter().sum::<f64>();
    for (level, weight) in weights.iter().enumerate() {
        left -= weight;
        if left < 0.0 {
            return level as u16;
        }
    }
    weights.len() as u16 - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hubs_have_many_neighbours_and_leaves_few() {
        let known = hubs(Hubs { variables: 60, hubs: 3, levels: 3 }, 50, 1).unwrap();
        let degree = |node: Var| known.structure.markov_blanket(node).len();
        assert!((0..3).all(|hub| degree(hub) > 12), "{:?}", (0..3).map(degree).collect::<Vec<_>>());
        assert!((3..60).all(|leaf| (1..=2).contains(&degree(leaf))));
        assert_eq!(known.data.rows(), 50);
    }
}
