//! When more replicates would not change the answer.
//!
//! Each support is held against the limits of the verdicts by a test that may be looked at as often
//! as one likes: the ratio of the probability of the counts under a uniform prior of the support to
//! that under a limit is a martingale if the limit is the support, and reaches 20 with a probability
//! of at most 1 in 20 (Ville's inequality).

use super::{Frequency, Tally};
use libm::{lgamma, log};

/// Replicates between two looks.
pub(super) const LOOK: u64 = 50;

/// What the martingale must reach.
const SURE: f64 = 20.0;

/// A support that is known this well is settled on either side of a limit.
const NEAR: f64 = 0.1;

/// Whether each support lies on one side of each limit, or is known well enough.
pub(super) fn is_settled(tally: &Tally) -> bool {
    let edges = tally.edges.iter().map(|known| known.found);
    let mut all = edges.chain(tally.elements.iter().map(|known| known.found));
    all.all(|found| {
        let decided = |limit: f64| excludes(found, limit);
        decided(Frequency::CONCLUSIVE) && decided(Frequency::ABSENT) || is_near(found)
    })
}

/// Whether the counts rule a support out.
fn excludes(found: Frequency, support: f64) -> bool {
    let (count, of) = (found.count as f64, found.of as f64);
    let mixed = lgamma(count + 1.0) + lgamma(of - count + 1.0) - lgamma(of + 2.0);
    let times = |number: f64, share: f64| if number > 0.0 { number * log(share) } else { 0.0 };
    mixed - times(count, support) - times(of - count, 1.0 - support) >= log(SURE)
}

/// Whether all supports further away than [`NEAR`] are ruled out.
fn is_near(found: Frequency) -> bool {
    let beyond = |support: f64| !(0.0..=1.0).contains(&support) || excludes(found, support);
    beyond(found.support() - NEAR) && beyond(found.support() + NEAR)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{below, mix_seed};
    use rand::SeedableRng;
    use rand_pcg::Pcg64Mcg;

    fn found(count: u64, of: u64) -> Frequency {
        Frequency { count, of }
    }

    #[test]
    fn a_limit_is_excluded_by_the_ratio_of_two_probabilities() {
        // 20 of 20: 1/21 against 0.75^20.
        assert_eq!(excludes(found(20, 20), 0.75), (1.0 / 21.0) / 0.75f64.powi(20) >= 20.0);
        assert!(!excludes(found(20, 20), 0.75) && excludes(found(22, 22), 0.75));
        assert!(excludes(found(0, 50), 0.25) && !excludes(found(12, 50), 0.25));
    }

    #[test]
    fn all_supports_settle_in_the_end() {
        for of in [400u64, 800] {
            assert!((0..=of).all(|count| is_near(found(count, of))), "{of}");
        }
        assert!(!is_near(found(25, 50)));
    }

    /// Looked at after every replicate, a true limit is ruled out in at most one run of twenty.
    #[test]
    fn looking_often_does_no_harm() {
        let wrong = (0..400u64).filter(|&run| {
            let mut generator = Pcg64Mcg::seed_from_u64(mix_seed(run));
            let mut count = 0;
            (1..=500u64).any(|of| {
                count += u64::from(below(&mut generator, 4) > 0);
                excludes(found(count, of), 0.75)
            })
        });
        let wrong = wrong.count();
        assert!(wrong <= 20, "{wrong} of 400");
    }
}
