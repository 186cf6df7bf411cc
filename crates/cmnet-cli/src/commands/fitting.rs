//! Options of fitting that several commands share.

use crate::args::{FitMethod, FittingArgs};
use crate::exit::Usage;
use cmnet::loglinear::{FitOptions, Method};

pub(crate) fn fit_options(arguments: &FittingArgs) -> anyhow::Result<FitOptions> {
    Ok(FitOptions {
        method: match arguments.method {
            FitMethod::Auto => Method::Auto,
            FitMethod::Exact => Method::Exact,
            FitMethod::Pseudo => Method::Pseudo,
        },
        smoothing: arguments.smoothing,
        memory: bytes(&arguments.memory)?,
        ..FitOptions::default()
    })
}

/// Reads an amount of memory such as 500M, 2G or 1048576.
pub(crate) fn bytes(text: &str) -> anyhow::Result<u64> {
    let bad = || Usage(format!("--memory: {text:?} is not usable; expected an amount such as 500M or 2G"));
    let upper = text.trim().to_ascii_uppercase();
    let plain = upper.trim_end_matches('B').trim_end_matches('I');
    let (number, shift) = match plain.chars().last() {
        Some('K') => (&plain[..plain.len() - 1], 10),
        Some('M') => (&plain[..plain.len() - 1], 20),
        Some('G') => (&plain[..plain.len() - 1], 30),
        _ => (plain, 0),
    };
    let number: u64 = number.parse().map_err(|_| bad())?;
    let amount = number.checked_mul(1 << shift).filter(|&amount| amount >= 1 << 20);
    Ok(amount.ok_or_else(|| Usage(format!("--memory: {text:?} is not usable; expected at least 1M")))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_of_memory() {
        assert_eq!(bytes("500M").unwrap(), 500 << 20);
        assert_eq!(bytes("2GiB").unwrap(), 2 << 30);
        assert_eq!(bytes("1048576").unwrap(), 1 << 20);
        for text in ["", "M", "-1M", "1", "99999999999G", "ÄM"] {
            assert!(bytes(text).is_err(), "{text}");
        }
    }
}
