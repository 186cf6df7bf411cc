//! The classes that scoring uses are those of the paper: both engines against the referee.

use super::{
    BlanketClasses, BlanketPartition, DenseClasses, EdgeView, Gain, SHARE_OF_CLASSES, SparseClasses,
};
use crate::counts::{CountSource, FamilyCounts, MarginCounts};
use crate::data::Var;
use crate::error::Result;
use crate::graph::{Edge, VarSet};
use crate::score::class_score::ClassScore;
use crate::score::{Alpha, Scorer};
use crate::structure::Structure;
use crate::table::Cell;
use cmnet_check::{Labelled, class_numbers};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::collections::BTreeMap;

/// Levels without observations: a scorer's tables need no more.
struct Levels(Vec<u32>);

impl CountSource for Levels {
    fn cardinalities(&self) -> &[u32] {
        &self.0
    }

    fn rows(&self) -> u64 {
        1000
    }

    fn margin(&self, variables: &VarSet) -> Result<MarginCounts> {
        Ok(MarginCounts::from_entries(variables.clone(), Vec::new()))
    }
}

/// The classes that both engines find when these configurations were observed, once each.
fn classes(
    structure: &Structure,
    node: Var,
    observed: impl Fn(Cell) -> bool,
    read: impl Fn(&BlanketClasses<'_>),
) {
    let levels = Levels(structure.cardinalities().to_vec());
    let scorer = Scorer::new(&levels, Alpha::default());
    let space = structure.blanket_space(node).unwrap();
    let seen = (0..space.size()).filter(|&cell| observed(cell)).map(|cell| (cell, 0, 1)).collect();
    let family = FamilyCounts::from_entries(space, levels.0[node], seen);
    let dense = BlanketClasses::Dense(DenseClasses::new(
        family.table(),
        levels.0[node] as usize,
        scorer.class_score(node),
    ));
    let engines = [
        dense,
        sparse(&family, scorer.class_score(node), false),
        sparse(&family, scorer.class_score(node), true),
    ];
    for mut classes in engines {
        classes.add_contexts(structure, node).unwrap();
        read(&classes);
    }
}

/// The engine for large spaces, which is left with the first context, or never.
fn sparse<'a>(family: &FamilyCounts, score: ClassScore<'a>, later: bool) -> BlanketClasses<'a> {
    BlanketClasses::Sparse(SparseClasses::new(family, score, u64::MAX, later))
}

/// The classes of some configurations, numbered by their first one.
fn numbered(cells: impl Iterator<Item = Cell>, class: impl Fn(Cell) -> u32) -> Vec<usize> {
    let mut numbers = BTreeMap::new();
    let number = |cell| {
        let next = numbers.len();
        *numbers.entry(class(cell)).or_insert(next)
    };
    cells.map(number).collect()
}

/// Each edge with probability `density`, each context element with probability 0.3 as long as
/// the context stays regular.
fn random_structure(rng: &mut impl Rng, cardinalities: &[u32], density: f64) -> Structure {
    let mut structure = Structure::empty(cardinalities);
    for j in 0..cardinalities.len() {
        for i in 0..j {
            if rng.random_bool(density) {
                structure.toggle_edge(Edge::new(i, j).unwrap()).unwrap();
            }
        }
    }
    for edge in structure.graph().edges().collect::<Vec<_>>() {
        let size = structure.context_space(edge).unwrap().size();
        for cell in 0..size {
            let elements = structure.context(edge).map_or(0, |context| context.len() as u64);
            if rng.random_bool(0.3) && elements + 1 < size {
                structure.add_context_element(edge, cell).unwrap();
            }
        }
    }
    structure
}

/// The same structure in the referee's words.
fn labelled(structure: &Structure) -> Labelled {
    let mut contexts = BTreeMap::new();
    for context in structure.contexts() {
        let wide = |cell| context.space().configuration(cell).iter().map(|&level| level as usize).collect();
        contexts.insert(context.edge().ends(), context.elements().map(wide).collect());
    }
    Labelled { edges: structure.graph().edges().map(Edge::ends).collect(), contexts }
}

