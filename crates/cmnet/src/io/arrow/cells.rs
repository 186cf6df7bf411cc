//! Columns of Arrow arrays and of numbered labels, cell by cell as texts.

use crate::error::{InputProblem, Remedy};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Decimal128Type, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, LargeStringArray, StringArray, StringViewArray};
use arrow_schema::DataType;
use std::fmt::Write as _;

/// ArrowLabels, of which the distinct ones are held once.
#[derive(Clone, Debug, Default)]
pub struct ArrowLabels {
    texts: String,
    ends: Vec<usize>,
    missing: Vec<bool>,
}

impl ArrowLabels {
    fn push(&mut self, label: Option<impl std::fmt::Display>) {
        self.missing.push(label.is_none());
        if let Some(label) = label {
            // Writing to a string cannot fail.
            let _ = write!(self.texts, "{label}");
        }
        self.ends.push(self.texts.len());
    }

    fn clear(&mut self) {
        self.texts.clear();
        self.ends.clear();
        self.missing.clear();
    }

    #[inline]
    fn get(&self, place: usize) -> Option<&[u8]> {
        let end = *self.ends.get(place)?;
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        (!self.missing[place]).then(|| &self.texts.as_bytes()[start..end])
    }

    /// The labels in order, without those that are missing.
    pub fn list(&self) -> Vec<String> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (0..self.ends.len()).filter_map(|place| self.get(place).map(text)).collect()
    }
}

/// One column of a batch, of which some rows are in view.
#[derive(Debug)]
pub struct ArrowCells<'a> {
    kind: Kind<'a>,
    /// The first row in view.
    start: usize,
}

#[derive(Debug)]
enum Kind<'a> {
    /// Texts, each where it is.
    Text(StringArray),
    LargeText(LargeStringArray),
    View(StringViewArray),
    /// Nothing but missing values.
    Missing,
    /// ArrowLabels by number, with the numbers of the rows in view.
    Dictionary {
        array: ArrayRef,
        labels: ArrowLabels,
        keys: Vec<u32>,
    },
    /// Values that are written out for the rows in view.
    Written {
        array: ArrayRef,
        labels: ArrowLabels,
    },
    /// ArrowLabels by number, a negative one where there is none.
    Numbered {
        numbers: &'a [i32],
        labels: &'a ArrowLabels,
        ordered: bool,
    },
}

/// The number under which a missing key is filed.
const NO_KEY: u32 = u32::MAX;

impl<'a> ArrowCells<'a> {
    /// A column of an Arrow array; numbers with decimals are taken where they are to be cut.
    ///
    /// # Errors
    /// When its values cannot be categories.
    pub fn of(array: &dyn Array, decimals: bool) -> Result<Self, InputProblem> {
        use DataType as T;
        let kind = match array.data_type() {
            T::Utf8 => Kind::Text(array.as_string().clone()),
            T::LargeUtf8 => Kind::LargeText(array.as_string().clone()),
            T::Utf8View => Kind::View(array.as_string_view().clone()),
            T::Null => Kind::Missing,
            T::Dictionary(_, values) => {
                let named = array.as_any_dictionary().values();
                check(values, named, decimals)?;
                let labels = labels_of(named);
                Kind::Dictionary { array: whole(array), labels, keys: Vec::new() }
            }
            other => {
                check(other, array, decimals)?;
                Kind::Written { array: whole(array), labels: ArrowLabels::default() }
            }
        };
        Ok(Self { kind, start: 0 })
    }

    /// The complaint about a column of such a type, which holds no categories.
    pub fn refusal(what: &str, data_type: &str) -> InputProblem {
        not_categories(what, data_type)
    }

    /// A column without a value.
    pub fn missing() -> Self {
        Self { kind: Kind::Missing, start: 0 }
    }

    /// A column of numbered labels.
    pub fn numbered(numbers: &'a [i32], labels: &'a ArrowLabels, ordered: bool) -> Self {
        Self { kind: Kind::Numbered { numbers, labels, ordered }, start: 0 }
    }

