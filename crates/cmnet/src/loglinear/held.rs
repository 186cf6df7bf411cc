//! A function of which some coordinates are held where they are.

use super::block::Block;
use super::coordinates::Coordinates;
use super::objective::Objective;
use crate::control::{Control, Halting};

/// A function with some coordinates held: their derivatives are zero, and no step moves them.
pub(crate) struct Held<O> {
    plain: O,
    is_free: Vec<bool>,
}

impl<O: Objective> Held<O> {
    /// The function of the coordinates that are free.
    pub(crate) fn new(plain: O, is_free: Vec<bool>) -> Self {
        Self { plain, is_free }
    }

    fn mask(&self, mut values: Vec<f64>) -> Vec<f64> {
        values.iter_mut().zip(&self.is_free).filter(|(_, free)| !**free).for_each(|(value, _)| *value = 0.0);
        values
    }
}

impl<O: Objective> Objective for Held<O> {
    type Point = O::Point;

    fn coordinates(&self) -> &Coordinates {
        self.plain.coordinates()
    }

    fn point(&self) -> O::Point {
        self.plain.point()
    }

    fn move_to(&self, beta: &[f64], point: &mut O::Point, control: &dyn Control) -> Halting<()> {
        self.plain.move_to(beta, point, control)
    }

    fn value(&self, point: &O::Point) -> f64 {
        self.plain.value(point)
    }

    fn plain_value(&self, point: &O::Point) -> f64 {
        self.plain.plain_value(point)
    }

    fn length(&self, step: &[f64]) -> f64 {
        self.plain.length(step)
    }

    fn gradient(&self, point: &O::Point) -> Vec<f64> {
        self.mask(self.plain.gradient(point))
    }

    fn curvature(&self, point: &O::Point, direction: &[f64]) -> Vec<f64> {
        let mut image = self.plain.curvature(point, &self.mask(direction.to_vec()));
        for ((value, free), &own) in image.iter_mut().zip(&self.is_free).zip(direction) {
            if !free {
                *value = own; // the equations of what is held stand alone
            }
        }
        image
    }

    fn variances(&self, point: &O::Point) -> Vec<f64> {
        self.plain.variances(point)
    }

    fn blocks(&self) -> &[Block] {
        self.plain.blocks()
    }

    fn block_curvature(&self, point: &O::Point, block: &Block) -> Vec<Vec<f64>> {
        let mut matrix = self.plain.block_curvature(point, block);
        let is_free = |place: usize| self.is_free[block.betas[place]];
        for (at, row) in matrix.iter_mut().enumerate() {
            for (with, value) in
                row.iter_mut().enumerate().filter(|&(with, _)| !is_free(at) || !is_free(with))
            {
                *value = f64::from(u8::from(at == with));
            }
        }
        matrix
    }

    fn is_large(&self) -> bool {
        self.plain.is_large()
    }

    fn work(&self) -> usize {
        self.plain.work()
    }
}
