//! How one edge's contexts look from inside a Markov blanket's outcome space.

use crate::context::EdgeContext;
use crate::data::Var;
use crate::graph::VarSet;
use crate::structure::Structure;
use crate::table::Cell;

/// An edge (i,j) seen from the blanket of j: the neighbour i, along which configurations
/// become equivalent, and the common neighbours, which say where.
#[derive(Clone, Debug)]
pub(crate) struct EdgeView {
    neighbor: Var,
    /// How far apart configurations are that differ by one level of the neighbour.
    pub(super) stride: u64,
    /// The neighbour's number of levels.
    pub(super) levels: u64,
    /// The other members of the blanket, the last first: the common neighbours, then the free
    /// ones. In one list, since a search makes millions of views.
    axes: Box<[Axis]>,
    common: usize,
    elements: u64,
    /// Whether every number of levels is a power of two, so that shifts do for divisions.
    by_bits: bool,
}

/// Configurations whose elements are worth a table of 256.
const MANY: usize = 1 << 10;

/// A member of a blanket.
#[derive(Clone, Copy, Debug)]
struct Axis {
    /// How far apart configurations are that differ by one of its levels.
    stride: u64,
    levels: u64,
    /// How far apart elements are that do; none differ in a member that is not common.
    place: u64,
}

impl EdgeView {
    /// The view of the edge to `neighbor` from a blanket, of which some members are common. The
    /// caller has checked that the blanket's configurations can be numbered.
    pub(crate) fn new(
        blanket: &VarSet,
        cardinalities: &[u32],
        neighbor: Var,
        is_common: impl Fn(Var) -> bool,
    ) -> Self {
        let mut axes = Vec::with_capacity(blanket.len().saturating_sub(1));
        let (mut own, mut common, mut elements) = ((1, 1), 0, 1);
        for wanted in [true, false] {
            let mut stride = 1;
            for &variable in blanket.as_slice().iter().rev() {
                let levels = u64::from(cardinalities[variable]);
                if variable == neighbor {
                    own = (stride, levels);
                } else if is_common(variable) == wanted {
                    axes.push(Axis { stride, levels, place: if wanted { elements } else { 0 } });
                    elements *= if wanted { levels } else { 1 };
                }
                stride *= levels;
            }
            common = if wanted { axes.len() } else { common };
        }
        let (stride, levels) = own;
        let by_bits = blanket.iter().all(|variable| cardinalities[variable].is_power_of_two());
        Self { neighbor, stride, levels, axes: axes.into(), common, elements, by_bits }
    }

    /// The view of an edge of a structure, from the blanket of one of its ends.
    pub(super) fn of_context(structure: &Structure, node: Var, neighbor: Var, context: &EdgeContext) -> Self {
        let (blanket, common) = (structure.markov_blanket(node), context.space().variables());
        Self::new(blanket, structure.cardinalities(), neighbor, |member| common.contains(member))
    }

    /// The neighbour.
    pub(super) fn neighbor(&self) -> Var {
        self.neighbor
    }

    /// The number of configurations of the common neighbours.
    pub(crate) fn elements(&self) -> u64 {
        self.elements
    }

    /// The bytes that it takes.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.axes)
    }

    /// The element that a configuration of the blanket has.
    #[inline]
    pub(super) fn element(&self, cell: Cell) -> Cell {
        let common = self.axes[..self.common].iter();
        if self.by_bits {
            let level = |axis: &Axis| (cell >> axis.stride.trailing_zeros()) & (axis.levels - 1);
            return common.fold(0, |element, axis| element | level(axis) << axis.place.trailing_zeros());
        }
        common.map(|axis| cell / axis.stride % axis.levels * axis.place).sum()
    }

    /// Visits the elements of configurations, ascending, until the answer is no. Where there are many and shifts
    /// do for divisions, the element of the last eight bits is looked up: neighbours share what is before.
    pub(super) fn visit_elements(&self, cells: &[u32], mut visit: impl FnMut(Cell) -> bool) {
        if !self.by_bits || cells.len() < MANY {
            cells.iter().all(|&cell| visit(self.element(Cell::from(cell))));
            return;
        }
        let last: [Cell; 256] = std::array::from_fn(|bits| self.element(bits as Cell));
        let (mut block, mut first) = (u32::MAX, 0);
        cells.iter().all(|&cell| {
            if cell >> 8 != block {
                block = cell >> 8;
                first = self.element(Cell::from(cell & !255));
            }
            visit(first | last[cell as usize & 255])
        });
    }

    /// The first configuration of the blanket that has this element: level 0 of all but the
    /// common neighbours.
    pub(super) fn first(&self, element: Cell) -> Cell {
        self.axes[..self.common].iter().map(|axis| element / axis.place % axis.levels * axis.stride).sum()
    }

    /// Writes the first configuration of every element, by element ascending. The blanket's
    /// configurations must be few.
    pub(super) fn write_firsts(&self, firsts: &mut Vec<u32>) {
        write_cells(&self.axes[..self.common], firsts);
    }

    /// Writes the lines of an element, relative to its first: one per configuration of the
    /// blanket members that are neither the neighbour nor common. The blanket's configurations
    /// must be few.
    pub(super) fn write_lines(&self, lines: &mut Vec<u32>) {
        write_cells(&self.axes[self.common..], lines);
    }

    /// The lines of an element in a small space, each as a set of bits.
    pub(crate) fn line_masks(&self, element: Cell) -> Vec<u32> {
        let first = self.first(element);
        let line =
            |start: Cell| (0..self.levels).fold(0, |set, level| set | 1 << (start + level * self.stride));
        let mut lines = Vec::new();
        self.write_lines(&mut lines);
        lines.iter().map(|&start| line(first + Cell::from(start))).collect()
    }

    /// The configuration with the neighbour at level 0.
    #[inline]
    pub(super) fn line_start(&self, cell: Cell) -> Cell {
        if self.by_bits {
            return cell & !((self.levels - 1) << self.stride.trailing_zeros());
        }
        cell - cell / self.stride % self.levels * self.stride
    }
}

/// Writes the configurations along some axes, all others at level 0; the first axis runs fastest.
fn write_cells(axes: &[Axis], cells: &mut Vec<u32>) {
    cells.clear();
    cells.push(0);
    for axis in axes {
        let before = cells.len();
        for level in 1..axis.levels {
            let step = (level * axis.stride) as u32;
            cells.extend_from_within(..before);
            let new = cells.len() - before;
            cells[new..].iter_mut().for_each(|cell| *cell += step);
        }
    }
}
