//! Whether cells are missing more often where another variable has certain values.

use crate::data::{IncompleteTable, Var};

/// A column whose holes go along with the values of another.
#[derive(Clone, Debug, PartialEq)]
pub struct MissingTest {
    /// The column with holes.
    pub column: Var,
    /// The column that they go along with.
    pub other: Var,
    /// Pearson's chi-square of "missing" and the other column's known values. It says how much they go together.
    pub statistic: f64,
    /// Its degrees of freedom.
    pub degrees: usize,
    /// The exact p-value (Fisher's) of the level that stands out the most against all others, times the number of
    /// levels and of pairs that were tested (Bonferroni), at most 1.
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
    let (mut statistic, mut least) = (0.0, 1.0f64);
    for count in &seen {
        let of_level = count[0] + count[1];
        for (found, sum) in count.iter().zip(sums) {
            let expected = of_level * sum / total;
            statistic += (found - expected) * (found - expected) / expected;
        }
        least = least.min(exact(count[1], of_level, sums[1], total));
    }
    // Two levels are one question.
    let questions = if seen.len() == 2 { 1.0 } else { seen.len() as f64 };
    Some(MissingTest { column, other, statistic, degrees: seen.len() - 1, p: (least * questions).min(1.0) })
}

/// Fisher's exact p-value, the one side doubled: the chance that of `drawn` rows, which a level has, so few or so many are
/// among the `missing` ones of `total`. Chi-square would be wrong where a level or a missing value is rare.
fn exact(found: f64, drawn: f64, missing: f64, total: f64) -> f64 {
    let (least, most) = ((drawn + missing - total).max(0.0), drawn.min(missing));
    let log_choose =
        |n: f64, k: f64| libm::lgamma(n + 1.0) - libm::lgamma(k + 1.0) - libm::lgamma(n - k + 1.0);
    let at = |k: f64| {
        libm::exp(log_choose(missing, k) + log_choose(total - missing, drawn - k) - log_choose(total, drawn))
    };
    // Away from what is expected, term by term: they only fall.
    let up = found * total > drawn * missing;
    let (mut k, mut term, mut tail) = (found, at(found), 0.0);
    while (least..=most).contains(&k) && term > tail * 1e-17 {
        tail += term;
        if up {
            term *= (missing - k) * (drawn - k) / ((k + 1.0) * (total - missing - drawn + k + 1.0));
            k += 1.0;
        } else {
            term *= k * (total - missing - drawn + k) / ((missing - k + 1.0) * (drawn - k + 1.0));
            k -= 1.0;
        }
    }
    (2.0 * tail).min(1.0)
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

    #[test]
    fn exact_chances_are_those_of_all_draws() {
        // All ways to choose 4 of 9 rows of which 3 are missing: 126.
        let ways = |k: u32| {
            let rows = 0..1u32 << 9;
            rows.filter(|set| set.count_ones() == 4 && (set & 0b111).count_ones() == k).count() as f64
        };
        for found in 0..=3 {
            // 4 * 3 / 9 are expected.
            let tail: f64 = if found > 1 { (found..=3).map(ways).sum() } else { (0..=found).map(ways).sum() };
            let expected = (2.0 * tail / 126.0).min(1.0);
            assert!((exact(f64::from(found), 4.0, 3.0, 9.0) - expected).abs() < 1e-12, "{found}");
        }
        // A whole table of many rows, far from what is expected: too small for a number, and no error.
        assert!(exact(5e5, 1e6, 5e5, 2e6) < 1e-300 && exact(250.0, 1000.0, 500.0, 2000.0) > 0.9);
    }

    #[test]
    fn rare_levels_and_few_holes_keep_the_level() {
        use rand::{Rng, SeedableRng};
        let mut rng = rand_pcg::Pcg64::seed_from_u64(5);
        let variable =
            |place: usize| Variable { name: format!("v{place}"), levels: vec!["0".into(), "1".into()] };
        let schema = Schema::new((0..8).map(variable).collect()).unwrap();
        let mut warned = 0;
        for _ in 0..60 {
            let mut table = IncompleteTable::new(schema.clone());
            for _ in 0..1000 {
                let cell = |_| (!rng.random_bool(0.01)).then(|| u32::from(rng.random_bool(0.02)));
                let row: Vec<Option<u32>> = (0..8).map(cell).collect();
                table.push(&row, 1).unwrap();
            }
            warned += usize::from(!missing_tests(&table, 0.05).is_empty());
        }
        assert!(warned <= 6, "{warned} of 60 tables are warned about without a reason");
    }
}
