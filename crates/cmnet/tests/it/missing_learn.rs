//! Structures from tables with holes: the same whatever the threads, the order of rows and the breaks; a
//! table without holes is learned as ever; what cannot be learned from is refused.

use crate::common::{Impatient, generator, schema};
use cmnet::{
    CompletedLearning, CompletionOptions, CompletionState, Control, Dataset, Edge, ExactOptions, FitOptions,
    Imputer, IncompleteTable, Kappa, LearnEvent, LearnObserver, LearnOptions, Model, OutcomeSpace,
    ReadOptions, SearchObserver, SearchUsed, Select, Session, Source, StopReason, Structure, evaluate,
    evaluate_incomplete, fit, learn, learn_incomplete, learn_incomplete_from, read_csv, read_incomplete,
};
use rand::Rng;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A chain of five variables that copy each other, with holes.
fn chain(share: f64, rows: usize) -> (Dataset, IncompleteTable) {
    let mut random = generator(1811);
    let mut complete = IncompleteTable::new(schema(&[2, 3, 2, 2, 2]));
    let mut holed = complete.clone();
    for _ in 0..rows {
        let mut row: Vec<u32> = Vec::new();
        for (v, levels) in [2, 3, 2, 2, 2].into_iter().enumerate() {
            let copied = v > 0 && random.random_bool(0.7);
            row.push(if copied { row[v - 1] % levels } else { random.random_range(0..levels) });
        }
        let cells: Vec<Option<u32>> = row.iter().map(|&l| Some(l)).collect();
        complete.push(&cells, 1).unwrap();
        let cells: Vec<Option<u32>> =
            row.iter().map(|&l| (!random.random_bool(share)).then_some(l)).collect();
        holed.push(&cells, 1).unwrap();
    }
    (complete.complete_rows().unwrap(), holed)
}

fn options() -> CompletionOptions {
    let kappas = ["eps", "n^-0.5"].map(|kappa| kappa.parse::<Kappa>().unwrap()).to_vec();
    CompletionOptions {
        completions: 5,
        learn: LearnOptions { kappas, ..LearnOptions::default() },
        ..CompletionOptions::default()
    }
}

fn files(found: &CompletedLearning, table: &IncompleteTable, options: &CompletionOptions) -> Vec<String> {
    let places = 0..found.learned.models.len();
    places.map(|place| found.to_model(place, table, options).unwrap().unwrap().to_json().unwrap()).collect()
}

#[test]
fn the_chain_is_found_in_spite_of_the_holes_and_threads_change_nothing() {
    let (data, table) = chain(0.2, 800);
    let found = learn_incomplete(&table, &options(), &()).unwrap();
    let edges: Vec<(usize, usize)> =
        found.learned.models[0].structure.graph().edges().map(Edge::ends).collect();
    assert_eq!(edges, [(0, 1), (1, 2), (2, 3), (3, 4)]);
    let complete = learn(&data, &options().learn, &()).unwrap();
    assert_eq!(complete.models[0].structure, found.learned.models[0].structure);
    assert!(found.stable && !found.rounds.is_empty() && found.learned.search == SearchUsed::Imputation);
    let last = &found.rounds[found.rounds.len() - 1];
    assert_eq!((last.tables.len(), &last.drawn_from), (5, &last.union()));
    let other = CompletionOptions { learn: LearnOptions { threads: 2, ..options().learn }, ..options() };
    let again = learn_incomplete(&table, &other, &()).unwrap();
    assert_eq!(files(&found, &table, &options()), files(&again, &table, &other));
    assert_eq!(found.rounds, again.rounds);
    // A model file with the agreement is read back as it is.
    let text = files(&found, &table, &options()).remove(0);
    let model = Model::from_json(&text, "model").unwrap();
    assert_eq!(model.to_json().unwrap(), text);
    let support = model.support().unwrap();
    assert_eq!((support.replicates, support.edges.len()), (5, 4));
    assert_eq!(model.provenance().unwrap().digest, table.digest());
    // Fitted to the known cells: no lower than the parameters of the completed tables would be.
    let by_em = evaluate_incomplete(&model, &table, 1 << 28, &()).unwrap();
    let by_complete =
        model.clone().with_fit(fit(model.structure(), &data, &FitOptions::default()).unwrap()).unwrap();
    let by_complete = evaluate_incomplete(&by_complete, &table, 1 << 28, &()).unwrap();
    assert!(by_em.log_likelihood > by_complete.log_likelihood - 1e-3);
}

