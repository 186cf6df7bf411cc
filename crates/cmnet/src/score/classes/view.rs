//! How one edge's contexts look from inside a Markov blanket's outcome space.

use crate::data::Var;
use crate::table::{Cell, OutcomeSpace, Projection};
use std::sync::OnceLock;

/// An edge (i,j) seen from the blanket of j: the neighbour i, along which configurations
/// become equivalent, and the common neighbours, which say where.
#[derive(Clone, Debug)]
pub(crate) struct EdgeView {
    neighbor: Var,
    /// How far apart configurations are that differ by one level of the neighbour.
    pub(super) stride: u64,
    /// The neighbour's number of levels.
    pub(super) levels: u64,
    /// Which configuration of the common neighbours a configuration of the blanket has.
    pub(super) given: Projection,
    /// The place of each element's first line: level 0 of all but the common neighbours.
    given_steps: Vec<(u64, u64, u64)>,
    /// The other members of the blanket: (stride, levels).
    free: Vec<(u64, u64)>,
    elements: u64,
    lines: OnceLock<Vec<Cell>>,
}

impl EdgeView {
    /// The view of the edge to `neighbor` with common neighbours `given`, from `blanket`.
    pub(crate) fn new(blanket: &OutcomeSpace, neighbor: Var, given: &OutcomeSpace) -> Self {
        let mut view = Self {
            neighbor,
            stride: 1,
            levels: 1,
            given: blanket.projection(given),
            given_steps: Vec::new(),
            free: Vec::new(),
            elements: given.size(),
            lines: OnceLock::new(),
        };
        for (position, variable) in blanket.variables().iter().enumerate() {
            let (stride, levels) = (blanket.stride(position), u64::from(blanket.cardinalities()[position]));
            if variable == neighbor {
                (view.stride, view.levels) = (stride, levels);
            } else if let Some(place) = given.variables().position(variable) {
                view.given_steps.push((given.stride(place), levels, stride));
            } else {
                view.free.push((stride, levels));
            }
        }
        view
    }

    /// The neighbour.
    pub(super) fn neighbor(&self) -> Var {
        self.neighbor
    }

    /// The number of configurations of the common neighbours.
    pub(crate) fn elements(&self) -> u64 {
        self.elements
    }

    /// The first configuration of the blanket that has this element.
    pub(super) fn first(&self, element: Cell) -> Cell {
        self.given_steps.iter().map(|&(place, levels, stride)| element / place % levels * stride).sum()
    }

    /// The first configuration of every element, by element ascending.
    pub(super) fn firsts(&self) -> impl Iterator<Item = Cell> + use<> {
        let mut steps = self.given_steps.clone();
        steps.sort_unstable(); // the digit that changes most often first
        let mut digits = vec![0; steps.len()];
        let mut next = 0;
        (0..self.elements).map(move |_| {
            let first = next;
            for (&(_, levels, stride), digit) in steps.iter().zip(&mut digits) {
                (*digit, next) = (*digit + 1, next + stride);
                if *digit < levels {
                    break;
                }
                (*digit, next) = (0, next - levels * stride);
            }
            first
        })
    }

    /// The lines of an element, relative to its first: one per configuration of the blanket
    /// members that are neither the neighbour nor common.
    pub(super) fn lines(&self) -> &[Cell] {
        if self.free.is_empty() {
            return &[0];
        }
        self.lines.get_or_init(|| {
            self.free.iter().fold(vec![0], |lines, &(stride, levels)| {
                lines.iter().flat_map(|&line| (0..levels).map(move |level| line + level * stride)).collect()
            })
        })
    }

    /// The configuration with the neighbour at level 0.
    pub(super) fn line_start(&self, cell: Cell) -> Cell {
        cell - cell / self.stride % self.levels * self.stride
    }
}
