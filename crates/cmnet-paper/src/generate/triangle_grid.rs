//! Square grids with one diagonal in each square, binary, with a context on every other
//! diagonal; rows by Gibbs sampling. Not chordal, unlike the trees.

use super::{Known, below, table_of, uniform};
use cmnet::{Edge, Parameters, Result, Structure, Terms, Var};
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

/// Sweeps between two rows.
const SWEEPS: usize = 12;
/// Sweeps before the first row.
const WARM_UP: usize = 200;
/// The log odds ratio along a side of a square.
const SIDE: f64 = 1.1;
/// The log odds ratio along a diagonal, where it is not cut.
const DIAGONAL: f64 = 1.6;

/// An interaction: two nodes and, for a diagonal with a context, the node at whose level 1 it
/// vanishes.
struct Interaction {
    ends: [Var; 2],
    switch: Option<Var>,
    strength: f64,
}

impl Interaction {
    /// Its variables and its part of the logarithm of the distribution, the last fastest.
    fn table(&self) -> (Vec<Var>, Vec<f64>) {
        let scope: Vec<Var> = self.ends.into_iter().chain(self.switch).collect();
        let sides: &[bool] = if self.switch.is_some() { &[true, false] } else { &[true] };
        let mut table = Vec::new();
        for one in [-1.0, 1.0] {
            for other in [-1.0, 1.0] {
                table
                    .extend(sides.iter().map(|&on| if on { self.strength / 2.0 * one * other } else { 0.0 }));
            }
        }
        (scope, table)
    }
}

/// A grid of `side` x `side` nodes and `rows` rows. A diagonal with a context is cut off
/// wherever the upper right corner of its square has level 1.
///
/// # Errors
/// When there is no row.
pub fn triangle_grid(side: usize, rows: usize, seed: u64) -> Result<Known> {
    let mut generator = Pcg64Mcg::seed_from_u64(seed);
    let interactions = interactions(side, &mut generator);
    let mut structure = Structure::empty(&vec![2; side * side]);
    for interaction in &interactions {
        structure.toggle_edge(Edge::new(interaction.ends[0], interaction.ends[1])?)?;
    }
    for interaction in &interactions {
        let Some(switch) = interaction.switch else { continue };
        let edge = Edge::new(interaction.ends[0], interaction.ends[1])?;
        let space = structure.context_space(edge)?;
        let position = space.variables().position(switch).unwrap_or_default();
        for cell in (0..space.size()).filter(|&cell| space.level(cell, position) == 1) {
            structure.add_context_element(edge, cell)?;
        }
    }
    let tables = interactions.iter().map(Interaction::table);
    let parameters = Parameters::from_tables(Terms::new(&structure, None)?, tables)?;
    let data = table_of(draw(side * side, &interactions, rows, &mut generator), 2)?;
    Ok(Known { structure, parameters, data })
}

fn interactions(side: usize, generator: &mut Pcg64Mcg) -> Vec<Interaction> {
    let mut all = Vec::new();
    let mut add = |ends: [Var; 2], switch: Option<Var>, size: f64| {
        let strength = if below(generator, 2) == 1 { size } else { -size };
        all.push(Interaction { ends, switch, strength });
    };
    for row in 0..side {
        for column in 0..side {
            let node = row * side + column;
            if column + 1 < side {
                add([node, node + 1], None, SIDE);
            }
            if row + 1 < side {
                add([node, node + side], None, SIDE);
            }
            if column + 1 < side && row + 1 < side {
                let switch = ((row + column) % 2 == 0).then_some(node + 1);
                add([node, node + side + 1], switch, DIAGONAL);
            }
        }
    }
    all
}

fn draw(nodes: usize, interactions: &[Interaction], rows: usize, generator: &mut Pcg64Mcg) -> Vec<Vec<u16>> {
    let mut at: Vec<Vec<usize>> = vec![Vec::new(); nodes];
    for (index, interaction) in interactions.iter().enumerate() {
        for node in interaction.ends.into_iter().chain(interaction.switch) {
            at[node].push(index);
        }
    }
    let mut state: Vec<u16> = (0..nodes).map(|_| below(generator, 2) as u16).collect();
    let mut columns = vec![Vec::with_capacity(rows); nodes];
    for row in 0..rows {
        let sweeps = if row == 0 { WARM_UP } else { SWEEPS };
        for _ in 0..sweeps {
            for node in 0..nodes {
                let mut odds = 0.0;
                for &index in &at[node] {
                    odds += log_odds(&interactions[index], node, &state);
                }
                state[node] = u16::from(uniform(generator) < 1.0 / (1.0 + libm::exp(-odds)));
            }
        }
        columns.iter_mut().zip(&state).for_each(|(column, &level)| column.push(level));
    }
    columns
}

/// What an interaction adds to the log odds of level 1 of one of its nodes.
fn log_odds(interaction: &Interaction, node: Var, state: &[u16]) -> f64 {
    let spin = |other: Var| f64::from(state[other]) * 2.0 - 1.0;
    let [one, other] = interaction.ends;
    let half = interaction.strength / 2.0;
    let on = interaction.switch.is_none_or(|switch| state[switch] == 0);
    match node {
        node if node == one => {
            if on {
                interaction.strength * spin(other)
            } else {
                0.0
            }
        }
        node if node == other => {
            if on {
                interaction.strength * spin(one)
            } else {
                0.0
            }
        }
        _ => -half * spin(one) * spin(other), // the switch: at level 1 the interaction is gone
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_has_its_diagonals_and_half_of_them_have_contexts() {
        let grid = triangle_grid(5, 20, 1).unwrap();
        assert_eq!(grid.structure.graph().edge_count(), 2 * 5 * 4 + 16);
        let contexts: Vec<_> = grid.structure.contexts().collect();
        assert_eq!(contexts.len(), 8);
        assert!(contexts.iter().all(|context| context.space().size() == 4 && context.len() == 2));
    }

    #[test]
    fn conditional_odds_are_those_of_one_joint_distribution() {
        let grid = interactions(3, &mut Pcg64Mcg::seed_from_u64(2));
        let energy = |state: &[u16]| -> f64 {
            let spin = |node: usize| f64::from(state[node]) * 2.0 - 1.0;
            let on = |i: &Interaction| i.switch.is_none_or(|switch| state[switch] == 0);
            grid.iter().filter(|i| on(i)).map(|i| i.strength / 2.0 * spin(i.ends[0]) * spin(i.ends[1])).sum()
        };
        for code in 0..512u16 {
            let state: Vec<u16> = (0..9).map(|node| code >> node & 1).collect();
            for node in 0..9 {
                let odds: f64 = grid
                    .iter()
                    .filter(|i| i.ends.contains(&node) || i.switch == Some(node))
                    .map(|i| log_odds(i, node, &state))
                    .sum();
                let with = |level: u16| {
                    let mut changed = state.clone();
                    changed[node] = level;
                    energy(&changed)
                };
                assert!((odds - (with(1) - with(0))).abs() < 1e-12);
            }
        }
    }
}
