//! Edges that are found before the search and stay.

use super::options::LearnOptions;
use crate::control::Control;
use crate::counts::CountSource;
use crate::data::Schema;
use crate::error::{Result, choices};
use crate::search::{DecomposableGraph, DecomposableOptions, decomposable_graph};

choices! {
    /// Which edges are found before the search and stay.
    pub enum Backbone of Backbone {
        /// None.
        None = "none",
        /// Those of the decomposable graph with the highest joint marginal likelihood that a tabu search finds.
        Decomposable = "decomposable",
    }
}

impl Backbone {
    /// Finds the edges and requires them in the options. Edges that the options forbid are none of them,
    /// and no clique has a table of more cells than the options allow.
    ///
    /// # Errors
    /// When the options do not fit the table or a count cannot be had.
    ///
    /// # Example
    /// ```
    /// use cmnet::{Backbone, Dataset, LearnOptions, PlaneCounts, learn};
    /// let data = Dataset::from_labels(&["a", "b"], [["0", "0"], ["1", "1"]].repeat(20))?;
    /// let mut options = LearnOptions::default();
    /// let found = Backbone::Decomposable.require(&PlaneCounts::new(&data), data.schema(), &mut options, &())?;
    /// assert_eq!(found.map(|found| found.graph.edge_count()), Some(1));
    /// assert_eq!(learn(&data, &options, &())?.models[0].structure.graph().edge_count(), 1);
    /// # Ok::<(), cmnet::Error>(())
    /// ```
    pub fn require<S: CountSource>(
        self,
        counts: &S,
        schema: &Schema,
        options: &mut LearnOptions,
        control: &dyn Control,
    ) -> Result<Option<DecomposableGraph>> {
        if self == Self::None {
            return Ok(None);
        }
        let usual = DecomposableOptions::default();
        let how = DecomposableOptions { max_cells: options.max_cells.unwrap_or(usual.max_cells), ..usual };
        let found = decomposable_graph(counts, &options.knowledge.rules(schema)?, &how, control)?;
        options.knowledge = std::mem::take(&mut options.knowledge).and(found.knowledge(schema));
        Ok(Some(found))
    }
}
