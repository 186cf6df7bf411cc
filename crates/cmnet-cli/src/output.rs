//! Standard output: one text or one JSON document.

use cmnet_report::answer::{Answer, document};
use std::borrow::Cow;
use std::io::{ErrorKind, Write};
use std::path::Path;

/// Writes a text to standard output.
pub(crate) fn text(text: &str) -> anyhow::Result<()> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(source) if source.kind() != ErrorKind::BrokenPipe => {
            Err(cmnet::Error::io(Path::new("standard output"), "write", source).into())
        }
        written => Ok(written?),
    }
}

/// Writes an answer to standard output as a JSON document.
pub(crate) fn answer<A: Answer>(answer: &A) -> anyhow::Result<()> {
    text(&cmnet::json_to_text(&document(answer)?))
}

/// Writes a text for people to standard output. Names and labels come from files: what would
/// steer a terminal is shown, not sent.
pub(crate) fn page(page: &str) -> anyhow::Result<()> {
    text(&shown(page))
}

/// A text whose control characters are shown, but for ends of lines and tabs.
fn shown(page: &str) -> Cow<'_, str> {
    let steers = |character: char| character.is_control() && !matches!(character, '\n' | '\t');
    if !page.contains(steers) {
        return Cow::Borrowed(page);
    }
    let mut shown = String::with_capacity(page.len());
    for character in page.chars() {
        if steers(character) {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    Cow::Owned(shown)
}

/// Writes a line to standard error; where nobody reads that, nothing is lost.
pub(crate) fn complain(line: &str) {
    let _ = writeln!(std::io::stderr(), "{}", shown(line));
}

/// Says something on standard error that is not an error.
pub(crate) fn note(message: &str) {
    complain(&format!("cmnet: {message}"));
}
