//! How often each row of a growing table was observed.

/// Row weights; they take no memory as long as all of them are 1, as in most tables.
#[derive(Debug, Default)]
pub(crate) struct Weights {
    rows: usize,
    /// Empty while all weights are 1.
    values: Vec<u32>,
}

impl Weights {
    /// Adds a row.
    #[inline]
    pub(crate) fn push(&mut self, weight: u32) {
        if self.values.is_empty() && weight != 1 {
            self.values.resize(self.rows, 1);
        }
        if weight != 1 || !self.values.is_empty() {
            self.values.push(weight);
        }
        self.rows += 1;
    }

    /// Adds so many rows of weight 1.
    #[cfg(feature = "csv")]
    pub(crate) fn push_ones(&mut self, rows: usize) {
        self.rows += rows;
        if !self.values.is_empty() {
            self.values.resize(self.rows, 1);
        }
    }

    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        self.rows
    }

    /// The weight of a row.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> u32 {
        self.values.get(row).copied().unwrap_or(1)
    }
}

impl From<Vec<u32>> for Weights {
    fn from(values: Vec<u32>) -> Self {
        let rows = values.len();
        let values = if values.iter().all(|&weight| weight == 1) { Vec::new() } else { values };
        Self { rows, values }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ones_take_no_room_and_others_are_kept() {
        let mut weights = Weights::default();
        for weight in [1, 1, 3, 1, 0] {
            assert_eq!(weights.values.is_empty(), weights.len() < 3);
            weights.push(weight);
        }
        let all: Vec<u32> = (0..weights.len()).map(|row| weights.get(row)).collect();
        assert_eq!(all, [1, 1, 3, 1, 0]);
        let taken = Weights::from(all);
        assert_eq!((taken.len(), taken.get(2), taken.get(3)), (5, 3, 1));
        assert!(Weights::from(vec![1; 4]).values.is_empty());
    }

    #[test]
    fn a_first_weight_other_than_one_is_kept() {
        let mut weights = Weights::default();
        weights.push(2);
        weights.push(1);
        assert_eq!((weights.get(0), weights.get(1), weights.len()), (2, 1, 2));
    }
}
