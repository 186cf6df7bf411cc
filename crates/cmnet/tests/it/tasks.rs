//! A run divided into tasks, which are done in any order and anywhere: the answer of one machine,
//! to the last byte.

use crate::common::{Impatient, Sample, generator};
use crate::cross_validation::apart_and_together;
use cmnet::{
    BootstrapOptions, CrossValidation, Dataset, Findings, FitMethod, FitOptions, FoldPlan, Job, Kappa,
    KappaChoice, LearnOptions, Learned, Part, ReplicateStart, SearchMode, Select, Shard, StopReason, Task,
    bootstrap, bootstrap_from, cross_validate, cross_validate_from, learn, learn_from,
};
use cmnet_paper::generate::two_tree;
use rand::Rng;
use rand::seq::SliceRandom;

fn options(search: SearchMode) -> LearnOptions {
    LearnOptions { search, threads: 1, ..LearnOptions::default() }
}

/// The whole of what was learned, in words.
fn all(learned: &Learned, data: &Dataset, options: &LearnOptions) -> String {
    let models = learned.models.iter().map(|model| {
        let model = model.to_model(data, options, &learned.search).unwrap();
        model.to_json().unwrap()
    });
    let models: Vec<String> = models.collect();
    let climbs: Vec<_> = learned.models.iter().map(|model| (&model.climb, &model.score)).collect();
    let facts = (&learned.search, learned.selected, learned.criterion, &learned.limited, learned.stop);
    format!("{models:?} {climbs:?} {facts:?} {:?}", learned.passed_over)
}

/// Runs all tasks round by round, each round in an order of its own and some of them twice, and
/// brings what they find together as text.
fn known(job: &Job, data: &Dataset, rng: &mut impl Rng) -> Findings {
    let mut known = Findings::default();
    loop {
        let mut tasks = job.tasks_for(rng.random_range(1..5), data, &known, rng.random_range(1..8));
        if tasks.is_empty() {
            return known;
        }
        tasks.extend(tasks.first().cloned());
        tasks.shuffle(rng);
        let before = known.clone();
        for task in tasks {
            let found = job.run(&task, &before, data, &()).unwrap();
            let text = Part::new(job, data, found).to_text().unwrap();
            known.add(Part::from_text("worker", &text).unwrap().of(job, data).unwrap()).unwrap();
        }
    }
}

#[test]
fn learning_by_tasks_is_learning() {
    let mut rng = generator(71);
    for round in 0..12 {
        let data = if round < 2 {
            two_tree(24, 300, round).unwrap().data
        } else {
            Sample::random(&mut rng).dataset()
        };
        for search in [SearchMode::Paper, SearchMode::Blanket] {
            let options = options(search);
            let job = Job::Learn(options.clone());
            let state = known(&job, &data, &mut rng).learn_state();
            let learned = learn_from(state, &data, &options, &()).unwrap();
            let alone = learn(&data, &options, &()).unwrap();
            assert_eq!(all(&learned, &data, &options), all(&alone, &data, &options), "{search}");
        }
    }
}

#[test]
fn tasks_find_kappas_that_a_run_passes_over_and_it_leaves_them() {
    let data = two_tree(24, 1_000, 6).unwrap().data;
    let kappas = ["eps", "n^-0.25", "0.9", "0.95"].map(|kappa| kappa.parse().unwrap()).to_vec();
    let options = LearnOptions { kappas, ..options(SearchMode::Auto) };
    let findings = known(&Job::Learn(options.clone()), &data, &mut generator(73));
    assert_eq!(findings.kappas.len(), 4);
    let alone = learn(&data, &options, &()).unwrap();
    assert!(!alone.passed_over.is_empty());
    let learned = learn_from(findings.learn_state(), &data, &options, &()).unwrap();
    assert_eq!(all(&learned, &data, &options), all(&alone, &data, &options));
    // Rows that are held out choose a kappa whose place is another one.
    let options = LearnOptions { select: Select::Heldout, ..options };
    let alone = learn(&data, &options, &()).unwrap();
    let learned = learn_from(findings.learn_state(), &data, &options, &()).unwrap();
    assert_eq!(all(&learned, &data, &options), all(&alone, &data, &options));
    let refused = Job::Learn(options).check().unwrap_err().to_string();
    assert!(refused.contains("is not divided into tasks"), "{refused}");
}

