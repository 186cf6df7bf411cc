//! Holes filled by a fitted model: the most probable values, or draws.

use crate::control::{Control, Under};
use crate::data::{Dataset, IncompleteTable};
use crate::error::{Error, Result};
use crate::inference::{Evidence, ExactOptions, Network, stream};
use rayon::prelude::*;

/// What holes are filled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fill {
    /// The values that are most probable together.
    MostProbable,
    /// Draws from their distribution given what is known: one completed table of this seed.
    Draw {
        /// What determines the draws.
        seed: u64,
    },
}

/// Fills rows with holes.
///
/// # Example
/// ```
/// use cmnet::{Dataset, Fill, Imputer, LearnOptions, learn};
/// let data = Dataset::from_labels(&["a", "b"], [["0", "0"], ["1", "1"]].repeat(20))?;
/// let learned = learn(&data, &LearnOptions::default(), &())?;
/// let kept = learned.kept(data.rows()).ok_or("nothing")?;
/// let network = kept.to_model(&data, &LearnOptions::default(), &learned.search)?.network()?;
/// let imputer = Imputer::new(&network, 1 << 28);
/// assert_eq!(imputer.fill(&[Some(1), None], Fill::MostProbable, 0, &())?, [1, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Imputer<'a> {
    network: &'a Network,
    exact: ExactOptions,
}

impl<'a> Imputer<'a> {
    /// An imputer whose tables keep within an amount of memory in bytes.
    pub fn new(network: &'a Network, memory: u64) -> Self {
        Self { network, exact: ExactOptions { memory, ..ExactOptions::default() } }
    }

    /// A row without holes; draws depend on the seed and on the number of the row.
    ///
    /// # Errors
    /// When the row is no row of the model's variables, what is known has probability 0, or the
    /// junction tree does not fit the memory; when the control asks to stop.
    pub fn fill(
        &self,
        row: &[Option<u32>],
        fill: Fill,
        number: u64,
        control: &dyn Control,
    ) -> Result<Vec<u32>> {
        let known: Option<Vec<u32>> = row.iter().copied().collect();
        if let Some(known) = known {
            return Ok(known);
        }
        if row.len() != self.network.schema().len() {
            let found = format!("{} values", row.len());
            return Err(Error::option("row", found, "one value or none per variable"));
        }
        let mut evidence = Evidence::none();
        for (variable, level) in row.iter().enumerate() {
            if let Some(level) = level {
                evidence.observe(self.network.schema(), variable, *level)?;
            }
        }
        let exact = Under::new(&self.exact, control);
        match fill {
            Fill::MostProbable => {
                let found = self.network.map_exact(None, &evidence, exact)?;
                let mut levels: Vec<u32> = row.iter().map(|level| level.unwrap_or_default()).collect();
                found.levels.into_iter().for_each(|(variable, level)| levels[variable] = level);
                Ok(levels)
            }
            Fill::Draw { seed } => {
                let mut levels = vec![0; row.len()];
                self.network.posterior(&evidence, exact)?.draw(&mut stream(seed, number), &mut levels);
                Ok(levels)
            }
        }
    }

    /// A whole table without holes, the same for any order of rows and any number of threads: every
    /// observation has its own draw.
    ///
    /// # Errors
    /// As [`Imputer::fill`].
    pub fn complete(
        &self,
        table: &IncompleteTable,
        fill: Fill,
        control: &dyn Control,
    ) -> Result<Option<Dataset>> {
        let rows: Vec<(Vec<Option<u32>>, u64)> =
            table.iter().filter(|(row, _)| row.contains(&None)).collect();
        let firsts: Vec<u64> = rows
            .iter()
            .scan(0, |sum, (_, weight)| {
                *sum += weight;
                Some(*sum - weight)
            })
            .collect();
        let filled = |((row, weight), first): (&(Vec<Option<u32>>, u64), &u64)| {
            if fill == Fill::MostProbable {
                let one = self.fill(row, fill, 0, control)?;
                return Ok(vec![one; *weight as usize]);
            }
            (0..*weight).map(|number| self.fill(row, fill, first + number, control)).collect()
        };
        let filled: Vec<Vec<Vec<u32>>> = rows.par_iter().zip(&firsts).map(filled).collect::<Result<_>>()?;
        let mut next = filled.into_iter().flatten();
        Ok(table.completed(|row, _| {
            let known: Option<Vec<u32>> = row.iter().copied().collect();
            known.or_else(|| next.next())
        }))
    }
}