#[test]
fn partitions_are_the_brute_force_closure_on_10_000_cases() {
    let (mut rng, mut seen) = (Pcg64Mcg::seed_from_u64(1), Pcg64Mcg::seed_from_u64(2));
    let mut unobserved = 0;
    for case in 0..10_000 {
        let variables = rng.random_range(2..=5);
        let cardinalities: Vec<u32> = (0..variables).map(|_| rng.random_range(2..=3)).collect();
        let density = rng.random_range(0.5..1.0);
        let structure = random_structure(&mut rng, &cardinalities, density);
        let node = rng.random_range(0..variables);
        let plain: Vec<usize> = cardinalities.iter().map(|&r| r as usize).collect();
        let expected = class_numbers(&plain, &labelled(&structure), node).unwrap();
        let space = structure.blanket_space(node).unwrap();
        let all = || 0..space.size();
        classes(
            &structure,
            node,
            |_| true,
            |classes| {
                let found = numbered(all(), |cell| classes.class(cell).unwrap());
                assert_eq!(found, expected, "case {case}: {structure:?} at {node}");
            },
        );
        let listed = BlanketPartition::new(&structure, node).unwrap();
        let mut found = vec![0; expected.len()];
        for (class, cells) in listed.classes().iter().enumerate() {
            for &cell in cells {
                found[cell as usize] = class;
            }
        }
        assert_eq!(found, expected, "case {case}: {structure:?} at {node}");
        // Classes join through configurations that nobody observed.
        let observed: Vec<bool> = all().map(|_| seen.random_bool(0.4)).collect();
        unobserved += observed.iter().filter(|observed| !**observed).count();
        let some = || all().filter(|&cell| observed[cell as usize]);
        let expected = numbered(some(), |cell| expected[cell as usize] as u32);
        classes(
            &structure,
            node,
            |cell| observed[cell as usize],
            |classes| {
                let found = numbered(some(), |cell| classes.class(cell).unwrap());
                assert_eq!(found, expected, "case {case}, {observed:?}: {structure:?} at {node}");
            },
        );
    }
    assert!(unobserved > 10_000);
}

/// The labelled six-node graph of the paper's Figure 1(b), all variables ternary.
pub(super) fn figure_1b() -> Structure {
    let mut structure = Structure::empty(&[3; 6]);
    let edge = |i: usize, j: usize| Edge::new(i - 1, j - 1).unwrap();
    for (i, j) in [(1, 2), (2, 3), (1, 4), (4, 5), (2, 5), (3, 5)] {
        structure.toggle_edge(edge(i, j)).unwrap();
    }
    structure.add_context_element(edge(2, 5), 0).unwrap();
    structure.add_context_element(edge(3, 5), 1).unwrap();
    structure.add_context_element(edge(3, 5), 2).unwrap();
    structure
}

#[test]
fn the_papers_figure_has_nine_classes() {
    let structure = figure_1b();
    let space = structure.blanket_space(4).unwrap();
    classes(
        &structure,
        4,
        |_| true,
        |classes| {
            let mut members: BTreeMap<u32, usize> = BTreeMap::new();
            for cell in 0..space.size() {
                *members.entry(classes.class(cell).unwrap()).or_default() += 1;
            }
            assert_eq!(members.len(), 9);
            let mut sizes: Vec<usize> = members.into_values().collect();
            sizes.sort_unstable();
            assert_eq!(sizes, [1, 1, 1, 1, 1, 1, 7, 7, 7]);
            // The figure's last column: the class of (0,0,x4) for each x4.
            for x4 in 0..3 {
                let cell = |x2, x3| classes.class(space.cell(&[x2, x3, x4])).unwrap();
                for (x2, x3) in [(1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)] {
                    assert_eq!(cell(x2, x3), cell(0, 0));
                }
                assert_ne!(cell(0, 1), cell(0, 0));
                assert_ne!(cell(0, 1), cell(0, 2));
            }
        },
    );
}

