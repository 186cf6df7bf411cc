//! A table as bytes, packed as it is in memory: what goes from machine to machine.

use super::codes::Codes;
use super::cuts::Cuts;
use super::dataset::Dataset;
use super::variable::{MAX_ROWS, Schema, Variable, check_cuts};
use crate::error::{Error, Result};

/// The format that this version writes, and the only one so far.
const FORMAT: &[u8] = b"cmnet-table/1\n";

impl Dataset {
    /// The table as bytes: names and levels, then each column in as many bits per row as its levels
    /// need, then the weights, unless all are 1.
    pub fn to_bytes(&self) -> Vec<u8> {
        let columns: usize = (0..self.variables()).map(|variable| self.column(variable).bytes()).sum();
        let mut bytes = Vec::with_capacity(FORMAT.len() + columns + 4 * self.distinct_rows() + (1 << 12));
        bytes.extend_from_slice(FORMAT);
        number(&mut bytes, self.variables());
        for variable in self.schema().variables() {
            text(&mut bytes, &variable.name);
            number(&mut bytes, variable.levels.len());
            variable.levels.iter().for_each(|level| text(&mut bytes, level));
        }
        for variable in 0..self.variables() {
            // 0 is a variable that is not cut.
            let cuts = self.schema().cuts(variable).map(Cuts::points);
            number(&mut bytes, cuts.map_or(0, |points| points.len() + 1));
            let points = cuts.into_iter().flatten();
            points.for_each(|point| bytes.extend_from_slice(&point.to_le_bytes()));
        }
        number(&mut bytes, self.distinct_rows());
        for variable in 0..self.variables() {
            self.column(variable)
                .words()
                .iter()
                .for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
        }
        let weighted = self.weights().iter().any(|&weight| weight != 1);
        number(&mut bytes, usize::from(weighted));
        if weighted {
            self.weights().iter().for_each(|weight| bytes.extend_from_slice(&weight.to_le_bytes()));
        }
        bytes
    }

    /// Reads a table as [`Dataset::to_bytes`] writes it.
    ///
    /// # Errors
    /// When the bytes are no such table.
    ///
    /// # Example
    /// ```
    /// use cmnet::Dataset;
    /// let data = Dataset::from_labels(&["a"], [["x"], ["y"], ["x"]])?;
    /// assert_eq!(Dataset::from_bytes(&data.to_bytes())?, data);
    /// # Ok::<(), cmnet::Error>(())
    /// ```
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let refused =
            || Error::option("bytes", format!("{} bytes", bytes.len()), "a packed table of this version");
        let rest = bytes.strip_prefix(FORMAT).ok_or_else(refused)?;
        let read = read(&mut Reader(rest)).ok_or_else(refused)?;
        Schema::new(read.schema().variables().to_vec())?;
        Ok(read)
    }
}

fn number(bytes: &mut Vec<u8>, value: usize) {
    bytes.extend_from_slice(&(value as u64).to_le_bytes());
}

fn text(bytes: &mut Vec<u8>, value: &str) {
    number(bytes, value.len());
    bytes.extend_from_slice(value.as_bytes());
}

/// What is left to read.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<usize> {
        usize::try_from(u64::from_le_bytes(self.take(8)?.try_into().ok()?)).ok()
    }

    fn text(&mut self) -> Option<String> {
        let length = self.number()?;
        Some(str::from_utf8(self.take(length)?).ok()?.to_owned())
    }
}

fn read(reader: &mut Reader<'_>) -> Option<Dataset> {
    let mut variables = Vec::new();
    for _ in 0..reader.number()? {
        let name = reader.text()?;
        let levels = (0..reader.number()?).map(|_| reader.text()).collect::<Option<Vec<String>>>()?;
        variables.push(Variable { name, levels });
    }
    let mut cuts = Vec::with_capacity(variables.len());
    for variable in &variables {
        // 0 is a variable that is not cut.
        let cut = reader.number()?.checked_sub(1).map(|points| read_cuts(reader, points, variable));
        cuts.push(match cut {
            Some(cut) => Some(cut?),
            None => None,
        });
    }
    let rows = reader.number().filter(|&rows| 0 < rows && rows as u64 <= MAX_ROWS)?;
    let mut columns = Vec::with_capacity(variables.len());
    for variable in &variables {
        let levels = variable.levels.len();
        let bytes = reader.take(Codes::word_count(levels, rows) * size_of::<u64>())?;
        let words = bytes.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().unwrap_or_default()));
        columns.push(Codes::from_words(levels, rows, words.collect())?);
    }
    let weights: Vec<u32> = match reader.number()? {
        0 => vec![1; rows],
        1 => {
            let bytes = reader.take(rows * size_of::<u32>())?.chunks_exact(4);
            bytes.map(|weight| u32::from_le_bytes(weight.try_into().unwrap_or_default())).collect()
        }
        _ => return None,
    };
    let total: u64 = weights.iter().map(|&weight| u64::from(weight)).sum();
    let is_whole = reader.0.is_empty() && !weights.contains(&0) && total <= MAX_ROWS;
    (is_whole && are_ascending(&columns, rows)).then(|| {
        Dataset::from_collapsed(Schema::new_unchecked(variables).with_all_cuts(cuts), columns, weights)
    })
}