fn validated(found: &CrossValidation) -> String {
    format!("{found:?}")
}

#[test]
fn cross_validation_by_tasks_is_cross_validation() {
    let mut rng = generator(72);
    let kappas = vec![Kappa::Epsilon, Kappa::Power(0.5)];
    let options = LearnOptions { kappas, ..options(SearchMode::Paper) };
    for round in 0..4_u64 {
        let data = two_tree(7, 120 + 40 * round as usize, round).unwrap().data;
        for plan in [FoldPlan::Drawn { folds: 4, seed: round }, FoldPlan::Column(2)] {
            let findings = same_folds(&data, plan, &options, &mut rng);
            assert!(findings.folds.by_pseudo_likelihood.is_empty());
        }
    }
    // With so little memory one fold is fitted exactly and the other is not.
    let fit = FitOptions { method: FitMethod::Auto, memory: 1 << 9, ..FitOptions::default() };
    let options = LearnOptions { kappas: vec![Kappa::Epsilon], fit, ..options };
    let findings = same_folds(&apart_and_together(), FoldPlan::Column(0), &options, &mut rng);
    assert_eq!(findings.folds.by_pseudo_likelihood.len(), 2);
}

/// Stopped between the two passes there is no fold to tell about: means over exact and other folds mean nothing.
#[test]
fn folds_of_two_methods_are_not_averaged_after_a_stop() {
    let fit = FitOptions { method: FitMethod::Auto, memory: 1 << 9, ..FitOptions::default() };
    let options = LearnOptions { kappas: vec![Kappa::Epsilon], fit, ..options(SearchMode::Paper) };
    let (data, plan) = (apart_and_together(), FoldPlan::Column(0));
    let mut findings = same_folds(&data, plan, &options, &mut generator(73));
    let so_far = |known: &Findings| {
        CrossValidation::so_far(&known.folds, &data, plan, &options, StopReason::TimeLimit)
    };
    assert_eq!((so_far(&findings).finished, so_far(&findings).exact), (2, false));
    findings.folds.by_pseudo_likelihood.remove(&0);
    assert_eq!((so_far(&findings).finished, findings.finished_folds(&options).len()), (1, 1));
    findings.folds.by_pseudo_likelihood.clear();
    let found = so_far(&findings);
    assert_eq!((found.finished, found.rows.len(), found.stop), (0, 0, StopReason::TimeLimit));
    findings.folds.finished.remove(&0);
    assert_eq!(so_far(&findings).finished, 1);
}

/// Cross-validates by tasks and as a whole, which is the same; what the tasks found.
fn same_folds(data: &Dataset, plan: FoldPlan, options: &LearnOptions, rng: &mut impl Rng) -> Findings {
    let job = Job::CrossValidate { plan, options: options.clone() };
    let findings = known(&job, data, rng);
    let found = cross_validate_from(&findings.folds, data, plan, options, &()).unwrap();
    let alone = cross_validate(data, plan, options, &()).unwrap();
    assert_eq!(validated(&found), validated(&alone));
    findings
}

/// The parts of all shares, round after round until nothing is left.
fn by_shares(job: &Job, data: &Dataset, of: u64) -> Findings {
    let mut known = Findings::default();
    while !job.tasks(data, &known, 1).is_empty() {
        let part = |number| {
            let shard = Shard::new(number, of).unwrap();
            let mut own = known.clone();
            for task in job.share(data, &known, shard) {
                let found = job.run(&task, &own.clone(), data, &()).unwrap();
                own.add(found).unwrap();
            }
            Part::new(job, data, own).of_shard(shard, true)
        };
        known = Part::merge((1..=of).map(part).collect()).unwrap().of(job, data).unwrap();
    }
    known
}