#[test]
fn without_contexts_every_configuration_is_a_class() {
    let mut structure = figure_1b();
    structure.clear_contexts();
    for (node, count) in [(4, 27), (5, 1)] {
        let space = structure.blanket_space(node).unwrap();
        classes(
            &structure,
            node,
            |_| true,
            |classes| {
                let found = numbered(0..space.size(), |cell| classes.class(cell).unwrap());
                assert_eq!(found, (0..count).collect::<Vec<_>>());
            },
        );
    }
}

#[test]
fn both_engines_see_the_same_gains_before_and_after_contexts() {
    let mut rng = Pcg64Mcg::seed_from_u64(3);
    let (mut first, mut later) = (0, 0);
    for case in 0..2_000 {
        // Where little was observed, contexts lead from an unknown configuration to another, and to a known one.
        let share = if case % 2 == 0 { 0.3 } else { 0.06 };
        let variables = rng.random_range(3..=6);
        let cardinalities: Vec<u32> = (0..variables).map(|_| rng.random_range(2..=3)).collect();
        let structure = random_structure(&mut rng, &cardinalities, 0.7);
        let node = rng.random_range(0..variables);
        let levels = Levels(cardinalities.clone());
        let scorer = Scorer::new(&levels, Alpha::default());
        let space = structure.blanket_space(node).unwrap();
        let mut seen = Vec::new();
        for cell in 0..space.size() {
            for level in 0..cardinalities[node] {
                if rng.random_bool(share) {
                    seen.push((cell, level, rng.random_range(1..20)));
                }
            }
        }
        let family = FamilyCounts::from_entries(space, cardinalities[node], seen);
        let score = scorer.class_score(node);
        let dense = DenseClasses::new(family.table(), cardinalities[node] as usize, score);
        let mut engines =
            [BlanketClasses::Dense(dense), sparse(&family, score, false), sparse(&family, score, true)];
        for after in [false, true] {
            if after {
                for classes in &mut engines {
                    classes.add_contexts(&structure, node).unwrap();
                }
            }
            let blanket = structure.markov_blanket(node);
            for neighbor in blanket.iter() {
                let others = structure.markov_blanket(neighbor);
                let view = EdgeView::new(blanket, &cardinalities, neighbor, |v| others.contains(v));
                let [dense, sparse, numbered] = [0, 1, 2].map(|engine: usize| {
                    let mut gains = Vec::new();
                    engines[engine].gains(&view, None, &mut gains, &()).unwrap();
                    gains
                });
                assert_eq!(dense, sparse, "case {case}, after contexts: {after}");
                assert_eq!(dense, numbered, "case {case}, after contexts: {after}");
                *(if after { &mut later } else { &mut first }) += dense.len();
            }
        }
    }
    assert!(first > 5_000 && later > 2_000, "{first}, {later}");
}

