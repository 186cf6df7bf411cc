//! Checkpoints: what was saved comes back whole, and no more is written than is due.

use crate::common::{edge, schema};
use cmnet::{
    CheckpointPace, CheckpointedRun, Checkpointer, ClimbRecord, ClimbResult, CompletedStructure,
    CompletedTable, CompletionOptions, CompletionRound, CompletionState, Dataset, GraphStep, IncompleteTable,
    LearnEvent, LearnObserver, LearnOptions, Nats, Rounds, StopReason, Structure,
};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const LEVELS: [u32; 3] = [2, 3, 2];
const MINUTE: Duration = Duration::from_secs(60);

/// A clock that stands still.
fn hourly() -> CheckpointPace {
    CheckpointPace { interval: 60 * MINUTE, clock: Box::new(|| Duration::ZERO) }
}

/// A triangle with an element of a context.
fn structure() -> Structure {
    let mut structure = Structure::empty(&LEVELS);
    for (i, j) in [(0, 1), (0, 2), (1, 2)] {
        structure.toggle_edge(edge(i, j)).unwrap();
    }
    structure.add_context_element(edge(0, 2), 1).unwrap();
    structure
}

#[test]
fn where_a_climb_stands_comes_back() {
    let rows: Vec<Vec<u32>> =
        LEVELS.iter().map(|&levels| (0..12).map(|row| row % levels).collect()).collect();
    let data = Dataset::from_columns(schema(&LEVELS), &rows, None).unwrap();
    let options = LearnOptions::default();
    let run = CheckpointedRun { data: &data, options: &options };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.checkpoint");
    let step = |i, j, score| GraphStep { edge: edge(i, j), added: true, score: Nats::from_units(score) };
    let pending = vec![(edge(0, 2), Nats::from_units(3)), (edge(1, 2), Nats::from_units(1 << 70))];
    let rounds = Rounds { sweeps: 3, work: 70, pending, in_turn: true, spent: true };
    let climb = ClimbRecord {
        steps: vec![step(0, 1, -70), step(1, 2, -50)],
        moves: 9,
        ties: 2,
        rounds,
        stop: StopReason::Interrupted,
    };
    let found =
        ClimbResult { structure: structure(), climb, added_candidates: vec![edge(0, 2)], limited: vec![1] };
    let (checkpointer, _, _) = Checkpointer::open(path.clone(), false, run, hourly()).unwrap();
    checkpointer.observe_learning(&LearnEvent::GraphFound(&found));
    checkpointer.finish().unwrap();
    drop(checkpointer);
    let (_, state, _) = Checkpointer::open(path, true, run, hourly()).unwrap();
    assert_eq!(state.graph, Some(found));
}

fn holes() -> IncompleteTable {
    let mut table = IncompleteTable::new(schema(&LEVELS));
    for row in 0..12 {
        let cells: Vec<Option<u32>> = LEVELS.iter().map(|levels| Some(row % levels)).collect();
        table.push(&cells, 1).unwrap();
    }
    table.push(&[Some(0), None, Some(1)], 1).unwrap();
    table
}

fn completed(moves: u64) -> CompletedTable {
    let one = CompletedStructure { structure: structure(), moves, ties: 1 };
    let other = CompletedStructure { structure: Structure::empty(&LEVELS), moves: 2, ties: 0 };
    CompletedTable { found: vec![one, other], chosen: 1, limited: vec![2] }
}

/// The state that the file has, if there is one.
fn saved(path: &Path, table: &IncompleteTable) -> Option<CompletionState> {
    let copy = path.with_extension("copy");
    std::fs::copy(path, &copy).ok()?;
    let opened = Checkpointer::open_completion(copy, true, (table, &CompletionOptions::default()), hourly());
    Some(opened.unwrap().1)
}

#[test]
fn tables_are_saved_when_that_is_due_and_rounds_at_once() {
    let table = holes();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.checkpoint");
    let seconds = Arc::new(AtomicU64::new(0));
    let clock = Arc::clone(&seconds);
    let now = move || Duration::from_secs(clock.load(Ordering::Relaxed));
    let pace = CheckpointPace { interval: MINUTE, clock: Box::new(now) };
    let options = CompletionOptions::default();
    let (checkpointer, _, _) =
        Checkpointer::open_completion(path.clone(), false, (&table, &options), pace).unwrap();
    let tables = [completed(0), completed(1), completed(2), completed(3)];
    let observe = |at: u64, number: usize| {
        seconds.store(at, Ordering::Relaxed);
        let found = &tables[number];
        let event = LearnEvent::Completed { number: number as u64, found, finished: 1, of: 5 };
        checkpointer.observe_learning(&event);
        saved(&path, &table).map_or(0, |state| state.tables.len())
    };
    assert_eq!(observe(59, 0), 0);
    assert_eq!(observe(60, 1), 2, "what was not written before is kept");
    assert_eq!(observe(119, 2), 2);
    assert_eq!(observe(125, 3), 4);
    let state = saved(&path, &table).unwrap();
    assert!(state.tables.values().eq(&tables));
    let drawn_from = structure().graph().clone();
    let round = CompletionRound { drawn_from, tables: tables.to_vec() };
    checkpointer.observe_learning(&LearnEvent::RoundFinished(&round));
    let state = saved(&path, &table).unwrap();
    assert_eq!((state.rounds, state.tables.len()), (vec![round], 0));
    // What is not due is written in the end.
    assert_eq!(observe(126, 0), 0);
    checkpointer.finish().unwrap();
    assert_eq!(saved(&path, &table).unwrap().tables[&0], tables[0]);
}
