//! Terms, restrictions, parameter count and canonical form against the paper and the referee.

use crate::loglinear_support::{SMALL, Shape, generator, labelled, levels, plain, structure};
use cmnet::{
    Coordinates, Edge, Structure, Term, Terms, Var, VarSet, canonical, parameter_count, restrictions,
    same_model,
};
use cmnet_check::{LogLinear, is_implied};
use rand::Rng;

/// Figure 1(b) of the paper: six ternary variables, C(2,5) = {0}, C(3,5) = {1, 2}.
fn figure_one() -> Structure {
    let mut structure = plain(&[3; 6], &[(0, 1), (0, 3), (1, 2), (1, 4), (2, 4), (3, 4)]);
    structure.add_context_element(Edge::new(1, 4).unwrap(), 0).unwrap();
    structure.add_context_element(Edge::new(2, 4).unwrap(), 1).unwrap();
    structure.add_context_element(Edge::new(2, 4).unwrap(), 2).unwrap();
    structure
}

fn written(term: &Term) -> String {
    let list = |numbers: Vec<String>| numbers.join(",");
    let variables = list(term.variables.iter().map(|v: Var| (v + 1).to_string()).collect());
    format!("{variables}({})", list(term.levels.iter().map(u32::to_string).collect()))
}

#[test]
fn the_six_node_example_has_the_twelve_restrictions_that_the_paper_prints() {
    let structure = figure_one();
    let terms = Terms::new(&structure, None).unwrap();
    let rows: Vec<String> = restrictions(&structure, &terms)
        .iter()
        .map(|row| row.terms.iter().map(|&term| written(&terms.term(term))).collect::<Vec<_>>().join("+"))
        .collect();
    assert_eq!(
        rows,
        [
            "2,5(1,1)",
            "2,5(1,2)",
            "2,5(2,1)",
            "2,5(2,2)",
            "3,5(1,1)+2,3,5(1,1,1)",
            "3,5(1,2)+2,3,5(1,1,2)",
            "3,5(2,1)+2,3,5(1,2,1)",
            "3,5(2,2)+2,3,5(1,2,2)",
            "3,5(1,1)+2,3,5(2,1,1)",
            "3,5(1,2)+2,3,5(2,1,2)",
            "3,5(2,1)+2,3,5(2,2,1)",
            "3,5(2,2)+2,3,5(2,2,2)",
        ]
    );
    // 6 * 2 + 6 * 4 + 8 terms
    assert_eq!(terms.len(), 44);
    assert_eq!(parameter_count(&structure).unwrap(), 32);
}

#[test]
fn the_car_structure_has_a_hundred_parameters() {
    // class, buying, maint, doors, persons, lug_boot, safety
    let edges = [(0, 1), (0, 2), (1, 2), (0, 4), (0, 6), (4, 6)];
    assert_eq!(parameter_count(&plain(&[4, 4, 4, 4, 3, 3, 3], &edges)).unwrap(), 100);
}

#[test]
fn parameter_counts_equal_the_exact_rational_rank_on_two_thousand_structures() {
    let mut random = generator(1);
    let mut counting_elements_is_wrong = 0;
    for trial in 0..2000 {
        let shape = Shape { element_probability: [0.1, 0.3, 0.6][trial % 3], ..SMALL };
        let structure = structure(&mut random, shape);
        let referee = LogLinear::new(&levels(&structure), &labelled(&structure)).unwrap();
        let count = parameter_count(&structure).unwrap();
        assert_eq!(count, referee.parameter_count());
        let terms = Terms::new(&structure, None).unwrap();
        assert_eq!(Coordinates::new(&structure, &terms).unwrap().len(), count);
        counting_elements_is_wrong += usize::from(count + referee.restrictions().len() != terms.len());
    }
    assert!(counting_elements_is_wrong > 500); // otherwise the ranks were not put to the test
}

#[test]
fn free_coordinates_satisfy_every_restriction() {
    let mut random = generator(2);
    for _ in 0..300 {
        let structure = structure(&mut random, SMALL);
        let terms = Terms::new(&structure, None).unwrap();
        let coordinates = Coordinates::new(&structure, &terms).unwrap();
        let beta: Vec<f64> = (0..coordinates.len()).map(|_| random.random_range(-3.0..3.0)).collect();
        let phi = coordinates.expand(&beta);
        assert!(cmnet::largest_violation(&structure, &terms, &phi) < 1e-12);
        // N' is the transpose of N.
        let weights: Vec<f64> = phi.iter().map(|_| random.random_range(-1.0..1.0)).collect();
        let forward: f64 = phi.iter().zip(&weights).map(|(a, b)| a * b).sum();
        let backward: f64 = coordinates.pull_back(&weights).iter().zip(&beta).map(|(a, b)| a * b).sum();
        assert!((forward - backward).abs() < 1e-10);
    }
}

#[test]
fn the_closure_is_idempotent_and_keeps_the_parameter_count_on_two_thousand_structures() {
    let mut random = generator(3);
    let (mut grown, mut edges_removed) = (0, 0);
    for trial in 0..2000 {
        let shape = Shape { element_probability: [0.2, 0.5, 0.8][trial % 3], ..SMALL };
        let structure = structure(&mut random, shape);
        let closed = canonical(&structure).unwrap();
        assert_eq!(canonical(&closed).unwrap(), closed);
        assert_eq!(parameter_count(&closed).unwrap(), parameter_count(&structure).unwrap());
        assert!(same_model(&closed, &structure).unwrap());
        grown += usize::from(closed.context_elements() > structure.context_elements());
        edges_removed += usize::from(closed.graph() != structure.graph());
    }
    assert!(grown > 100 && edges_removed > 200, "{grown} {edges_removed}");
}

