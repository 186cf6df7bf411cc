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
        let evidence = self.evidence(row)?;
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
        match fill {
            Fill::MostProbable => self.most_probable(table, control),
            Fill::Draw { seed } => Ok(self.draws(table, &[seed], control)?.into_iter().next()),
        }
    }

    fn most_probable(&self, table: &IncompleteTable, control: &dyn Control) -> Result<Option<Dataset>> {
        let rows: Vec<Vec<Option<u32>>> =
            table.iter().map(|(row, _)| row).filter(|row| row.contains(&None)).collect();
        let filled = |row: &Vec<Option<u32>>| self.fill(row, Fill::MostProbable, 0, control);
        let filled: Vec<Vec<u32>> = rows.par_iter().map(filled).collect::<Result<_>>()?;
        // Equal rows come one after the other, and so do their fillings.
        let mut next = filled.into_iter();
        let mut last = Vec::new();
        Ok(table.completed(|row, number| {
            let known: Option<Vec<u32>> = row.iter().copied().collect();
            known.or_else(|| {
                if number == 0 {
                    last = next.next()?;
                }
                Some(last.clone())
            })
        }))
    }

    /// A whole table without holes for each seed, as [`Imputer::complete`] draws it; what is known of a row
    /// goes through the junction tree once for all of them. No table where there is no row.
    ///
    /// # Errors
    /// As [`Imputer::fill`].
    pub fn draws(
        &self,
        table: &IncompleteTable,
        seeds: &[u64],
        control: &dyn Control,
    ) -> Result<Vec<Dataset>> {
        let rows: Vec<(Vec<Option<u32>>, u64)> =
            table.iter().filter(|(row, _)| row.contains(&None)).collect();
        let firsts: Vec<u64> = rows
            .iter()
            .scan(0, |sum, (_, weight)| {
                *sum += weight;
                Some(*sum - weight)
            })
            .collect();
        let drawn = |((row, weight), &first): (&(Vec<Option<u32>>, u64), &u64)| {
            let posterior = self.network.posterior(&self.evidence(row)?, Under::new(&self.exact, control))?;
            let one = |seed: u64, number: u64| {
                let mut levels = vec![0; row.len()];
                posterior.draw(&mut stream(seed, first + number), &mut levels);
                levels
            };
            let of_seed = |&seed: &u64| (0..*weight).map(|number| one(seed, number)).collect();
            Ok(seeds.iter().map(of_seed).collect())
        };
        // For each row, for each seed, for each observation.
        let drawn: Vec<Vec<Vec<Vec<u32>>>> =
            rows.par_iter().zip(&firsts).map(drawn).collect::<Result<_>>()?;
        let completed = |place: usize| {
            let mut next = drawn.iter().flat_map(|row| &row[place]);
            table.completed(|row, _| {
                let known: Option<Vec<u32>> = row.iter().copied().collect();
                known.or_else(|| next.next().cloned())
            })
        };
        Ok((0..seeds.len()).filter_map(completed).collect())
    }

    /// What is known of a row.
    fn evidence(&self, row: &[Option<u32>]) -> Result<Evidence> {
        let mut evidence = Evidence::none();
        for (variable, level) in row.iter().enumerate() {
            if let Some(level) = level {
                evidence.observe(self.network.schema(), variable, *level)?;
            }
        }
        Ok(evidence)
    }
}