/// Element by element, and each followed by one that is added: the gains after it, from those before it, are what
/// scoring the merged classes anew gives.
#[test]
fn gains_after_an_element_are_differences_of_scores() {
    let mut rng = Pcg64Mcg::seed_from_u64(5);
    let (mut compared, mut none) = (0, 0);
    for case in 0..300 {
        let cardinalities: Vec<u32> = (0..6).map(|_| rng.random_range(2..=3)).collect();
        let structure = random_structure(&mut rng, &cardinalities, 0.8);
        let levels = Levels(cardinalities.clone());
        let scorer = Scorer::new(&levels, Alpha::default());
        let (blanket, space) = (structure.markov_blanket(0), structure.blanket_space(0).unwrap());
        let mut seen = Vec::new();
        for cell in 0..space.size() {
            for level in 0..cardinalities[0] {
                if rng.random_bool(0.4) {
                    seen.push((cell, level, rng.random_range(1..20)));
                }
            }
        }
        let family = FamilyCounts::from_entries(space, cardinalities[0], seen);
        let dense = DenseClasses::new(family.table(), cardinalities[0] as usize, scorer.class_score(0));
        let mut classes = BlanketClasses::Dense(dense);
        let view = |neighbor| {
            let others = structure.markov_blanket(neighbor);
            EdgeView::new(blanket, &cardinalities, neighbor, |member| others.contains(member))
        };
        let views: Vec<EdgeView> = blanket.iter().map(view).filter(|view| view.elements() > 1).collect();
        let listed = |classes: &BlanketClasses<'_>, view: &EdgeView, before: Option<&[Gain]>| {
            let mut gains = Vec::new();
            let same = classes.gains(view, before, &mut gains, &()).unwrap();
            if same { before.unwrap().to_vec() } else { gains }
        };
        let mut lists: Vec<Vec<Gain>> = views.iter().map(|view| listed(&classes, view, None)).collect();
        for _ in 0..6.min(views.len()) {
            let place = rng.random_range(0..views.len());
            classes.add(&views[place], rng.random_range(0..views[place].elements())).unwrap();
            for (view, list) in views.iter().zip(&mut lists) {
                *list = listed(&classes, view, Some(list));
                assert_eq!(*list, listed(&classes, view, None), "case {case}");
                for element in 0..view.elements() {
                    let mut merged = classes.clone();
                    merged.add(view, element).unwrap();
                    let found = list.iter().find(|gain| gain.element == element).map(|gain| gain.gain);
                    let expected = merged.score() - classes.score();
                    assert_eq!(found.unwrap_or_default(), expected, "case {case}, element {element}");
                    compared += 1;
                    none += usize::from(found.is_none());
                }
            }
        }
    }
    assert!(compared > 20_000 && none > 1_000, "{compared}, {none}");
}

#[test]
fn elements_of_many_configurations_are_those_of_each() {
    let mut rng = Pcg64Mcg::seed_from_u64(6);
    for case in 0..20 {
        // Levels of two bits lie across the border of eight; three levels take divisions.
        let choices: &[u32] = if case % 4 == 0 { &[2, 3, 4] } else { &[2, 4] };
        let cardinalities: Vec<u32> = (0..9).map(|_| choices[rng.random_range(0..choices.len())]).collect();
        let blanket: VarSet = (1..9).collect();
        let common: Vec<bool> = (0..9).map(|_| rng.random_bool(0.4)).collect();
        let view = EdgeView::new(&blanket, &cardinalities, 3, |member| common[member]);
        let size: u32 = cardinalities[1..].iter().product();
        let cells: Vec<u32> = (0..size).filter(|_| rng.random_bool(0.9)).collect();
        let mut visited = Vec::new();
        view.visit_elements(&cells, |element| {
            visited.push(element);
            true
        });
        let expected: Vec<Cell> = cells.iter().map(|&cell| view.element(Cell::from(cell))).collect();
        assert_eq!(visited, expected, "case {case}");
        let mut first = 0;
        view.visit_elements(&cells, |_| {
            first += 1;
            first < 3
        });
        assert_eq!(first, cells.len().min(3));
    }
}

/// A node that is adjacent to all of a path, and vanishes from each of its edges unless both neighbours
/// on the path have level 1.
fn hub(path: usize) -> Structure {
    let mut structure = Structure::empty(&vec![2; path + 1]);
    let edge = |one, other| Edge::new(one, other).unwrap();
    for place in 1..=path {
        structure.toggle_edge(edge(0, place)).unwrap();
        if place > 1 {
            structure.toggle_edge(edge(place - 1, place)).unwrap();
        }
    }
    for place in 1..=path {
        let size = structure.context_space(edge(0, place)).unwrap().size();
        for cell in 0..size - 1 {
            structure.add_context_element(edge(0, place), cell).unwrap();
        }
    }
    structure
}

