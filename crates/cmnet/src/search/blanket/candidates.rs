//! Phase 2: from blankets, which need not agree, to candidate edges.

use super::neighborhood::Neighborhood;
use crate::error::{Result, choices};
use crate::graph::Edge;
use std::collections::BTreeMap;

choices! {
    /// When a pair of nodes becomes a candidate edge: an end asks for it when its blanket has
    /// the other end.
    pub enum CandidateRule of Candidates {
        /// One end asks for it.
        Or = "or",
        /// Both ends ask for it.
        And = "and",
    }
}

/// The candidate edges in lexicographic order.
pub(super) fn candidates(neighborhoods: &[Neighborhood], rule: CandidateRule) -> Result<Vec<Edge>> {
    let mut asked: BTreeMap<Edge, usize> = BTreeMap::new();
    for (node, neighborhood) in neighborhoods.iter().enumerate() {
        for neighbor in neighborhood.blanket.iter() {
            *asked.entry(Edge::new(node, neighbor)?).or_default() += 1;
        }
    }
    let needed = match rule {
        CandidateRule::Or => 1,
        CandidateRule::And => 2,
    };
    Ok(asked.into_iter().filter(|&(_, count)| count >= needed).map(|(edge, _)| edge).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn or_takes_one_voice_and_and_takes_two() {
        let blankets: [&[usize]; 3] = [&[1, 2], &[0], &[]];
        let neighborhood =
            |b: &&[usize]| Neighborhood { blanket: b.iter().copied().collect(), limited: false };
        let neighborhoods: Vec<_> = blankets.iter().map(neighborhood).collect();
        let ends =
            |rule| candidates(&neighborhoods, rule).unwrap().into_iter().map(Edge::ends).collect::<Vec<_>>();
        assert_eq!(ends(CandidateRule::Or), [(0, 1), (0, 2)]);
        assert_eq!(ends(CandidateRule::And), [(0, 1)]);
    }
}
