//! An outcome space as a list of configurations in one fixed order (paper, section 2.1).

use crate::error::CheckError;

/// The longest list of configurations the referee writes down. Beyond it every question ends
/// in [`CheckError::TooLarge`]: the referee is for models whose spaces can be listed.
pub const LARGEST_SPACE: usize = 1 << 20;

/// How many configurations there are: the product of the cardinalities (1 for no variables).
pub(crate) fn size(cardinalities: &[usize]) -> Result<usize, CheckError> {
    let too_large = CheckError::TooLarge { what: "outcome space", limit: LARGEST_SPACE };
    cardinalities
        .iter()
        .try_fold(1_usize, |product, &levels| product.checked_mul(levels))
        .filter(|&product| product <= LARGEST_SPACE)
        .ok_or(too_large)
}

/// All configurations of variables with these cardinalities: mixed-radix numbers in ascending
/// order, the last variable running fastest.
///
/// # Errors
/// [`CheckError::TooLarge`] when there are more than [`LARGEST_SPACE`] of them.
pub fn configurations(cardinalities: &[usize]) -> Result<Vec<Vec<usize>>, CheckError> {
    size(cardinalities)?;
    let mut list = vec![Vec::new()];
    for &levels in cardinalities {
        list = list
            .iter()
            .flat_map(|shorter| {
                (0..levels).map(move |level| {
                    let mut longer = shorter.clone();
                    longer.push(level);
                    longer
                })
            })
            .collect();
    }
    Ok(list)
}

/// The place of a configuration in the list that [`configurations`] gives.
pub fn position(configuration: &[usize], cardinalities: &[usize]) -> usize {
    configuration.iter().zip(cardinalities).fold(0, |place, (&level, &levels)| place * levels + level)
}

/// The levels of the chosen variables, in the order in which they are chosen.
pub(crate) fn pick(values: &[usize], chosen: &[usize]) -> Vec<usize> {
    chosen.iter().map(|&variable| values[variable]).collect()
}
