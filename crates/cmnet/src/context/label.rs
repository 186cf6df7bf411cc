//! The paper's labels: context configurations stacked, `*` for "any value" (Figures 2 and 5).

use crate::error::{Error, Result};
use crate::table::{Cell, OutcomeSpace};
use std::collections::BTreeSet;
use std::fmt;

/// One position of a label's row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Symbol {
    /// Any value: written `*`.
    Any,
    /// This level.
    Level(u32),
}

/// Patterns of a label above which no exhaustive search for the largest one is made.
const MOST_PATTERNS: u64 = 1 << 16;

/// A label: disjoint rows of levels and stars that together are the context.
///
/// # Example
/// ```
/// use cmnet::{Label, OutcomeSpace, VarSet};
/// let space = OutcomeSpace::new(VarSet::from_iter([0, 1]), &[2, 2])?;
/// let label = Label::parse("1*", &space)?;
/// assert_eq!(label.elements(&space), [2, 3].into());
/// assert_eq!(Label::of(&label.elements(&space), &space).to_string(), "1*");
/// # Ok::<(), cmnet::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    rows: Vec<Vec<Symbol>>,
    wide: bool,
}

impl Label {
    /// The label of a set of configurations.
    ///
    /// Rows are taken largest first, each inside what is left, `*` before levels among
    /// equals; then they are sorted. So {001, 101, 111} reads `*01` over `111`.
    pub fn of(elements: &BTreeSet<Cell>, space: &OutcomeSpace) -> Self {
        let mut left = elements.clone();
        let mut rows = Vec::new();
        let patterns: u64 = space
            .cardinalities()
            .iter()
            .try_fold(1u64, |product, &r| product.checked_mul(u64::from(r) + 1))
            .unwrap_or(u64::MAX);
        while let Some(&first) = left.iter().next() {
            let row = if patterns <= MOST_PATTERNS {
                largest_row(&left, space)
            } else {
                grown_row(first, &left, space)
            };
            for cell in cells_of(&row, space) {
                left.remove(&cell);
            }
            rows.push(row);
        }
        rows.sort();
        Self { rows, wide: is_wide(space) }
    }

    /// The rows, in order.
    pub fn rows(&self) -> &[Vec<Symbol>] {
        &self.rows
    }

    /// The configurations that the label stands for.
    pub fn elements(&self, space: &OutcomeSpace) -> BTreeSet<Cell> {
        self.rows.iter().flat_map(|row| cells_of(row, space)).collect()
    }

    /// Reads a label: rows on lines of their own or parted by `/`; symbols are level
    /// codes or `*`, parted by `,` where a variable has more than ten levels.
    ///
    /// # Errors
    /// When a row has the wrong length or names a level that does not exist.
    pub fn parse(text: &str, space: &OutcomeSpace) -> Result<Self> {
        let wide = is_wide(space);
        let rows = text
            .split(['/', '\n'])
            .map(str::trim)
            .filter(|row| !row.is_empty())
            .map(|row| parse_row(row, space, wide))
            .collect::<Result<Vec<_>>>()?;
        Ok(Self { rows, wide })
    }

    /// The rows as the paper writes them, one text each.
    pub fn lines(&self) -> Vec<String> {
        let symbol = |symbol: &Symbol| match symbol {
            Symbol::Any => "*".to_owned(),
            Symbol::Level(level) => level.to_string(),
        };
        let separator = if self.wide { "," } else { "" };
        self.rows.iter().map(|row| row.iter().map(symbol).collect::<Vec<_>>().join(separator)).collect()
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lines().join("/"))
    }
}

/// Codes above 9 need a separator between them.
fn is_wide(space: &OutcomeSpace) -> bool {
    space.cardinalities().iter().any(|&levels| levels > 10)
}

fn parse_row(text: &str, space: &OutcomeSpace, wide: bool) -> Result<Vec<Symbol>> {
    let bad = || Error::option("label", text, "one level code or * for each common neighbour, such as 1*0");
    let parts: Vec<String> = if wide || text.contains(',') {
        text.split(',').map(|part| part.trim().to_owned()).collect()
    } else {
        text.chars().map(String::from).collect()
    };
    if parts.len() != space.cardinalities().len() {
        return Err(bad());
    }
    let symbol = |(part, &levels): (&String, &u32)| match part.as_str() {
        "*" => Ok(Symbol::Any),
        code => code.parse().ok().filter(|&level: &u32| level < levels).map(Symbol::Level).ok_or_else(bad),
    };
    parts.iter().zip(space.cardinalities()).map(symbol).collect()
}

/// The cells that a row stands for, ascending.
fn cells_of(row: &[Symbol], space: &OutcomeSpace) -> Vec<Cell> {
    let mut cells = vec![0];
    for (position, symbol) in row.iter().enumerate() {
        let stride = space.stride(position);
        cells = match symbol {
            Symbol::Level(level) => cells.iter().map(|cell| cell + u64::from(*level) * stride).collect(),
            Symbol::Any => cells
                .iter()
                .flat_map(|cell| {
                    (0..u64::from(space.cardinalities()[position])).map(move |level| cell + level * stride)
                })
                .collect(),
        };
    }
    cells
}

