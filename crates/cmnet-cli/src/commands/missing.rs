//! What is said about the missing values of a table.

use crate::output;
use cmnet::{IncompleteTable, Var, missing_tests};

/// Tests at this level, over all pairs of columns.
const LEVEL: f64 = 0.05;
/// Patterns and tests that are listed.
const LISTED: usize = 5;

/// Says on standard error what is missing, what is assumed, and where missingness goes along with
/// other values.
pub(crate) fn tell(file: &str, table: &IncompleteTable) {
    for line in lines(file, table) {
        output::note(&line);
    }
}

fn lines(file: &str, table: &IncompleteTable) -> Vec<String> {
    let schema = output::printable(table.schema());
    let share = |rows: u64| format!("{:.1} %", 100.0 * rows as f64 / table.rows() as f64);
    let incomplete = table.incomplete_rows();
    if incomplete == 0 {
        return Vec::new();
    }
    let holed = (0..schema.len()).filter(|&v| table.missing(v) > 0);
    let columns: Vec<String> =
        holed.map(|v| format!("{} {}", schema.name(v), share(table.missing(v)))).collect();
    let named = |variables: &[Var]| {
        variables.iter().map(|&v| schema.name(v).to_owned()).collect::<Vec<_>>().join(" + ")
    };
    let patterns = table.patterns();
    let patterns = patterns.iter().filter(|pattern| !pattern.variables.is_empty());
    let patterns: Vec<String> = patterns
        .take(LISTED)
        .map(|pattern| format!("{} ({} rows)", named(&pattern.variables), pattern.rows))
        .collect();
    let mut lines = vec![
        format!(
            "{file}: {incomplete} of {} rows ({}) have missing values: {}",
            table.rows(),
            share(incomplete),
            columns.join(", ")
        ),
        format!("missing together, the most frequent: {}", patterns.join("; ")),
        "assumed: missing at random. Whether a value is missing may depend on the known values of its row, \
         not on the value itself"
            .to_owned(),
    ];
    for test in missing_tests(table, LEVEL).iter().take(LISTED) {
        lines.push(format!(
            "warning: whether {} is missing goes along with {} (chi-square {:.1}, {} degrees of freedom, adjusted \
             p {:.2e}): leaving rows out would distort the model",
            schema.name(test.column),
            schema.name(test.other),
            test.statistic,
            test.degrees,
            test.p
        ));
    }
    lines
}
