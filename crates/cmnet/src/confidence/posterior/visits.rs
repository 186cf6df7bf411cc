//! What the chains visited: how often, and whether they agree.

use crate::context::EdgeContext;
use crate::data::Var;
use crate::graph::Edge;
use crate::inference::{BATCHES, rate};
use crate::structure::Structure;
use crate::table::Cell;
use std::collections::BTreeMap;

/// Something that a structure has or has not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Feature {
    Edge(Edge),
    /// An edge with just these common neighbours.
    Setting(Edge, Box<[Var]>),
    /// One that is cut off in a configuration of just these.
    Element(Edge, Box<[Var]>, Cell),
}

/// The features of the structures of one chain, sweep by sweep.
#[derive(Default)]
pub(super) struct Visits {
    names: BTreeMap<Feature, u32>,
    sweeps: Vec<Box<[u32]>>,
}

impl Visits {
    pub(super) fn len(&self) -> usize {
        self.sweeps.len()
    }

    pub(super) fn add(&mut self, structure: &Structure) {
        let mut here = Vec::new();
        let mut note = |feature: Feature| {
            let next = self.names.len() as u32;
            here.push(*self.names.entry(feature).or_insert(next));
        };
        for edge in structure.graph().edges() {
            note(Feature::Edge(edge));
            let common = structure.graph().common_neighbors(edge);
            if common.is_empty() {
                continue;
            }
            note(Feature::Setting(edge, common.as_slice().into()));
            for cell in structure.context(edge).into_iter().flat_map(EdgeContext::elements) {
                note(Feature::Element(edge, common.as_slice().into(), cell));
            }
        }
        self.sweeps.push(here.into());
    }

    /// Visits of each feature in each batch of sweeps.
    fn batches(&self, batch: usize) -> Vec<[u32; BATCHES]> {
        let mut counts = vec![[0; BATCHES]; self.names.len()];
        for (place, sweep) in self.sweeps.iter().take(batch * BATCHES).enumerate() {
            sweep.iter().for_each(|&feature| counts[feature as usize][place / batch] += 1);
        }
        counts
    }
}

/// How probable something is, as far as the chains can tell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chance {
    /// The share of draws that have it, chains together.
    pub share: f64,
    /// The smallest and the largest share of a single chain.
    pub range: [f64; 2],
    /// Split R-hat.
    pub r_hat: f64,
    /// The number of independent draws that would tell as much.
    pub effective: f64,
}

impl Chance {
    /// R-hat from which on chains have not mixed.
    pub const MOST_R_HAT: f64 = 1.05;
    /// Effective draws below which nothing is reported.
    pub const LEAST_EFFECTIVE: f64 = 100.0;

    /// Whether the chains agree, and moved often enough.
    pub fn is_mixed(&self) -> bool {
        self.r_hat < Self::MOST_R_HAT && self.effective >= Self::LEAST_EFFECTIVE
    }

    /// The probability; `None` where the chains have not mixed.
    pub fn probability(&self) -> Option<f64> {
        self.is_mixed().then_some(self.share)
    }

    /// Its Monte Carlo standard error; `None` where the chains have not mixed.
    pub fn error(&self) -> Option<f64> {
        let own = (self.share * (1.0 - self.share) / self.effective).sqrt();
        self.is_mixed().then_some(own)
    }

    /// The odds. Where all draws say the same they are those of half a draw against the rest.
    pub(super) fn odds(&self) -> f64 {
        let half = 0.5 / (self.effective + 1.0);
        let share = self.share.clamp(half, 1.0 - half);
        share / (1.0 - share)
    }
}

/// All features that were met, and the sweeps of each chain that were used.
pub(super) fn chances(chains: &[Visits]) -> (BTreeMap<Feature, Chance>, usize) {
    let batch = chains.iter().map(Visits::len).min().unwrap_or(0) / BATCHES;
    if batch == 0 {
        return (BTreeMap::new(), 0);
    }
    let counted: Vec<Vec<[u32; BATCHES]>> = chains.iter().map(|chain| chain.batches(batch)).collect();
    let none = [0; BATCHES];
    let mut all: BTreeMap<Feature, Chance> = BTreeMap::new();
    for feature in chains.iter().flat_map(|chain| chain.names.keys()) {
        if all.contains_key(feature) {
            continue;
        }
        let of = |(chain, counts)| {
            let chain: &Visits = chain;
            let counts: &Vec<[u32; BATCHES]> = counts;
            chain.names.get(feature).map_or(&none, |&name| &counts[name as usize])
        };
        let series: Vec<&[u32; BATCHES]> = chains.iter().zip(&counted).map(of).collect();
        let chance = chance(&series, batch);
        if chance.share > 0.0 {
            all.insert(feature.clone(), chance);
        }
    }
    (all, batch * BATCHES)
}

fn chance(series: &[&[u32; BATCHES]], batch: usize) -> Chance {
    let draws = (batch * BATCHES) as f64;
    let shares = series.iter().map(|visits| visits.iter().map(|&n| f64::from(n)).sum::<f64>() / draws);
    let (r_hat, effective) = rate(series, batch);
    Chance {
        share: shares.clone().sum::<f64>() / series.len() as f64,
        range: [shares.clone().fold(1.0, f64::min), shares.fold(0.0, f64::max)],
        r_hat,
        effective,
    }
}
