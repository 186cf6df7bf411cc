//! Cross-validation whose folds differ.

use cmnet::{
    Criterion, Dataset, FitMethod, FitOptions, Fold, FoldPlan, Folds, Kappa, LearnOptions, Result,
    cross_validate, learn,
};

/// Two folds: in one all variables are independent, in the other all depend on something hidden.
pub(crate) fn apart_and_together() -> Dataset {
    let mut state = 1u64;
    let mut draw = |share: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % 100 < share
    };
    let mut rows = Vec::new();
    for row in 0..2400 {
        let (apart, hidden) = (row % 2 == 0, draw(50));
        let mut labels = vec![if apart { "a" } else { "b" }.to_owned()];
        let mut level = || u8::from(if apart { draw(50) } else { hidden == draw(80) }).to_string();
        labels.extend((0..5).map(|_| level()));
        rows.push(labels);
    }
    Dataset::from_labels(&["fold", "1", "2", "3", "4", "5"], rows).unwrap()
}

/// One fold's structure is out of reach, the other's is not: both by pseudo-likelihood, as
/// if that had been asked for.
#[test]
fn folds_are_not_averaged_over_two_methods() {
    let data = apart_and_together();
    let options = |method, memory| LearnOptions {
        kappas: vec![Kappa::Epsilon],
        fit: FitOptions { method, memory, ..FitOptions::default() },
        ..LearnOptions::default()
    };
    let validate =
        |method, memory| cross_validate(&data, FoldPlan::Column(0), &options(method, memory), &()).unwrap();
    let asked = validate(FitMethod::Pseudo, 1 << 20);
    let exact = validate(FitMethod::Auto, 1 << 20);
    let mixed = validate(FitMethod::Auto, 1 << 9);
    assert!(exact.exact && !asked.exact && !mixed.exact);
    assert_eq!(mixed.rows, asked.rows);
    assert_ne!(exact.rows, asked.rows);
    // One of the folds alone can be had exactly with as little memory.
    let some = Folds::deal(&data, FoldPlan::Column(0)).unwrap();
    let exactly = |fold: Result<Fold>| {
        let learned = learn(&fold.unwrap().training, &options(FitMethod::Auto, 1 << 9), &()).unwrap();
        learned.criterion == Some(Criterion::Bic)
    };
    assert_eq!(some.iter().map(exactly).filter(|exact| *exact).count(), 1);
}
