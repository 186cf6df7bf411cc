//! Standard output: one text or one JSON document.

use serde::Serialize;
use std::io::Write;

/// Writes a text to standard output.
pub(crate) fn text(text: &str) -> anyhow::Result<()> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()?;
    Ok(())
}

/// Writes a JSON document to standard output.
pub(crate) fn json(value: &impl Serialize) -> anyhow::Result<()> {
    let value = serde_json::to_value(value)?;
    text(&cmnet::io::json_text::to_text(&value))
}

/// Says something on standard error that is not an error.
pub(crate) fn note(message: &str) {
    eprintln!("cmnet: {message}");
}
