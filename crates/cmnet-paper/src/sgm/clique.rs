//! One clique of a stratified graphical model: its counts, and the marginal likelihood of its
//! labels in closed form.

use super::factorials::LogFactorials;
use super::labels::{LabelSpace, Labels};
use cmnet::{CountSource, Nats, Result, VarSet};

/// The counts of a set of binary variables: bit p of a cell is the level at place p.
pub(super) fn margin<S: CountSource>(counts: &S, set: &VarSet) -> Result<Vec<u32>> {
    let mut table = vec![0; 1 << set.len()];
    let Some(child) = set.iter().next() else { return Ok(table) };
    let family = counts.family(child, &set.toggled(child))?;
    let others = set.len() - 1;
    for (cell, entries) in family.iter() {
        // The blanket's last variable runs fastest: its places are the bits in reverse.
        let bits =
            (0..others).fold(0, |bits, place| bits | (cell as usize >> (others - 1 - place) & 1) << place);
        for &(level, count) in entries {
            table[bits << 1 | level as usize] += count;
        }
    }
    Ok(table)
}

/// The log marginal likelihood of a set without labels: one Dirichlet distribution, 1 per cell.
pub(super) fn plain(factorials: &LogFactorials, table: &[u32]) -> Nats {
    factorials.dirichlet_multinomial(table.iter().copied(), 1)
}

/// The log marginal likelihood of a clique with labels: the clique without the shared node,
/// 2 per cell, then the shared node in each group of merged configurations, with as much per
/// level as there are configurations in the group.
pub(super) fn labelled(
    factorials: &LogFactorials,
    table: &[u32],
    space: &LabelSpace,
    labels: &Labels,
) -> Nats {
    let Some(pivot) = space.pivot(labels) else { return plain(factorials, table) };
    let groups = space.groups(labels);
    let bit = 1 << pivot;
    let mut sums = vec![(0u64, 0u32, 0u32); table.len()];
    let rest = (0..table.len()).filter(|cell| cell & bit == 0);
    for cell in rest.clone() {
        let (size, zeros, ones) = &mut sums[groups[cell]];
        *size += 1;
        *zeros += table[cell];
        *ones += table[cell | bit];
    }
    let without = factorials.dirichlet_multinomial(rest.map(|cell| table[cell] + table[cell | bit]), 2);
    let given = sums.iter().filter(|sum| sum.0 > 0);
    without
        + given
            .map(|&(size, zeros, ones)| factorials.dirichlet_multinomial([zeros, ones].into_iter(), size))
            .sum()
}
