//! Phi terms, restrictions and parameter counts of the paper's examples.

use std::collections::BTreeSet;

use crate::common::{Random, complete_graph, figure_1b, structure};
use cmnet_check::{CheckError, Labelled, LogLinear, configurations, is_implied};

/// The twelve equations printed after Proposition 2, as (variables, levels) of their summands.
#[test]
fn the_twelve_restrictions_of_the_paper() {
    let model = LogLinear::new(&[3; 6], &figure_1b()).unwrap();
    let printed: Vec<Vec<usize>> = configurations(&[3, 2, 2])
        .unwrap()
        .into_iter()
        .map(|x| {
            let (a, b) = (x[1] + 1, x[2] + 1);
            let place = |variables: &[usize], levels: &[usize]| model.term_place(variables, levels).unwrap();
            match x[0] {
                0 => vec![place(&[1, 4], &[a, b])],
                one_or_two => {
                    vec![place(&[2, 4], &[a, b]), place(&[1, 2, 4], &[one_or_two, a, b])]
                }
            }
        })
        .collect();
    let found: Vec<Vec<usize>> = model.restrictions().iter().map(|r| r.terms.clone()).collect();
    assert_eq!(found, printed);
    assert_eq!(model.rank(), 12);
}

/// Eq. (4): six singles with 2 levels, six pairs with 4, one triple with 8.
#[test]
fn the_terms_of_equation_4() {
    let model = LogLinear::new(&[3; 6], &Labelled::plain(figure_1b().edges)).unwrap();
    assert_eq!(model.parameter_count(), 6 * 2 + 6 * 4 + 8);
    assert_eq!(model.terms()[model.terms().len() - 1].variables, [1, 2, 4]);
    assert_eq!(model.term_place(&[0, 2], &[1, 1]), None);
    assert_eq!(model.term_place(&[0, 1], &[0, 1]), None);
    for (place, term) in model.terms().iter().enumerate() {
        assert_eq!(model.term_place(&term.variables, &term.levels), Some(place));
    }
}

/// Car evaluation, plain Markov network: buying, maint, doors, persons, `lug_boot`, safety, class.
#[test]
fn the_car_network_has_one_hundred_parameters() {
    let edges = [(0, 1), (0, 6), (1, 6), (3, 5), (3, 6), (5, 6)];
    let model = LogLinear::new(&[4, 4, 4, 3, 3, 3, 4], &structure(&edges, &[])).unwrap();
    assert_eq!(model.parameter_count(), 100);
}

/// Four binary variables, complete graph. C(1,2) = {00, 10} says `phi_12 = 0` and
/// `phi_12 + phi_123 = 0`, so `phi_123 = 0`. With `phi_13 = 0` from 00 in C(1,3), the element 10
/// of C(1,3), which says `phi_13 + phi_123 = 0`, brings nothing new.
#[test]
fn implied_elements_are_recognised() {
    let cards = [2; 4];
    let edges = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
    let given = structure(&edges, &[((0, 1), &[0, 0]), ((0, 1), &[1, 0]), ((0, 2), &[0, 0])]);
    assert_eq!(is_implied(&cards, &given, (0, 2), &[1, 0]), Ok(true));
    assert_eq!(is_implied(&cards, &given, (0, 2), &[0, 1]), Ok(false));
    assert_eq!(is_implied(&cards, &given, (0, 2), &[7, 0]), Err(CheckError::NoSuchElement));
    assert_eq!(is_implied(&cards, &given, (0, 2), &[0]), Err(CheckError::NoSuchElement));
    let other = Labelled::plain([(0, 1)].into());
    assert_eq!(is_implied(&cards, &other, (0, 2), &[]), Err(CheckError::NoSuchElement));
}

/// The last element of an edge may be asked about, too: implied, it removes the edge.
#[test]
fn an_edge_can_be_implied_away() {
    let edges = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
    let given = structure(
        &edges,
        &[((0, 1), &[0, 0]), ((0, 1), &[1, 0]), ((0, 2), &[0, 0]), ((0, 2), &[0, 1]), ((0, 2), &[1, 1])],
    );
    assert_eq!(is_implied(&[2; 4], &given, (0, 2), &[1, 0]), Ok(true));
}

/// The rank can be smaller than the number of restrictions.
#[test]
fn restrictions_can_depend_on_each_other() {
    let mut random = Random(3);
    let mut dependent = 0;
    for _ in 0..200 {
        let structure = random.contexts(&[2; 4], complete_graph(4));
        let model = LogLinear::new(&[2; 4], &structure).unwrap();
        let count: usize = structure.contexts.values().map(BTreeSet::len).sum();
        assert_eq!(model.restrictions().len(), count);
        assert!(model.rank() <= count);
        dependent += usize::from(model.rank() < count);
        for direction in model.free_directions() {
            for restriction in model.restrictions() {
                let moved = direction.iter().filter(|(t, _)| restriction.terms.contains(t));
                let sum: f64 = moved.map(|(_, change)| change).sum();
                assert!(sum.abs() < 1e-12);
            }
        }
        assert_eq!(model.free_directions().len(), model.parameter_count());
    }
    assert!(dependent > 20, "{dependent} of 200 structures had dependent restrictions");
}
