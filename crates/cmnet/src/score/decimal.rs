//! Hyperparameters as people write them, held as exact fractions.

use std::fmt;

/// The most decimal digits after the point that are written: ten to this power fits.
const DIGITS: u32 = 18;
/// The most digits that are read exactly.
const MOST_DIGITS: usize = 36;

/// A non-negative number as the fraction that its decimal digits say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal {
    pub(super) numerator: u64,
    pub(super) denominator: u64,
}

impl Decimal {
    /// Reads digits with at most one point and an exponent such as `e-3`, or a fraction `a/b`.
    ///
    /// Digits whose fraction has terms beyond 64 bits, as the shortest digits of a small double
    /// can have, mean a simple fraction that is the same double: 0.000033333333333333335 is
    /// 1/30000.
    pub(super) fn parse(text: &str) -> Option<Self> {
        if let Some((over, under)) = text.split_once('/') {
            let (numerator, denominator) = (digits(over)?, digits(under)?);
            return (denominator > 0).then(|| Self::reduced(numerator.into(), denominator.into()))?;
        }
        let (mantissa, shift) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.strip_prefix('-')?.parse::<usize>().ok()?),
            None => (text, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = [whole, fraction].concat();
        if all.is_empty() || !all.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let places = fraction.len().checked_add(shift)?;
        let exact = || {
            let scale = 10u128.checked_pow(u32::try_from(places).ok()?)?;
            Self::reduced(all.parse().ok()?, scale)
        };
        if places.max(all.len()) <= MOST_DIGITS
            && let Some(exact) = exact()
        {
            return Some(exact);
        }
        Self::simple(text.parse().ok()?)
    }

    /// The fraction in lowest terms, if these fit.
    fn reduced(numerator: u128, denominator: u128) -> Option<Self> {
        let (mut a, mut b) = (numerator, denominator);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        let term = |term: u128| u64::try_from(term / a.max(1)).ok();
        Some(Self { numerator: term(numerator)?, denominator: term(denominator)? })
    }

    /// The first convergent of a double's continued fraction that is the same double. Where terms beyond 53 bits are
    /// rounded so that none is: the last one whose terms fit, which is nearer than doubles are.
    fn simple(value: f64) -> Option<Self> {
        if !(1e-18..=1e6).contains(&value) {
            return None;
        }
        // The double is `over / under`: at most 53 bits and a power of two of at most 113.
        let exponent = 52 - (i64::from((value.to_bits() >> 52) as u32) - 1023);
        let bits = u128::from(value.to_bits() & ((1 << 52) - 1) | 1 << 52);
        let (mut over, mut under) = match u32::try_from(exponent) {
            Ok(shift) => (bits, 1u128.checked_shl(shift)?),
            Err(_) => (bits.checked_shl(u32::try_from(-exponent).ok()?)?, 1),
        };
        let (mut last, mut this) = ((0u128, 1u128), (1u128, 0u128));
        let mut fitting = None;
        while under > 0 {
            let part = over / under;
            (over, under) = (under, over % under);
            let next = |this: u128, last: u128| part.checked_mul(this)?.checked_add(last);
            (last, this) = (this, (next(this.0, last.0)?, next(this.1, last.1)?));
            let Some(found) = Self::reduced(this.0, this.1) else { break };
            if this.0 > 0 {
                if found.to_f64().to_bits() == value.to_bits() {
                    return Some(found);
                }
                fitting = Some(found);
            }
        }
        fitting
    }

    pub(super) fn to_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }
}

impl fmt::Display for Decimal {
    /// As digits where they end, else as a fraction: what is read back is the same number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(places) = (0..=DIGITS).find(|&places| 10u64.pow(places) % self.denominator == 0) else {
            return write!(f, "{}/{}", self.numerator, self.denominator);
        };
        write!(f, "{}", self.numerator / self.denominator)?;
        if places == 0 {
            return Ok(());
        }
        // The scale is a multiple of the denominator, so no digit is lost.
        let scale = 10u64.pow(places) / self.denominator;
        let fraction = self.numerator % self.denominator * scale;
        write!(f, ".{fraction:0width$}", width = places as usize)
    }
}

fn digits(text: &str) -> Option<u64> {
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Decimal {
        Decimal::parse(text).unwrap_or_else(|| panic!("{text}"))
    }

    proptest::proptest! {
        #[test]
        fn every_fraction_reads_back_as_it_was(over in 1u64..=u64::MAX, under in 1u64..=u64::MAX) {
            let value = read(&format!("{over}/{under}"));
            proptest::prop_assert_eq!(read(&value.to_string()), value);
        }

        #[test]
        fn fractions_with_few_prime_factors_read_back_too(over in 1u64..1 << 40, twos in 0u32..30, fives in 0u32..14) {
            let value = read(&format!("{over}/{}", 2u64.pow(twos) * 5u64.pow(fives)));
            proptest::prop_assert_eq!(read(&value.to_string()), value);
        }

        #[test]
        fn every_double_is_a_number_as_near_as_doubles_are(power in -17.9f64..6.0) {
            let double = libm::pow(10.0, power);
            for text in [double.to_string(), format!("{double:e}")] {
                if let Some((_, exponent)) = text.split_once('e') && !exponent.starts_with('-') {
                    continue;
                }
                let value = read(&text);
                let off = (value.to_f64() - double).abs();
                proptest::prop_assert!(off <= f64::EPSILON * double, "{} {:?}", text, value);
                proptest::prop_assert_eq!(read(&value.to_string()), value);
            }
        }

        #[test]
        fn one_over_a_whole_number_is_that_fraction_where_its_digits_do_not_fit(under in 20_000u64..1 << 32) {
            let text = (1.0 / under as f64).to_string();
            let value = read(&text);
            // The digits after the point, as a fraction whose terms may happen to fit.
            let digits = &text[2..];
            let scale = 10u128.pow(digits.len() as u32);
            let exact = Decimal::reduced(digits.parse().unwrap(), scale).is_some_and(|exact| exact == value);
            let double = 1.0 / under as f64;
            let is_near = (value.to_f64() - double).abs() <= f64::EPSILON * double;
            let is_double = value.to_f64().to_bits() == double.to_bits();
            proptest::prop_assert!(exact && is_near || value.numerator == 1 && is_double, "{} {:?}", text, value);
        }
    }

    #[test]
    fn what_is_no_number_or_too_small_is_refused() {
        let long = "0".repeat(5000);
        let texts =
            ["", ".", "e-3", "1e", "1e-", "1e-99999999999999999999", "1e9", "1/0", "/", "-1", "0x1", "nan"];
        for text in texts.into_iter().chain([format!("0.{long}1").as_str(), "1e-20", "1/2/3", "1 2"]) {
            assert_eq!(Decimal::parse(text), None, "{text:?}");
        }
        assert_eq!(read(&format!("1.{long}")).to_string(), "1");
        assert_eq!(read("19.000003814697265625").to_string(), "19.000003814697265625");
        assert_eq!(read("0.000033333333333333335").to_string(), "1/30000");
    }

    #[test]
    fn a_double_is_read_whose_fractions_round_to_its_neighbours() {
        let text = "0.000000000000000769800381328112";
        let (value, double) = (read(text), text.parse::<f64>().unwrap());
        assert!((value.to_f64() - double).abs() <= f64::EPSILON * double, "{value:?}");
        assert_eq!(read(&value.to_string()), value);
    }
}
