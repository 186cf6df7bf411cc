//! The waist holds: learning and fitting see counts alone, so that every source of equal counts
//! gives the same bytes, and every long computation stops when it is asked to.

use crate::common::{Impatient, Sample, edge, generator, schema};
use cmnet::{
    CountSource, CountedTable, DataDigest, Dataset, FitMethod, FitOptions, LearnOptions, Learned,
    MarginCounts, Outcome, PlaneCounts, ReadOptions, Result, RowCounts, SearchMode, ShardedCounts, Source,
    StopReason, Structure, VarSet, fit, fit_with, learn, learn_counts, read_csv,
};
use rand::Rng;
use std::path::Path;

fn bundled(name: &str) -> Dataset {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data").join(format!("{name}.csv"));
    read_csv(&Source::Path(path), &ReadOptions::default()).unwrap().data
}

/// Five variables of five levels; each copies the one before it most of the time.
fn five_levels() -> Dataset {
    let mut rng = generator(51);
    let mut columns: Vec<Vec<u32>> = vec![Vec::new(); 5];
    for _ in 0..600 {
        let mut last = 0;
        for (place, column) in columns.iter_mut().enumerate() {
            let copies = place > 0 && rng.random_bool(0.6);
            last = if copies { last } else { rng.random_range(0..5) };
            column.push(last);
        }
    }
    Dataset::from_columns(schema(&[5; 5]), &columns, None).unwrap()
}

/// A table as so many shards of its rows; where rows are repeated, several shards have them.
fn shards(data: &Dataset, count: u32) -> Vec<Dataset> {
    let share = |shard: u32, row: usize, weight: u32| (weight + (shard + row as u32) % count) / count;
    let shard = |shard| {
        let weights: Vec<u32> =
            data.weights().iter().enumerate().map(|(row, &weight)| share(shard, row, weight)).collect();
        data.with_weights(&weights).unwrap()
    };
    (0..count).map(shard).collect()
}

/// The bytes of every model that was learned, and which one was chosen.
fn bytes(learned: &Learned, model: impl Fn(&cmnet::LearnedModel) -> cmnet::Model) -> Vec<String> {
    let chosen = format!("{:?} {:?} {}", learned.selected, learned.criterion, learned.stop);
    let texts = learned.models.iter().map(|one| model(one).to_json().unwrap());
    texts.chain([chosen]).collect()
}

fn by_dataset(data: &Dataset, options: &LearnOptions) -> Vec<String> {
    let learned = learn(data, options, &()).unwrap();
    bytes(&learned, |model| model.to_model(data, options, &learned.search).unwrap())
}

fn by_counts<S: CountSource>(counts: &S, data: &Dataset, options: &LearnOptions) -> Vec<String> {
    let table = CountedTable::new(counts, data.schema()).unwrap();
    let learned = learn_counts(&table, options, &()).unwrap();
    bytes(&learned, |model| model.to_model_of(&table, options, &learned.search).unwrap())
}

fn shards_give_the_same_bytes(data: &Dataset) {
    for search in [SearchMode::Paper, SearchMode::Blanket] {
        for method in [FitMethod::Auto, FitMethod::Pseudo] {
            let fit = FitOptions { method, ..FitOptions::default() };
            let options = LearnOptions { search, fit, ..LearnOptions::default() };
            let expected = by_dataset(data, &options);
            assert!(expected[0].contains("\"parameters\""), "{}", expected[0]);
            for count in [1, 2, 7] {
                let parts = shards(data, count);
                assert_eq!(parts.iter().map(Dataset::rows).sum::<u64>(), data.rows());
                // Shards need not count alike.
                let source = |(place, part)| -> Box<dyn CountSource + '_> {
                    if place % 2 == 0 {
                        Box::new(PlaneCounts::new(part))
                    } else {
                        Box::new(RowCounts::new(part))
                    }
                };
                let sharded = ShardedCounts::new(parts.iter().enumerate().map(source).collect()).unwrap();
                let found = by_counts(&sharded, data, &options);
                assert_eq!(found, expected, "{count} shards, {search:?}, {method:?}");
            }
        }
    }
}