/// Where numbers become the levels of a variable: so many points.
fn read_cuts(reader: &mut Reader<'_>, points: usize, variable: &Variable) -> Option<Cuts> {
    let bytes = reader.take(points.checked_mul(size_of::<f64>())?)?.chunks_exact(8);
    let points = bytes.map(|point| f64::from_le_bytes(point.try_into().unwrap_or_default())).collect();
    let cuts = Cuts::new(points).ok()?;
    check_cuts(&variable.levels, &cuts).ok()?;
    Some(cuts)
}

/// Whether every row is above the one before, as those of a table are.
fn are_ascending(columns: &[Codes], rows: usize) -> bool {
    let mut is_above = vec![false; rows];
    is_above[0] = true;
    for column in columns {
        if !is_above.contains(&false) {
            return true;
        }
        let mut before = 0;
        for (is_above, code) in is_above.iter_mut().zip(column.iter()) {
            if !*is_above && code < before {
                return false;
            }
            *is_above |= code > before;
            before = code;
        }
    }
    !is_above.contains(&false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(weighted: bool) -> Dataset {
        let row = |row: u32| [row % 2, row * 7 % 5, row * 11 % 300].map(|code| format!("l{code}"));
        let rows = if weighted { 900 } else { 600 };
        Dataset::from_labels(&["a", "é", "c"], (0..rows).map(row)).unwrap()
    }

    #[test]
    fn tables_come_back_and_are_small() {
        for weighted in [false, true] {
            let data = table(weighted);
            let bytes = data.to_bytes();
            assert_eq!(Dataset::from_bytes(&bytes).unwrap(), data);
            let labels: usize = data.schema().variables().iter().map(|v| 20 * (v.levels.len() + 2)).sum();
            let packed = data.distinct_rows() * (1 + 4 + 16 + if weighted { 32 } else { 0 }) / 8;
            assert!(bytes.len() < packed + labels, "{} {packed}", bytes.len());
        }
    }

    #[test]
    fn cut_points_come_back() {
        let data = Dataset::from_labels(&["age", "b"], [["low", "x"], ["high", "y"]]).unwrap();
        let schema = data.schema().clone().with_cuts(0, Cuts::new(vec![18.5]).unwrap()).unwrap();
        let columns: Vec<Vec<u32>> = (0..2).map(|v| data.column(v).iter().collect()).collect();
        let cut = Dataset::from_columns(schema, &columns, None).unwrap();
        let back = Dataset::from_bytes(&cut.to_bytes()).unwrap();
        assert_eq!(back.schema().cuts(0).unwrap().points(), [18.5]);
        assert!(back == cut && back.schema().cuts(1).is_none());
    }

    #[test]
    fn what_breaks_off_or_is_changed_is_refused() {
        let bytes = table(true).to_bytes();
        for length in (0..bytes.len()).step_by(97) {
            assert!(Dataset::from_bytes(&bytes[..length]).is_err(), "{length}");
        }
        assert!(Dataset::from_bytes(&[bytes.as_slice(), b"x"].concat()).is_err());
        let rows = table(true).distinct_rows();
        for place in 1..=rows {
            // The weights stand at the end: one of 0 is no row.
            let mut changed = bytes.clone();
            let at = bytes.len() - 4 * place;
            changed[at..at + 4].fill(0);
            assert!(Dataset::from_bytes(&changed).is_err());
        }
        // A bit of a column makes two rows equal or turns them round, or is another table.
        let start = bytes.len() - 4 * rows - 8 - rows.div_ceil(4) * 8;
        for place in (start..bytes.len() - 4 * rows - 8).step_by(5) {
            let mut changed = bytes.clone();
            changed[place] ^= 1;
            assert!(
                Dataset::from_bytes(&changed).is_ok_and(|data| data != table(true))
                    || Dataset::from_bytes(&changed).is_err()
            );
        }
    }
}
