//! What the paper says about which method is ahead on synthetic data: whether it holds here, and
//! whether it depends on the parameters that the paper does not print.

use super::host::Host;
use super::markdown::table;
use super::measure::Measured;
use super::synthetic_data::{Drawing, Size, Synthetic, drawn};
use super::{Plan, Section, stream};
use crate::synthetic::KnownModel;
use cmnet::Result;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use serde_json::json;

/// A statement: the method that the paper has ahead, the other, what is compared, and of which sample
/// sizes the paper says so.
struct Statement {
    says: &'static str,
    methods: (usize, usize),
    value: fn(&Measured) -> f64,
    stated: fn(u32) -> bool,
}

const STATEMENTS: [Statement; 5] = [
    Statement { says: "sBIC of CMN above SGM", methods: (0, 2), value: |found| found.sbic, stated: |_| true },
    Statement { says: "sBIC of SGM above MN", methods: (2, 1), value: |found| found.sbic, stated: |_| true },
    Statement {
        says: "divergence of CMN below MN",
        methods: (1, 0),
        value: |found| found.quality,
        stated: |_| true,
    },
    Statement {
        says: "divergence of CMN below SGM",
        methods: (2, 0),
        value: |found| found.quality,
        stated: |rows| rows >= 2000,
    },
    Statement {
        says: "divergence of SGM below CMN",
        methods: (0, 2),
        value: |found| found.quality,
        stated: |rows| rows <= 1000,
    },
];

impl Statement {
    /// 0: holds; 1: within two standard errors; 2: the other way.
    fn verdict(&self, size: &Size) -> Option<usize> {
        let (one, other) = self.methods;
        let gap = size.averages(|cell| cell.difference(one, other, |found| Some((self.value)(found))))?;
        Some(match gap.error() {
            Some(error) if gap.mean.abs() <= 2.0 * error => 1,
            _ if gap.mean > 0.0 => 0,
            _ => 2,
        })
    }
}

/// Every statement, with the sample sizes at which it holds.
pub(super) fn section(found: &Synthetic) -> String {
    let mut rows = Vec::new();
    for statement in &STATEMENTS {
        let mut sizes = [Vec::new(), Vec::new(), Vec::new()];
        for size in found.sizes.iter().filter(|size| (statement.stated)(size.rows)) {
            if let Some(verdict) = statement.verdict(size) {
                sizes[verdict].push(size.rows.to_string());
            }
        }
        let cells = sizes.map(|sizes| sizes.join(", "));
        rows.push(std::iter::once(statement.says.to_owned()).chain(cells).collect());
    }
    format!(
        "### Orderings\n\nEvery ordering that the paper states about synthetic data, at the sample sizes n of \
         which it states it. A tie is a paired difference within two standard errors.\n\n{}",
        table(&["statement", "holds", "tie", "the other way"], &rows)
    )
}

/// Choices of the five parameters that are not published.
const CHOICES: u64 = 20;
/// Sample sizes of each.
const SIZES: [u32; 2] = [1000, 4000];
/// Data sets of each choice and sample size, at most: verdicts are counted over the choices.
const MOST_REPLICATES: u32 = 20;

/// Draws the five parameters anew and looks at every statement; `None` when the host asked to stop.
pub(super) fn sensitivity(host: &dyn Host, plan: &Plan) -> Result<Option<Section>> {
    let plan = &Plan { replicates: plan.replicates.min(MOST_REPLICATES), ..plan.clone() };
    let (choices, sizes) = if plan.quick { (2, &SIZES[..1]) } else { (CHOICES, &SIZES[..]) };
    let mut models = Vec::new();
    for choice in 1..=choices {
        let mut random = Pcg64Mcg::seed_from_u64(stream(&[7, choice]));
        let unpublished: [f64; 5] = std::array::from_fn(|_| random.random_range(0.1..0.9));
        let name = format!("sensitivity/choice{choice:02}");
        let drawing = Drawing { name, sizes: sizes.to_vec(), stream: 100 + choice };
        models.push((drawing, KnownModel::seven_variables_with(unpublished)?));
    }
    let Some(found) = drawn(host, plan, &models)? else { return Ok(None) };
    let mut section = Section::default();
    let mut rows = Vec::new();
    for statement in &STATEMENTS {
        for &rows_drawn in sizes.iter().filter(|&&rows| (statement.stated)(rows)) {
            let mut counts = [0u32; 3];
            for size in found.iter().flat_map(|one| &one.sizes).filter(|size| size.rows == rows_drawn) {
                if let Some(verdict) = statement.verdict(size) {
                    counts[verdict] += 1;
                }
            }
            let key = format!("{}, n = {rows_drawn}", statement.says);
            section
                .results
                .insert(key, json!({"holds": counts[0], "tie": counts[1], "other_way": counts[2]}));
            let mut row = vec![statement.says.to_owned(), rows_drawn.to_string()];
            row.extend(counts.map(|count| count.to_string()));
            rows.push(row);
        }
    }
    section.markdown = format!(
        "## Sensitivity\n\nThe five parameters of the true model that the paper does not print, drawn anew {choices} \
         times, each uniformly from 0.1 to 0.9. The table counts the choices for which each ordering holds, over {} \
         data sets per choice and sample size; a tie is a paired difference within two standard errors.\n\n{}",
        plan.replicates,
        table(&["statement", "n", "holds", "tie", "the other way"], &rows)
    );
    Ok(Some(section))
}
