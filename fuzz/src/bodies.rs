//! What the fuzzer runs: each body takes any bytes at all, and panics where something is wrong.
//!
//! `cargo xtask fuzz` searches for bytes. `crates/cmnet/tests/it/fuzz.rs` runs every body over its
//! corpus in `fuzz/corpus`, where a found input stays under a name that says what it found.

use cmnet::{
    Alpha, CheckpointPace, CheckpointedRun, Checkpointer, ContextPrior, CountSource, DataDigest, Dataset,
    Edge, Ensemble, Evidence, ExactOptions, FitOptions, GraphClimb, Kappa, Knowledge, Label, LearnOptions,
    LevelOrder, Mixture, Model, Nats, OutcomeSpace, Part, PlaneCounts, ReadOptions, RowCounts, Schema,
    Scorer, Source, Structure, Variable, canonical, climb_graph, csv_field, fit, learn_from, parameter_count,
    read_csv, read_csv_from, same_model, uai,
};
use cmnet_check::{Labelled, LogLinear, Scoring, Table, graph_hill_climb};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// A body.
pub type Body = fn(&[u8]);

/// Every body with the name of its target and of its corpus.
pub const BODIES: [(&str, Body); 17] = [
    ("csv", csv),
    ("arrow", arrow),
    ("schema", schema_file),
    ("knowledge", knowledge_file),
    ("model", model_file),
    ("mixture", mixture_file),
    ("ensemble", ensemble_file),
    ("part", part_file),
    ("checkpoint", checkpoint),
    ("uai", uai_network),
    ("label", label),
    ("evidence", evidence),
    ("learner", learner),
    ("counts", counts),
    ("tree", tree),
    ("closure", closure),
    ("rank", rank),
];

/// A table that is read is read again from what it says, and is the same.
pub fn csv(bytes: &[u8]) {
    let Ok(loaded) = read_csv_from("fuzz", bytes, &ReadOptions::default()) else { return };
    if let Some((text, again)) = read_again(&loaded.data) {
        assert_eq!(DataDigest::of(&loaded.data), DataDigest::of(&again), "{text:?}");
    }
}

/// A table of columns is read as the text that says the same, or refused.
pub fn arrow(bytes: &[u8]) {
    let Ok(loaded) = read_csv(&Source::bytes("fuzz", bytes), &ReadOptions::default()) else { return };
    if let Some((text, again)) = read_again(&loaded.data) {
        // Columns may have levels that no row has, in an order of their own. Rows may stand in another order.
        assert_eq!(label_counts(&loaded.data), label_counts(&again), "{text:?}");
    }
}

/// What a table says, as text, and the table that is read from it; none of a large one.
fn read_again(data: &Dataset) -> Option<(String, Dataset)> {
    if data.rows() > 2_000 || data.variables() > 50 {
        return None;
    }
    let line = |fields: Vec<&str>| fields.into_iter().map(csv_field).collect::<Vec<_>>().join(",") + "\n";
    let names: Vec<&str> = (0..data.variables()).map(|v| data.schema().name(v)).collect();
    let mut text = line(names);
    for (row, &weight) in data.weights().iter().enumerate() {
        text.push_str(&line(labels(data, row)).repeat(weight as usize));
    }
    let options = ReadOptions { delimiter: Some(b','), ..ReadOptions::default() };
    let again = read_csv_from("fuzz", text.as_bytes(), &options);
    let again = again.unwrap_or_else(|error| panic!("{error} in what was written: {text:?}")).data;
    Some((text, again))
}

/// The labels of a row.
fn labels(data: &Dataset, row: usize) -> Vec<&str> {
    let of = |(v, &code): (usize, &u32)| data.schema().variable(v).levels[code as usize].as_str();
    data.row(row).iter().enumerate().map(of).collect()
}

/// How often a table has each row of labels.
fn label_counts(data: &Dataset) -> BTreeMap<Vec<&str>, u64> {
    let mut counts = BTreeMap::new();
    for (row, &weight) in data.weights().iter().enumerate() {
        *counts.entry(labels(data, row)).or_default() += u64::from(weight);
    }
    counts
}

/// An order of levels is read, or refused.
pub fn schema_file(bytes: &[u8]) {
    let _ = LevelOrder::parse("fuzz", &String::from_utf8_lossy(bytes));
}

/// What is known about edges is read, or refused.
pub fn knowledge_file(bytes: &[u8]) {
    let _ = Knowledge::parse("fuzz", &String::from_utf8_lossy(bytes));
}