/// The closure word for word: add implied elements one by one, by the referee's rational rank.
#[test]
fn the_closure_adds_exactly_what_the_referee_finds_implied() {
    let mut random = generator(4);
    let shape = Shape { variables: (3, 4), ..SMALL };
    for _ in 0..150 {
        let structure = structure(&mut random, shape);
        let closed = canonical(&structure).unwrap();
        let (closed_labels, levels) = (labelled(&closed), levels(&closed));
        for edge in closed.graph().edges() {
            let space = closed.context_space(edge).unwrap();
            for cell in (0..space.size()).filter(|_| space.size() > 1) {
                let element: Vec<usize> = space.configuration(cell).iter().map(|&x| x as usize).collect();
                let inside = closed.context(edge).is_some_and(|context| context.contains(cell));
                let implied = is_implied(&levels, &closed_labels, edge.ends(), &element).unwrap();
                assert_eq!(inside, implied);
            }
        }
        // Nothing was lost: with every element of both, the rank is what each had alone.
        for context in structure.contexts().filter(|context| closed.graph().contains(context.edge())) {
            let now = closed.context_space(context.edge()).unwrap();
            let then = context.space().projection(&now);
            let kept = closed.context(context.edge());
            assert!(context.elements().all(|cell| kept.is_some_and(|kept| kept.contains(then.apply(cell)))));
        }
    }
}

#[test]
fn an_edge_that_is_cut_off_everywhere_by_others_is_removed() {
    // phi_01 = 0 by C(0,1); phi_02 + phi_012 = 0, phi_02 = ... only through both values of X_1.
    let mut structure = plain(&[2, 2, 2], &[(0, 1), (0, 2), (1, 2)]);
    let edge = |i, j| Edge::new(i, j).unwrap();
    structure.add_context_element(edge(0, 1), 1).unwrap(); // phi_01 + phi_012 = 0
    structure.add_context_element(edge(0, 2), 1).unwrap(); // phi_02 + phi_012 = 0
    structure.add_context_element(edge(1, 2), 1).unwrap(); // phi_12 + phi_012 = 0
    assert_eq!(canonical(&structure).unwrap(), structure);
    assert_eq!(parameter_count(&structure).unwrap(), 4);
    // In a graph where {0,1,2} is the only clique with 0, cutting (0,1) at both ends of X_2 by
    // way of another edge's elements leaves no term on {0,1}.
    let mut structure = plain(&[2, 2, 2, 2], &[(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)]);
    structure.add_context_element(edge(1, 2), 0).unwrap(); // X_0 = 0, X_3 = 0: phi_12 = 0
    structure.add_context_element(edge(1, 2), 2).unwrap(); // phi_12 + phi_012 = 0
    structure.add_context_element(edge(1, 2), 1).unwrap(); // phi_12 + phi_123 = 0
    let closed = canonical(&structure).unwrap();
    assert!(!closed.graph().contains(edge(1, 2)));
    assert_eq!(closed.context_elements(), 0);
    assert_eq!(parameter_count(&structure).unwrap(), parameter_count(&closed).unwrap());
}

#[test]
fn hundreds_of_variables_with_moderate_cliques_are_no_trouble() {
    let count = 600;
    let edges: Vec<(Var, Var)> =
        (0..count).flat_map(|i| (1..=4).map(move |step| (i, i + step))).filter(|&(_, j)| j < count).collect();
    let mut structure = plain(&vec![3; count], &edges);
    for i in 0..count - 4 {
        structure.add_context_element(Edge::new(i, i + 1).unwrap(), (i % 5) as u64).unwrap();
    }
    let terms = Terms::new(&structure, None).unwrap();
    assert_eq!(terms.cliques()[0], (0..5).collect::<VarSet>());
    let coordinates = Coordinates::new(&structure, &terms).unwrap();
    assert_eq!(coordinates.len(), parameter_count(&structure).unwrap());
    assert_eq!(canonical(&structure).unwrap().graph(), structure.graph());
}

#[test]
fn common_neighbours_with_too_many_configurations_are_refused_by_the_closure() {
    // Ends 0 and 1; their common neighbours are no neighbours of each other.
    let structure = |neighbours: usize| {
        let edges: Vec<(usize, usize)> =
            (2..neighbours + 2).flat_map(|v| [(0, v), (1, v)]).chain([(0, 1)]).collect();
        let mut structure = plain(&vec![2; neighbours + 2], &edges);
        structure.add_context_element(Edge::new(0, 1).unwrap(), 0).unwrap();
        structure
    };
    let most = structure(20);
    assert_eq!(canonical(&most).unwrap(), most, "2^20 configurations may be tried");
    let refused = canonical(&structure(21)).unwrap_err().to_string();
    assert!(refused.contains("limit of 1048576") && refused.contains("without closure"), "{refused}");
}

#[test]
fn restrictions_that_take_too_much_are_refused_before_they_are_listed() {
    // Every element but one, each with 29 x 29 restrictions of up to 2^10 terms.
    let structure = |levels: u32| {
        let cardinalities: Vec<u32> = (0..12).map(|v| if v < 2 { levels } else { 2 }).collect();
        let edges: Vec<(usize, usize)> = (0..12).flat_map(|i| (0..i).map(move |j| (j, i))).collect();
        let mut structure = plain(&cardinalities, &edges);
        for cell in 0..1023 {
            structure.add_context_element(Edge::new(0, 1).unwrap(), cell).unwrap();
        }
        structure
    };
    let refused = parameter_count(&structure(30)).unwrap_err().to_string();
    assert!(refused.contains("restrictions that the contexts put on the terms"), "{refused}");
    assert!(refused.contains("256 MiB"), "{refused}");
    assert!(parameter_count(&structure(3)).is_ok());
}
