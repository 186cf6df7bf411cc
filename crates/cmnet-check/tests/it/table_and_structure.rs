//! What may be wrong with a table or a structure is named.

use crate::common::{figure_1b, structure};
use cmnet_check::{CheckError, Complaint, Table};

#[test]
fn equal_rows_are_added_up() {
    let table = Table::new(vec![2], vec![vec![1], vec![0], vec![1]], vec![1, 2, 3]).unwrap();
    assert_eq!(table.total(), 6);
    let observations: Vec<(&[usize], u64)> = table.observations().collect();
    assert_eq!(observations, [(&[0][..], 2), (&[1][..], 4)]);
}

#[test]
fn wrong_tables_are_refused() {
    let new = |cardinalities: &[usize], row: &[usize], weights: &[u64]| {
        Table::new(cardinalities.to_vec(), vec![row.to_vec()], weights.to_vec()).unwrap_err()
    };
    assert_eq!(new(&[2, 0], &[0, 0], &[1]), CheckError::NoLevels { variable: 1 });
    assert_eq!(new(&[2], &[0, 0], &[1]), CheckError::RowLength { row: 0, found: 2, expected: 1 });
    let out_of_range = CheckError::LevelOutOfRange { row: 0, variable: 1, level: 2 };
    assert_eq!(new(&[2, 2], &[0, 2], &[1]), out_of_range);
    assert_eq!(new(&[2], &[0], &[]), CheckError::WeightCount { rows: 1, weights: 0 });
    let huge = Table::new(vec![2], vec![vec![0], vec![1]], vec![u64::MAX, 1]);
    assert_eq!(huge.unwrap_err(), CheckError::TooManyObservations);
}

#[test]
fn neighbours_of_the_papers_graph() {
    let structure = figure_1b();
    assert_eq!(structure.markov_blanket(4), [1, 2, 3]);
    assert_eq!(structure.markov_blanket(5), [0; 0]);
    assert_eq!(structure.common_neighbors(4, 1), [2]);
    assert_eq!(structure.common_neighbors(0, 3), [0; 0]);
    assert!(structure.is_regular(&[3; 6]));
}

#[test]
fn every_irregularity_has_its_complaint() {
    let triangle = [(0, 1), (0, 2), (1, 2)];
    let complaints = |edges: &[(usize, usize)], elements: &[((usize, usize), &[usize])]| {
        structure(edges, elements).complaints(&[2, 2, 2])
    };
    assert_eq!(complaints(&[(1, 0)], &[]), [Complaint::NotAPair((1, 0))]);
    assert_eq!(complaints(&[(1, 1)], &[]), [Complaint::NotAPair((1, 1))]);
    assert_eq!(complaints(&[(0, 3)], &[]), [Complaint::NotAPair((0, 3))]);
    assert_eq!(complaints(&triangle[..2], &[((1, 2), &[0])]), [Complaint::NoEdge((1, 2))]);
    assert_eq!(complaints(&[(0, 1)], &[((0, 1), &[])]), [Complaint::NoCommonNeighbor((0, 1))]);
    let too_long = Complaint::WrongLength((0, 1), vec![0, 0]);
    assert_eq!(complaints(&triangle, &[((0, 1), &[0, 0])]), [too_long]);
    let no_level = Complaint::LevelOutOfRange((0, 1), vec![2]);
    assert_eq!(complaints(&triangle, &[((0, 1), &[2])]), [no_level]);
    let full: [((usize, usize), &[usize]); 2] = [((0, 1), &[0]), ((0, 1), &[1])];
    assert_eq!(complaints(&triangle, &full), [Complaint::WholeSpace((0, 1))]);
    assert_eq!(complaints(&triangle, &full[..1]), []);
}

#[test]
fn an_empty_context_is_no_context() {
    let mut structure = figure_1b();
    structure.contexts.insert((0, 1), std::collections::BTreeSet::new());
    assert!(structure.is_regular(&[3; 6]));
    assert_eq!(structure.context(1, 0), None);
    assert_eq!(structure.non_empty_contexts(), figure_1b().contexts);
}
