//! What equations that were solved have told about the curvature: directions with their images.
//!
//! Near the maximum the curvature changes little from one Newton step to the next. So a
//! preconditioner between the two loops of L-BFGS over earlier directions is nearer to the inverse
//! (Morales and Nocedal, Automatic preconditioning by limited memory quasi-Newton updating, 2000).

use super::objective::{Objective, dot};
use std::collections::VecDeque;

/// The most directions that are remembered.
const MOST: usize = 256;
/// The work of one curvature for each number of all directions, in table cells: so what is
/// remembered takes little of the time, and little beside the tables.
const WORK: usize = 256;

/// A direction and its image.
#[derive(Clone, Debug)]
pub(super) struct Image {
    pub(super) direction: Vec<f64>,
    /// The curvature times the direction.
    pub(super) product: Vec<f64>,
    /// Their scalar product, above zero.
    pub(super) bend: f64,
}

/// Directions with their images, the oldest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Images {
    known: VecDeque<Image>,
    most: usize,
}

impl Images {
    /// None yet; and none ever, unless the function is large.
    pub(super) fn of(objective: &impl Objective) -> Self {
        let size = objective.coordinates().len().max(1);
        let most = if objective.is_large() { objective.work() / WORK / size } else { 0 };
        Self { known: VecDeque::new(), most: most.min(MOST) }
    }

    /// Whether any are remembered.
    pub(super) fn are_kept(&self) -> bool {
        self.most > 0
    }

    /// Remembers more, and forgets the oldest.
    pub(super) fn extend(&mut self, more: Vec<Image>) {
        self.known.extend(more);
        self.known.drain(..self.known.len().saturating_sub(self.most));
    }

    /// An approximate inverse corrected: each direction's image becomes the direction again, as far
    /// as later ones let it.
    pub(super) fn correct(&self, inverse: impl FnOnce(&[f64]) -> Vec<f64>, vector: &[f64]) -> Vec<f64> {
        let mut rest = vector.to_vec();
        let mut shares = Vec::with_capacity(self.known.len());
        for Image { direction, product, bend } in self.known.iter().rev() {
            let share = dot(direction, &rest) / bend;
            rest.iter_mut().zip(product).for_each(|(rest, product)| *rest -= share * product);
            shares.push(share);
        }
        let mut found = inverse(&rest);
        for (Image { direction, product, bend }, share) in self.known.iter().zip(shares.into_iter().rev()) {
            let by = share - dot(product, &found) / bend;
            found.iter_mut().zip(direction).for_each(|(found, direction)| *found += by * direction);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MATRIX: [[f64; 3]; 3] = [[4.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.5, -1.0, 2.0]];

    fn product(vector: &[f64]) -> Vec<f64> {
        MATRIX.iter().map(|row| dot(row, vector)).collect()
    }

    fn image(direction: Vec<f64>) -> Image {
        let product = product(&direction);
        let bend = dot(&direction, &product);
        Image { direction, product, bend }
    }

    fn near(one: &[f64], other: &[f64]) -> bool {
        one.iter().zip(other).all(|(one, other)| (one - other).abs() < 1e-12)
    }

    #[test]
    fn the_image_of_the_latest_direction_becomes_the_direction() {
        let mut images = Images { most: 2, ..Images::default() };
        let directions = [vec![1.0, 0.0, 0.0], vec![0.3, 1.0, -2.0], vec![1.0, 1.0, 1.0]];
        images.extend(directions.iter().cloned().map(image).collect());
        assert_eq!(images.known.len(), 2);
        let found =
            images.correct(|vector| vector.iter().map(|value| value / 3.0).collect(), &product(&[1.0; 3]));
        assert!(near(&found, &[1.0; 3]), "{found:?}");
    }

    #[test]
    fn as_many_conjugate_directions_as_dimensions_make_any_inverse_the_true_one() {
        let mut conjugate: Vec<Image> = Vec::new();
        for at in 0..3 {
            let mut direction = vec![0.0; 3];
            direction[at] = 1.0;
            for earlier in &conjugate {
                let share = dot(&direction, &earlier.product) / earlier.bend;
                direction.iter_mut().zip(&earlier.direction).for_each(|(value, by)| *value -= share * by);
            }
            conjugate.push(image(direction));
        }
        let mut images = Images { most: 8, ..Images::default() };
        images.extend(conjugate);
        for wanted in [[1.0, -2.0, 0.5], [0.0, 3.0, 7.0]] {
            let found = images.correct(|vector| vec![vector[2], 5.0 * vector[1], 0.0], &product(&wanted));
            assert!(near(&found, &wanted), "{found:?}");
        }
    }

    #[test]
    fn without_directions_an_inverse_stays_as_it_is() {
        let found = Images::default().correct(|vector| vector.iter().map(|v| v / 3.0).collect(), &[0.1, 7.0]);
        assert_eq!(found, [0.1 / 3.0, 7.0 / 3.0]);
    }
}
