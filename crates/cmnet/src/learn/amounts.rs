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
/// use cmnet::{OptionName, parse_duration};
/// assert_eq!(parse_duration(OptionName::TimeLimit, "5m")?.as_secs(), 300);
/// # Ok::<(), cmnet::Error>(())
/// ```
pub fn parse_duration(option: OptionName, text: &str) -> Result<Duration> {
    let refused = || Error::option(option, text, "a time such as 30s, 5m or 2h");
    // Days and longer are refused: an M for minutes must not become a month.
    let mut units = text.split(|c: char| !c.is_alphabetic()).filter(|unit| !unit.is_empty());
    if !units.all(|unit| matches!(unit, "s" | "m" | "min" | "h")) {
        return Err(refused());
    }
    if let Ok(seconds) = text.parse() {
        return Duration::try_from_secs_f64(seconds).map_err(|_| refused());
    }
    let unsigned = text.strip_prefix('+').unwrap_or(text);
    let digits = if unsigned.starts_with('.') { format!("0{unsigned}") } else { unsigned.to_owned() };
    humantime::parse_duration(&digits).map_err(|_| refused())
}

/// Reads an amount of memory such as 500M, 2G or 1048576, in bytes; `option` is named in
/// errors.
///
/// # Errors
/// When the text is no such amount, or it is less than a mebibyte.
///
/// # Example
/// ```
/// use cmnet::{OptionName, parse_bytes};
/// assert_eq!(parse_bytes(OptionName::Memory, "2GiB")?, 2 << 30);
/// # Ok::<(), cmnet::Error>(())
/// ```
pub fn parse_bytes(option: OptionName, text: &str) -> Result<u64> {
    // Units are powers of 1024, with and without an i.
    let sizes = parse_size::Config::new().with_binary();
    let trimmed = text.trim();
    let expected = match sizes.parse_size(trimmed.strip_prefix('+').unwrap_or(trimmed)) {
        Ok(amount) if amount >= 1 << 20 => return Ok(amount),
        Ok(_) | Err(parse_size::Error::PosOverflow) => "at least 1M, and no more than a computer can have",
        Err(_) => "an amount such as 500M or 2G",
    };
    Err(Error::option(option, text, expected))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_of_memory() {
        let bytes = |text| parse_bytes(OptionName::Memory, text);
        assert_eq!(bytes("500M").unwrap(), 500 << 20);
        assert_eq!(bytes("1048576").unwrap(), 1 << 20);
        for text in ["2G", "2g", "2GB", "2gb", "2GiB", "2gib", "2Gi", " 2G ", "+2G", "2097152K"] {
            assert_eq!(bytes(text).unwrap(), 2 << 30, "{text}");
        }
        for text in ["", "M", "-1M", "1", "99999999999G", "ÄM"] {
            assert!(bytes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn amounts_of_time() {
        let seconds = |text| parse_duration(OptionName::TimeLimit, text).map(|time| time.as_secs_f64());
        assert_eq!((seconds("90").unwrap(), seconds("1.5min").unwrap()), (90.0, 90.0));
        for text in ["5m", "5min", "300", "300s", "+5m", "300.0", "0.5m2.5min120s"] {
            assert_eq!(
                parse_duration(OptionName::TimeLimit, text).unwrap(),
                Duration::from_secs(300),
                "{text}"
            );
        }
        assert_eq!((seconds(".5h").unwrap(), seconds("1.1h").unwrap()), (1800.0, 3960.0));
        for text in
            ["", "s", "-1s", "3d", "1e300h", "NaN", "5M", "5H", "300ms", "2years", "1e3", "inf", "5x", "-5"]
        {
            assert!(seconds(text).is_err(), "{text}");
        }
    }
}