#[test]
fn a_table_without_holes_is_learned_as_ever() {
    let (data, _) = chain(0.2, 300);
    let table = IncompleteTable::of(&data);
    let found = learn_incomplete(&table, &options(), &()).unwrap();
    let usual = learn(&data, &options().learn, &()).unwrap();
    let usual: Vec<String> = usual
        .models
        .iter()
        .map(|model| model.to_model(&data, &options().learn, &usual.search).unwrap().to_json().unwrap())
        .collect();
    assert_eq!(files(&found, &table, &options()), usual);
    assert!(found.rounds.is_empty() && found.agreement.is_empty());
    // Read with its holes or without, it is the same table.
    let text = "a,b\nx,1\ny,2\nx,10\n";
    let read = |text: &str| Source::bytes("table", text);
    let loaded = read_incomplete(&read(text), &ReadOptions::default()).unwrap().complete().unwrap();
    let plain = read_csv(&read(text), &ReadOptions::default()).unwrap();
    assert_eq!(
        (loaded.data, loaded.warnings, loaded.file_rows),
        (plain.data, plain.warnings, plain.file_rows)
    );
}

/// Follows a run, and stops it after so many completed tables.
struct Follower {
    most: usize,
    seen: AtomicUsize,
    state: Mutex<CompletionState>,
}

impl Control for Follower {
    fn stop(&self) -> Option<StopReason> {
        (self.seen.load(Ordering::Relaxed) >= self.most).then_some(StopReason::Interrupted)
    }
}

impl SearchObserver for Follower {}

