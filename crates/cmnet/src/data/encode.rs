//! Labels to codes, and the order of levels.
//!
//! Codes are given in the order of first appearance while rows come in, since the whole set
//! of labels is known only at the end; [`Coder::finish`] then puts the levels in their final
//! order, which depends on the set of labels alone. Row order must not move level 0.

use super::recent::{Key, Recent};
use super::variable::MAX_LEVELS;
use crate::error::{InputProblem, nearest, quoted, quoted_bytes, quoted_list};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// The code under which a text that means "missing" is filed: no level has it.
const MISSING: u16 = u16::MAX;

/// What stands for a byte that was not met as a label yet: no level has it either.
const UNSEEN: u16 = MISSING - 1;

/// What a look-up of a text among the labels of a column gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lookup {
    /// A level met before.
    Level(u16),
    /// A text that means "missing".
    Missing,
    /// A text not met before.
    New,
}

/// The labels of one column, met one after the other.
///
/// An ordered map, so that no choice of labels in a file can make look-ups slow.
#[derive(Debug)]
pub(crate) struct Coder {
    codes: BTreeMap<Box<[u8]>, u16>,
    /// The codes of labels of one byte.
    bytes: Box<[u16; 256]>,
    recent: Recent,
    levels: u16,
    order: Order,
}

/// How the levels of a column are ordered in the end, and whether there may be more of them.
#[derive(Debug)]
enum Order {
    /// Whatever turns up, by value or by bytes.
    Sorted,
    /// In the order in which they were added.
    Kept,
    /// These and no others.
    Declared(Vec<String>),
}

impl Coder {
    /// A column whose levels are those that turn up.
    pub(crate) fn open(missing: &[String]) -> Self {
        let codes = missing.iter().map(|text| (text.as_bytes().into(), MISSING)).collect();
        let bytes = Box::new([UNSEEN; 256]);
        Self { codes, bytes, recent: Recent::default(), levels: 0, order: Order::Sorted }
    }

    /// A column with these levels in this order, and no others. A declared level is a level
    /// even where its text would mean "missing" elsewhere.
    pub(crate) fn declared(levels: &[String], missing: &[String]) -> Self {
        Self { order: Order::Declared(levels.to_vec()), ..Self::kept(levels, missing) }
    }

    /// A column with these levels in this order, and after them others that turn up.
    pub(crate) fn kept(levels: &[String], missing: &[String]) -> Self {
        let mut coder = Self { order: Order::Kept, ..Self::open(missing) };
        for (code, level) in (0..MISSING).zip(levels) {
            coder.codes.insert(level.as_bytes().into(), code);
            coder.levels = code + 1;
        }
        coder
    }

    /// What a text is, without adding it.
    #[inline]
    pub(crate) fn find(&mut self, text: &[u8]) -> Lookup {
        if let &[byte] = text {
            let code = self.bytes[usize::from(byte)];
            if code < UNSEEN {
                return Lookup::Level(code);
            }
        }
        let key = Key::of(text);
        match key.and_then(|key| self.recent.get(key)).or_else(|| self.look_up(text, key)) {
            Some(MISSING) => Lookup::Missing,
            Some(code) => Lookup::Level(code),
            None => Lookup::New,
        }
    }

    fn look_up(&mut self, text: &[u8], key: Option<Key>) -> Option<u16> {
        let code = match self.codes.get(text) {
            Some(&code) => code,
            None => self.as_whole(text)?,
        };
        if let &[byte] = text {
            self.bytes[usize::from(byte)] = code;
        }
        if let Some(key) = key {
            self.recent.put(key, code);
        }
        Some(code)
    }

    /// The declared level that a whole number written as `2.0` is.
    fn as_whole(&self, text: &[u8]) -> Option<u16> {
        let Order::Declared(_) = self.order else { return None };
        self.codes.get(whole_number(str::from_utf8(text).ok()?)?.as_bytes()).copied()
    }

    /// Adds a text that was found to be new; its code.
    pub(crate) fn add(&mut self, text: &[u8]) -> Result<u16, InputProblem> {
        let label =
            str::from_utf8(text).map_err(|_| InputProblem::InvalidUtf8 { text: quoted_bytes(text) })?;
        if text.contains(&0) {
            return Err(InputProblem::NotText { what: "binary data (a zero byte)" });
        }
        if let Order::Declared(levels) = &self.order {
            return Err(unknown_level(label, levels));
        }
        if usize::from(self.levels) >= MAX_LEVELS {
            return Err(InputProblem::TooManyLevels { limit: MAX_LEVELS });
        }
        let code = self.levels;
        self.codes.insert(text.into(), code);
        self.levels += 1;
        Ok(code)
    }

