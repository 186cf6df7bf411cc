//! Which of several equal shares of a run.

use crate::error::{Error, OptionName, Result};
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// One of several equal shares of a run, counted from 1: `2/8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shard {
    number: u64,
    of: u64,
}

/// The most shares of a run.
const MOST: u64 = 1_000_000;

impl Shard {
    /// The share with this number, counted from 1, of so many; `None` where there is none.
    pub fn new(number: u64, of: u64) -> Option<Self> {
        (1 <= number && number <= of && of <= MOST).then_some(Self { number, of })
    }

    /// Its number, counted from 1.
    pub fn number(self) -> u64 {
        self.number
    }

    /// How many shares there are.
    pub fn of(self) -> u64 {
        self.of
    }

    /// The part of so many things that this share has: parts are even, and beside each other.
    pub(super) fn part(self, count: u64) -> Range<u64> {
        let end = |number: u64| (u128::from(count) * u128::from(number) / u128::from(self.of)) as u64;
        end(self.number - 1)..end(self.number)
    }
}

impl FromStr for Shard {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let numbers = text
            .split_once('/')
            .and_then(|(number, of)| Self::new(number.trim().parse().ok()?, of.trim().parse().ok()?));
        numbers.ok_or_else(|| Error::option(OptionName::Shard, text, "a share such as 2/8, counted from 1"))
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_even_and_part_everything() {
        for of in 1..9 {
            for count in [0, 1, 7, 64, 1000] {
                let parts: Vec<Range<u64>> =
                    (1..=of).map(|number| Shard::new(number, of).unwrap().part(count)).collect();
                assert!(parts.windows(2).all(|two| two[0].end == two[1].start));
                assert_eq!((parts[0].start, parts[of as usize - 1].end), (0, count));
                let sizes = parts.iter().map(|part| part.end - part.start);
                assert!(sizes.clone().max().unwrap() - sizes.min().unwrap() <= 1);
            }
        }
    }

    #[test]
    fn shares_are_written_and_read() {
        assert_eq!("2/8".parse::<Shard>().unwrap().to_string(), "2/8");
        for text in ["", "2", "0/8", "9/8", "1/0", "-1/2", "a/b", "1/1000001"] {
            let refused = text.parse::<Shard>().unwrap_err().to_string();
            assert!(refused.contains("counted from 1"), "{refused}");
        }
    }
}
