//! Every long step obeys its control: it asks, every question can end it, and asking changes
//! no answer.

use cmnet::{
    BeliefOptions, Control, Coordinates, ErrorKind, Evidence, ExactOptions, FitMethod, FitOptions,
    GibbsOptions, IndependenceQuestion, Intake, Levels, Model, Network, OnMissing, OnUnknown, Outcome,
    Predictor, QueryMethod, QueryOptions, ReadOptions, Result, RowCounts, Session, Source, StopReason,
    Structure, Terms, Under, VarSet, canonical_under, difference_under, divergence_under, evaluate_under,
    fit_with, independent as independence, read_csv, uai, visit_rows,
};
use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::{Impatient, edge};
use crate::inference_support::fitted;
use crate::loglinear_support::generator;

/// Work that nobody stops is asked at least so often, gives the same as without a control, and
/// stops at its first question, at its last, and at some between.
fn obeys<T: PartialEq + std::fmt::Debug>(what: &str, least: usize, work: impl Fn(&dyn Control) -> Result<T>) {
    let patient = Impatient::new(usize::MAX);
    let free = work(&()).unwrap();
    assert_eq!(work(&patient).unwrap(), free, "{what}: asking changes the answer");
    let asked = patient.asked();
    assert!(asked >= least, "{what}: asked {asked} times");
    for patience in [0, asked / 3, asked / 2, asked - 1] {
        let stopped = Outcome::of(work(&Impatient::new(patience))).unwrap();
        assert_eq!(stopped, Outcome::Stopped(StopReason::TimeLimit), "{what}: after {patience} questions");
    }
}

/// A grid of four by four, three levels each, with parameters.
fn grid() -> Model {
    let mut structure = Structure::empty(&[3; 16]);
    for v in 0..16 {
        if v % 4 < 3 {
            structure.toggle_edge(edge(v, v + 1)).unwrap();
        }
        if v < 12 {
            structure.toggle_edge(edge(v, v + 4)).unwrap();
        }
    }
    fitted(&mut generator(7), structure)
}

fn by(method: QueryMethod) -> QueryOptions {
    let gibbs = GibbsOptions { chains: 2, sweeps: 2000, warm_up: 1000, seed: 1 };
    QueryOptions { method, gibbs, belief: BeliefOptions::default(), ..QueryOptions::default() }
}

#[test]
fn questions_of_every_kind_stop_wherever_they_are_asked_to() {
    let network = grid().network().unwrap();
    for method in [QueryMethod::Exact, QueryMethod::Gibbs, QueryMethod::Belief] {
        let query = network.query().options(by(method)).soft("x2=0:0.5,1:1,2:1").unwrap();
        let about = query.clone().about(&[0, 5]).unwrap();
        obeys(&format!("{method} marginals"), 4, |control| query.clone().control(control).run());
        obeys(&format!("{method} joint"), 4, |control| about.clone().control(control).joint());
        obeys(&format!("{method} map"), 4, |control| query.clone().control(control).map());
        obeys(&format!("{method} map of some"), 4, |control| about.clone().control(control).map());
    }
    for method in [QueryMethod::Exact, QueryMethod::Gibbs] {
        let query = network.query().options(by(method));
        obeys(&format!("{method} rows"), 4, |control| {
            query.clone().control(control).sampler()?.rows(0..3000)
        });
    }
}

#[test]
fn exact_inference_predictions_and_sessions_stop() {
    let (model, exact) = (grid(), ExactOptions::default());
    let network = model.network().unwrap();
    let none = Evidence::none();
    obeys("posterior", 10, |control| Ok(network.posterior(&none, Under::new(&exact, control))?.marginals()));
    obeys("explain", 10, |control| network.explain(&none, Under::new(&exact, control)));
    obeys("mutual information", 4, |control| {
        network.mutual_information((&[0], &[15]), &[], &none, Under::new(&exact, control))
    });
    let row: Vec<Option<u32>> = (0..16).map(|v| (v % 5 == 0).then_some(1)).collect();
    obeys("prediction", 4, |control| {
        let mut predictor = Predictor::under(&network, 6, &exact, control)?;
        predictor.predict(&row)
    });
    obeys("many predictions", 50, |control| {
        let full: Vec<Option<u32>> = vec![Some(1); 16];
        let mut predictor = Predictor::under(&network, 6, &exact, control)?;
        (0..5000).map(|_| predictor.predict(&full)).collect::<Result<Vec<_>>>()
    });
    obeys("session", 10, |control| {
        let mut session = Session::under(&network, &exact, control)?;
        session.observe(0, 1)?;
        Ok((session.marginal(15)?, session.log_evidence()?))
    });
}

/// Stops once, at one question.
struct Once(usize, AtomicUsize);

impl Control for Once {
    fn stop(&self) -> Option<StopReason> {
        (self.1.fetch_add(1, Ordering::Relaxed) == self.0).then_some(StopReason::Interrupted)
    }
}

#[test]
fn a_session_that_was_stopped_goes_on_to_the_same_answer() {
    let network = grid().network().unwrap();
    let exact = ExactOptions::default();
    let ask = |session: &mut Session<'_>| {
        session.observe(0, 1)?;
        session.marginal(15)
    };
    let expected = ask(&mut Session::new(&network, &exact).unwrap()).unwrap();
    let counted = Once(usize::MAX, AtomicUsize::new(0));
    let mut session = Session::under(&network, &exact, &counted).unwrap();
    let made = counted.1.load(Ordering::Relaxed);
    ask(&mut session).unwrap();
    let all = counted.1.load(Ordering::Relaxed);
    for at in made..all {
        let control = Once(at, AtomicUsize::new(0));
        let mut session = Session::under(&network, &exact, &control).unwrap();
        assert!(matches!(ask(&mut session).unwrap_err().kind(), ErrorKind::Stopped(_)));
        assert_eq!(session.marginal(15).unwrap(), expected, "stopped at {at} of {all}");
    }
}

