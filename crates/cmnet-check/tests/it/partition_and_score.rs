//! The paper's partition, and node scores computed by hand.

use crate::common::{Random, coronary_heart, coronary_with_contexts, figure_1b, structure};
use cmnet_check::{
    CheckError, Labelled, Scoring, Table, class_numbers, classes, configurations, log_prior, node_score,
    position, score,
};

const CLOSE: f64 = 1e-12;

#[test]
fn configurations_run_with_the_last_variable_fastest() {
    let list = configurations(&[2, 3]).unwrap();
    assert_eq!(list[1], [0, 1]);
    assert_eq!(list[3], [1, 0]);
    assert!((0..6).all(|place| position(&list[place], &[2, 3]) == place));
    assert_eq!(configurations(&[]).unwrap(), [vec![0; 0]]);
    assert!(matches!(configurations(&[2; 40]), Err(CheckError::TooLarge { .. })));
}

/// Figure 4: mb(5) = (2, 3, 4) of the paper falls into nine classes.
#[test]
fn the_partition_of_figure_4() {
    let classes = classes(&[3; 6], &figure_1b(), 4).unwrap();
    let mut sizes: Vec<usize> = classes.iter().map(Vec::len).collect();
    sizes.sort_unstable();
    assert_eq!(sizes, [1, 1, 1, 1, 1, 1, 7, 7, 7]);
    let first = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 2, 0], [2, 0, 0], [2, 1, 0], [2, 2, 0]];
    assert_eq!(classes[0], first);
    assert!(classes.contains(&vec![vec![0, 1, 0]]));
}

#[test]
fn without_contexts_every_configuration_is_a_class() {
    let plain = Labelled::plain(figure_1b().edges);
    assert_eq!(class_numbers(&[3; 6], &plain, 3).unwrap(), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(class_numbers(&[3; 6], &plain, 5).unwrap(), [0]);
}

/// Joining until nothing changes, pair by pair, is the definition; the flood must agree.
#[test]
fn the_flood_is_the_closure_of_single_changes() {
    let mut random = Random(1);
    for _ in 0..200 {
        let cardinalities: Vec<usize> = (0..5).map(|_| 2 + random.below(2)).collect();
        let structure = random.structure(&cardinalities);
        let blanket = structure.markov_blanket(0);
        let sizes: Vec<usize> = blanket.iter().map(|&k| cardinalities[k]).collect();
        let space = configurations(&sizes).unwrap();
        let linked = |y: &[usize], z: &[usize]| {
            let differing: Vec<usize> = (0..y.len()).filter(|&p| y[p] != z[p]).collect();
            let [place] = differing[..] else { return false };
            let common = structure.common_neighbors(0, blanket[place]);
            let at = |k: &usize| y[blanket.iter().position(|other| other == k).unwrap()];
            let here: Vec<usize> = common.iter().map(at).collect();
            structure.context(0, blanket[place]).is_some_and(|context| context.contains(&here))
        };
        let mut smallest: Vec<usize> = (0..space.len()).collect();
        let mut changed = true;
        while changed {
            changed = false;
            for a in 0..space.len() {
                for b in 0..space.len() {
                    if smallest[b] < smallest[a] && linked(&space[a], &space[b]) {
                        smallest[a] = smallest[b];
                        changed = true;
                    }
                }
            }
        }
        let numbers = class_numbers(&cardinalities, &structure, 0).unwrap();
        for (a, &number) in numbers.iter().enumerate() {
            assert_eq!(number, numbers[smallest[a]]);
            assert!(smallest[a] == a || numbers[..a].contains(&number));
        }
        let distinct: std::collections::BTreeSet<usize> = smallest.into_iter().collect();
        assert_eq!(numbers.iter().max(), Some(&(distinct.len() - 1)));
    }
}

/// Four observations of three binary variables, eq. (7) by hand. With C(1,2) = {0} given X3,
/// the blanket (X2, X3) of X1 has the classes {00, 10}, {01}, {11}. The first has counts
/// (1, 1): (1/2)(1/2) / (1 * 2) = 1/8. The last has counts (2, 0): (1/2)(3/2) / (1 * 2) = 3/8.
#[test]
fn a_node_score_by_hand() {
    let rows = vec![vec![0, 0, 0], vec![1, 1, 0], vec![0, 1, 1]];
    let table = Table::new(vec![2, 2, 2], rows, vec![1, 1, 2]).unwrap();
    let scoring = Scoring::with_kappa(0.5).unwrap();
    let triangle = [(0, 1), (0, 2), (1, 2)];
    let with_context = structure(&triangle, &[((0, 1), &[0])]);
    let expected = libm::log(3.0 / 64.0);
    assert!((node_score(&table, &with_context, &scoring, 0).unwrap() - expected).abs() < CLOSE);
    // Without the context the first class falls apart into two with one observation, 1/2 each.
    let plain = structure(&triangle, &[]);
    let expected = libm::log(3.0 / 32.0);
    assert!((node_score(&table, &plain, &scoring, 0).unwrap() - expected).abs() < CLOSE);
    let prior = log_prior(table.cardinalities(), &with_context, &scoring).unwrap();
    assert!((prior - libm::log(0.5)).abs() < CLOSE);
    // alpha = 1 for the plain one: (1/2)(1/2) for the single observations, 2/6 for the pair.
    let uniform = Scoring::new(1.0, None).unwrap();
    let expected = libm::log(1.0 / 12.0);
    assert!((node_score(&table, &plain, &uniform, 0).unwrap() - expected).abs() < CLOSE);
}

/// The prior weighs an element by `(r_i - 1)(r_j - 1)`.
#[test]
fn prior_of_the_papers_example() {
    let scoring = Scoring::new(0.5, Some(-2.0)).unwrap();
    let prior = log_prior(&[3; 6], &figure_1b(), &scoring).unwrap();
    assert!((prior + 2.0 * 3.0 * 4.0).abs() < CLOSE);
    let eps = Scoring::without_contexts();
    assert_eq!(log_prior(&[3; 6], &figure_1b(), &eps), Err(CheckError::ContextsForbidden));
}

#[test]
fn score_of_the_coronary_heart_data() {
    let table = coronary_heart();
    assert_eq!(table.total(), 1841);
    let scoring = Scoring::new(0.5, Some(-0.5 * libm::log(1841.0))).unwrap();
    let parts = score(&table, &coronary_with_contexts(), &scoring).unwrap();
    assert!((parts.log_mpl + 6_358.768_335).abs() < 1e-6);
    assert!((parts.total() + 6_370.045_431).abs() < 1e-6);
}

#[test]
fn senseless_choices_are_refused() {
    assert_eq!(Scoring::with_kappa(0.0), Err(CheckError::BadKappa(0.0)));
    assert_eq!(Scoring::with_kappa(1.5), Err(CheckError::BadKappa(1.5)));
    assert_eq!(Scoring::new(0.0, None), Err(CheckError::BadAlpha(0.0)));
    let table = coronary_heart();
    let eps = Scoring::without_contexts();
    assert_eq!(node_score(&table, &Labelled::default(), &eps, 6), Err(CheckError::NoSuchElement));
    let irregular = structure(&[(0, 6)], &[]);
    assert!(matches!(score(&table, &irregular, &eps), Err(CheckError::Irregular(_))));
}
