//! Refinement: the referee's score, no better toggle, the same bytes for any threads, and stops.

use crate::common::{Impatient, Sample, edge, generator, labelled, random_structure};
use cmnet::{
    Dataset, EdgePrior, EdgeRules, JunctionTree, Kappa, LearnOptions, Outcome, Refine, RefineOptions,
    RowCounts, SearchMode, StopReason, Structure, conditional_bic, learn, refine,
};
use cmnet_check::ConditionalBic;
use cmnet_paper::generate::{Field, Hubs, hubs, recovery, sparse_field, two_tree};
use std::collections::BTreeMap;

/// Nothing is known about edges.
fn free() -> EdgeRules {
    EdgeRules::default()
}

fn options(order: usize, gamma: &str) -> RefineOptions {
    RefineOptions { order, edge_prior: gamma.parse::<EdgePrior>().unwrap(), max_cells: None }
}

#[test]
fn the_score_is_the_referees_with_and_without_contexts() {
    let mut rng = generator(71);
    let (mut scored, mut elements) = (0, 0);
    while scored < 60 {
        let mut rows = Sample::random(&mut rng);
        rows.rows.truncate(60);
        rows.weights.truncate(60);
        if rows.cardinalities.iter().product::<u32>() > 200 {
            continue;
        }
        let data = rows.dataset();
        let structure = random_structure(&mut rng, &rows.cardinalities, 0.6);
        let (order, gamma) = (2 + scored % 3, ["0", "0.5"][scored % 2]);
        let options = options(order, gamma);
        let Outcome::Done(found) =
            conditional_bic(&structure, &RowCounts::new(&data), &options, &free(), &()).unwrap()
        else {
            panic!("nothing stops it");
        };
        let rule = ConditionalBic { order, gamma: options.edge_prior.gamma(), log_odds: BTreeMap::new() };
        let expected = cmnet_check::conditional_bic(&rows.table(), &labelled(&structure), &rule).unwrap();
        assert!((found - expected).abs() < 1e-4, "case {scored}: {found} and not {expected}");
        elements += structure.context_elements();
        scored += 1;
    }
    assert!(elements > 30, "{elements}");
}

#[test]
fn edges_are_added_within_the_cells_of_the_junction_tree() {
    let mut rng = generator(75);
    let mut rows = Sample::random(&mut rng);
    while rows.cardinalities.len() < 5 {
        rows = Sample::random(&mut rng);
    }
    let (data, empty) = (rows.dataset(), Structure::empty(&rows.cardinalities));
    let counts = RowCounts::new(&data);
    let within = |max_cells| {
        let options = RefineOptions { max_cells, ..options(3, "0") };
        let found = refine(&empty, &counts, &options, &free(), &()).unwrap();
        let tree = JunctionTree::new(found.structure.graph(), &rows.cardinalities, 1 << 20).unwrap();
        (found, tree.cost().cells)
    };
    let (free, cells) = within(None);
    let (bounded, few) = within(Some(cells - 1));
    assert!(few < cells && bounded.structure != free.structure);
    assert!(!bounded.limited.is_empty() && free.limited.is_empty());
    assert_eq!(within(Some(cells)).0, free);
}

#[test]
fn no_toggle_is_better_by_the_referee() {
    let mut rng = generator(72);
    let (mut steps, mut missed, mut toggles) = (0, 0, 0);
    for case in 0..25 {
        let mut rows = Sample::random(&mut rng);
        rows.rows.truncate(150);
        rows.weights.truncate(150);
        let data = rows.dataset();
        let empty = Structure::empty(&rows.cardinalities);
        let refined = refine(&empty, &RowCounts::new(&data), &options(2, "0"), &free(), &()).unwrap();
        let rule = ConditionalBic { order: 2, gamma: 0.0, log_odds: BTreeMap::new() };
        let judge = |structure: &Structure| {
            cmnet_check::conditional_bic(&rows.table(), &labelled(structure), &rule).unwrap()
        };
        let score = judge(&refined.structure);
        assert!((score - refined.score).abs() < 1e-3, "case {case}: {} and not {score}", refined.score);
        assert!(refined.steps.windows(2).all(|pair| pair[1].score > pair[0].score));
        for j in 0..rows.cardinalities.len() {
            for i in 0..j {
                let mut other = refined.structure.clone();
                other.toggle_edge(edge(i, j)).unwrap();
                toggles += 1;
                missed += usize::from(judge(&other) > score + 1e-3);
            }
        }
        steps += refined.steps.len();
    }
    // The screening is a heuristic, and hardly ever misses a pair.
    assert!(steps > 25 && missed * 100 <= toggles, "{steps} steps, {missed} missed of {toggles}");
}

