//! The table: its variables and levels, and what its owner should know.

use super::Report;
use super::html::{Page, percent};
use crate::answer::described::VariableDescription;
use crate::wording::shown;

/// Levels that are listed of a variable; the rest is counted.
const MOST_LEVELS: usize = 12;

pub(super) fn write(report: &Report<'_>, page: &mut Page) {
    page.heading("Data");
    let Some(data) = report.description else {
        page.paragraph("The report was made without a table: it says what the model file says.");
        return;
    };
    let file = data.file.as_deref().map_or(String::new(), |file| format!("{}: ", shown(file)));
    page.paragraph(&format!(
        "{file}{} rows, {} of them distinct; {} variables with {} joint outcomes.",
        data.rows,
        data.distinct_rows,
        data.variables.len(),
        data.outcome_space
    ));
    if data.dropped_rows > 0 {
        page.paragraph(&format!("{} rows with missing values were left out.", data.dropped_rows));
    }
    data.warnings.iter().for_each(|notice| page.warning(&notice.message));
    let row = |variable: &VariableDescription| {
        vec![
            shown(&variable.name),
            variable.levels.len().to_string(),
            levels(variable, data.rows),
            variable.missing.to_string(),
        ]
    };
    let rows: Vec<_> = data.variables.iter().map(row).collect();
    page.table("Variables", &["variable", "levels", "rows with each level", "missing"], &rows);
}

fn levels(variable: &VariableDescription, rows: u64) -> String {
    let one = |level: &crate::answer::described::LevelCount| {
        let share = percent(level.count as f64 / rows.max(1) as f64);
        format!("{} {} ({share})", shown(&level.label), level.count)
    };
    let mut parts: Vec<String> = variable.levels.iter().take(MOST_LEVELS).map(one).collect();
    if variable.levels.len() > MOST_LEVELS {
        parts.push(format!("and {} more", variable.levels.len() - MOST_LEVELS));
    }
    parts.join(", ")
}