/// A model that is read is written, read and written again with the same bytes.
pub fn model_file(bytes: &[u8]) {
    written_twice(bytes, |text| Model::from_json(text, "fuzz")?.to_json());
}

/// So is a mixture.
pub fn mixture_file(bytes: &[u8]) {
    written_twice(bytes, |text| Mixture::from_json(text, "fuzz")?.to_json());
}

/// So is an ensemble.
pub fn ensemble_file(bytes: &[u8]) {
    written_twice(bytes, |text| Ensemble::from_json(text, "fuzz")?.to_json());
}

/// So is a part of a divided run.
pub fn part_file(bytes: &[u8]) {
    written_twice(bytes, |text| Part::from_text("fuzz", text)?.to_text());
}

fn written_twice(bytes: &[u8], through: impl Fn(&str) -> cmnet::Result<String>) {
    let Ok(written) = through(&String::from_utf8_lossy(bytes)) else { return };
    let again = through(&written).unwrap_or_else(|error| panic!("{error} in {written}"));
    assert_eq!(again, written);
}

/// A search goes on from what is there, or refuses it.
pub fn checkpoint(bytes: &[u8]) {
    let rows = (0..40)
        .map(|row| [["a", "b"][row % 2], ["x", "y"][(row / 2 % 2) & (row % 3)], ["p", "q"][row % 5 / 3]]);
    let Ok(data) = Dataset::from_labels(&["one", "two", "three"], rows) else { return };
    let options = LearnOptions { threads: 1, ..LearnOptions::default() };
    let folder = std::env::temp_dir().join(format!("cmnet-fuzz-{}", std::process::id()));
    let path = folder.join("checkpoint");
    if std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&path, bytes)).is_err() {
        return;
    }
    let pace = CheckpointPace { interval: Duration::MAX, clock: Box::new(|| Duration::ZERO) };
    let run = CheckpointedRun { data: &data, options: &options };
    if let Ok((_, state, _)) = Checkpointer::open(path, true, run, pace) {
        let _ = learn_from(state, &data, &options, &());
    }
    let _ = std::fs::remove_dir_all(&folder);
}

/// A network of another program is read, or refused.
pub fn uai_network(bytes: &[u8]) {
    let _ = uai::read_network(&String::from_utf8_lossy(bytes), "fuzz");
}

/// A label stands for elements, and these have a label that stands for them.
pub fn label(bytes: &[u8]) {
    let mut choices = Choices(bytes);
    let cardinalities: Vec<u32> = (0..=choices.below(3)).map(|_| 2 + choices.below(10)).collect();
    let Ok(space) = OutcomeSpace::new((0..cardinalities.len()).collect(), &cardinalities) else { return };
    let Ok(read) = Label::parse(&String::from_utf8_lossy(choices.0), &space) else { return };
    let elements = read.elements(&space);
    assert_eq!(Label::of(&elements, &space).elements(&space), elements);
    let written = read.to_string();
    assert_eq!(Label::parse(&written, &space).map(|label| label.to_string()).ok(), Some(written));
}

/// Evidence is read, as a text or as a file, or refused; what was observed survives a file.
pub fn evidence(bytes: &[u8]) {
    let variable = |name: &str, levels: &[&str]| Variable {
        name: name.to_owned(),
        levels: levels.iter().map(|&level| level.to_owned()).collect(),
    };
    let schema = Schema::new_unchecked(vec![
        variable("a", &["x", "y", "x,y"]),
        variable("a=b", &["<3", ">=3", "="]),
        variable("\"c\"", &["", " ", "z:1"]),
    ]);
    let text = String::from_utf8_lossy(bytes);
    let _ = Evidence::none().add_weights(&schema, &text);
    let _ = uai::read_evidence(&text, "fuzz", &schema, &mut Evidence::none());
    let Ok(read) = Evidence::read(&schema, &text) else { return };
    let mut again = Evidence::none();
    let written = uai::evidence_to_text(&read);
    assert!(uai::read_evidence(&written, "fuzz", &schema, &mut again).is_ok(), "{written}");
    assert_eq!(again.hard().collect::<Vec<_>>(), read.hard().collect::<Vec<_>>());
}

