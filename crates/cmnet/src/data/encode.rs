//! Labels to codes, and the order of levels.
//!
//! Codes are given in the order of first appearance while rows come in, since the whole set
//! of labels is known only at the end; [`Coder::finish`] then puts the levels in their final
//! order, which depends on the set of labels alone. Row order must not move level 0.

use super::cuts::Cuts;
use super::numbers::{Numbers, Recoding, Span};
use super::range;
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
    /// Levels above which numbers are to be cut, where they are.
    cut_above: Option<usize>,
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
    /// Numbers by value, whatever their spelling.
    Numbers(Numbers),
    /// These, which are ranges between cut points, and any number in them.
    Cut(Vec<String>, Cuts),
}

/// A text that became a level.
#[derive(Debug)]
pub(crate) struct Added {
    /// Its code.
    pub(crate) code: u16,
    /// What the codes given before become, where they change.
    pub(crate) recoding: Option<Recoding>,
}

impl Added {
    fn new(code: u16) -> Self {
        Self { code, recoding: None }
    }
}

/// The levels of a column in their final order.
#[derive(Debug, PartialEq)]
pub(crate) struct Coded {
    /// Their labels.
    pub(crate) levels: Vec<String>,
    /// For every code given so far, its final code.
    pub(crate) codes: Vec<u16>,
    /// The numbers that each level stands for, where they are numbers to be cut.
    pub(crate) spans: Option<Vec<Span>>,
    /// The cut points between the levels, where they were cut already.
    pub(crate) cuts: Option<Cuts>,
}

impl Coder {
    /// A column whose levels are those that turn up.
    pub(crate) fn open(missing: &[String]) -> Self {
        let codes = missing.iter().map(|text| (text.as_bytes().into(), MISSING)).collect();
        let bytes = Box::new([UNSEEN; 256]);
        Self { codes, bytes, recent: Recent::default(), levels: 0, order: Order::Sorted, cut_above: None }
    }

    /// A column whose levels are those that turn up. If they are numbers, and more than these, they
    /// are to be cut.
    pub(crate) fn cut_above(missing: &[String], levels: usize) -> Self {
        Self { cut_above: Some(levels), ..Self::open(missing) }
    }

    /// A column of numbers that are to be cut.
    pub(crate) fn numbers(missing: &[String]) -> Self {
        Self { order: Order::Numbers(Numbers::default()), ..Self::open(missing) }
    }

