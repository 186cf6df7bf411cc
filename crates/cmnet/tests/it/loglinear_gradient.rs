//! The junction tree against the list of all configurations.

use crate::loglinear_support::{Shape, generator, structure, uniform_table};
use cmnet::{Coordinates, Enumeration, JunctionTree, Likelihood, Propagation, Terms};
use rand::Rng;

const BUDGET: u64 = 1 << 24;

/// The share of rows in which each term is active, by its definition.
fn term_means(terms: &Terms, data: &cmnet::Dataset) -> Vec<f64> {
    let mut means = vec![0.0; terms.len()];
    for (number, mean) in means.iter_mut().enumerate() {
        let term = terms.term(number);
        for (row, &weight) in data.weights().iter().enumerate() {
            let codes = data.row(row);
            let active = term.variables.iter().zip(&term.levels).all(|(v, &level)| codes[v] == level);
            *mean += f64::from(u8::from(active)) * f64::from(weight) / data.rows() as f64;
        }
    }
    means
}

#[test]
fn a_table_of_other_levels_is_refused() {
    let data = uniform_table(&mut generator(1), &[2, 3], 20);
    let refused = Likelihood::new(&cmnet::Structure::empty(&[2, 2]), &data, BUDGET).unwrap_err().to_string();
    assert!(refused.contains("levels"), "{refused}");
}

#[test]
fn value_and_gradient_equal_enumeration_on_five_hundred_structures() {
    let mut random = generator(11);
    let shape = Shape { variables: (3, 8), most_levels: 3, edge_probability: 0.45, element_probability: 0.2 };
    let mut filled = 0;
    for trial in 0..500 {
        let structure = structure(&mut random, shape);
        let data = uniform_table(&mut random, structure.cardinalities(), 30);
        let terms = Terms::new(&structure, None).unwrap();
        let coordinates = Coordinates::new(&structure, &terms).unwrap();
        let spread = [0.5, 3.0][trial % 2];
        let beta: Vec<f64> = (0..coordinates.len()).map(|_| random.random_range(-spread..spread)).collect();
        let phi = coordinates.expand(&beta);
        let means = term_means(&terms, &data);
        let list = Enumeration::new(&terms, &phi).unwrap();
        let value: f64 = phi.iter().zip(&means).map(|(a, b)| a * b).sum::<f64>() - list.log_partition;

        let likelihood = Likelihood::new(&structure, &data, BUDGET).unwrap();
        let found = likelihood.evaluate(&beta);
        filled += usize::from(likelihood.tree().cost().fill > 0);
        assert!((found.log_partition - list.log_partition).abs() < 1e-10);
        assert!((found.value - value).abs() < 1e-10);
        let gradient = list.gradient(&terms, &coordinates, &means);
        assert_eq!(found.gradient.len(), gradient.len());
        for (one, other) in found.gradient.iter().zip(&gradient) {
            assert!((one - other).abs() < 1e-10, "{one} {other}");
        }
    }
    assert!(filled > 50, "{filled} structures were not chordal");
}

#[test]
fn clique_marginals_equal_sums_over_the_joint_space() {
    let mut random = generator(12);
    let shape = Shape { variables: (4, 8), most_levels: 3, edge_probability: 0.4, element_probability: 0.1 };
    for _ in 0..100 {
        let structure = structure(&mut random, shape);
        let terms = Terms::new(&structure, None).unwrap();
        let tree = JunctionTree::new(structure.graph(), structure.cardinalities(), BUDGET).unwrap();
        let mut propagation = Propagation::new(&tree);
        // Random potentials on the cliques themselves.
        let mut potentials: Vec<Vec<f64>> = Vec::new();
        for (index, clique) in tree.cliques().iter().enumerate() {
            let table: Vec<f64> =
                (0..clique.shape().size()).map(|_| random.random_range(-2.0..2.0)).collect();
            propagation.log_potential(index).copy_from_slice(&table);
            potentials.push(table);
        }
        let log_partition = propagation.collect(&tree);
        propagation.distribute(&tree);
        let list = Enumeration::new(&terms, &vec![0.0; terms.len()]).unwrap();
        let mut sums: Vec<Vec<f64>> = potentials.iter().map(|table| vec![0.0; table.len()]).collect();
        let mut total = 0.0;
        for cell in 0..list.space.size() {
            let row = list.space.configuration(cell);
            let cells: Vec<usize> = tree.cliques().iter().map(|clique| clique.shape().cell(&row)).collect();
            let energy: f64 = cells.iter().zip(&potentials).map(|(&cell, table)| table[cell]).sum();
            let weight = libm::exp(energy - log_partition);
            total += weight;
            cells.iter().zip(&mut sums).for_each(|(&cell, table)| table[cell] += weight);
        }
        assert!((total - 1.0).abs() < 1e-10);
        for (index, sums) in sums.iter().enumerate() {
            for (found, sum) in propagation.marginal(index).iter().zip(sums) {
                assert!((found - sum).abs() < 1e-10);
            }
        }
    }
}
