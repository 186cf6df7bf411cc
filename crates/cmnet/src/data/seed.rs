//! Seeds that differ a little become streams of random numbers that differ entirely.

/// One round of SplitMix64: close inputs give outputs that are far apart.
pub fn mix_seed(word: u64) -> u64 {
    let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_sequence() {
        // The first outputs of SplitMix64 with seed 0.
        let step = 0x9e37_79b9_7f4a_7c15u64;
        assert_eq!(
            [0, step, step.wrapping_mul(2)].map(mix_seed),
            [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f]
        );
    }
}