    /// A column of numbers that are cut at these points; labels of the ranges are taken too.
    pub(crate) fn cut(levels: &[String], cuts: Cuts, missing: &[String]) -> Self {
        Self { order: Order::Cut(levels.to_vec(), cuts), ..Self::kept(levels, missing) }
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

    /// Appends the codes of labels of one byte each. Returns how many from the first on are levels met
    /// before; the codes of the others mean nothing.
    #[cfg(feature = "csv")]
    #[inline]
    pub(crate) fn find_bytes(&self, labels: impl Iterator<Item = u8>, codes: &mut Vec<u16>) -> usize {
        let from = codes.len();
        let mut most = 0;
        codes.extend(labels.map(|label| {
            let code = self.bytes[usize::from(label)];
            most = most.max(code);
            code
        }));
        let found = &codes[from..];
        if most < UNSEEN {
            return found.len();
        }
        found.iter().take_while(|&&code| code < UNSEEN).count()
    }

    fn look_up(&mut self, text: &[u8], key: Option<Key>) -> Option<u16> {
        let code = match self.codes.get(text) {
            Some(&code) => code,
            None => self.by_value(text)?,
        };
        if let &[byte] = text {
            self.bytes[usize::from(byte)] = code;
        }
        if let Some(key) = key {
            self.recent.put(key, code);
        }
        Some(code)
    }

    /// The level of a text that is not written as one: of a number in a range, of a number that was
    /// met in another spelling, or of a declared whole number written as `2.0`.
    fn by_value(&self, text: &[u8]) -> Option<u16> {
        let text = str::from_utf8(text).ok()?;
        match &self.order {
            Order::Declared(_) => self.codes.get(whole_number(text)?.as_bytes()).copied(),
            Order::Numbers(numbers) => numbers.find(number(text)?),
            Order::Cut(_, cuts) => cuts.level_of(text).map(|level| level as u16),
            Order::Sorted | Order::Kept => None,
        }
    }

    /// Adds a text that was found to be new.
    pub(crate) fn add(&mut self, text: &[u8]) -> Result<Added, InputProblem> {
        let label =
            str::from_utf8(text).map_err(|_| InputProblem::InvalidUtf8 { text: quoted_bytes(text) })?;
        if text.contains(&0) {
            return Err(InputProblem::NotText { what: "binary data (a zero byte)" });
        }
        match &mut self.order {
            Order::Declared(levels) => return Err(unknown_level(label, levels)),
            Order::Numbers(_) => return self.add_number(label),
            Order::Cut(levels, _) => return Err(not_a_number(label, levels)),
            Order::Sorted | Order::Kept => {}
        }
        if usize::from(self.levels) >= MAX_LEVELS {
            return self.add_beyond(label);
        }
        let code = self.levels;
        self.codes.insert(text.into(), code);
        self.levels += 1;
        Ok(Added::new(code))
    }

    /// Whether the levels are those that turn up.
    pub(crate) fn is_open(&self) -> bool {
        matches!(self.order, Order::Sorted)
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

    fn add_number(&mut self, label: &str) -> Result<Added, InputProblem> {
        let Order::Numbers(numbers) = &mut self.order else { return Ok(Added::new(0)) };
        let value = number(label).ok_or_else(|| not_a_number(label, &[]))?;
        if let Some(code) = numbers.find(value) {
            return Ok(Added::new(code));
        }
        let (code, recoding) = numbers.add(value);
        if recoding.is_some() {
            self.forget();
        }
        Ok(Added { code, recoding })
    }

    /// Adds one level more than there are codes: possible where all of them are numbers to be cut.
    fn add_beyond(&mut self, label: &str) -> Result<Added, InputProblem> {
        let too_many = InputProblem::TooManyLevels { limit: MAX_LEVELS };
        if self.cut_above.is_none() || number(label).is_none() {
            return Err(too_many);
        }
        let (numbers, mut recoding) = self.as_numbers().ok_or(too_many)?;
        self.order = Order::Numbers(numbers);
        self.codes.retain(|_, code| *code == MISSING);
        self.forget();
        let added = self.add_number(label)?;
        if let Some(next) = &added.recoding {
            recode(&mut recoding, next);
        }
        Ok(Added { recoding: Some(recoding), ..added })
    }

    /// The labels as numbers, and the new code of each code; `None` where one is no number.
    fn as_numbers(&self) -> Option<(Numbers, Recoding)> {
        let labels = self.codes.iter().filter(|&(_, &code)| code != MISSING);
        let values = labels.map(|(text, &code)| Some((number(str::from_utf8(text).ok()?)?, code)));
        let mut values: Vec<(f64, u16)> = values.collect::<Option<_>>()?;
        values.sort_by_key(|&(_, code)| code);
        let mut numbers = Numbers::default();
        let mut recoding: Recoding = Vec::with_capacity(values.len());
        for (value, _) in values {
            let code = numbers.find(value).unwrap_or_else(|| {
                let (code, next) = numbers.add(value);
                if let Some(next) = next {
                    recode(&mut recoding, &next);
                }
                code
            });
            recoding.push(code);
        }
        Some((numbers, recoding))
    }

    /// Forgets the codes of texts that were looked up.
    fn forget(&mut self) {
        self.bytes.fill(UNSEEN);
        self.recent = Recent::default();
    }

    /// The levels in their final order.
    pub(crate) fn finish(mut self) -> Coded {
        if let Some(most) = self.cut_above
            && usize::from(self.levels) > most
            && matches!(self.order, Order::Sorted)
            && let Some((numbers, recoding)) = self.as_numbers()
        {
            return Coded::of_numbers(numbers, &recoding);
        }
        let plain = |(levels, codes)| Coded { levels, codes, spans: None, cuts: None };
        match std::mem::replace(&mut self.order, Order::Kept) {
            Order::Declared(levels) => plain((levels, (0..self.levels).collect())),
            Order::Cut(levels, cuts) => {
                Coded { cuts: Some(cuts), ..plain((levels, (0..self.levels).collect())) }
            }
            Order::Numbers(numbers) => {
                let same: Recoding = (0..=u16::MAX).take(numbers.len()).collect();
                Coded::of_numbers(numbers, &same)
            }
            Order::Kept => plain(self.labels(false)),
            Order::Sorted => plain(self.labels(true)),
        }
    }

    /// The labels in their final order, and for every code given so far its final code.
    fn labels(self, sorted: bool) -> (Vec<String>, Vec<u16>) {
        let mut labels: Vec<(String, u16)> = self
            .codes
            .into_iter()
            .filter(|&(_, code)| code != MISSING)
            .map(|(text, code)| (String::from_utf8_lossy(&text).into_owned(), code))
            .collect();
        if sorted {
            shorten_whole_numbers(&mut labels);
            sort_levels(&mut labels, |(label, _)| label);
        } else {
            labels.sort_by_key(|&(_, code)| code);
        }
        let mut new_codes = vec![0; labels.len()];
        for (new_code, &(_, code)) in labels.iter().enumerate() {
            new_codes[usize::from(code)] = new_code as u16;
        }
        (labels.into_iter().map(|(label, _)| label).collect(), new_codes)
    }
}

impl Coded {
    /// Numbers by value; `recoding` says which of them each code given so far is.
    fn of_numbers(numbers: Numbers, recoding: &[u16]) -> Self {
        let (spans, places) = numbers.finish();
        Self {
            levels: spans.iter().map(|span| span.low.to_string()).collect(),
            codes: recoding.iter().map(|&code| places[usize::from(code)]).collect(),
            spans: Some(spans),
            cuts: None,
        }
    }
}

/// Replaces codes by what they became.
fn recode(codes: &mut [u16], next: &[u16]) {
    for code in codes {
        *code = next[usize::from(*code)];
    }
}

fn not_a_number(label: &str, levels: &[String]) -> InputProblem {
    let levels = (!levels.is_empty()).then(|| quoted_list(levels.iter().map(String::as_str)));
    InputProblem::NotANumber { text: quoted(label), levels }
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

/// Sorts labels by value when every one of them is a number, or a range of numbers, else by their bytes. Labels of
/// equal value, such as `1` and `1.0`, stay apart and stand in the order of their bytes.
fn sort_levels<T>(items: &mut [T], label: impl Fn(&T) -> &String) {
    // Whole numbers on their own: beyond 2^53 different ones have equal values as f64.
    let whole = |text: &str| text.parse::<i128>().ok();
    let by_value: fn(&str, &str) -> Ordering = if items.iter().all(|item| whole(label(item)).is_some()) {
        |left, right| left.parse::<i128>().ok().cmp(&right.parse().ok())
    } else if items.iter().all(|item| number(label(item)).is_some()) {
        |left, right| number(left).partial_cmp(&number(right)).unwrap_or(Ordering::Equal)
    } else if range::are_ranges(items.iter().map(|item| label(item).as_str())) {
        range::compare
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
        coder.finish().levels
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
        assert_eq!((coder.add(b"yes").unwrap().code, coder.add(b"no").unwrap().code), (0, 1));
        assert_eq!(coder.find(b"no"), Lookup::Level(1));
        let coded = coder.finish();
        assert_eq!((coded.levels.join(" ").as_str(), coded.codes), ("no yes", vec![1, 0]));
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
        assert_eq!((coder.add(b"more").unwrap().code, coder.add(b"even").unwrap().code), (2, 3));
        let Coded { levels, codes, .. } = coder.finish();
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

    #[test]
    fn ranges_are_ordered_by_value() {
        assert_eq!(order(&["100+", "10-19", "0-9"]), ["0-9", "10-19", "100+"]);
        assert_eq!(order(&["<=3", "4-7", ">=8"]), ["4-7", "<=3", ">=8"]);
    }

    #[test]
    fn numbers_are_levels_by_value_and_others_are_refused() {
        let mut coder = Coder::numbers(&["NA".to_owned()]);
        assert_eq!((coder.find(b"NA"), coder.find(b"2")), (Lookup::Missing, Lookup::New));
        assert_eq!((coder.add(b"2").unwrap().code, coder.add(b"-1e1").unwrap().code), (0, 1));
        assert_eq!((coder.find(b"2.0"), coder.find(b"-10")), (Lookup::Level(0), Lookup::Level(1)));
        for text in ["x", "nan", "inf", "-inf"] {
            assert!(matches!(coder.add(text.as_bytes()), Err(InputProblem::NotANumber { .. })), "{text}");
        }
        let coded = coder.finish();
        assert_eq!((coded.levels.join(" ").as_str(), coded.codes), ("-10 2", vec![1, 0]));
        assert_eq!(coded.spans.unwrap().len(), 2);
    }

    #[test]
    fn cut_columns_take_numbers_and_labels() {
        let cuts = Cuts::new(vec![18.0]).unwrap();
        let mut coder = Coder::cut(&cuts.labels(), cuts, &["?".to_owned()]);
        let found = [&b"17.9"[..], b"18", b"<18", b"?", b"x"].map(|text| coder.find(text));
        let level = Lookup::Level;
        assert_eq!(found, [level(0), level(1), level(0), Lookup::Missing, Lookup::New]);
        assert!(matches!(coder.add(b"x"), Err(InputProblem::NotANumber { .. })));
    }

    #[test]
    fn columns_of_many_numbers_are_to_be_cut_and_others_are_not() {
        let filled = |labels: &[&str]| {
            let mut coder = Coder::cut_above(&[], 2);
            for label in labels {
                coder.add(label.as_bytes()).unwrap();
            }
            coder.finish()
        };
        assert_eq!(filled(&["3", "1", "1.0", "2"]).codes, [2, 0, 0, 1]);
        assert!(filled(&["3", "1", "2"]).spans.is_some());
        assert!(filled(&["3", "1"]).spans.is_none() && filled(&["3", "1", "x"]).spans.is_none());
        let mut coder = Coder::cut_above(&[], 20);
        let mut codes: Vec<u16> = Vec::new();
        for label in 0..=MAX_LEVELS + 7 {
            let added = coder.add(label.to_string().as_bytes()).unwrap();
            if let Some(recoding) = added.recoding {
                recode(&mut codes, &recoding);
            }
            codes.push(added.code);
        }
        let coded = coder.finish();
        let ascending: Vec<u16> = codes.iter().map(|&code| coded.codes[usize::from(code)]).collect();
        assert!(ascending.is_sorted() && coded.spans.unwrap().len() < MAX_LEVELS);
    }
}
