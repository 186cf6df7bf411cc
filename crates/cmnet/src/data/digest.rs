//! A digest of a table's content: the same for any order of its lines.

use super::dataset::Dataset;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Names a table's content: SHA-256 over variables, levels, distinct rows and weights.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataDigest(String);

impl DataDigest {
    /// The digest of a table.
    pub fn of(data: &Dataset) -> Self {
        let mut hasher = Sha256::new();
        let mut text = |field: &str| {
            hasher.update((field.len() as u64).to_le_bytes());
            hasher.update(field.as_bytes());
        };
        text("cmnet-data/1");
        for variable in data.schema().variables() {
            text(&variable.name);
            text(&variable.levels.len().to_string());
            variable.levels.iter().for_each(|level| text(level));
        }
        for (row, weight) in data.weights().iter().enumerate() {
            hasher.update(weight.to_le_bytes());
            for variable in 0..data.variables() {
                hasher.update((data.column(variable).get(row) as u16).to_le_bytes());
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