    /// The levels, where there may be no others.
    pub(crate) fn levels_declared(&self) -> Option<Vec<String>> {
        match &self.order {
            Order::Declared(levels) => Some(levels.clone()),
            _ => None,
        }
    }

    /// The labels as they were written, in the order in which they were met.
    pub(crate) fn into_labels(self) -> Vec<String> {
        let labels = self.codes.into_iter().filter(|&(_, code)| code != MISSING);
        let mut labels: Vec<(u16, String)> =
            labels.map(|(text, code)| (code, String::from_utf8_lossy(&text).into_owned())).collect();
        labels.sort_unstable_by_key(|&(code, _)| code);
        labels.into_iter().map(|(_, text)| text).collect()
    }

    /// The levels in their final order, and for every code given so far its final code.
    pub(crate) fn finish(self) -> (Vec<String>, Vec<u16>) {
        if let Order::Declared(levels) = self.order {
            return (levels, (0..self.levels).collect());
        }
        let mut labels: Vec<(String, u16)> = self
            .codes
            .into_iter()
            .filter(|&(_, code)| code != MISSING)
            .map(|(text, code)| (String::from_utf8_lossy(&text).into_owned(), code))
            .collect();
        if matches!(self.order, Order::Sorted) {
            shorten_whole_numbers(&mut labels);
        }
        match self.order {
            Order::Kept => labels.sort_by_key(|&(_, code)| code),
            _ => sort_levels(&mut labels, |(label, _)| label),
        }
        let mut new_codes = vec![0; labels.len()];
        for (new_code, &(_, code)) in labels.iter().enumerate() {
            new_codes[usize::from(code)] = new_code as u16;
        }
        (labels.into_iter().map(|(label, _)| label).collect(), new_codes)
    }
}

fn unknown_level(label: &str, levels: &[String]) -> InputProblem {
    let known = || levels.iter().map(String::as_str);
    InputProblem::UnknownLevel {
        text: quoted(label),
        levels: quoted_list(known()),
        near: nearest(label, known()).map(str::to_owned),
    }
}

/// A whole number written with zeros behind its point, such as `2.0`, without them.
fn whole_number(label: &str) -> Option<&str> {
    let (whole, zeros) = label.split_once('.')?;
    let digits = whole.strip_prefix('-').unwrap_or(whole);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && !zeros.is_empty() && zeros.bytes().all(|byte| byte == b'0')).then_some(whole)
}

/// Writes `2.0` as `2` where all labels of a column are written so: a program that knows no
/// missing whole numbers wrote them. Labels that would become equal stay as they are.
fn shorten_whole_numbers(labels: &mut [(String, u16)]) {
    let short: Option<Vec<String>> =
        labels.iter().map(|(label, _)| whole_number(label).map(str::to_owned)).collect();
    let Some(short) = short else { return };
    if short.iter().collect::<BTreeSet<_>>().len() == short.len() {
        labels.iter_mut().zip(short).for_each(|((label, _), short)| *label = short);
    }
}

/// Sorts labels by value when every one of them is a number, else by their bytes. Labels of
/// equal value, such as `1` and `1.0`, stay apart and stand in the order of their bytes.
fn sort_levels<T>(items: &mut [T], label: impl Fn(&T) -> &String) {
    // Whole numbers on their own: beyond 2^53 different ones have equal values as f64.
    let whole = |text: &str| text.parse::<i128>().ok();
    let by_value: fn(&str, &str) -> Ordering = if items.iter().all(|item| whole(label(item)).is_some()) {
        |left, right| left.parse::<i128>().ok().cmp(&right.parse().ok())
    } else if items.iter().all(|item| number(label(item)).is_some()) {
        |left, right| number(left).partial_cmp(&number(right)).unwrap_or(Ordering::Equal)
    } else {
        |_, _| Ordering::Equal
    };
    items.sort_by(|left, right| {
        let (left, right) = (label(left), label(right));
        by_value(left, right).then_with(|| left.as_bytes().cmp(right.as_bytes()))
    });
}