#[test]
fn resampling_by_tasks_is_resampling() {
    let mut rng = generator(74);
    let data = two_tree(8, 200, 4).unwrap().data;
    let (empty, table) = (ReplicateStart::Empty, ReplicateStart::Table);
    let (anew, kept) = (KappaChoice::Anew, KappaChoice::Table);
    let rounds = [(empty, anew), (table, anew), (empty, anew), (empty, kept), (table, kept)];
    for (round, (start, kappa_choice)) in rounds.into_iter().enumerate() {
        let several = round == 0 || kappa_choice == kept;
        let kappas = if several { Kappa::paper_grid() } else { vec![Kappa::Power(0.5)] };
        let learn = LearnOptions { kappas, ..options(SearchMode::Auto) };
        let (replicates, stop_early) = (if round == 2 { 70 } else { 9 }, round == 2);
        let usual = BootstrapOptions::default();
        let asked = BootstrapOptions { replicates, stop_early, start, kappa_choice, learn, ..usual };
        let job = Job::Bootstrap(asked.clone());
        let alone = bootstrap(&data, &asked, &()).unwrap();
        let text = |found: &cmnet::Bootstrap| {
            found.to_model(&data, &asked, &()).unwrap().unwrap().to_json().unwrap()
        };
        let same = |findings: Findings, most: usize| {
            assert!(findings.resamples.finished.len() <= most);
            let found = bootstrap_from(findings.resamples, &data, &asked, &()).unwrap();
            assert_eq!((&found, text(&found)), (&alone, text(&alone)));
        };
        // Tasks end where the answer is settled; shares cannot know where that is.
        same(known(&job, &data, &mut rng), alone.finished as usize);
        same(by_shares(&job, &data, 4), replicates as usize);
    }
}

#[test]
fn shares_add_up_to_the_run() {
    let data = two_tree(20, 250, 5).unwrap().data;
    for search in [SearchMode::Paper, SearchMode::Blanket] {
        let options = options(search);
        let job = Job::Learn(options.clone());
        let alone = learn(&data, &options, &()).unwrap();
        for of in [1, 3, 30] {
            let state = by_shares(&job, &data, of).learn_state();
            let learned = learn_from(state, &data, &options, &()).unwrap();
            assert_eq!(all(&learned, &data, &options), all(&alone, &data, &options), "{search}, {of} shares");
        }
    }
}

#[test]
fn a_task_that_is_stopped_goes_on_from_where_it_stood() {
    let data = two_tree(14, 250, 6).unwrap().data;
    for search in [SearchMode::Paper, SearchMode::Blanket] {
        let options = options(search);
        let job = Job::Learn(options.clone());
        let alone = learn(&data, &options, &()).unwrap();
        let (mut known, mut stopped) = (Findings::default(), 0);
        let mut patience = 3;
        while let Some(task) = job.tasks(&data, &known, 3).into_iter().last() {
            let before = known.clone();
            known.add(job.run(&task, &before, &data, &Impatient::new(patience)).unwrap()).unwrap();
            stopped += usize::from(job.tasks(&data, &known, 3).contains(&task));
            patience = patience * 3 / 2;
        }
        assert!(stopped > 1, "{search}: {stopped}");
        let learned = learn_from(known.learn_state(), &data, &options, &()).unwrap();
        assert_eq!(all(&learned, &data, &options), all(&alone, &data, &options), "{search}");
    }
}

#[test]
fn the_graph_is_the_structure_of_a_kappa_without_contexts() {
    let data = two_tree(14, 250, 6).unwrap().data;
    let kappas = vec![Kappa::Power(0.5), Kappa::Epsilon, Kappa::Power(0.25)];
    let job = Job::Learn(LearnOptions { kappas, ..options(SearchMode::Blanket) });
    let mut known = Findings::default();
    for task in job.tasks(&data, &known, 3) {
        known.add(job.run(&task, &Findings::default(), &data, &()).unwrap()).unwrap();
    }
    let graph = Task::Graph(Vec::new());
    assert_eq!(job.tasks(&data, &known, 3), [Task::Graph(Vec::new())]);
    let stopped = job.run(&graph, &known, &data, &Impatient::new(3)).unwrap();
    assert!(stopped.graph.is_some() && stopped.kappas.is_empty());
    known.add(job.run(&graph, &known, &data, &()).unwrap()).unwrap();
    assert_eq!(job.tasks(&data, &known, 3), [Task::Kappa(0), Task::Kappa(2)]);
    let by_itself = job.run(&Task::Kappa(1), &known, &data, &()).unwrap();
    assert_eq!(known.kappas.get(&1), by_itself.kappas.get(&1));
}

