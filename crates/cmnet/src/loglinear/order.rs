//! How many variables a term may have.

use crate::error::{Error, OptionName, Result};
use std::fmt;
use std::str::FromStr;

/// The most variables of a phi-term; terms of more are zero.
///
/// A context's restrictions are then those of Proposition 2 with these zeros put in. They still
/// make the edge vanish in each of the context's configurations, so that a context says what it
/// says at any order. With few terms they ask for more: at order 2 an edge has one set of terms,
/// and a context element sets all of them to zero.
///
/// # Example
/// ```
/// use cmnet::Order;
/// let order: Order = "3".parse()?;
/// assert!(order.allows(3) && !order.allows(4));
/// assert!("full".parse::<Order>()?.allows(40));
/// # Ok::<(), cmnet::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Order(usize);

impl Order {
    /// All terms of complete sets.
    pub const FULL: Self = Self(usize::MAX);

    /// Terms of at most so many variables: 2 or more.
    ///
    /// # Errors
    /// When it is below 2.
    pub fn at_most(variables: usize) -> Result<Self> {
        if variables < 2 {
            return Err(refused(&variables.to_string()));
        }
        Ok(Self(variables))
    }

    /// Whether sets of so many variables have terms.
    pub fn allows(self, variables: usize) -> bool {
        variables <= self.0
    }

    /// The most variables of a term; `None` where there is no such limit.
    pub fn limit(self) -> Option<usize> {
        (self != Self::FULL).then_some(self.0)
    }
}

impl Default for Order {
    fn default() -> Self {
        Self::FULL
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.limit() {
            Some(limit) => limit.fmt(f),
            None => f.write_str("full"),
        }
    }
}

impl FromStr for Order {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if text.trim() == "full" {
            return Ok(Self::FULL);
        }
        text.trim().parse().map_err(|_| refused(text)).and_then(Self::at_most)
    }
}

fn refused(text: &str) -> Error {
    Error::option(OptionName::Order, text, "full, or a number of variables from 2 on")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_read_back_and_others_refused() {
        for text in ["full", "2", "3", "17"] {
            assert_eq!(text.parse::<Order>().unwrap().to_string(), text);
        }
        for text in ["", "1", "0", "-2", "2.5", "all"] {
            let refusal = text.parse::<Order>().unwrap_err().to_string();
            assert!(refusal.contains("full, or a number of variables from 2 on"), "{refusal}");
        }
        assert!(Order::at_most(2).unwrap() < Order::FULL);
    }
}