/// The largest row inside a set; among equals the one with stars earliest, then lowest.
fn largest_row(left: &BTreeSet<Cell>, space: &OutcomeSpace) -> Vec<Symbol> {
    let mut best: Option<(usize, Vec<Symbol>)> = None;
    let mut row = Vec::new();
    visit_rows(&mut row, space, &mut |row| {
        let cells = cells_of(row, space);
        let better = best.as_ref().is_none_or(|(size, _)| cells.len() > *size);
        if better && cells.iter().all(|cell| left.contains(cell)) {
            best = Some((cells.len(), row.to_vec()));
        }
    });
    best.map(|(_, row)| row).unwrap_or_default()
}

/// Visits every row of a space in order, stars first.
fn visit_rows(row: &mut Vec<Symbol>, space: &OutcomeSpace, visit: &mut dyn FnMut(&[Symbol])) {
    let Some(&levels) = space.cardinalities().get(row.len()) else {
        visit(row);
        return;
    };
    let symbols = std::iter::once(Symbol::Any).chain((0..levels).map(Symbol::Level));
    for symbol in symbols {
        row.push(symbol);
        visit_rows(row, space, visit);
        row.pop();
    }
}

/// A row around one cell, stars put in from left to right while it stays inside the set.
fn grown_row(cell: Cell, left: &BTreeSet<Cell>, space: &OutcomeSpace) -> Vec<Symbol> {
    let mut row: Vec<Symbol> = space.configuration(cell).into_iter().map(Symbol::Level).collect();
    for position in 0..row.len() {
        let kept = std::mem::replace(&mut row[position], Symbol::Any);
        let size: u64 = row
            .iter()
            .zip(space.cardinalities())
            .filter(|(s, _)| **s == Symbol::Any)
            .map(|(_, &r)| u64::from(r))
            .product();
        if size > left.len() as u64 || !cells_of(&row, space).iter().all(|cell| left.contains(cell)) {
            row[position] = kept;
        }
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(cells: &[&str], cardinalities: &[u32]) -> String {
        let space = OutcomeSpace::new((0..cardinalities.len()).collect(), cardinalities).unwrap();
        let cell =
            |text: &&str| space.cell(&text.chars().map(|c| c.to_digit(10).unwrap()).collect::<Vec<_>>());
        Label::of(&cells.iter().map(cell).collect(), &space).to_string()
    }

    #[test]
    fn labels_read_as_in_the_papers_figures() {
        assert_eq!(label(&["01", "10"], &[2, 2]), "01/10");
        assert_eq!(label(&["10", "11"], &[2, 2]), "1*");
        assert_eq!(label(&["1", "2"], &[3]), "1/2");
        assert_eq!(label(&["001", "101", "111"], &[2, 2, 2]), "*01/111");
        assert_eq!(label(&["001", "101", "111", "011"], &[2, 2, 2]), "**1");
    }

    #[test]
    fn every_label_parses_back_to_its_elements() {
        for cardinalities in [vec![2, 3], vec![12, 2], vec![3, 3, 2]] {
            let space = OutcomeSpace::new((0..cardinalities.len()).collect(), &cardinalities).unwrap();
            for seed in 0..500u64 {
                let elements: BTreeSet<Cell> = (0..space.size())
                    .filter(|cell| {
                        seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(*cell as u32) & 1 == 1
                    })
                    .collect();
                let label = Label::of(&elements, &space);
                assert_eq!(label.elements(&space), elements);
                assert_eq!(Label::parse(&label.to_string(), &space).unwrap(), label);
            }
        }
    }

    #[test]
    fn labels_over_many_neighbours_have_their_elements() {
        let space = OutcomeSpace::new((0..11).collect(), &[2; 11]).unwrap();
        assert!(3_u64.pow(11) > MOST_PATTERNS);
        for seed in 1..20_u64 {
            let is_in = |cell: &Cell| (cell * 37 + seed).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 61 < 3;
            let elements: BTreeSet<Cell> = (0..space.size()).filter(is_in).collect();
            assert_eq!(Label::of(&elements, &space).elements(&space), elements);
        }
    }

    #[test]
    fn codes_may_be_separated_and_wide_ones_may_stand_alone() {
        let narrow = OutcomeSpace::new((0..2).collect(), &[2, 3]).unwrap();
        assert_eq!(Label::parse("1,2", &narrow).unwrap(), Label::parse("12", &narrow).unwrap());
        let wide = OutcomeSpace::new((0..1).collect(), &[13]).unwrap();
        assert_eq!(Label::parse("12", &wide).unwrap().elements(&wide), BTreeSet::from([12]));
    }

    #[test]
    fn wrong_rows_are_refused() {
        let space = OutcomeSpace::new((0..2).collect(), &[2, 2]).unwrap();
        for text in ["1", "102", "2*", "x*"] {
            assert!(Label::parse(text, &space).is_err(), "{text}");
        }
    }
}