/// Whatever is found together with the graph, however early that is stopped, goes on to the same structures.
#[test]
fn structures_that_workers_cannot_share_come_with_the_graph() {
    let data = two_tree(14, 250, 6).unwrap().data;
    let options = options(SearchMode::Blanket);
    let job = Job::Learn(options.clone());
    let blankets = job.run(&Task::Blankets(0..14), &Findings::default(), &data, &()).unwrap();
    let graphs = [1, 2, 3].map(|workers| job.tasks_for(workers, &data, &blankets, 3));
    assert_eq!(graphs, [vec![1, 2, 3], vec![1], vec![]].map(|then| vec![Task::Graph(then)]));
    // One worker finds the blankets of a small table with them.
    let task = Task::Graph(vec![1, 2, 3]);
    assert_eq!(job.tasks_for(1, &data, &Findings::default(), 3), std::slice::from_ref(&task));
    let mut some = blankets.clone();
    some.blankets.retain(|&variable, _| variable < 5);
    assert_eq!(job.tasks_for(1, &data, &some, 3), std::slice::from_ref(&task));
    assert_eq!(job.tasks_for(2, &data, &some, 3), [5..8, 8..11, 11..14].map(Task::Blankets));
    let alone = learn(&data, &options, &()).unwrap();
    let mut begun = 0;
    for before in [blankets, some, Findings::default()] {
        for patience in (1..).map(|turn| turn * turn) {
            let found = job.run(&task, &before, &data, &Impatient::new(patience)).unwrap();
            let is_whole = found.has(&task);
            let is_open = |place: usize| !found.has(&Task::Kappa(place));
            begun += found.kappas.keys().filter(|place| is_open(**place)).count();
            let mut known = before.clone();
            known.add(found).unwrap();
            assert!(!is_whole || job.tasks(&data, &known, 3).is_empty());
            let learned = learn_from(known.learn_state(), &data, &options, &()).unwrap();
            assert_eq!(all(&learned, &data, &options), all(&alone, &data, &options), "{patience}");
            if is_whole {
                break;
            }
        }
    }
    assert!(begun > 0);
}

#[test]
fn parts_that_are_no_whole_are_refused_with_their_names() {
    let data = two_tree(6, 100, 7).unwrap().data;
    let job = Job::Learn(options(SearchMode::Paper));
    let part = |job: &Job, number, of, finished| {
        let part = Part::new(job, &data, Findings::default());
        let text = part.of_shard(Shard::new(number, of).unwrap(), finished).to_text().unwrap();
        let part = Part::from_text(&format!("{number}.part"), &text).unwrap();
        assert_eq!(part.run(), job.name());
        part
    };
    let refused = |parts: Vec<Part>| Part::merge(parts).unwrap_err().to_string();
    let text = refused(vec![part(&job, 1, 4, true), part(&job, 3, 4, true)]);
    assert_eq!(text, "1.part: shares 2, 4 of 4 missing; give every part of the run");
    let text = refused(vec![part(&job, 1, 22, true)]);
    assert!(text.starts_with("1.part: shares 2, 3, ") && text.contains(", 21, ... of 22 missing"), "{text}");
    let text = refused(vec![part(&job, 1, 2, true), part(&job, 1, 2, true)]);
    assert_eq!(text, "1.part: share 1/2 is here twice: in 1.part too; give every part once");
    let text = refused(vec![part(&job, 2, 2, false)]);
    assert_eq!(text, "2.part: share 2/2 is not finished; run it again, going on from this part");
    let text = refused(vec![part(&job, 1, 2, true), part(&job, 2, 3, true)]);
    assert!(text.starts_with("2.part: this is share 2 of 3, and others are of 2"), "{text}");
    let other = Job::Learn(options(SearchMode::Blanket));
    let text = refused(vec![part(&job, 1, 2, true), part(&other, 2, 2, true)]);
    assert!(text.starts_with("2.part: this file has another "), "{text}");
    let plan = FoldPlan::Drawn { folds: 3, seed: 1 };
    let other = Job::CrossValidate { plan, options: options(SearchMode::Paper) };
    let text = refused(vec![part(&job, 1, 2, true), part(&other, 2, 2, true)]);
    assert!(text.starts_with("2.part: this file has another kind of run: cv there, learn here"), "{text}");
    assert!(refused(vec![]).contains("expected the parts of a run"));
    let table = two_tree(6, 100, 8).unwrap().data;
    let text = part(&job, 1, 1, true).of(&job, &table).unwrap_err().to_string();
    assert!(text.starts_with("1.part: this file has another data: sha256:"), "{text}");
}
