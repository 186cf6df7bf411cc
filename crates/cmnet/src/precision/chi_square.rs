//! The upper tail of the chi-square distribution: p-values of tests.

/// Terms after which series and fraction have converged for every argument that matters.
const MOST_TERMS: usize = 10_000;

/// The probability that a chi-square variable with so many degrees of freedom is at least this
/// large; 1 for none.
///
/// # Example
/// ```
/// use cmnet::chi_square_tail;
/// assert!((chi_square_tail(3.841_458_820_694_124, 1) - 0.05).abs() < 1e-12);
/// assert!((chi_square_tail(18.307_038_053_275_146, 10) - 0.05).abs() < 1e-12);
/// ```
pub fn chi_square_tail(statistic: f64, degrees: usize) -> f64 {
    if degrees == 0 || statistic <= 0.0 {
        return 1.0;
    }
    let (a, x) = (degrees as f64 / 2.0, statistic / 2.0);
    let front = libm::exp(a * libm::log(x) - x - libm::lgamma(a));
    let tail = if x < a + 1.0 { 1.0 - front * series(a, x) } else { front * fraction(a, x) };
    tail.clamp(0.0, 1.0)
}

/// The series of the lower incomplete gamma function.
fn series(a: f64, x: f64) -> f64 {
    let (mut term, mut sum) = (1.0 / a, 1.0 / a);
    for n in 1..MOST_TERMS {
        term *= x / (a + n as f64);
        sum += term;
        if term < sum * f64::EPSILON {
            break;
        }
    }
    sum
}

/// The continued fraction of the upper incomplete gamma function, by Lentz's method.
fn fraction(a: f64, x: f64) -> f64 {
    let tiny = f64::MIN_POSITIVE / f64::EPSILON;
    let mut b = x + 1.0 - a;
    let (mut c, mut d) = (1.0 / tiny, 1.0 / b);
    let mut product = d;
    for n in 1..MOST_TERMS {
        let n = n as f64;
        let factor = -n * (n - a);
        b += 2.0;
        d = 1.0 / nonzero(factor * d + b, tiny);
        c = nonzero(b + factor / c, tiny);
        product *= d * c;
        if (d * c - 1.0).abs() < f64::EPSILON {
            break;
        }
    }
    product
}

fn nonzero(value: f64, tiny: f64) -> f64 {
    if value.abs() < tiny { tiny } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points of published tables: 0.05 and 0.001.
    #[test]
    fn the_tail_is_that_of_the_tables() {
        for (degrees, at_5, at_01) in [(1, 3.8415, 10.8276), (4, 9.4877, 18.4668), (30, 43.7730, 59.7031)] {
            assert!((chi_square_tail(at_5, degrees) - 0.05).abs() < 1e-5, "{degrees}");
            assert!((chi_square_tail(at_01, degrees) - 0.001).abs() < 1e-6, "{degrees}");
        }
        assert!((chi_square_tail(0.0, 3) - 1.0).abs() < 1e-15);
        assert!((chi_square_tail(5.0, 0) - 1.0).abs() < 1e-15);
        assert!(chi_square_tail(2000.0, 2) < 1e-300);
    }
}
