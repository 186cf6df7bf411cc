//! Labels that are ranges of numbers, and their order by value.

use super::encode::number;
use std::cmp::Ordering;

/// The numbers that a label stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Range {
    low: f64,
    high: f64,
}

/// How a label says which numbers it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Number,
    /// `10-19`, `100+`.
    Plain,
    /// `10..20`.
    Dots,
    /// `<10`, `>=20`.
    Sign,
}

/// Whether labels are numbers and ranges that are ordered by value: at least one of them is a range.
///
/// Labels with signs, such as `<=3`, are ordered by value only beside ranges with dots, as cutting
/// writes them. Elsewhere they keep the order of their bytes, which files of 0.1 have.
pub(super) fn are_ranges<'a>(labels: impl Iterator<Item = &'a str>) -> bool {
    let mut met = [false; 4];
    for label in labels {
        match read(label) {
            Some((_, form)) => met[form as usize] = true,
            None => return false,
        }
    }
    let [_, plain, dots, signs] = met;
    dots || plain && !signs
}

/// The order of two ranges by their values.
pub(super) fn compare(one: &str, other: &str) -> Ordering {
    let (Some((one, _)), Some((other, _))) = (read(one), read(other)) else { return Ordering::Equal };
    one.low.total_cmp(&other.low).then(one.high.total_cmp(&other.high))
}

fn read(label: &str) -> Option<(Range, Form)> {
    let label = label.trim();
    if let Some(value) = number(label) {
        return Some((Range { low: value, high: value }, Form::Number));
    }
    if let Some((low, high)) = label.split_once("..") {
        return closed(low, high).map(|range| (range, Form::Dots));
    }
    for (sign, below) in [("<=", true), ("<", true), (">=", false), (">", false)] {
        if let Some(rest) = label.strip_prefix(sign) {
            let bound = number(rest.trim())?;
            let (low, high) = if below { (f64::NEG_INFINITY, bound) } else { (bound, f64::INFINITY) };
            return Some((Range { low, high }, Form::Sign));
        }
    }
    if let Some(low) = label.strip_suffix('+') {
        return Some((Range { low: number(low.trim())?, high: f64::INFINITY }, Form::Plain));
    }
    // A hyphen behind the first sign parts two numbers.
    let at = label.char_indices().skip(1).find(|(_, mark)| matches!(mark, '-' | '–'))?;
    closed(&label[..at.0], &label[at.0 + at.1.len_utf8()..]).map(|range| (range, Form::Plain))
}

fn closed(low: &str, high: &str) -> Option<Range> {
    let range = Range { low: number(low.trim())?, high: number(high.trim())? };
    (range.low <= range.high).then_some(range)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ordered(labels: &[&str]) -> Option<String> {
        let mut labels = labels.to_vec();
        are_ranges(labels.iter().copied()).then(|| {
            labels.sort_by(|one, other| compare(one, other));
            labels.join(" ")
        })
    }

    #[test]
    fn ranges_are_ordered_by_value() {
        assert_eq!(ordered(&["100+", "10-19", "0-9", "20-99"]).unwrap(), "0-9 10-19 20-99 100+");
        assert_eq!(ordered(&["5-9", "0", "10+", "1-4"]).unwrap(), "0 1-4 5-9 10+");
        assert_eq!(ordered(&[">=40", "18..40", "<18"]).unwrap(), "<18 18..40 >=40");
        assert_eq!(ordered(&["-1..2.5", "<-1", ">=2.5"]).unwrap(), "<-1 -1..2.5 >=2.5");
        assert_eq!(ordered(&["10 – 12", "-5--2", "-1-3"]).unwrap(), "-5--2 -1-3 10 – 12");
    }

    #[test]
    fn other_labels_are_left_alone() {
        for labels in
            [["<=3", "4-7"], ["lt-80", "80-89"], ["2", "5more"], ["a-b", "1-2"], ["9-1", "1-2"], ["1", "2"]]
        {
            assert_eq!(ordered(&labels), None, "{labels:?}");
        }
    }
}