#[test]
fn reading_stops_between_blocks_of_a_file() {
    let mut text = "a,b,c\n".to_owned();
    for row in 0..200_000 {
        writeln!(text, "{},{},{}", row % 2, row / 2 % 3, row % 7).unwrap();
    }
    let (source, options) = (Source::bytes("long", text), ReadOptions::default());
    let schema = read_csv(&source, &options).unwrap().data.schema().clone();
    obeys("csv", 10, |control| Ok(read_csv(&source, Under::new(&options, control))?.data));
    obeys("rows", 10, |control| {
        let mut sum = 0;
        visit_rows(&source, Under::new(&options, control), OnUnknown::Error, &schema, |row| {
            sum += row.levels[2].unwrap_or(0);
            Ok(())
        })?;
        Ok(sum)
    });
}

#[test]
fn packing_stops_while_rows_are_merged() {
    let columns = || (0..6).map(|v| (format!("v{v}"), Levels::Observed)).collect();
    let labels: Vec<String> = (0..60).map(|level| level.to_string()).collect();
    let filled = |control: &dyn Control| -> Result<Intake> {
        let mut intake = Intake::new(columns(), &[])?;
        // More rows than are held before equal ones are merged for the first time.
        for row in 0..1_100_000_usize {
            intake.push_under(control, 1, |v| Some(labels[row.wrapping_mul(31 + v) / 7 % 60].as_bytes()))?;
        }
        Ok(intake)
    };
    let patient = Impatient::new(usize::MAX);
    let intake = filled(&patient).unwrap();
    let while_read = patient.asked();
    assert!(while_read > 4, "{while_read}");
    let stopped = filled(&Impatient::new(while_read / 2)).unwrap_err();
    assert!(matches!(stopped.kind(), ErrorKind::Stopped(_)));
    let stopped = intake.finish_under(OnMissing::Error, &Impatient::new(2)).unwrap_err();
    assert!(matches!(stopped.kind(), ErrorKind::Stopped(_)));
}

#[test]
fn closures_coordinates_and_comparisons_stop() {
    let mut structure = Structure::empty(&[3; 4]);
    for (i, j) in [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)] {
        structure.toggle_edge(edge(i, j)).unwrap();
    }
    for element in [0, 4, 5] {
        structure.add_context_element(edge(1, 2), element).unwrap();
    }
    structure.add_context_element(edge(0, 1), 1).unwrap();
    let terms = Terms::new(&structure, None).unwrap();
    obeys("coordinates", 8, |control| Ok(Coordinates::under(&structure, &terms, control)?.free().to_vec()));
    obeys("canonical form", 8, |control| canonical_under(&structure, control));
    let other = Structure::empty(&[3; 4]);
    obeys("difference", 8, |control| difference_under(&structure, &other, control));
    let [one, other] = [structure, other].map(|structure| fitted(&mut generator(3), structure));
    let [p, q] = [&one, &other].map(|model| &model.fit().unwrap().parameters);
    obeys("divergence", 4, |control| divergence_under(p, q, 1 << 20, control));
    let data = crate::loglinear_support::uniform_table(&mut generator(5), &[3; 4], 500);
    for method in [FitMethod::Exact, FitMethod::Pseudo] {
        let options = FitOptions { method, ..FitOptions::default() };
        // At least twice as often as there are propagations: within each of them too.
        obeys(&format!("{method} fit"), 20, |control| {
            let counts = RowCounts::new(&data);
            match fit_with(one.structure(), &counts, &options, control)? {
                Outcome::Done(fit) => Ok(fit.parameters),
                Outcome::Stopped(reason) => Err(reason.into()),
            }
        });
    }
    let question = IndependenceQuestion {
        one: VarSet::from_iter([0]),
        other: VarSet::from_iter([3]),
        given: VarSet::from_iter([1]),
        context: Evidence::none(),
    };
    obeys("independence", 1, |control| {
        Ok(independence(one.structure(), &question, control)?.is_independent())
    });
    obeys("evaluation", 2, |control| evaluate_under(&one.normalized_fit_under(control)?, &data, control));
}

/// One table of 2^22 cells, which takes long as a whole: it is asked about on the way.
#[test]
fn one_large_clique_is_worked_on_in_pieces() {
    let count = 22;
    let scope: Vec<String> = (0..count).map(|v| v.to_string()).collect();
    let mut text = format!("MARKOV {count} {} {}", "2 ".repeat(count), count - 1);
    // A star that is summed out centre first: all leaves in one clique.
    for leaf in 1..count {
        write!(text, " 2 {} {}", scope[0], scope[leaf]).unwrap();
    }
    for _ in 1..count {
        text += " 4 3 1 1 3";
    }
    let read = uai::read_network(&text, "star.uai").unwrap();
    let network = Network::new(&read.schema, &read.structure, read.parameters).unwrap();
    let leaves: Vec<usize> = (1..count).collect();
    let asked = Impatient::new(usize::MAX);
    let query = network.query().about(&leaves).unwrap();
    query.control(&asked).joint().unwrap();
    // 2^22 cells in pieces of 2^18, several passes.
    assert!(asked.asked() > 64, "{}", asked.asked());
}