    /// The labels of a dictionary whose order means something, in that order.
    pub fn ordered(&self) -> Option<&ArrowLabels> {
        match &self.kind {
            Kind::Dictionary { labels, .. } => Some(labels),
            Kind::Numbered { labels, ordered: true, .. } => Some(labels),
            _ => None,
        }
    }

    /// Brings some rows into view: they count from 0 in [`ArrowCells::get`].
    pub fn view(&mut self, start: usize, length: usize) {
        self.start = start;
        match &mut self.kind {
            Kind::Dictionary { array, keys, .. } => {
                keys.clear();
                let in_view = array.as_any_dictionary().keys().slice(start, length);
                tell_numbers(&in_view, |key| keys.push(key.map_or(NO_KEY, |key| key as u32)));
            }
            Kind::Written { array, labels } => {
                labels.clear();
                write_labels(&array.slice(start, length), labels);
            }
            _ => {}
        }
    }

    /// The text of a row in view.
    pub fn get(&self, row: usize) -> Option<&[u8]> {
        let place = self.start + row;
        match &self.kind {
            Kind::Text(array) => array.is_valid(place).then(|| array.value(place).as_bytes()),
            Kind::LargeText(array) => array.is_valid(place).then(|| array.value(place).as_bytes()),
            Kind::View(array) => array.is_valid(place).then(|| array.value(place).as_bytes()),
            Kind::Missing => None,
            Kind::Dictionary { labels, keys, .. } => labels.get(keys[row] as usize),
            Kind::Written { labels, .. } => labels.get(row),
            Kind::Numbered { numbers, labels, .. } => labels.get(usize::try_from(numbers[place]).ok()?),
        }
    }
}

impl FromIterator<Option<String>> for ArrowLabels {
    fn from_iter<I: IntoIterator<Item = Option<String>>>(labels: I) -> Self {
        let mut all = Self::default();
        labels.into_iter().for_each(|label| all.push(label));
        all
    }
}

/// The same array, held on its own.
fn whole(array: &dyn Array) -> ArrayRef {
    array.slice(0, array.len())
}

fn labels_of(values: &dyn Array) -> ArrowLabels {
    let mut labels = ArrowLabels::default();
    match values.data_type() {
        DataType::Utf8 => values.as_string::<i32>().iter().for_each(|text| labels.push(text)),
        DataType::LargeUtf8 => values.as_string::<i64>().iter().for_each(|text| labels.push(text)),
        DataType::Utf8View => values.as_string_view().iter().for_each(|text| labels.push(text)),
        DataType::Null => (0..values.len()).for_each(|_| labels.push(None::<&str>)),
        _ => write_labels(values, &mut labels),
    }
    labels
}

fn write_labels(array: &dyn Array, labels: &mut ArrowLabels) {
    if let Some(truths) = array.as_boolean_opt() {
        truths.iter().for_each(|truth| labels.push(truth));
    } else if array.data_type().is_floating() {
        // Zero has two signs and one label.
        tell_floats(array, |number| labels.push(number.map(|number| number + 0.0)));
    } else if let DataType::Decimal128(_, scale) = array.data_type()
        && *scale != 0
    {
        let numbers = array.as_primitive::<Decimal128Type>();
        (0..numbers.len())
            .for_each(|row| labels.push(numbers.is_valid(row).then(|| numbers.value_as_string(row))));
    } else {
        tell_numbers(array, |number| labels.push(number));
    }
}

/// Tells of each whole number of an array.
fn tell_numbers(array: &dyn Array, mut tell: impl FnMut(Option<i128>)) {
    fn each<T: ArrowPrimitiveType>(array: &dyn Array, tell: &mut impl FnMut(Option<i128>))
    where
        T::Native: Into<i128>,
    {
        array.as_primitive::<T>().iter().for_each(|number| tell(number.map(Into::into)));
    }
    match array.data_type() {
        DataType::Int8 => each::<Int8Type>(array, &mut tell),
        DataType::Int16 => each::<Int16Type>(array, &mut tell),
        DataType::Int32 => each::<Int32Type>(array, &mut tell),
        DataType::Int64 => each::<Int64Type>(array, &mut tell),
        DataType::UInt8 => each::<UInt8Type>(array, &mut tell),
        DataType::UInt16 => each::<UInt16Type>(array, &mut tell),
        DataType::UInt32 => each::<UInt32Type>(array, &mut tell),
        DataType::UInt64 => each::<UInt64Type>(array, &mut tell),
        DataType::Decimal128(_, 0) => each::<Decimal128Type>(array, &mut tell),
        other if other.is_floating() => {
            tell_floats(array, |number| tell(number.map(|number| number as i128)));
        }
        _ => (0..array.len()).for_each(|_| tell(None)),
    }
}

