//! A digest of a table's content: the same for any order of its lines.

use super::dataset::Dataset;
use super::variable::Schema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Names a table's content: SHA-256 over variables, levels, distinct rows and weights.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataDigest(String);

impl DataDigest {
    /// The digest of a table.
    pub fn of(data: &Dataset) -> Self {
        let rows = data.weights().iter().enumerate();
        let codes = |row| (0..data.variables()).map(move |variable| data.column(variable).get(row));
        Self::of_rows(data.schema(), rows.map(|(row, &weight)| (codes(row), weight)))
    }

    /// The digest of the table with these distinct rows: level codes and weight of each, in
    /// ascending order of the codes.
    pub fn of_rows<R: IntoIterator<Item = u32>>(
        schema: &Schema,
        rows: impl IntoIterator<Item = (R, u32)>,
    ) -> Self {
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
        for (codes, weight) in rows {
            hasher.update(weight.to_le_bytes());
            for code in codes {
                hasher.update((code as u16).to_le_bytes());
            }
        }
        let bytes = hasher.finalize();
        Self(bytes.iter().fold(String::from("sha256:"), |text, byte| text + &format!("{byte:02x}")))
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