#[test]
fn the_contexts_of_a_node_with_many_neighbours_keep_to_the_memory() {
    let structure = hub(17);
    let mut rng = Pcg64Mcg::seed_from_u64(4);
    let space = structure.blanket_space(0).unwrap();
    let mut seen: Vec<Cell> = (0..1000).map(|_| rng.random_range(0..space.size())).collect();
    seen.sort_unstable();
    seen.dedup();
    let seen = seen.into_iter().map(|cell| (cell, rng.random_range(0..2), 1)).collect();
    let family = FamilyCounts::from_entries(space, 2, seen);
    let levels = Levels(structure.cardinalities().to_vec());
    let scorer = Scorer::new(&levels, Alpha::default());
    let with_contexts = |mut classes: BlanketClasses<'_>| {
        assert!(matches!(classes, BlanketClasses::Sparse(_)));
        classes.add_contexts(&structure, 0).map(|()| (classes.score(), classes.bytes() as u64))
    };
    let (walked, _) = with_contexts(sparse(&family, scorer.class_score(0), false)).unwrap();
    let memory = 16 << 20;
    let (numbered, bytes) =
        with_contexts(BlanketClasses::new(&family, scorer.class_score(0), memory)).unwrap();
    assert_eq!(numbered, walked);
    assert!(bytes <= memory / SHARE_OF_CLASSES, "{bytes}");
    let refused = with_contexts(BlanketClasses::new(&family, scorer.class_score(0), 1 << 20)).unwrap_err();
    assert!(refused.to_string().contains("65536"), "{refused}");
    assert!(refused.to_string().contains("give more memory"), "{refused}");
}

#[test]
fn toggles_at_the_same_time_keep_to_the_memory() {
    let names: Vec<String> = (0..20).map(|variable| format!("v{variable}")).collect();
    let rows: Vec<Vec<&str>> = (0..4_096u32)
        .map(|row| (0..20).map(|bit| if row >> bit & 1 == 1 { "1" } else { "0" }).collect())
        .chain([vec!["1"; 20]])
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let data = crate::data::Dataset::from_labels(&names, rows).unwrap();
    let counts = crate::counts::RowCounts::new(&data);
    let mut complete = crate::graph::Graph::empty(20);
    let pairs: Vec<Edge> = complete.pairs().collect();
    let at_once = |graph: &crate::graph::Graph, memory: u64| {
        Scorer::with_memory(&counts, Alpha::default(), memory).toggles_at_once(graph)
    };
    assert!(at_once(&complete, 64 << 20) > 1_000);
    for pair in pairs {
        complete.add_edge(pair);
    }
    // Numbered, each of 2^19 configurations takes 28 bytes: 14 MiB.
    assert_eq!(at_once(&complete, 64 << 20), 1);
    assert_eq!(at_once(&complete, 1 << 30), 9);
}

#[test]
fn elements_that_reach_too_many_configurations_are_refused() {
    let mut structure = Structure::empty(&[2, 40_000, 2]);
    for (i, j) in [(0, 1), (0, 2), (1, 2)] {
        structure.toggle_edge(Edge::new(i, j).unwrap()).unwrap();
    }
    let levels = Levels(structure.cardinalities().to_vec());
    let scorer = Scorer::new(&levels, Alpha::default());
    let space = structure.blanket_space(0).unwrap();
    let view = EdgeView::new(structure.markov_blanket(0), &levels.0, 1, |member| member == 2);
    // Each configuration stands for the 39,999 others of its line; 65,536 may be reached.
    let gains = |cells: &[Cell]| {
        let seen = cells.iter().map(|&cell| (cell, 0, 1)).collect();
        let family = FamilyCounts::from_entries(space.clone(), 2, seen);
        let classes = SparseClasses::new(&family, scorer.class_score(0), 1 << 20, false);
        classes.gains(&view, &mut Vec::new(), &())
    };
    let (one, other) = (space.cell(&[7, 0]), space.cell(&[7, 1]));
    gains(&[one]).unwrap();
    let refused = gains(&[one, other]).unwrap_err().to_string();
    assert!(refused.contains("65536"), "{refused}");
}