/// The value of a label that is a finite number in decimal or scientific notation.
pub(crate) fn number(label: &str) -> Option<f64> {
    label.parse().ok().filter(|value: &f64| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(labels: &[&str]) -> Vec<String> {
        let mut coder = Coder::open(&[]);
        for label in labels {
            if coder.find(label.as_bytes()) == Lookup::New {
                coder.add(label.as_bytes()).unwrap();
            }
        }
        coder.finish().0
    }

    #[test]
    fn levels_are_ordered_by_value_or_by_bytes_never_by_appearance() {
        assert_eq!(order(&["10", "9", "-1", "2.5"]), ["-1", "2.5", "9", "10"]);
        assert_eq!(order(&["10", "9", "x"]), ["10", "9", "x"]);
        assert_eq!(order(&["1.0", "1", "0"]), ["0", "1", "1.0"]);
        assert_eq!(order(&["b", "B", "a", "é"]), ["B", "a", "b", "é"]);
        assert_eq!(order(&["1e3", "200"]), ["200", "1e3"]);
        let far = ["-9223372036854775805", "-9223372036854775808", "9007199254740993", "9007199254740992"];
        let ordered =
            ["-9223372036854775808", "-9223372036854775805", "9007199254740992", "9007199254740993"];
        assert_eq!(order(&far), ordered);
        // Infinities and not-a-number are words here.
        assert_eq!(order(&["inf", "2", "10"]), ["10", "2", "inf"]);
        assert_eq!(order(&["nan", "2", "10"]), ["10", "2", "nan"]);
    }

    #[test]
    fn whole_numbers_written_as_floats_are_whole_numbers() {
        assert_eq!(order(&["10.0", "9.00", "-1.0"]), ["-1", "9", "10"]);
        assert_eq!(order(&["1.0", "1.5"]), ["1.0", "1.5"]);
        assert_eq!(order(&["1.0", "1.00"]), ["1.0", "1.00"]);
        assert_eq!(order(&["1.0", "."]), [".", "1.0"]);
        let mut coder = Coder::declared(&["1".to_owned(), "2".to_owned()], &[]);
        assert_eq!(
            (coder.find(b"2.0"), coder.find(b"2.0"), coder.find(b"2.5")),
            (Lookup::Level(1), Lookup::Level(1), Lookup::New)
        );
    }

    #[test]
    fn final_codes_follow_the_final_order() {
        let mut coder = Coder::open(&["NA".to_owned()]);
        assert_eq!(coder.find(b"NA"), Lookup::Missing);
        assert_eq!((coder.add(b"yes").unwrap(), coder.add(b"no").unwrap()), (0, 1));
        assert_eq!(coder.find(b"no"), Lookup::Level(1));
        assert_eq!(coder.finish(), (vec!["no".to_owned(), "yes".to_owned()], vec![1, 0]));
    }

    #[test]
    fn declared_levels_are_kept_and_no_other_is_let_in() {
        let levels = ["low".to_owned(), "NA".to_owned()];
        let mut coder = Coder::declared(&levels, &["NA".to_owned(), "?".to_owned()]);
        assert_eq!(coder.find(b"NA"), Lookup::Level(1));
        assert_eq!(coder.find(b"?"), Lookup::Missing);
        let problem = coder.add(b"loww").unwrap_err().to_string();
        assert!(problem.contains("\"loww\"") && problem.contains("did you mean \"low\"?"), "{problem}");
    }

    #[test]
    fn kept_levels_stay_in_front_and_in_their_order() {
        let mut coder = Coder::kept(&["low".to_owned(), "high".to_owned()], &[]);
        assert_eq!((coder.find(b"high"), coder.find(b"more")), (Lookup::Level(1), Lookup::New));
        assert_eq!((coder.add(b"more").unwrap(), coder.add(b"even").unwrap()), (2, 3));
        let (levels, codes) = coder.finish();
        assert_eq!((levels.join(" ").as_str(), codes), ("low high more even", vec![0, 1, 2, 3]));
    }

    #[test]
    fn the_65536th_level_is_refused() {
        let mut coder = Coder::open(&[]);
        for label in 0..MAX_LEVELS {
            coder.add(label.to_string().as_bytes()).unwrap();
        }
        assert!(matches!(coder.add(b"more"), Err(InputProblem::TooManyLevels { limit: 65_535 })));
    }
}
