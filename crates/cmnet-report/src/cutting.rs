//! Columns of numbers that were cut, in words.

use cmnet::{CutColumn, quoted};

/// Where a column was cut, as a sentence.
pub fn cut_text(column: &CutColumn) -> String {
    let (name, numbers) = (quoted(&column.name), column.numbers);
    match &column.cuts {
        Some(cuts) => {
            let points: Vec<String> = cuts.points().iter().map(f64::to_string).collect();
            format!(
                "column {name}: {numbers} different numbers are cut at {} ({})",
                points.join(", "),
                column.rule
            )
        }
        None => format!("column {name} has one number and is not cut ({})", column.rule),
    }
}
