//! Whether cells are missing more often where another variable has certain values.

use crate::data::{IncompleteTable, Var};
use crate::precision::chi_square_tail;

/// A column whose holes go along with the values of another.
#[derive(Clone, Debug, PartialEq)]
pub struct MissingTest {
    /// The column with holes.
    pub column: Var,
    /// The column that they go along with.
    pub other: Var,
    /// Pearson's chi-square of "missing" and the other column's known values.
    pub statistic: f64,
    /// Its degrees of freedom.
    pub degrees: usize,
    /// The p-value times the number of pairs that were tested (Bonferroni), at most 1.
    pub p: f64,
}

/// The pairs of columns where holes in one go along with the values of the other, at a level that
/// covers all pairs; the most evident first. They are not missing completely at random, so that
/// leaving rows out would distort what is learned. Whether cells are missing at random, given what is
/// known, no table can tell.
///
/// # Complexity
/// One pass over the distinct rows for each column with holes.
pub fn missing_tests(table: &IncompleteTable, level: f64) -> Vec<MissingTest> {
    let variables = table.schema().len();
    let holed: Vec<Var> = (0..variables).filter(|&v| table.missing(v) > 0).collect();
    let mut tests = Vec::new();
    for &column in &holed {
        let mut counts: Vec<Vec<[f64; 2]>> =
            table.schema().variables().iter().map(|variable| vec![[0.0; 2]; variable.levels.len()]).collect();
        for (row, weight) in table.iter() {
            let missing = usize::from(row[column].is_none());
            for (counts, level) in counts.iter_mut().zip(&row) {
                if let Some(level) = level {
                    counts[*level as usize][missing] += weight as f64;
                }
            }
        }
        let others = (0..variables).filter(|&other| other != column);
        tests.extend(others.filter_map(|other| test(column, other, &counts[other])));
    }
    let pairs = tests.len() as f64;
    for test in &mut tests {
        test.p = (test.p * pairs).min(1.0);
    }
    tests.retain(|test| test.p < level);
    tests.sort_by(|one, other| one.p.total_cmp(&other.p).then(other.statistic.total_cmp(&one.statistic)));
    tests
}

/// The test of one pair; `None` where one side does not vary.
fn test(column: Var, other: Var, counts: &[[f64; 2]]) -> Option<MissingTest> {
    let seen: Vec<&[f64; 2]> = counts.iter().filter(|count| count[0] + count[1] > 0.0).collect();
    let sums = seen.iter().fold([0.0; 2], |sums, count| [sums[0] + count[0], sums[1] + count[1]]);
    let total = sums[0] + sums[1];
    if seen.len() < 2 || sums[0] == 0.0 || sums[1] == 0.0 {
        return None;
    }
    let mut statistic = 0.0;
    for count in &seen {
        let of_level = count[0] + count[1];
        for (found, sum) in count.iter().zip(sums) {
            let expected = of_level * sum / total;
            statistic += (found - expected) * (found - expected) / expected;
        }
    }
    let degrees = seen.len() - 1;
    Some(MissingTest { column, other, statistic, degrees, p: chi_square_tail(statistic, degrees) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Schema, Variable};

    fn table(rows: &[([Option<u32>; 2], u64)]) -> IncompleteTable {
        let variable = |name: &str| Variable { name: name.into(), levels: vec!["0".into(), "1".into()] };
        let mut table = IncompleteTable::new(Schema::new(vec![variable("a"), variable("b")]).unwrap());
        for (row, weight) in rows {
            table.push(row, *weight).unwrap();
        }
        table
    }

    #[test]
    fn holes_that_follow_another_column_are_found_and_others_are_not() {
        // b is missing in 10 of 50 rows where a is 0, and in 30 of 50 where a is 1.
        let rows = [
            ([Some(0), Some(0)], 40),
            ([Some(0), None], 10),
            ([Some(1), Some(1)], 20),
            ([Some(1), None], 30),
        ];
        let found = missing_tests(&table(&rows), 0.05);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].column, found[0].other, found[0].degrees), (1, 0, 1));
        // 2x2 table [[40, 10], [20, 30]]: n (ad - bc)^2 over the product of the margins.
        assert!((found[0].statistic - 100.0 * 1000.0 * 1000.0 / (50.0 * 50.0 * 60.0 * 40.0)).abs() < 1e-9);
        let even = [
            ([Some(0), Some(0)], 40),
            ([Some(0), None], 10),
            ([Some(1), Some(1)], 40),
            ([Some(1), None], 10),
        ];
        assert_eq!(missing_tests(&table(&even), 0.05), []);
        assert_eq!(missing_tests(&table(&[([Some(0), Some(1)], 5)]), 0.05), []);
    }
}
