//! The chances that each row belongs to each class.

use crate::data::Dataset;
use crate::error::Result;

/// For each class the chance of each distinct row to belong to it; those of a row sum to 1.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Memberships {
    /// By class, then by row.
    pub(super) chances: Vec<Vec<f64>>,
    /// The share of the observations of each class.
    pub(super) shares: Vec<f64>,
}

impl Memberships {
    /// The E-step: from the logarithms of weight times probability, by class and row; with the
    /// log-likelihood of the table.
    pub(super) fn of(mut logs: Vec<Vec<f64>>, data: &Dataset) -> (Self, f64) {
        let mut log_likelihood = 0.0;
        for (row, &weight) in data.weights().iter().enumerate() {
            log_likelihood += f64::from(weight) * normalize(&mut logs, row);
        }
        (Self { shares: shares(&logs, data), chances: logs }, log_likelihood)
    }

    /// Observations as whole numbers by class and distinct row: each row's are dealt out by its
    /// chances, and what is left goes to the largest remainders.
    pub(super) fn rounded(&self, data: &Dataset) -> Vec<Vec<u32>> {
        let classes = self.chances.len();
        let mut rounded = vec![vec![0; data.distinct_rows()]; classes];
        for (row, &weight) in data.weights().iter().enumerate() {
            let wanted = |class: usize| self.chances[class][row] * f64::from(weight);
            let mut left = weight;
            for (class, own) in rounded.iter_mut().enumerate() {
                own[row] = (wanted(class) as u32).min(left);
                left -= own[row];
            }
            let mut order: Vec<usize> = (0..classes).collect();
            let rest = |class: usize| wanted(class) - f64::from(rounded[class][row]);
            let rests: Vec<f64> = (0..classes).map(rest).collect();
            order.sort_by(|&one, &other| rests[other].total_cmp(&rests[one]).then(one.cmp(&other)));
            order.into_iter().cycle().take(left as usize).for_each(|class| rounded[class][row] += 1);
        }
        rounded
    }

    /// The tables of the classes that got rows.
    pub(super) fn tables(&self, data: &Dataset) -> Result<Vec<Dataset>> {
        let some = |weights: &Vec<u32>| weights.iter().any(|&weight| weight > 0);
        self.rounded(data).iter().filter(|weights| some(weights)).map(|own| data.with_weights(own)).collect()
    }

    /// The weights of the rows for one class.
    pub(super) fn weights(&self, class: usize, data: &Dataset) -> Vec<f64> {
        let pairs = self.chances[class].iter().zip(data.weights());
        pairs.map(|(chance, &weight)| chance * f64::from(weight)).collect()
    }
}

/// Turns the logarithms of a row's classes into chances; the logarithm of their sum.
fn normalize(logs: &mut [Vec<f64>], row: usize) -> f64 {
    let largest = logs.iter().map(|class| class[row]).fold(f64::NEG_INFINITY, f64::max);
    let mut sum = 0.0;
    for class in logs.iter_mut() {
        class[row] = libm::exp(class[row] - largest);
        sum += class[row];
    }
    for class in logs.iter_mut() {
        class[row] /= sum;
    }
    largest + libm::log(sum)
}

fn shares(chances: &[Vec<f64>], data: &Dataset) -> Vec<f64> {
    let rows = data.rows() as f64;
    let sum = |class: &Vec<f64>| -> f64 {
        class.iter().zip(data.weights()).map(|(chance, &weight)| chance * f64::from(weight)).sum()
    };
    chances.iter().map(|class| sum(class) / rows).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_dealt_out_whole_and_all_of_them() {
        let rows = [vec![["x"]; 7], vec![["y"]; 1], vec![["z"]; 10]].concat();
        let data = Dataset::from_labels(&["a"], rows).unwrap();
        let logs = [[0.3, 0.5, 0.25], [0.3, 0.5, 0.25], [0.4, 0.0, 0.5]];
        let logs = logs.map(|class| class.map(libm::log).to_vec()).to_vec();
        let (found, log_likelihood) = Memberships::of(logs, &data);
        assert!(log_likelihood.abs() < 1e-12);
        assert!((found.shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        // 2.1, 2.1, 2.8: the rest goes to the third. A half each: the first class wins.
        assert_eq!(found.rounded(&data), [vec![2, 1, 3], vec![2, 0, 2], vec![3, 0, 5]]);
        assert_eq!(found.tables(&data).unwrap().iter().map(Dataset::rows).sum::<u64>(), 18);
    }
}
