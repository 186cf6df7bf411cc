//! Configurations of several columns, numbered as they are met.

use super::variable::Var;
use std::collections::BTreeMap;

/// Numbers the configurations of some columns in every row, in the order of their first row; how many there are.
pub(crate) fn numbered_configurations(
    columns: &[Vec<u32>],
    variables: impl IntoIterator<Item = Var>,
) -> (Vec<u32>, usize) {
    let mut numbers = vec![0; columns.first().map_or(0, Vec::len)];
    let mut count = 1;
    for variable in variables {
        let mut known: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        for (number, &code) in numbers.iter_mut().zip(&columns[variable]) {
            let next = known.len() as u32;
            *number = *known.entry((*number, code)).or_insert(next);
        }
        count = known.len();
    }
    (numbers, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configurations_are_numbered_as_they_are_met() {
        let columns = [vec![1, 0, 1, 1], vec![2, 2, 2, 0]];
        assert_eq!(numbered_configurations(&columns, [0, 1]), (vec![0, 1, 0, 2], 3));
        assert_eq!(numbered_configurations(&columns, []), (vec![0; 4], 1));
    }
}
