//! Random numbers: the same for any number of threads.

use crate::data::mix_seed;
use rand::Rng;
use rand_pcg::Pcg64Mcg;

/// The generator of one task: streams of different tasks of a seed have nothing in common.
pub(crate) fn stream(seed: u64, task: u64) -> Pcg64Mcg {
    let words = [seed, task, !seed].map(mix_seed);
    let high = mix_seed(words[0] ^ words[1].rotate_left(17));
    let low = mix_seed(words[2] ^ words[1]);
    Pcg64Mcg::new(u128::from(high) << 64 | u128::from(low))
}

/// A place drawn with these probabilities.
pub(crate) fn pick(random: &mut impl Rng, probabilities: &[f64]) -> usize {
    let mut left: f64 = random.random();
    let mut last = 0;
    for (place, &probability) in probabilities.iter().enumerate() {
        if probability > 0.0 {
            if left < probability {
                return place;
            }
            left -= probability;
            last = place;
        }
    }
    last
}
