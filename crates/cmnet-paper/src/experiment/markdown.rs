//! Markdown tables and the words that every report begins with.

use super::Plan;
use cmnet::{Label, Structure};

/// A Markdown table.
pub(super) fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let line = |fields: &[String]| format!("| {} |\n", fields.join(" | "));
    let head: Vec<String> = header.iter().map(|&field| field.to_owned()).collect();
    let rule = vec!["---".to_owned(); header.len()];
    let body: String = rows.iter().map(|row| line(row)).collect();
    format!("{}{}{body}\n", line(&head), line(&rule).replace(' ', ""))
}

/// What was run, and how.
pub(super) fn preface(plan: &Plan) -> String {
    let smoothing = plan.smoothing;
    let quick = if plan.quick { " **This is a quick run: a small part of everything.**" } else { "" };
    format!(
        "# The paper's numerical results, rerun\n\n\
         {build}; {replicates} data sets per sample size; {seeds} shuffles of each real table.{quick}\n\n\
         CMN is the structure with the highest BIC among kappa = eps, n^-1, n^-1/2, n^-1/4, searched by \
         Algorithms 1 and 2 exactly; MN is kappa = eps; SGM is the stratified graphical model found by \
         {iterations} + {iterations} iterations. sBIC uses the bare maximum likelihood estimate. Predictive \
         accuracy is given by two estimates: the smoothed one, with pseudo-counts of {smoothing} spread evenly over \
         the outcome space, so that no row has probability zero, and the bare one. The paper does not say what it \
         did with rows of probability zero. Divergence uses the smoothed estimate.\n\n",
        build = plan.build(),
        replicates = plan.replicates,
        seeds = plan.seeds,
        iterations = plan.sgm().graph_iterations,
    )
}

/// Edges with labels, counted from 1 as in the paper: `1-2 [10], 1-4`.
pub(super) fn outline(structure: &Structure) -> String {
    let edge = |edge: cmnet::Edge| {
        let name = format!("{}-{}", edge.low() + 1, edge.high() + 1);
        match structure.context(edge) {
            Some(context) => {
                let label = Label::of(&context.elements().collect(), context.space()).to_string();
                format!("{name} [{}]", label.replace('\n', ", "))
            }
            None => name,
        }
    };
    structure.graph().edges().map(edge).collect::<Vec<_>>().join("; ")
}