#[test]
fn shards_of_coronary_heart_give_the_same_bytes() {
    shards_give_the_same_bytes(&bundled("coronary_heart"));
}

#[test]
fn shards_of_economic_activity_give_the_same_bytes() {
    shards_give_the_same_bytes(&bundled("economic_activity"));
}

#[test]
fn shards_of_a_table_with_five_levels_give_the_same_bytes() {
    shards_give_the_same_bytes(&five_levels());
}

/// The least that a source can be: everything else comes from the trait.
struct Plain {
    cardinalities: Vec<u32>,
    cells: Vec<(Vec<u32>, u32)>,
}

impl CountSource for Plain {
    fn cardinalities(&self) -> &[u32] {
        &self.cardinalities
    }

    fn rows(&self) -> u64 {
        self.cells.iter().map(|(_, count)| u64::from(*count)).sum()
    }

    fn margin(&self, variables: &VarSet) -> Result<MarginCounts> {
        let part = |(row, count): &(Vec<u32>, u32)| (variables.iter().map(|v| row[v]).collect(), *count);
        Ok(MarginCounts::from_entries(variables.clone(), self.cells.iter().map(part).collect()))
    }
}

#[test]
fn a_source_of_three_functions_gives_the_same_bytes() {
    let data = bundled("coronary_heart");
    let row = |row| (data.row(row), data.weights()[row]);
    // In any order, and with one row in two pieces.
    let mut cells: Vec<(Vec<u32>, u32)> = (0..data.distinct_rows()).rev().map(row).collect();
    cells[0].1 += 1;
    cells.push((cells[0].0.clone(), 0));
    cells[0].1 -= 1;
    let plain = Plain { cardinalities: data.schema().cardinalities(), cells };
    for search in [SearchMode::Paper, SearchMode::Blanket] {
        for method in [FitMethod::Auto, FitMethod::Pseudo] {
            let fit = FitOptions { method, ..FitOptions::default() };
            let options = LearnOptions { search, fit, ..LearnOptions::default() };
            assert_eq!(by_counts(&plain, &data, &options), by_dataset(&data, &options));
        }
    }
    let table = CountedTable::new(&plain, data.schema()).unwrap();
    assert_eq!(*table.digest(), DataDigest::of(&data));
}

#[test]
fn all_sources_count_the_same() {
    let mut rng = generator(52);
    for _ in 0..200 {
        let (sample, data) = Sample::random_dataset(&mut rng);
        let parts: Vec<Dataset> = if data.rows() > 20 { shards(&data, 2) } else { vec![data.clone()] };
        let boxed = |part| -> Box<dyn CountSource + '_> { Box::new(RowCounts::new(part)) };
        let sharded = ShardedCounts::new(parts.iter().map(boxed).collect()).unwrap();
        let row = |row| (data.row(row), data.weights()[row]);
        let cells = (0..data.distinct_rows()).map(row).collect();
        let plain = Plain { cardinalities: sample.cardinalities.clone(), cells };
        let rows = RowCounts::new(&data);
        assert_eq!(plain.distinct_rows(), plain.rows(), "nothing is known of how many differ");
        let (child, blanket) = sample.random_family(&mut rng);
        for other in [&sharded as &dyn CountSource, &plain, &PlaneCounts::new(&data)] {
            assert_eq!(other.rows(), rows.rows());
            assert_eq!(other.margin(&blanket).unwrap(), rows.margin(&blanket).unwrap());
            assert_eq!(other.family(child, &blanket).unwrap(), rows.family(child, &blanket).unwrap());
        }
    }
}

#[test]
fn shards_that_do_not_belong_together_are_refused() {
    let (one, other) = (bundled("coronary_heart"), five_levels());
    let shards: Vec<Box<dyn CountSource + '_>> =
        vec![Box::new(RowCounts::new(&one)), Box::new(RowCounts::new(&other))];
    assert!(ShardedCounts::new(shards).unwrap_err().to_string().contains("different variables"));
    assert!(ShardedCounts::new(Vec::new()).is_err());
    let counts = RowCounts::new(&one);
    assert!(CountedTable::new(&counts, other.schema()).unwrap_err().to_string().contains("schema"));
}

