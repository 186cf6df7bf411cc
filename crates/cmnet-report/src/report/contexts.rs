//! Every context as a sentence, with what the table says about it.

use super::Report;
use super::html::{Page, fixed, percent};
use crate::sentence;
use crate::support::least_support;
use cmnet::{Cell, Dataset, EdgeContext};
use std::collections::BTreeMap;

/// Rows inside and outside of a context, and how much the ends of the edge tell about each other there.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    rows: u64,
    nats: f64,
}

pub(super) fn write(report: &Report<'_>, page: &mut Page) {
    page.heading("Contexts");
    let (schema, structure) = (report.model.schema(), report.model.structure());
    if structure.contexts().next().is_none() {
        page.paragraph("No edge has a context: each dependence holds whatever the other variables are.");
        return;
    }
    let has_support = report.model.support().is_some();
    let row = |context: &EdgeContext| {
        let mut cells = vec![sentence(schema, context)];
        if let Some(table) = report.table {
            let [inside, outside] = seen(table, context);
            let nats = |seen: &Seen| fixed((seen.rows > 0).then_some(seen.nats), 5);
            cells.extend([inside.rows.to_string(), nats(&inside), outside.rows.to_string(), nats(&outside)]);
        }
        if has_support {
            cells.push(least_support(report.model, context).map(percent).unwrap_or_default());
        }
        cells
    };
    let mut columns = vec!["context"];
    if report.table.is_some() {
        columns.extend(["rows in it", "nats in it", "rows elsewhere", "nats elsewhere"]);
    }
    if has_support {
        columns.push("least support");
    }
    let rows: Vec<_> = structure.contexts().map(row).collect();
    page.table("Contexts in which an edge vanishes", &columns, &rows);
    if report.table.is_some() {
        page.paragraph(
            "Nats are the mutual information of the two ends in the table, given their common neighbours. In a context the model \
             has 0; the table is above that by chance, the more so the fewer its rows.",
        );
    }
}

/// What a table says inside and outside of a context.
fn seen(table: &Dataset, context: &EdgeContext) -> [Seen; 2] {
    let (low, high) = context.edge().ends();
    let space = context.space();
    let wide = table.schema().cardinalities()[high] as usize;
    let cells = table.schema().cardinalities()[low] as usize * wide;
    let mut counts: BTreeMap<Cell, Vec<u64>> = BTreeMap::new();
    for row in 0..table.distinct_rows() {
        let levels = table.row(row);
        let configuration: Vec<u32> = space.variables().iter().map(|v| levels[v]).collect();
        let own = counts.entry(space.cell(&configuration)).or_insert_with(|| vec![0; cells]);
        own[levels[low] as usize * wide + levels[high] as usize] += u64::from(table.weights()[row]);
    }
    let mut found = [Seen::default(), Seen::default()];
    for (cell, counts) in counts {
        let place = &mut found[usize::from(!context.contains(cell))];
        let rows: u64 = counts.iter().sum();
        place.rows += rows;
        place.nats += rows as f64 * information(&counts, wide);
    }
    for place in &mut found {
        place.nats /= place.rows.max(1) as f64;
    }
    found
}

/// The mutual information of the rows and columns of a table of counts.
fn information(counts: &[u64], wide: usize) -> f64 {
    let total: u64 = counts.iter().sum();
    let rows: Vec<u64> = counts.chunks(wide).map(|row| row.iter().sum()).collect();
    let columns: Vec<u64> = (0..wide).map(|k| counts.iter().skip(k).step_by(wide).sum()).collect();
    let term = |(cell, &count): (usize, &u64)| {
        let (row, column) = (rows[cell / wide] as f64, columns[cell % wide] as f64);
        let share = count as f64 / total as f64;
        if count > 0 { share * libm::log(count as f64 * total as f64 / (row * column)) } else { 0.0 }
    };
    counts.iter().enumerate().map(term).sum::<f64>().max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cmnet::{Edge, Structure};

    #[test]
    fn rows_are_told_apart_by_the_context() {
        // a and b agree where c is x, and are balanced where c is y.
        let rows = [
            ["0", "0", "x"],
            ["1", "1", "x"],
            ["0", "0", "y"],
            ["0", "1", "y"],
            ["1", "0", "y"],
            ["1", "1", "y"],
        ];
        let table = Dataset::from_labels(&["a", "b", "c"], rows).unwrap();
        let mut structure = Structure::empty(&[2, 2, 2]);
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            structure.toggle_edge(Edge::new(i, j).unwrap()).unwrap();
        }
        structure.add_context_element(Edge::new(0, 1).unwrap(), 1).unwrap();
        let [inside, outside] = seen(&table, structure.contexts().next().unwrap());
        assert_eq!((inside.rows, outside.rows), (4, 2));
        assert!(inside.nats < 1e-12 && (outside.nats - libm::log(2.0)).abs() < 1e-12);
    }
}
