//! Log-probabilities as integers, so that sums do not depend on their order.

use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// A natural-log probability in units of 2^-64 nat.
///
/// Integer sums are exact and associative: shuffled rows, other thread counts, incremental
/// and full evaluation give the same number to the last bit. Logarithms enter as sums over
/// prime factors (see [`Nats::ln_integer`]), so that two products of integers that are equal have
/// equal logarithms: candidates that tie in mathematics tie here.
///
/// # Example
/// ```
/// use cmnet::Nats;
/// assert_eq!(Nats::ln_integer(6) + Nats::ln_integer(35), Nats::ln_integer(14) + Nats::ln_integer(15));
/// assert!((Nats::ln_integer(10).to_f64() - 2.302585092994046).abs() < 1e-14);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Nats(i128);

/// The largest integer that is factorised by trial division.
const FACTORISED: u64 = 1 << 40;

impl Nats {
    /// The logarithm of 1.
    pub const ZERO: Self = Self(0);

    /// The nearest representable value; anything that is not finite or too large saturates.
    pub fn from_f64(value: f64) -> Self {
        // 2^64 is a power of two: the product is exact.
        Self((value * 18_446_744_073_709_551_616.0) as i128)
    }

    /// The value as a floating-point number, correctly rounded.
    pub fn to_f64(self) -> f64 {
        self.0 as f64 / 18_446_744_073_709_551_616.0
    }

    /// ln(n) for n > 0, as the sum over the prime factors of n.
    ///
    /// Integers beyond 2^40 are not factorised.
    pub fn ln_integer(n: u64) -> Self {
        if n > FACTORISED {
            return Self::from_f64(libm::log(n as f64));
        }
        let (mut rest, mut sum, mut divisor) = (n.max(1), Self::ZERO, 2);
        while divisor * divisor <= rest {
            while rest % divisor == 0 {
                sum += Self::ln_prime(divisor);
                rest /= divisor;
            }
            divisor += 1;
        }
        if rest > 1 { sum + Self::ln_prime(rest) } else { sum }
    }

    /// ln(p) of a prime: one rounding, then only integers.
    pub(super) fn ln_prime(prime: u64) -> Self {
        Self::from_f64(libm::log(prime as f64))
    }

    /// This value times `numerator / 2^bits`, exact for the few digits an exponent has.
    pub(super) fn scaled(self, numerator: i128, bits: u32) -> Self {
        Self((self.0 * numerator) >> bits)
    }

    /// The largest whole number of 2^-32 nat that is not above the value: for bounds that must be cheap.
    pub(super) const fn coarse(self) -> i64 {
        (self.0 >> 32) as i64
    }

    /// The value of a number of units, as [`Nats::units`] gives them.
    pub const fn from_units(units: i128) -> Self {
        Self(units)
    }

    /// The integer in units of 2^-64, for files that must keep every bit.
    pub const fn units(self) -> i128 {
        self.0
    }
}

impl Add for Nats {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Sub for Nats {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Neg for Nats {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl Mul<u64> for Nats {
    type Output = Self;
    fn mul(self, times: u64) -> Self {
        Self(self.0 * i128::from(times))
    }
}

impl AddAssign for Nats {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl SubAssign for Nats {
    fn sub_assign(&mut self, other: Self) {
        self.0 -= other.0;
    }
}

impl Sum for Nats {
    fn sum<I: Iterator<Item = Self>>(values: I) -> Self {
        values.fold(Self::ZERO, Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_products_have_equal_logarithms() {
        let factorial = |n: u64| (1..=n).map(Nats::ln_integer).sum::<Nats>();
        assert_eq!(factorial(6) + factorial(7), factorial(10));
        assert_ne!(factorial(6) + factorial(8), factorial(10));
        assert_eq!(Nats::ln_integer(1), Nats::ZERO);
    }

    #[test]
    fn conversions_keep_fifteen_digits() {
        for value in [-6_370.045_431, 1e-9, 3.0e8, 0.0] {
            assert!((Nats::from_f64(value).to_f64() - value).abs() <= 1e-15 * value.abs() + 1e-19);
        }
    }
}