/// A blanket with more than 2^63 configurations: a hub of 70 binary neighbours.
#[test]
fn a_blanket_that_cannot_be_numbered_is_fitted_from_any_source() {
    let mut rng = generator(53);
    let columns: Vec<Vec<u32>> = (0..71).map(|_| (0..60).map(|_| rng.random_range(0..2)).collect()).collect();
    let data = Dataset::from_columns(schema(&[2; 71]), &columns, None).unwrap();
    let mut structure = Structure::empty(&[2; 71]);
    for leaf in 1..71 {
        structure.toggle_edge(edge(0, leaf)).unwrap();
    }
    let options = FitOptions { method: FitMethod::Pseudo, ..FitOptions::default() };
    let expected = fit(&structure, &data, &options).unwrap();
    let parts = shards(&data, 3);
    let boxed = |part| -> Box<dyn CountSource + '_> { Box::new(RowCounts::new(part)) };
    let sharded = ShardedCounts::new(parts.iter().map(boxed).collect()).unwrap();
    let found = fit_with(&structure, &sharded, &options, &()).unwrap().done().unwrap();
    assert_eq!(found.parameters, expected.parameters);
    assert_eq!(found.pseudo_log_likelihood, expected.pseudo_log_likelihood);
}

/// Every question of a fit can end it, and there are many: more than one for each iteration.
#[test]
fn a_fit_stops_wherever_it_is_asked_to() {
    let data = bundled("economic_activity");
    let counts = RowCounts::new(&data);
    let cardinalities = data.schema().cardinalities();
    let mut cycle = Structure::empty(&cardinalities);
    for (i, j) in [(0, 1), (1, 2), (2, 3), (0, 3)] {
        cycle.toggle_edge(edge(i, j)).unwrap();
    }
    let mut chain = Structure::empty(&cardinalities);
    for v in 1..cardinalities.len() {
        chain.toggle_edge(edge(v - 1, v)).unwrap();
    }
    let cases = [(&cycle, FitMethod::Exact), (&cycle, FitMethod::Pseudo), (&chain, FitMethod::Exact)];
    for (structure, method) in cases {
        let options = FitOptions { method, smoothing: 0.5, ..FitOptions::default() };
        let never = Impatient::new(usize::MAX);
        let whole = fit_with(structure, &counts, &options, &never).unwrap().done().unwrap();
        let questions = never.asked();
        assert!(questions as u64 > 4 + 2 * whole.iterations, "{questions}, {}", whole.iterations);
        for patience in 0..questions {
            let stopped = fit_with(structure, &counts, &options, &Impatient::new(patience)).unwrap();
            assert_eq!(stopped, Outcome::Stopped(StopReason::TimeLimit), "{patience} of {questions}");
        }
    }
}

/// All rows of eight binary variables, in order: the words of most planes are equal to each other.
#[test]
fn rows_that_repeat_word_by_word_are_counted() {
    let column = |digit: u32| (0..256u32).map(|row| row >> digit & 1).collect();
    let columns: Vec<Vec<u32>> = (0..8).map(column).collect();
    let data = Dataset::from_columns(schema(&[2; 8]), &columns, None).unwrap();
    let (rows, planes) = (RowCounts::new(&data), PlaneCounts::always(&data));
    for child in 0..8 {
        let blanket: VarSet = (0..8).filter(|&variable| variable != child).collect();
        assert_eq!(planes.family(child, &blanket).unwrap(), rows.family(child, &blanket).unwrap());
    }
}

#[test]
fn errors_name_the_variables_of_a_table() {
    let names: Vec<String> = (0..21).map(|column| format!("column {column}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let data = Dataset::from_labels(&names, [["x"; 21], ["y"; 21]]).unwrap();
    let mut structure = Structure::empty(&[2; 21]);
    for pair in structure.graph().pairs().collect::<Vec<_>>() {
        structure.toggle_edge(pair).unwrap();
    }
    let (rows, planes) = (RowCounts::new(&data), PlaneCounts::new(&data));
    for counts in [&rows as &dyn CountSource, &planes] {
        let refused = fit_with(&structure, counts, &FitOptions::default(), &()).unwrap_err().to_string();
        assert!(refused.contains("clique {column 0, column 1, "), "{refused}");
    }
}
