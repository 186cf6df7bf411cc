//! Small exact fractions, read back from residues modulo a prime.

use super::modular::{Mersenne, Residue};

/// A fraction in lowest terms with a positive denominator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    numerator: i64,
    denominator: i64,
}

/// Numerators and denominators up to this are unique modulo 2^61-1: 2 * bound^2 < 2^61-1.
const BOUND: u64 = 1 << 29;

impl Ratio {
    /// The whole number 1.
    pub const ONE: Self = Self { numerator: 1, denominator: 1 };

    /// The fraction whose numerator and denominator are at most 2^29 and that leaves this
    /// residue modulo 2^61-1, when there is one (Wang's rational reconstruction).
    pub(crate) fn from_residue(residue: Residue) -> Option<Self> {
        let (mut remainder, mut next) = (Mersenne::<61>::PRIME as i64, residue as i64);
        let (mut factor, mut next_factor) = (0i64, 1i64);
        while next > BOUND as i64 {
            let quotient = remainder / next;
            (remainder, next) = (next, remainder - quotient * next);
            (factor, next_factor) = (next_factor, factor - quotient * next_factor);
        }
        let sign = next_factor.signum();
        let ratio = Self { numerator: next * sign, denominator: next_factor * sign };
        let small = ratio.denominator > 0 && ratio.denominator <= BOUND as i64;
        let lowest = gcd(ratio.numerator.unsigned_abs().into(), ratio.denominator as u128) == 1;
        (small && lowest).then_some(ratio)
    }

    /// The same value with the other sign.
    pub(crate) fn negated(self) -> Self {
        Self { numerator: -self.numerator, denominator: self.denominator }
    }

    /// The nearest floating-point number.
    pub fn to_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }
}

/// An exact running sum of fractions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sum {
    numerator: i128,
    denominator: i128,
}

impl Sum {
    pub(crate) const ZERO: Self = Self { numerator: 0, denominator: 1 };

    /// Adds a fraction; `None` when the sum no longer fits 128 bits.
    pub(crate) fn add(self, term: Ratio) -> Option<Self> {
        let (n, d) = (i128::from(term.numerator), i128::from(term.denominator));
        let numerator = self.numerator.checked_mul(d)?.checked_add(n.checked_mul(self.denominator)?)?;
        let denominator = self.denominator.checked_mul(d)?;
        let common = gcd(numerator.unsigned_abs(), denominator.unsigned_abs()).max(1) as i128;
        Some(Self { numerator: numerator / common, denominator: denominator / common })
    }

    pub(crate) fn is_zero(self) -> bool {
        self.numerator == 0
    }
}

fn gcd(mut one: u128, mut other: u128) -> u128 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}

#[cfg(test)]
mod tests {
    use super::*;

    fn residue(numerator: i64, denominator: u64) -> Residue {
        let numerator = numerator.rem_euclid(Mersenne::<61>::PRIME as i64) as u64;
        Mersenne::<61>::multiply(numerator, Mersenne::<61>::invert(denominator))
    }

    #[test]
    fn fractions_come_back_from_their_residues() {
        for (numerator, denominator) in [(0, 1), (1, 1), (-1, 1), (2, 3), (-355, 113), (1 << 29, 3)] {
            let ratio = Ratio::from_residue(residue(numerator, denominator)).unwrap();
            assert_eq!(ratio, Ratio { numerator, denominator: denominator as i64 });
        }
    }

    #[test]
    fn sums_are_exact() {
        let third = Ratio { numerator: 1, denominator: 3 };
        let sum = [third, third, third, Ratio::ONE.negated()].into_iter().try_fold(Sum::ZERO, Sum::add);
        assert!(sum.unwrap().is_zero());
    }

    #[test]
    fn a_residue_of_no_small_fraction_gives_none() {
        let mut none = 0;
        for number in 1..200 {
            let large = Mersenne::<61>::multiply(number, 1_234_567_890_123_456_789);
            match Ratio::from_residue(large) {
                None => none += 1,
                Some(ratio) => {
                    let terms = [ratio.numerator.unsigned_abs(), ratio.denominator.unsigned_abs()];
                    assert!(terms.iter().all(|&term| term <= BOUND), "{ratio:?}");
                    assert_eq!(residue(ratio.numerator, terms[1]), large);
                }
            }
        }
        assert!(none > 20, "{none}");
    }

    #[test]
    fn a_sum_is_kept_in_lowest_terms() {
        let half = Ratio { numerator: 1, denominator: 2 };
        let sum = (0..400).try_fold(Sum::ZERO, |sum, _| sum.add(half)).unwrap();
        assert_eq!((sum.numerator, sum.denominator), (200, 1));
    }
}
