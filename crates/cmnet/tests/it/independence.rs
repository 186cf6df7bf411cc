//! What a structure says about independence, against the numbers of distributions that have it.

use crate::inference_support::{generator, schema};
use crate::loglinear_support::{Shape, plain, structure};
use cmnet::{
    Coordinates, Edge, Evidence, Independence, IndependenceQuestion, OutcomeSpace, Parameters, Structure,
    Terms, VarSet, independent,
};
use rand::Rng;
use rand_pcg::Pcg64Mcg;

/// The probability of every row under terms drawn at random among those that satisfy the
/// structure's restrictions.
struct Drawn {
    rows: Vec<Vec<u32>>,
    probabilities: Vec<f64>,
}

impl Drawn {
    fn new(random: &mut Pcg64Mcg, structure: &Structure) -> Self {
        let terms = Terms::new(structure, None).unwrap();
        let coordinates = Coordinates::new(structure, &terms).unwrap();
        let free: Vec<f64> = (0..coordinates.len()).map(|_| random.random_range(-1.5..1.5)).collect();
        let parameters = Parameters::new(terms, coordinates.expand(&free), None);
        let cardinalities = structure.cardinalities();
        let space = OutcomeSpace::new((0..cardinalities.len()).collect(), cardinalities).unwrap();
        let rows: Vec<Vec<u32>> = (0..space.size()).map(|cell| space.configuration(cell)).collect();
        let weights: Vec<f64> = rows.iter().map(|row| libm::exp(parameters.energy(row))).collect();
        let total: f64 = weights.iter().sum();
        Self { rows, probabilities: weights.iter().map(|weight| weight / total).collect() }
    }

    /// The largest |p(a,b) p - p(a) p(b)| / p^2 over all values, each given one of x_S and x_C:
    /// 0 where A and B are independent by Definition 1 of the paper.
    fn dependence(&self, question: &IndependenceQuestion) -> f64 {
        let part = |row: &[u32], set: &VarSet| -> Vec<u32> { set.iter().map(|v| row[v]).collect() };
        let mut sums: [std::collections::BTreeMap<[Vec<u32>; 3], f64>; 4] = Default::default();
        for (row, &p) in self.rows.iter().zip(&self.probabilities) {
            if question.context.hard().any(|(v, level)| row[v] != level) {
                continue;
            }
            let (a, b, s) =
                (part(row, &question.one), part(row, &question.other), part(row, &question.given));
            let none = Vec::new;
            *sums[0].entry([s.clone(), a.clone(), b.clone()]).or_default() += p;
            *sums[1].entry([s.clone(), a, none()]).or_default() += p;
            *sums[2].entry([s.clone(), none(), b]).or_default() += p;
            *sums[3].entry([s, none(), none()]).or_default() += p;
        }
        let mut largest: f64 = 0.0;
        for ([s, a, b], p) in &sums[0] {
            let one = sums[1][&[s.clone(), a.clone(), Vec::new()]];
            let other = sums[2][&[s.clone(), Vec::new(), b.clone()]];
            let all = sums[3][&[s.clone(), Vec::new(), Vec::new()]];
            largest = largest.max((p / all - one / all * other / all).abs());
        }
        largest
    }
}

/// Two sides, some variables given, some in a context.
fn question(random: &mut Pcg64Mcg, structure: &Structure) -> IndependenceQuestion {
    let schema = schema(structure.cardinalities());
    let mut question = IndependenceQuestion::default();
    let mut order: Vec<usize> = (0..structure.variables()).collect();
    for place in (1..order.len()).rev() {
        order.swap(place, random.random_range(0..=place));
    }
    for (place, v) in order.into_iter().enumerate() {
        match (place, random.random_range(0..10)) {
            (0, _) | (2.., 0) => question.one.toggle(v),
            (1, _) => question.other.toggle(v),
            (_, 1..=4) => question.given.toggle(v),
            (_, 5..=7) => {
                let level = random.random_range(0..structure.cardinalities()[v]);
                question.context.observe(&schema, v, level).unwrap();
                true
            }
            _ => false,
        };
    }
    question.check(&schema).unwrap();
    question
}

#[test]
fn a_thousand_answers_agree_with_the_numbers_both_ways() {
    let mut random = generator(2101);
    let (mut by_graph, mut by_contexts, mut open) = (0, 0, 0);
    let shape = Shape { variables: (3, 6), most_levels: 3, edge_probability: 0.55, element_probability: 0.5 };
    for case in 0..1000 {
        let structure = structure(&mut random, shape);
        let question = question(&mut random, &structure);
        let drawn = Drawn::new(&mut random, &structure);
        let dependence = drawn.dependence(&question);
        match independent(&structure, &question, &()).unwrap() {
            Independence::Holds(cases) => {
                assert!(dependence < 1e-12, "case {case}: {dependence:e}, {question:?}, {structure:?}");
                by_graph += usize::from(cases.iter().all(|one| one.cut.is_empty()));
                by_contexts += usize::from(cases.iter().any(|one| !one.cut.is_empty()));
            }
            Independence::Open(path) => {
                assert!(dependence > 1e-8, "case {case}: {dependence:e}, {question:?}, {structure:?}");
                let (first, last) = (path.variables[0], *path.variables.last().unwrap());
                assert!(
                    question.one.contains(first) && question.other.contains(last),
                    "{path:?} {question:?}"
                );
                for pair in path.variables.windows(2) {
                    assert!(structure.graph().contains(Edge::new(pair[0], pair[1]).unwrap()), "{path:?}");
                }
                for &inner in &path.variables[1..path.variables.len() - 1] {
                    let known = question.given.contains(inner) || question.context.level(inner).is_some();
                    assert!(!known, "{path:?} leads through {inner}: {question:?}");
                }
                assert!(path.levels.iter().all(|&(v, _)| question.given.contains(v)) && path.is_closed);
                open += 1;
            }
        }
    }
    assert!(
        by_graph > 100 && by_contexts > 50 && open > 300,
        "{by_graph} by the graph, {by_contexts} by contexts, {open} open"
    );
}

