//! The paper's figures and worked examples.

use crate::common::{Sample, edge, generator, set};
use cmnet::{Alpha, Label, RowCounts, Scorer, Structure, VarSet};
use rand::Rng;

fn graph(cardinality: u32, variables: usize, edges: &[(usize, usize)]) -> Structure {
    let mut structure = Structure::empty(&vec![cardinality; variables]);
    for &(i, j) in edges {
        structure.toggle_edge(edge(i - 1, j - 1)).unwrap();
    }
    structure
}

fn add_label(structure: &mut Structure, (i, j): (usize, usize), label: &str) {
    let edge = edge(i - 1, j - 1);
    let space = structure.context_space(edge).unwrap();
    for cell in Label::parse(label, &space).unwrap().elements(&space) {
        structure.add_context_element(edge, cell).unwrap();
    }
}

fn label(structure: &Structure, (i, j): (usize, usize)) -> String {
    let context = structure.context(edge(i - 1, j - 1)).unwrap();
    Label::of(&context.elements().collect(), context.space()).to_string()
}

const SIX_NODES: [(usize, usize); 6] = [(1, 2), (2, 3), (1, 4), (4, 5), (2, 5), (3, 5)];

/// Figure 1(a) and the factorisation that the paper spells out below equation (8).
#[test]
fn the_six_node_graph_factorises_node_by_node() {
    let structure = graph(3, 6, &SIX_NODES);
    let blankets: [&[usize]; 6] = [&[1, 3], &[0, 2, 4], &[1, 4], &[0, 4], &[1, 2, 3], &[]];
    for (node, blanket) in blankets.iter().enumerate() {
        assert_eq!(structure.markov_blanket(node), &set(blanket));
    }
    let mut rng = generator(11);
    let rows = (0..200).map(|_| (0..6).map(|_| rng.random_range(0..3)).collect()).collect();
    let data = Sample { cardinalities: vec![3; 6], rows, weights: vec![1; 200] }.dataset();
    let counts = RowCounts::new(&data);
    let scorer = Scorer::new(&counts, Alpha::default());
    let product = blankets
        .iter()
        .enumerate()
        .map(|(node, blanket)| scorer.plain_node_score(node, &set(blanket)).unwrap());
    assert_eq!(scorer.log_mpl(&structure).unwrap(), product.sum());
}

/// Figure 1(b): labels 0 on {2,5} and 1 over 2 on {3,5}; common neighbours as the paper has them.
#[test]
fn figure_1b_reads_as_printed() {
    let mut structure = graph(3, 6, &SIX_NODES);
    add_label(&mut structure, (2, 5), "0");
    add_label(&mut structure, (3, 5), "1/2");
    assert_eq!(structure.graph().common_neighbors(edge(1, 4)), set(&[2]));
    assert_eq!(structure.graph().common_neighbors(edge(2, 4)), set(&[1]));
    assert_eq!(structure.graph().common_neighbors(edge(0, 1)), VarSet::default());
    assert_eq!((label(&structure, (2, 5)), label(&structure, (3, 5))), ("0".to_owned(), "1/2".to_owned()));
}

/// Figure 2: C(1,3) = {(0,1), (1,0)} over (X_2, X_4) and C(2,4) = 1 x X_3.
#[test]
fn figure_2_reads_as_printed() {
    let mut structure = graph(2, 4, &[(1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)]);
    add_label(&mut structure, (1, 3), "01/10");
    add_label(&mut structure, (2, 4), "1*");
    let cells =
        |i: usize, j: usize| structure.context(edge(i - 1, j - 1)).unwrap().elements().collect::<Vec<_>>();
    assert_eq!(cells(1, 3), [0b01, 0b10]);
    assert_eq!(cells(2, 4), [0b10, 0b11]);
    assert_eq!((label(&structure, (1, 3)), label(&structure, (2, 4))), ("01/10".to_owned(), "1*".to_owned()));
}

/// Figure 5(a) and (c): the synthetic model's labels, and the stacked `*01` over `111`.
#[test]
fn figure_5_reads_as_printed() {
    let edges = [(1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4), (3, 5), (4, 5), (5, 6), (5, 7), (6, 7)];
    let labels =
        [((1, 2), "10"), ((1, 3), "1*"), ((4, 5), "0"), ((5, 7), "0"), ((6, 7), "1"), ((3, 4), "*01/111")];
    let mut structure = graph(2, 7, &edges);
    for (edge, text) in labels {
        add_label(&mut structure, edge, text);
    }
    for (edge, text) in labels {
        assert_eq!(label(&structure, edge), text);
    }
}