/// The learner takes the referee's steps.
pub fn learner(bytes: &[u8]) {
    let mut choices = Choices(bytes);
    let kappa = ["eps", "n^-1", "n^-0.5", "n^-0.25", "0.1"][choices.below(5) as usize];
    let sample = Sample::chosen(&mut choices, 4, 40);
    let (Ok(kappa), Some(data)) = (kappa.parse::<Kappa>(), sample.dataset()) else { return };
    let counts = PlaneCounts::new(&data);
    let scorer = Scorer::new(&counts, Alpha::default());
    let prior = ContextPrior::new(kappa, data.rows());
    let climb = GraphClimb::new(&scorer, prior.clone());
    let mut state = climb.start().expect("a start");
    climb_graph(&climb, &mut state, &()).expect("a climb");
    let scoring = Scoring::new(0.5, prior.log_kappa().map(Nats::to_f64)).expect("a scoring");
    let expected =
        graph_hill_climb(&sample.table(), &scoring, &mut |_, _| true).expect("the referee's climb");
    let steps: Vec<_> = state.steps().iter().map(|step| (step.edge.ends(), step.added)).collect();
    assert_eq!(steps, expected.steps.iter().map(|step| (step.edge, step.added)).collect::<Vec<_>>());
    assert_eq!(labelled(state.structure()).contexts, expected.structure.non_empty_contexts());
    let (found, theirs) = (state.score().to_f64(), expected.score);
    assert!((found - theirs).abs() <= 1e-9 * theirs.abs().max(1e-3), "{found} and not {theirs}");
}

/// Rows held as bits count what rows held as rows count.
pub fn counts(bytes: &[u8]) {
    let mut choices = Choices(bytes);
    let sample = Sample::chosen(&mut choices, 6, 200);
    let Some(data) = sample.dataset() else { return };
    let (planes, rows) = (PlaneCounts::always(&data), RowCounts::new(&data));
    for set in 0..1u32 << sample.cardinalities.len() {
        let set = (0..sample.cardinalities.len()).filter(|v| set >> v & 1 == 1).collect();
        let (one, other) = (planes.margin(&set).expect("a margin"), rows.margin(&set).expect("a margin"));
        assert!(one.iter().eq(other.iter()), "{set:?}");
    }
}

/// The junction tree gives the probabilities of enumeration.
pub fn tree(bytes: &[u8]) {
    let mut choices = Choices(bytes);
    let sample = Sample::chosen(&mut choices, 5, 40);
    let structure = chosen_structure(&mut choices, &sample.cardinalities);
    let Some(data) = sample.dataset() else { return };
    let options = FitOptions { smoothing: 2.0, ..FitOptions::default() };
    let fitted = fit(&structure, &data, &options).expect("a fit");
    let model =
        Model::new(sample.schema(), structure).and_then(|model| model.with_fit(fitted)).expect("a model");
    let network = model.network().expect("a network");
    let mut evidence = Evidence::none();
    if choices.below(2) == 1 {
        let variable = choices.below(sample.cardinalities.len() as u32) as usize;
        let level = choices.below(sample.cardinalities[variable]);
        evidence.observe(network.schema(), variable, level).expect("evidence");
    }
    let listed = enumerated(&model, &evidence);
    let free: Vec<usize> = (0..sample.cardinalities.len()).filter(|&v| evidence.level(v).is_none()).collect();
    for &target in &free {
        let joint = network.joint_exact(&[target], &evidence, &ExactOptions::default()).expect("a joint");
        let total: f64 = listed.iter().map(|(_, weight)| weight).sum();
        for (level, &found) in joint.probabilities().iter().enumerate() {
            let rows = listed.iter().filter(|(row, _)| row[target] as usize == level);
            let expected: f64 = rows.map(|(_, weight)| weight / total).sum();
            assert!((found - expected).abs() < 1e-9, "{found} and not {expected}");
        }
    }
}

/// The closure of a closure is itself, and the same model.
pub fn closure(bytes: &[u8]) {
    let Some(structure) = chosen(bytes) else { return };
    let closed = canonical(&structure).expect("a closure");
    assert_eq!(canonical(&closed).expect("a closure"), closed);
    assert!(same_model(&closed, &structure).expect("a comparison"));
}

/// Parameters are counted by the exact rational rank of the referee.
pub fn rank(bytes: &[u8]) {
    let Some(structure) = chosen(bytes) else { return };
    let levels: Vec<usize> = structure.cardinalities().iter().map(|&levels| levels as usize).collect();
    let referee = LogLinear::new(&levels, &labelled(&structure)).expect("the referee's model");
    assert_eq!(parameter_count(&structure).expect("a count"), referee.parameter_count());
}