#[test]
fn hubs_gain_their_leaves_and_threads_do_not_matter() {
    let known = hubs(Hubs { variables: 24, hubs: 2, levels: 2 }, 800, 5).unwrap();
    let start = Structure::empty(known.structure.cardinalities());
    let counts = RowCounts::new(&known.data);
    let by = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| refine(&start, &counts, &RefineOptions::default(), &free(), &()).unwrap())
    };
    let one = by(1);
    assert!(recovery(&known.structure, &one.structure).edges.f1() > 0.9);
    for threads in [2, 5] {
        let other = by(threads);
        assert_eq!(one, other);
        assert_eq!(one.score.to_bits(), other.score.to_bits());
    }
}

#[test]
fn contexts_are_kept_where_nothing_speaks_against_them() {
    let tree = two_tree(30, 5_000, 3).unwrap();
    let refined =
        refine(&tree.structure, &RowCounts::new(&tree.data), &RefineOptions::default(), &free(), &())
            .unwrap();
    let found = recovery(&tree.structure, &refined.structure);
    assert!(found.edges.f1() > 0.97 && found.elements.recall > 0.8, "{found:?}");
}

#[test]
fn it_ends_at_every_question_with_what_it_has() {
    let tree = two_tree(8, 400, 3).unwrap();
    let (counts, empty) = (RowCounts::new(&tree.data), Structure::empty(tree.structure.cardinalities()));
    let whole = refine(&empty, &counts, &RefineOptions::default(), &free(), &()).unwrap();
    assert!(whole.stop == StopReason::Converged && whole.steps.len() > 3);
    let mut patience = 0;
    loop {
        let part =
            refine(&empty, &counts, &RefineOptions::default(), &free(), &Impatient::new(patience)).unwrap();
        if part.stop == StopReason::Converged {
            assert_eq!(part, whole);
            break;
        }
        assert_eq!(part.steps, whole.steps[..part.steps.len()]);
        patience = 2 * patience + 1;
    }
    assert!(patience > 100);
}

#[test]
fn an_order_below_two_is_refused() {
    let tree = two_tree(4, 100, 1).unwrap();
    let refused = refine(&tree.structure, &RowCounts::new(&tree.data), &options(1, "0"), &free(), &());
    assert!(refused.unwrap_err().to_string().contains("order"));
}

#[test]
fn the_prior_of_edges_has_a_say_in_whether_a_refinement_is_kept() {
    // Among many variables the search finds false edges, and BIC alone would keep them.
    let known = sparse_field(Field { levels: 2, strength: 1.2 }, 80, 400, 3).unwrap();
    let by = |refine| {
        let kappas = vec![Kappa::Epsilon];
        let options = LearnOptions { kappas, refine, search: SearchMode::Paper, ..LearnOptions::default() };
        let learned = learn(&known.data, &options, &()).unwrap();
        let kept = learned.kept(known.data.rows()).unwrap();
        (kept.structure.clone(), kept.fit.as_ref().unwrap().bic())
    };
    let ((no, bic), (yes, refined_bic)) = (by(Refine::No), by(Refine::Yes));
    let f1 = |structure| recovery(&known.structure, structure).edges.f1();
    assert!(f1(&yes) > f1(&no) && bic > refined_bic, "{} {} {bic} {refined_bic}", f1(&yes), f1(&no));
    assert_eq!(by(Refine::Auto).0, yes);
}

#[test]
fn a_variable_with_one_level_is_no_obstacle() {
    let rows = [["0", "0", "x"], ["1", "1", "x"]].repeat(20);
    let data = Dataset::from_labels(&["a", "b", "c"], rows).unwrap();
    for edges in [vec![], vec![(0, 2)], vec![(0, 2), (1, 2)]] {
        let mut start = Structure::empty(&[2, 2, 1]);
        for (i, j) in edges {
            start.toggle_edge(edge(i, j)).unwrap();
        }
        let refined =
            refine(&start, &RowCounts::new(&data), &RefineOptions::default(), &free(), &()).unwrap();
        assert!(refined.structure.graph().contains(edge(0, 1)) && refined.score > refined.before);
    }
}
