//! A digest of a table's content: the same for any order of its lines.

use super::codes::BLOCK;
use super::dataset::Dataset;
use super::variable::Schema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::sync::OnceLock;

/// The bytes of a row's weight and of a code.
const WEIGHT: usize = 4;
const CODE: usize = 2;

/// Names a table's content: SHA-256 over variables, levels, distinct rows and weights.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataDigest(String);

impl DataDigest {
    /// The digest of a table. A table computes it once: O(rows times variables). A copy may be [told](Self::say_of).
    pub fn of(data: &Dataset) -> Self {
        data.known_digest().0.get_or_init(|| Self::of_table(data)).clone()
    }

    /// Says that a table has this digest, which was computed for the table that it is a copy of. One that computed its
    /// own keeps that. Files of the table name what it says: say it of a copy alone that cannot have changed on its way.
    pub fn say_of(self, copy: &Dataset) {
        copy.known_digest().0.get_or_init(|| self);
    }

    fn of_table(data: &Dataset) -> Self {
        let mut hasher = begun(data.schema());
        let width = WEIGHT + CODE * data.variables();
        let (mut block, mut codes) = (vec![0; BLOCK * width], [0; BLOCK]);
        for (number, weights) in data.weights().chunks(BLOCK).enumerate() {
            for (bytes, weight) in block.chunks_exact_mut(width).zip(weights) {
                bytes[..WEIGHT].copy_from_slice(&weight.to_le_bytes());
            }
            for (variable, place) in (WEIGHT..width).step_by(CODE).enumerate() {
                data.column(variable).unpack(number, &mut codes);
                for (bytes, code) in block.chunks_exact_mut(width).zip(codes) {
                    bytes[place..place + CODE].copy_from_slice(&code.to_le_bytes());
                }
            }
            hasher.update(&block[..weights.len() * width]);
        }
        finished(hasher)
    }

    /// The digest of the table with these distinct rows: level codes and weight of each, in
    /// ascending order of the codes.
    pub fn of_rows<R: IntoIterator<Item = u32>>(
        schema: &Schema,
        rows: impl IntoIterator<Item = (R, u32)>,
    ) -> Self {
        let mut hasher = begun(schema);
        let mut bytes = Vec::new();
        for (codes, weight) in rows {
            bytes.clear();
            bytes.extend_from_slice(&weight.to_le_bytes());
            codes.into_iter().for_each(|code| bytes.extend_from_slice(&(code as u16).to_le_bytes()));
            hasher.update(&bytes);
        }
        finished(hasher)
    }

    /// The digest as `sha256:` and 64 hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Reads a digest; `None` when the text is not one.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix("sha256:")?;
        let fits = digits.len() == 64 && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        fits.then(|| Self(text.to_owned()))
    }
}

/// What was hashed before the rows: variables and levels.
fn begun(schema: &Schema) -> Sha256 {
    let mut hasher = Sha256::new();
    let mut text = |field: &str| {
        hasher.update((field.len() as u64).to_le_bytes());
        hasher.update(field.as_bytes());
    };
    text("cmnet-data/1");
    for variable in schema.variables() {
        text(&variable.name);
        text(&variable.levels.len().to_string());
        variable.levels.iter().for_each(|level| text(level));
    }
    hasher
}

fn finished(hasher: Sha256) -> DataDigest {
    let bytes = hasher.finalize();
    DataDigest(bytes.iter().fold(String::from("sha256:"), |text, byte| text + &format!("{byte:02x}")))
}

/// The digest of a table that never changes, from when it is first asked for. It says nothing that
/// the table does not, so that tables are equal with and without it.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownDigest(OnceLock<DataDigest>);

impl PartialEq for KnownDigest {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for KnownDigest {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_rows_give_the_digest_of_single_rows() {
        // More rows than one block holds, levels of several widths, weights beside 1.
        let labels: Vec<[String; 3]> = (0..9_000_u32)
            .map(|row| [(row % 2).to_string(), (row % 97).to_string(), (row * row % 311).to_string()])
            .collect();
        let data = Dataset::from_labels(&["a", "b", "c"], &labels).unwrap();
        assert!(data.distinct_rows() > BLOCK && !data.distinct_rows().is_multiple_of(BLOCK));
        let rows = (0..data.distinct_rows()).map(|row| (data.row(row), data.weights()[row]));
        let own = DataDigest::of(&data);
        assert_eq!(own, DataDigest::of_rows(data.schema(), rows));
        assert_eq!(own, DataDigest::of(&data));
        let (copy, other) =
            (Dataset::from_bytes(&data.to_bytes()).unwrap(), DataDigest("sha256:0".to_owned()));
        other.clone().say_of(&copy);
        own.clone().say_of(&copy);
        other.clone().say_of(&data);
        assert_eq!((DataDigest::of(&copy), DataDigest::of(&data), &copy), (other, own.clone(), &data));
        assert_ne!(own, DataDigest::of(&Dataset::from_labels(&["a", "b", "c"], &labels[1..]).unwrap()));
    }
}
