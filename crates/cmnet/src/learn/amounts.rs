//! Amounts of time and memory as people write them: 30s, 5m, 256M.

use crate::error::{Error, OptionName, Result};
use std::time::Duration;

/// Reads a time such as 90, 30s, 5m or 2h; `option` is named in errors.
///
/// # Errors
/// When the text is no such time.
///
/// # Example
/// ```
/// use cmnet::{error::OptionName, learn::parse_duration};
/// assert_eq!(parse_duration(OptionName::TimeLimit, "5m")?.as_secs(), 300);
/// # Ok::<(), cmnet::Error>(())
/// ```
pub fn parse_duration(option: OptionName, text: &str) -> Result<Duration> {
    let bad = || Error::option(option, text, "a time such as 30s, 5m or 2h");
    let (number, unit) = match text.find(|c: char| c.is_ascii_alphabetic()) {
        Some(at) => text.split_at(at),
        None => (text, "s"),
    };
    let seconds = match unit {
        "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(bad()),
    };
    let number: f64 = number.parse().map_err(|_| bad())?;
    Duration::try_from_secs_f64(number * seconds).map_err(|_| bad())
}

/// Reads an amount of memory such as 500M, 2G or 1048576, in bytes; `option` is named in
/// errors.
///
/// # Errors
/// When the text is no such amount, or it is less than a mebibyte.
///
/// # Example
/// ```
/// use cmnet::{error::OptionName, learn::parse_bytes};
/// assert_eq!(parse_bytes(OptionName::Memory, "2GiB")?, 2 << 30);
/// # Ok::<(), cmnet::Error>(())
/// ```
pub fn parse_bytes(option: OptionName, text: &str) -> Result<u64> {
    let upper = text.trim().to_ascii_uppercase();
    let plain = upper.trim_end_matches('B').trim_end_matches('I');
    let (number, shift) = match plain.chars().last() {
        Some('K') => (&plain[..plain.len() - 1], 10),
        Some('M') => (&plain[..plain.len() - 1], 20),
        Some('G') => (&plain[..plain.len() - 1], 30),
        _ => (plain, 0),
    };
    let number: u64 =
        number.parse().map_err(|_| Error::option(option, text, "an amount such as 500M or 2G"))?;
    let amount = number.checked_mul(1 << shift).filter(|&amount| amount >= 1 << 20);
    amount.ok_or_else(|| Error::option(option, text, "at least 1M, and no more than a computer can have"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_of_memory() {
        let bytes = |text| parse_bytes(OptionName::Memory, text);
        assert_eq!(bytes("500M").unwrap(), 500 << 20);
        assert_eq!(bytes("1048576").unwrap(), 1 << 20);
        for text in ["", "M", "-1M", "1", "99999999999G", "ÄM"] {
            assert!(bytes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn amounts_of_time() {
        let seconds = |text| parse_duration(OptionName::TimeLimit, text).map(|time| time.as_secs_f64());
        assert_eq!((seconds("90").unwrap(), seconds("1.5min").unwrap()), (90.0, 90.0));
        for text in ["", "s", "-1s", "3d", "1e300h", "NaN"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }
}
