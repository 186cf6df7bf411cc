//! Standard output: one text or one JSON document.

use crate::terminal::{Form, Terminal};
use cmnet::{Schema, Variable};
use cmnet_report::answer::{Answer, document};
use std::borrow::Cow;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::path::Path;

/// Writes a text to standard output.
pub(crate) fn text(text: &str) -> anyhow::Result<()> {
    write(Form::Text, |out| out.write_all(text.as_bytes()))
}

/// Writes rows to standard output piece by piece.
pub(crate) fn rows(content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
    write(Form::Csv, content)
}

fn write(form: Form, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
    let out = io::stdout().lock();
    let to_terminal = out.is_terminal();
    let mut out = BufWriter::new(out);
    let written = if to_terminal { content(&mut Terminal::new(&mut out, form)) } else { content(&mut out) };
    match written.and_then(|()| out.flush()) {
        Err(source) if source.kind() != ErrorKind::BrokenPipe => {
            Err(cmnet::Error::io(Path::new("standard output"), "write", source).into())
        }
        written => Ok(written?),
    }
}

/// Writes an answer to standard output as a JSON document.
pub(crate) fn answer<A: Answer>(answer: &A) -> anyhow::Result<()> {
    write(Form::Json, |out| cmnet::write_json(&document(answer), out))
}

/// Writes a text for people to standard output. Names and labels come from files: what would
/// steer a terminal is shown, not sent.
pub(crate) fn page(page: &str) -> anyhow::Result<()> {
    text(&shown(page))
}

/// Whether a character would steer a terminal or turn the direction of the text around it.
pub(crate) fn steers(character: char) -> bool {
    let turns = |character| {
        matches!(character,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}')
    };
    character.is_control() || turns(character)
}

/// A text whose characters that steer are shown, but for ends of lines and tabs.
fn shown(page: &str) -> Cow<'_, str> {
    escaped(page, |character| steers(character) && !matches!(character, '\n' | '\t'))
}

/// A text on one line: ends of lines are shown too.
pub(crate) fn on_one_line(text: &str) -> Cow<'_, str> {
    escaped(text, steers)
}

/// The names and levels of a schema, each on one line and safe to print. They are for pages only:
/// CSV and JSON have them as they are.
pub(crate) fn printable(schema: &Schema) -> Schema {
    let variable = |variable: &Variable| Variable {
        name: on_one_line(&variable.name).into_owned(),
        levels: variable.levels.iter().map(|level| on_one_line(level).into_owned()).collect(),
    };
    Schema::new_unchecked(schema.variables().iter().map(variable).collect())
}

fn escaped(text: &str, steers: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&steers) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
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
    let _ = writeln!(io::stderr(), "{}", shown(line));
}

/// Says something on standard error that is not an error.
pub(crate) fn note(message: &str) {
    complain(&format!("cmnet: {}", on_one_line(message)));
}
