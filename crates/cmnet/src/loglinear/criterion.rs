//! BIC of structures that are only compared: a bound that is known before the first iteration, and BIC itself without
//! the parameters that are used.

use super::decomposable::Decomposable;
use super::fit::{Prepared, estimate};
use super::job::{FitRequest, Wanted};
use super::method::Plans;
use super::options::{Estimate, bic};
use crate::control::{Control, Halting};

impl Prepared<'_> {
    /// How it is estimated.
    pub(crate) fn estimate(&self) -> Estimate {
        if matches!(self.plans, Plans::Exact(..)) { Estimate::Exact } else { Estimate::Pseudo }
    }

    /// A bound above BIC, where the estimate is exact. A junction tree stands for a graph that has all edges of the
    /// structure and no contexts. Its likelihood is at least as high, and known in closed form.
    pub(crate) fn most_bic(&self, control: &dyn Control) -> Halting<Option<f64>> {
        let Plans::Exact(plans, _) = &self.plans else { return Ok(None) };
        let FitRequest { counts, options, .. } = self.request;
        let mut most = 0.0;
        for (part, plan) in self.parts.iter().zip(plans) {
            let tree = plan.clone().build(self.terms.cardinalities(), options.memory)?;
            most += Decomposable::new(&self.terms, part, &tree, counts, control)?.log_likelihood();
        }
        Ok(Some(bic(most, self.coordinates.len(), counts.rows())))
    }

    /// BIC of the estimate: what [`Fit::bic`](super::Fit::bic) of it says.
    pub(crate) fn bic(&self, control: &dyn Control) -> Halting<f64> {
        if self.request.options.target.is_some() {
            // It has no bare estimate.
            return Ok(estimate(self.request, Wanted::Judgement, control)?.bic());
        }
        let job = self.job(Wanted::Judgement, control)?;
        let bare = job.bare(&self.parts, &self.plans)?;
        let log_likelihood = bare.iter().map(|part| part.log_likelihood).sum();
        Ok(bic(log_likelihood, self.coordinates.len(), self.request.counts.rows()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Structure;
    use crate::counts::RowCounts;
    use crate::data::Dataset;
    use crate::graph::Edge;
    use crate::loglinear::{FitMethod, FitOptions, fit};

    #[test]
    fn bic_is_that_of_the_fit_and_below_its_bound() {
        let bit =
            |row: usize, v: usize| (((row * 37 + v * 11) * (row + 3 * v)) >> (v % 3) & 3).min(2).to_string();
        let rows = (0..400).map(|row| (0..5).map(|v| bit(row, v)).collect::<Vec<String>>());
        let data = Dataset::from_labels(&["a", "b", "c", "d", "e"], rows).unwrap();
        let counts = RowCounts::new(&data);
        let mut structure = Structure::empty(&data.schema().cardinalities());
        let edges = [(0, 1), (1, 2), (2, 3), (0, 3), (3, 4), (0, 2)];
        for (count, (one, other)) in (1..).zip(edges) {
            structure.toggle_edge(Edge::new(one, other).unwrap()).unwrap();
            // The last edge closes two triangles: a context of theirs is cut.
            if count == edges.len() {
                let edge = Edge::new(0, 1).unwrap();
                structure.add_context_element(edge, 0).unwrap();
            }
            for (method, target) in
                [(FitMethod::Auto, None), (FitMethod::Pseudo, None), (FitMethod::Auto, Some(2))]
            {
                let options = FitOptions { method, target, ..FitOptions::default() };
                let request = FitRequest::new(&structure, &counts, None, &options);
                let prepared = Prepared::new(request, &()).unwrap_or_else(|_| panic!("it can be prepared"));
                let fitted = fit(&structure, &data, &options).unwrap();
                let Ok(found) = prepared.bic(&()) else { panic!("nothing stops it") };
                assert_eq!(found.to_bits(), fitted.bic().to_bits());
                assert_eq!(prepared.estimate(), fitted.estimate);
                let Ok(most) = prepared.most_bic(&()) else { panic!("nothing stops it") };
                assert_eq!(most.is_some(), fitted.estimate == Estimate::Exact);
                assert!(most.is_none_or(|most| most > found - 1e-9), "{most:?} {found}");
                // Without contexts a chordal graph is its own bound.
                if count <= 3 {
                    assert!(most.is_none_or(|most| (most - found).abs() < 1e-9), "{most:?} {found}");
                }
            }
        }
    }
}