/// One way from 0 to 1, through 2; either value of 4 cuts another edge of it.
fn crossing() -> Structure {
    let mut structure = plain(&[2; 5], &[(0, 2), (2, 1), (0, 4), (2, 4), (1, 4)]);
    structure.add_context_element(Edge::new(0, 2).unwrap(), 1).unwrap();
    structure.add_context_element(Edge::new(1, 2).unwrap(), 0).unwrap();
    structure
}

#[test]
fn values_that_cut_different_edges_are_told_apart() {
    let structure = crossing();
    let schema = schema(&[2; 5]);
    let ask = |given: &str, context: &str| {
        let question = IndependenceQuestion::read(&schema, "x0", "x1").unwrap();
        let question = if given.is_empty() { question } else { question.given(&schema, given).unwrap() };
        let question =
            if context.is_empty() { question } else { question.in_context(&schema, context).unwrap() };
        independent(&structure, &question, &()).unwrap()
    };
    let Independence::Holds(cases) = ask("x4", "") else { panic!("open") };
    let cut: Vec<_> = cases.iter().map(|one| (one.levels.clone(), one.cut.clone())).collect();
    let edge = |i, j| Edge::new(i, j).unwrap();
    assert_eq!(cut, [(vec![(4, 0)], vec![edge(1, 2)]), (vec![(4, 1)], vec![edge(0, 2)])]);
    // What no single graph shows holds in numbers, and fails once the deciding variable is unknown.
    let mut random = generator(2102);
    for _ in 0..20 {
        let drawn = Drawn::new(&mut random, &structure);
        let question = IndependenceQuestion::read(&schema, "x0", "x1").unwrap();
        assert!(drawn.dependence(&question) > 1e-8);
        assert!(drawn.dependence(&question.given(&schema, "x4").unwrap()) < 1e-12);
    }
    let Independence::Holds(cases) = ask("", "x4=1") else { panic!("open") };
    assert_eq!((cases[0].levels.len(), &cases[0].cut), (0, &vec![edge(0, 2)]));
    let Independence::Open(path) = ask("", "") else { panic!("independent") };
    assert_eq!((path.variables[0], path.variables[2], path.variables.len()), (0, 1, 3));
    let Independence::Holds(cases) = ask("x2", "x4=0") else { panic!("open") };
    assert!(cases.iter().all(|one| one.cut.is_empty()));
}

#[test]
fn questions_that_make_no_sense_are_refused() {
    let schema = schema(&[2; 5]);
    let refused = |question: IndependenceQuestion| question.check(&schema).unwrap_err().to_string();
    let of = |one: &str, other: &str| IndependenceQuestion::read(&schema, one, other).unwrap();
    assert!(refused(of("x0,x1", "x1")).contains("\"x1\" is both asked about and what it is"));
    assert!(refused(of("x0", "x1").given(&schema, "x2,x0").unwrap()).contains("\"x0\" is both"));
    assert!(refused(of("x0", "x1").in_context(&schema, "x1=0").unwrap()).contains("given in the context"));
    assert!(
        refused(IndependenceQuestion { one: VarSet::from_iter([0]), ..Default::default() })
            .contains("nothing")
    );
    assert!(
        IndependenceQuestion::read(&schema, "x0", "x9")
            .unwrap_err()
            .to_string()
            .contains("no variable \"x9\"")
    );
    assert_eq!(IndependenceQuestion::default().context, Evidence::none());
}

#[test]
fn the_label_of_figure_1b_cuts_the_edge_and_not_the_loop() {
    // The paper, 2.2: X_2 and X_5 are not independent given X_3 = 0 alone, due to 2-1-4-5.
    let mut structure = plain(&[3; 6], &[(0, 1), (0, 3), (1, 2), (1, 4), (2, 4), (3, 4)]);
    structure.add_context_element(Edge::new(1, 4).unwrap(), 0).unwrap();
    structure.add_context_element(Edge::new(2, 4).unwrap(), 1).unwrap();
    structure.add_context_element(Edge::new(2, 4).unwrap(), 2).unwrap();
    let schema = schema(&[3; 6]);
    let question =
        IndependenceQuestion::read(&schema, "x1", "x4").unwrap().in_context(&schema, "x2=0").unwrap();
    let Independence::Open(path) = independent(&structure, &question, &()).unwrap() else {
        panic!("independent")
    };
    assert_eq!(path.variables, [1, 0, 3, 4]);
    let question = question.given(&schema, "x0,x3,x5").unwrap();
    assert!(independent(&structure, &question, &()).unwrap().is_independent());
}
