//! Random structures and tables from a fixed seed, and the same things in the referee's words.
#![allow(dead_code, reason = "each test file uses its own part")]

use cmnet::{
    Codes, Dataset, Edge, Fit, FitMethod, FitOptions, Order, OutcomeSpace, Ridge, Schema, Structure,
    Variable, collapse,
};
use cmnet_check::{Labelled, LogLinear, Table, maximum_likelihood};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

pub(crate) fn generator(seed: u64) -> Pcg64Mcg {
    Pcg64Mcg::seed_from_u64(seed)
}

/// How random structures look.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) variables: (usize, usize),
    pub(crate) most_levels: u32,
    pub(crate) edge_probability: f64,
    /// Each context element is tried with this probability.
    pub(crate) element_probability: f64,
}

pub(crate) const SMALL: Shape =
    Shape { variables: (3, 6), most_levels: 3, edge_probability: 0.7, element_probability: 0.3 };

/// 3 to 5 variables.
pub(crate) const TINY: Shape = Shape { variables: (3, 5), ..SMALL };

/// A random structure.
pub(crate) fn structure(random: &mut Pcg64Mcg, shape: Shape) -> Structure {
    let variables = random.random_range(shape.variables.0..=shape.variables.1);
    let cardinalities: Vec<u32> =
        (0..variables).map(|_| random.random_range(2..=shape.most_levels)).collect();
    let mut structure = Structure::empty(&cardinalities);
    for edge in structure.graph().pairs() {
        if random.random_bool(shape.edge_probability) {
            structure.toggle_edge(edge).unwrap();
        }
    }
    for edge in structure.graph().edges().collect::<Vec<_>>() {
        let space = structure.context_space(edge).unwrap();
        for cell in 0..space.size() {
            if space.size() > 1 && random.random_bool(shape.element_probability) {
                let _ = structure.add_context_element(edge, cell); // refused when it would be full
            }
        }
    }
    structure
}

/// Edges from pairs, without contexts.
pub(crate) fn plain(cardinalities: &[u32], edges: &[(usize, usize)]) -> Structure {
    let mut structure = Structure::empty(cardinalities);
    for &(i, j) in edges {
        structure.toggle_edge(Edge::new(i, j).unwrap()).unwrap();
    }
    structure
}

pub(crate) fn schema(cardinalities: &[u32]) -> Schema {
    let variable = |(index, &levels): (usize, &u32)| Variable {
        name: format!("x{index}"),
        levels: (0..levels).map(|level| level.to_string()).collect(),
    };
    Schema::new_unchecked(cardinalities.iter().enumerate().map(variable).collect())
}

/// A table from rows of codes with weights.
pub(crate) fn dataset(cardinalities: &[u32], rows: &[Vec<u32>], weights: &[u32]) -> Dataset {
    let column = |variable: usize| Codes::from_codes(rows.iter().map(|row| row[variable] as u16));
    let columns: Vec<Codes> = (0..cardinalities.len()).map(column).collect();
    collapse(schema(cardinalities), &columns, weights).unwrap()
}

/// A table in which every cell was observed at least `least` times.
pub(crate) fn full_table(random: &mut Pcg64Mcg, cardinalities: &[u32], least: u32) -> Dataset {
    let space = OutcomeSpace::new((0..cardinalities.len()).collect(), cardinalities).unwrap();
    let rows: Vec<Vec<u32>> = (0..space.size()).map(|cell| space.configuration(cell)).collect();
    let weights: Vec<u32> =
        rows.iter().map(|_| least + (1.0 / random.random_range(0.01f64..1.0)) as u32).collect();
    dataset(cardinalities, &rows, &weights)
}

/// Rows drawn independently and uniformly.
pub(crate) fn uniform_table(random: &mut Pcg64Mcg, cardinalities: &[u32], rows: usize) -> Dataset {
    let row = |random: &mut Pcg64Mcg| cardinalities.iter().map(|&r| random.random_range(0..r)).collect();
    let rows: Vec<Vec<u32>> = (0..rows).map(|_| row(random)).collect();
    dataset(cardinalities, &rows, &vec![1; rows.len()])
}

/// A random structure, and fewer rows than `most` for it.
pub(crate) fn sparse_problem(random: &mut Pcg64Mcg, shape: Shape, most: usize) -> (Structure, Dataset) {
    let structure = structure(random, shape);
    let rows = random.random_range(4..most);
    let data = uniform_table(random, structure.cardinalities(), rows);
    (structure, data)
}

/// The structure in the referee's words.
pub(crate) fn labelled(structure: &Structure) -> Labelled {
    let mut labelled = Labelled::plain(structure.graph().edges().map(Edge::ends).collect());
    for context in structure.contexts() {
        let elements = context.elements().map(|cell| {
            context.space().configuration(cell).into_iter().map(|level| level as usize).collect()
        });
        labelled.contexts.insert(context.edge().ends(), elements.collect());
    }
    labelled
}

pub(crate) fn levels(structure: &Structure) -> Vec<usize> {
    structure.cardinalities().iter().map(|&r| r as usize).collect()
}

/// The table in the referee's words.
pub(crate) fn table(data: &Dataset) -> Table {
    let cardinalities = data.schema().cardinalities().into_iter().map(|r| r as usize).collect();
    let row = |row: usize| data.row(row).into_iter().map(|code| code as usize).collect();
    let weights = data.weights().iter().map(|&weight| u64::from(weight)).collect();
    Table::new(cardinalities, (0..data.distinct_rows()).map(row).collect(), weights).unwrap()
}

/// A square grid of binary variables.
pub(crate) fn grid(side: usize) -> Structure {
    let mut edges = Vec::new();
    for node in 0..side * side {
        if node % side + 1 < side {
            edges.push((node, node + 1));
        }
        if node + side < side * side {
            edges.push((node, node + side));
        }
    }
    plain(&vec![2; side * side], &edges)
}

/// The values in the order of the referee's terms.
pub(crate) fn in_order(model: &LogLinear, fitted: &Fit) -> Vec<f64> {
    let mut phi = vec![0.0; model.terms().len()];
    for (term, value) in fitted.parameters.iter() {
        let levels: Vec<usize> = term.levels.iter().map(|&level| level as usize).collect();
        phi[model.term_place(term.variables.as_slice(), &levels).unwrap()] = value;
    }
    phi
}

/// The referee's own fit.
pub(crate) fn referee(structure: &Structure, data: &Dataset) -> cmnet_check::Fit {
    let model = LogLinear::new(&levels(structure), &labelled(structure)).unwrap();
    maximum_likelihood(&table(data), &model).unwrap()
}

/// log p of every joint configuration.
pub(crate) fn log_probabilities(fitted: &Fit) -> Vec<f64> {
    let cardinalities = fitted.parameters.terms().cardinalities();
    let space = OutcomeSpace::new((0..cardinalities.len()).collect(), cardinalities).unwrap();
    let evaluator = fitted.parameters.evaluator();
    (0..space.size()).map(|cell| evaluator.log_probability(&space.configuration(cell)).unwrap()).collect()
}

/// Exact maximum likelihood without smoothing.
pub(crate) const BARE: FitOptions = FitOptions {
    method: FitMethod::Exact,
    order: Order::FULL,
    target: None,
    ridge: Ridge::NONE,
    smoothing: 0.0,
    tolerance: 1e-7,
    max_iterations: 1000,
    memory: 1 << 28,
};