impl LearnObserver for Follower {
    fn observe_learning(&self, event: &LearnEvent<'_>) {
        self.state.lock().unwrap().follow(event);
        if let LearnEvent::Completed { .. } = event {
            self.seen.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[test]
fn a_run_that_is_broken_off_goes_on_to_the_same_answer() {
    let one = CompletionOptions { learn: LearnOptions { threads: 1, ..options().learn }, ..options() };
    let learned = |share: f64| {
        let (_, table) = chain(share, 150);
        let whole = learn_incomplete(&table, &one, &()).unwrap();
        (table, whole)
    };
    // The more is missing, the more rounds there are.
    let several = [0.3, 0.4, 0.5, 0.6].into_iter().map(learned).find(|(_, whole)| whole.rounds.len() >= 2);
    let (table, whole) = several.unwrap();
    for most in [1, 5, 7] {
        let follower = Follower { most, seen: AtomicUsize::new(0), state: Mutex::default() };
        let broken = learn_incomplete(&table, &one, &follower).unwrap();
        assert_eq!(broken.learned.stop, StopReason::Interrupted);
        assert!(!broken.learned.models.is_empty(), "what was found is kept");
        let state = follower.state.into_inner().unwrap();
        assert_eq!((state.rounds.len(), state.tables.len()), (most / 5, most % 5));
        let resumed = learn_incomplete_from(state, &table, &one, &()).unwrap();
        assert_eq!(files(&resumed, &table, &one), files(&whole, &table, &one), "after {most}");
        assert_eq!((resumed.rounds, resumed.stable), (whole.rounds.clone(), whole.stable));
    }
}

#[test]
fn every_question_can_end_it() {
    let (_, table) = chain(0.2, 60);
    let one = CompletionOptions { learn: LearnOptions { threads: 1, ..options().learn }, ..options() };
    let patient = Impatient::new(usize::MAX);
    learn_incomplete(&table, &one, &patient).unwrap();
    let asked = patient.asked();
    for patience in [0, 1, 2, asked / 4, asked / 2, 3 * asked / 4] {
        let found = learn_incomplete(&table, &one, &Impatient::new(patience)).unwrap();
        // What is not fitted when the time is up is fitted all the same, and then all is done.
        let is_whole = found.learned.models.iter().all(|model| model.fit.is_some());
        let stop = found.learned.stop;
        assert!(stop == StopReason::TimeLimit || is_whole, "after {patience} of {asked} questions");
        assert!(patience > 2 || stop == StopReason::TimeLimit, "after {patience} of {asked} questions");
    }
}

#[test]
fn what_cannot_be_learned_from_is_refused_by_name() {
    let (_, table) = chain(0.2, 50);
    let refused = |change: fn(&mut CompletionOptions)| {
        let mut options = options();
        change(&mut options);
        learn_incomplete(&table, &options, &()).unwrap_err().to_string()
    };
    assert!(refused(|o| o.completions = 0).starts_with("option completions: \"0\""));
    assert!(refused(|o| o.rounds = 0).starts_with("option rounds: \"0\""));
    assert!(refused(|o| o.agreement = 0.0).starts_with("option agreement: \"0\""));
    assert!(refused(|o| o.agreement = f64::NAN).starts_with("option agreement: \"NaN\""));
    assert!(refused(|o| o.learn.select = Select::Cv).contains("holds out no rows"));
    assert!(refused(|o| o.learn.fit.ridge = "1".parse().unwrap()).contains("no ridge"));
    assert!(refused(|o| o.learn.fit.order = "2".parse().unwrap()).contains("all terms"));
    let mut unknown = IncompleteTable::new(schema(&[2, 2]));
    unknown.push(&[Some(0), None], 5).unwrap();
    let text = learn_incomplete(&unknown, &options(), &()).unwrap_err().to_string();
    assert!(text.contains("every value of \"x1\" is missing"), "{text}");
    let source = Source::bytes("holes.csv", "a,b\nx,\ny,NA\n");
    let text = read_incomplete(&source, &ReadOptions::default()).unwrap_err().to_string();
    assert!(text.starts_with("holes.csv, column 2 (\"b\"): every value of this column is missing"), "{text}");
    let empty = Source::bytes("holes.csv", "a,b\n");
    assert!(read_incomplete(&empty, &ReadOptions::default()).is_err());
}

#[test]
fn one_row_is_learned_from_and_a_level_of_rows_with_holes_is_a_level() {
    let one = Source::bytes("one.csv", "a,b,c\nx,,1\nx,y,1\n");
    let loaded = read_incomplete(&one, &ReadOptions::default()).unwrap();
    let mut single = IncompleteTable::new(loaded.table.schema().clone());
    single.push(&[Some(0), Some(0), Some(0)], 1).unwrap();
    single.push(&[Some(0), None, Some(0)], 1).unwrap();
    assert_eq!(single, loaded.table);
    let found = learn_incomplete(&loaded.table, &options(), &()).unwrap();
    assert_eq!(found.learned.models[0].structure.graph().edge_count(), 0);
    let holes = Source::bytes("holes.csv", "a,b\nx,1\ny,2\nonly here,\nx,2\n");
    let loaded = read_incomplete(&holes, &ReadOptions::default()).unwrap();
    assert_eq!(loaded.table.schema().variable(0).levels, ["only here", "x", "y"]);
    assert_eq!((loaded.missing, loaded.table.incomplete_rows()), (vec![0, 1], 1));
    assert!(learn_incomplete(&loaded.table, &options(), &()).is_ok());
}

/// The probability of what is known, by adding up all that it may stand for.
#[test]
fn the_known_cells_have_the_probability_of_all_that_they_may_stand_for() {
    let (data, table) = chain(0.4, 60);
    let mut structure = Structure::empty(&data.schema().cardinalities());
    for (i, j) in [(0, 1), (1, 2), (0, 2), (3, 4)] {
        structure.toggle_edge(Edge::new(i, j).unwrap()).unwrap();
    }
    let own = fit(&structure, &data, &FitOptions::default()).unwrap();
    let model = Model::new(data.schema().clone(), structure).unwrap().with_fit(own.clone()).unwrap();
    let evaluator = own.parameters.evaluator();
    let all: Vec<usize> = (0..5).collect();
    let space = OutcomeSpace::new(all.into_iter().collect(), &data.schema().cardinalities()).unwrap();
    let probability = |row: &[Option<u32>]| -> f64 {
        let agrees =
            |levels: &[u32]| row.iter().zip(levels).all(|(cell, level)| cell.is_none_or(|c| c == *level));
        let cells = (0..space.size()).map(|cell| space.configuration(cell)).filter(|levels| agrees(levels));
        cells.map(|levels| libm::exp(evaluator.log_probability(&levels).unwrap())).sum()
    };
    let by_hand: f64 = table.iter().map(|(row, weight)| weight as f64 * libm::log(probability(&row))).sum();
    let found = evaluate_incomplete(&model, &table, 1 << 28, &()).unwrap();
    assert!((found.log_likelihood * table.rows() as f64 - by_hand).abs() < 1e-8);
    let complete = evaluate_incomplete(&model, &IncompleteTable::of(&data), 1 << 28, &()).unwrap();
    assert!((complete.log_likelihood - evaluate(&own, &data).log_likelihood.unwrap()).abs() < 1e-10);
    // Several tables are drawn as one after the other.
    let network = model.network().unwrap();
    let imputer = Imputer::new(&network, ExactOptions::default().memory);
    let drawn = imputer.draws(&table, &[3, 4], &()).unwrap();
    for (data, seed) in drawn.iter().zip([3, 4]) {
        let one = imputer.complete(&table, cmnet::Fill::Draw { seed }, &()).unwrap().unwrap();
        assert_eq!((data, data.rows()), (&one, table.rows()));
    }
    assert!(Session::new(&network, &ExactOptions::default()).is_ok());
}