/// Tells of each floating-point number of an array; what is not a number is missing.
fn tell_floats(array: &dyn Array, mut tell: impl FnMut(Option<f64>)) {
    fn each<T: ArrowPrimitiveType>(array: &dyn Array, tell: &mut impl FnMut(Option<f64>))
    where
        T::Native: Into<f64>,
    {
        let known = |number: T::Native| Some(number.into()).filter(|number: &f64| !number.is_nan());
        array.as_primitive::<T>().iter().for_each(|number| tell(number.and_then(known)));
    }
    match array.data_type() {
        DataType::Float16 => each::<Float16Type>(array, &mut tell),
        DataType::Float32 => each::<Float32Type>(array, &mut tell),
        _ => each::<Float64Type>(array, &mut tell),
    }
}

/// Floating-point numbers from which on not every whole number is one.
const WHOLE: f64 = 9_007_199_254_740_992.0;

/// Whether an array holds whole numbers written as floating-point ones, as integers with missing
/// values and binned measurements are.
fn are_whole(array: &dyn Array) -> bool {
    let mut whole = true;
    tell_floats(array, |number| {
        whole &= number.is_none_or(|number| number.fract() == 0.0 && number.abs() <= WHOLE);
    });
    whole
}

/// Whether values of a type can be categories.
fn check(data_type: &DataType, values: &dyn Array, decimals: bool) -> Result<(), InputProblem> {
    use DataType as T;
    let what = match data_type {
        // Decimals without decimals are whole numbers of more than 64 bits, as sums in SQL are.
        T::Utf8 | T::LargeUtf8 | T::Utf8View | T::Null | T::Boolean | T::Decimal128(_, 0) => return Ok(()),
        other if other.is_integer() => return Ok(()),
        other if other.is_floating() && (decimals || are_whole(values)) => return Ok(()),
        T::Decimal128(..) if decimals => return Ok(()),
        other if other.is_floating() || other.is_decimal() => "numbers with decimals",
        other if other.is_temporal() => "dates, times or durations",
        T::Binary | T::LargeBinary | T::BinaryView | T::FixedSizeBinary(_) => "bytes",
        other if other.is_nested() => "nested values",
        _ => "values of another kind",
    };
    Err(not_categories(what, &data_type.to_string()))
}

/// The complaint about a column that is not one of categories.
fn not_categories(what: &str, data_type: &str) -> InputProblem {
    let advice = match what {
        "numbers with decimals" => {
            let remedies = Remedy::CutNumbers.into();
            return InputProblem::NotCategories { what: format!("{what} ({data_type})"), remedies };
        }
        "dates, times or durations" => {
            "bin them first, for instance by year, month or weekday, and keep the bins as texts or integers"
        }
        "bytes" => "decode them to texts first",
        "texts that are not Unicode" => {
            "clean them first, for instance with text.encode(errors=\"replace\").decode()"
        }
        "nested values" => "take out what you need as columns of their own, binned where it is a measurement",
        _ => "cast it to texts, integers or booleans, binned where it is a measurement",
    };
    InputProblem::NotCategories { what: format!("{what} ({data_type})"), remedies: advice.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_written_as_floats_are_known() {
        let are = |numbers: Vec<Option<f64>>| are_whole(&arrow_array::Float64Array::from(numbers));
        assert!(are(vec![Some(1.0), None, Some(-3.0), Some(f64::NAN), Some(WHOLE)]));
        assert!(!are(vec![Some(1.0), Some(1.5)]) && !are(vec![Some(WHOLE * 2.0)]));
        assert!(!are(vec![Some(f64::INFINITY)]));
    }
}
