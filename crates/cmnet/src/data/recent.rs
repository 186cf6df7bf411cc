//! The short labels a column met last, ready to be recognised at a glance.
//!
//! Most cells of a table hold one of a few short labels. Comparing them as whole numbers,
//! before the ordered map of all labels is asked, made reading more than twice as fast. Whatever
//! a file contains, this can only fail to help.

/// Labels held at a time.
const SLOTS: usize = 16;

/// The longest label held, in bytes: one byte of a key is for the length.
const LONGEST: usize = 15;

/// A label as a number: its bytes and its length, never 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key(u128);

impl Key {
    /// The number of a label, if it is short.
    #[inline]
    pub(super) fn of(label: &[u8]) -> Option<Self> {
        if label.len() > LONGEST {
            return None;
        }
        let (low, high) = match label.split_first_chunk() {
            Some((low, high)) => (u64::from_le_bytes(*low), word(high)),
            None => (word(label), 0),
        };
        let length = (label.len() as u64 + 1) << 56;
        Some(Self(u128::from(high | length) << 64 | u128::from(low)))
    }

    #[inline]
    fn slot(self) -> usize {
        let folded = self.0 as u64 ^ (self.0 >> 64) as u64;
        (folded.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 60) as usize
    }
}

/// Fewer than eight bytes as a number. Registers only: a copy into an array and back was the
/// most expensive part of reading a table.
#[inline]
fn word(bytes: &[u8]) -> u64 {
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
    match bytes.split_first_chunk() {
        Some((low, high)) => number(high) << 32 | u64::from(u32::from_le_bytes(*low)),
        None => number(bytes),
    }
}

/// Labels with their codes, each in the one slot where it can be.
#[derive(Clone, Debug, Default)]
pub(super) struct Recent {
    keys: [u128; SLOTS],
    codes: [u16; SLOTS],
}

impl Recent {
    /// The code of a label, if it is here.
    #[inline]
    pub(super) fn get(&self, key: Key) -> Option<u16> {
        let slot = key.slot();
        (self.keys[slot] == key.0).then(|| self.codes[slot])
    }

    /// Puts a label here, in the place of another one perhaps.
    pub(super) fn put(&mut self, key: Key, code: u16) {
        let slot = key.slot();
        self.keys[slot] = key.0;
        self.codes[slot] = code;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_told_apart_by_bytes_and_length() {
        let labels: [&[u8]; 6] = [b"", b"\0", b"\0\0", b"a", b"a\0", b"123456789012345"];
        for (left, one) in labels.iter().enumerate() {
            for (right, other) in labels.iter().enumerate() {
                assert_eq!(Key::of(one) == Key::of(other), left == right);
            }
        }
        assert_eq!(Key::of(b"1234567890123456"), None);
    }

    #[test]
    fn a_slot_gives_back_what_was_put_last() {
        let mut recent = Recent::default();
        let key = |label: &str| Key::of(label.as_bytes()).unwrap();
        assert_eq!(recent.get(key("")), None);
        for code in 0..1000 {
            recent.put(key(&code.to_string()), code);
            assert_eq!(recent.get(key(&code.to_string())), Some(code));
        }
        let wrong = |code: u16| recent.get(key(&code.to_string())).is_some_and(|found| found != code);
        assert!(!(0..1000).any(wrong));
    }
}