/// Bytes as a sequence of choices; the first of each when they are used up.
struct Choices<'a>(&'a [u8]);

impl Choices<'_> {
    fn below(&mut self, limit: u32) -> u32 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        u32::from(first) % limit
    }
}

/// A table in row form.
struct Sample {
    cardinalities: Vec<u32>,
    rows: Vec<Vec<u32>>,
}

impl Sample {
    fn chosen(choices: &mut Choices<'_>, most_variables: u32, most_rows: u32) -> Self {
        let variables = 2 + choices.below(most_variables - 1);
        let cardinalities: Vec<u32> = (0..variables).map(|_| 2 + choices.below(2)).collect();
        let count = 1 + choices.below(most_rows);
        let rows = (0..count).map(|_| cardinalities.iter().map(|&levels| choices.below(levels)).collect());
        let rows = rows.collect();
        Self { cardinalities, rows }
    }

    fn schema(&self) -> Schema {
        let variable = |(number, &levels): (usize, &u32)| Variable {
            name: format!("x{number}"),
            levels: (0..levels).map(|level| level.to_string()).collect(),
        };
        Schema::new_unchecked(self.cardinalities.iter().enumerate().map(variable).collect())
    }

    fn dataset(&self) -> Option<Dataset> {
        let column = |v: usize| self.rows.iter().map(|row| row[v]).collect();
        let columns: Vec<Vec<u32>> = (0..self.cardinalities.len()).map(column).collect();
        Dataset::from_columns(self.schema(), &columns, None).ok()
    }

    fn table(&self) -> Table {
        let wide = |numbers: &Vec<u32>| numbers.iter().map(|&number| number as usize).collect::<Vec<_>>();
        Table::new(wide(&self.cardinalities), self.rows.iter().map(wide).collect(), vec![1; self.rows.len()])
            .expect("the referee's table")
    }
}

fn chosen(bytes: &[u8]) -> Option<Structure> {
    let mut choices = Choices(bytes);
    let cardinalities: Vec<u32> = (0..3 + choices.below(3)).map(|_| 2 + choices.below(2)).collect();
    (!choices.0.is_empty()).then(|| chosen_structure(&mut choices, &cardinalities))
}

fn chosen_structure(choices: &mut Choices<'_>, cardinalities: &[u32]) -> Structure {
    let mut structure = Structure::empty(cardinalities);
    let pairs: Vec<Edge> = structure.graph().pairs().collect();
    for edge in pairs {
        if choices.below(3) > 0 {
            structure.add_edge(edge).expect("an edge");
        }
    }
    for edge in structure.graph().edges().collect::<Vec<_>>() {
        let size = structure.context_space(edge).expect("a space").size();
        for cell in 0..size {
            if choices.below(3) == 1 {
                // Refused when the context would hold all there is.
                let _ = structure.add_context_element(edge, cell);
            }
        }
    }
    structure
}

/// A structure in the referee's words.
fn labelled(structure: &Structure) -> Labelled {
    let mut contexts = BTreeMap::new();
    for context in structure.contexts() {
        let elements: BTreeSet<Vec<usize>> = context
            .elements()
            .map(|cell| context.space().configuration(cell).into_iter().map(|level| level as usize).collect())
            .collect();
        contexts.insert(context.edge().ends(), elements);
    }
    Labelled { contexts, ..Labelled::plain(structure.graph().edges().map(Edge::ends).collect()) }
}

/// Every row with its weight under the evidence.
fn enumerated(model: &Model, evidence: &Evidence) -> Vec<(Vec<u32>, f64)> {
    let cardinalities = model.structure().cardinalities();
    let space = OutcomeSpace::new((0..cardinalities.len()).collect(), cardinalities).expect("a space");
    let parameters = &model.fit().expect("a fit").parameters;
    let rows = (0..space.size()).map(|cell| space.configuration(cell));
    let holds = |row: &[u32]| evidence.hard().all(|(v, level)| row[v] == level);
    rows.filter(|row| holds(row))
        .map(|row| {
            let of_row = parameters.iter().filter(|(term, _)| {
                term.variables.iter().zip(&term.levels).all(|(v, &level)| row[v] == level)
            });
            let energy: f64 = of_row.map(|(_, phi)| phi).sum();
            (row, libm::exp(energy))
        })
        .collect()
}
