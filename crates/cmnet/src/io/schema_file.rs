//! The schema file: which levels a column has, and in which order.
//!
//! ```toml
//! [levels]
//! grade = ["low", "middle", "high"]
//! children = [0, 1, 2]
//!
//! [cuts]
//! age = [18, 40, 65]
//! ```

use super::source::open_file;
use crate::data::{Cuts, Schema, Variable, check_cuts, check_levels};
use crate::error::{Error, InputProblem, Place, Result, nearest, quoted, quoted_list};
use serde::Deserialize;
use serde::de::{self, Deserializer, Visitor};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::Read;
use std::path::Path;
use toml::Spanned;

/// The largest schema file, in bytes: all levels of a few hundred columns of long labels.
const LARGEST: u64 = 1 << 28;

/// Declared levels of some columns, in order.
///
/// A column listed here has exactly these levels: any other value in it is an error, and a
/// level that never occurs still counts in the outcome space. Columns not listed are read as
/// without a schema.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LevelOrder {
    file: String,
    columns: BTreeMap<String, Declared>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Declared {
    line: u64,
    levels: Vec<String>,
    /// Where numbers become the levels.
    cuts: Option<Cuts>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    levels: Option<BTreeMap<Spanned<String>, Vec<Spanned<Level>>>>,
    cuts: Option<BTreeMap<Spanned<String>, Vec<f64>>>,
}

impl LevelOrder {
    /// Reads a schema file.
    ///
    /// # Errors
    /// When the file cannot be read or [`LevelOrder::parse`] refuses its text.
    pub fn read(path: &Path) -> Result<Self> {
        let (file, text) = read_text(path, |what| InputProblem::Schema { what })?;
        Self::parse(&file, &text)
    }

    /// Reads the text of a schema file; `file` is its name in errors.
    ///
    /// # Errors
    /// When the text is not TOML, holds anything but a table `levels`, or lists no level, a
    /// level twice or too many for a column; with the line.
    pub fn parse(file: &str, text: &str) -> Result<Self> {
        let place = |at: usize| Place::file(file).at_line(line_of(text.as_bytes(), at));
        let document: Document = parse_toml(file, text, |what| InputProblem::Schema { what })?;
        if document.levels.is_none() && document.cuts.is_none() {
            let what = "missing field `levels`".to_owned();
            return Err(Error::input(Place::file(file), InputProblem::Schema { what }));
        }
        let mut columns = BTreeMap::new();
        for (name, listed) in document.levels.unwrap_or_default() {
            let (at, name) = (name.span().start, name.get_ref().trim_ascii().to_owned());
            let levels: Vec<String> = listed.iter().map(|level| level.get_ref().0.clone()).collect();
            check_levels(&levels).map_err(|problem| {
                // The second of two equal levels is the one to show.
                let mut seen = BTreeSet::new();
                let second = listed.iter().find(|level| !seen.insert(&level.get_ref().0));
                let at = second.map_or(at, |level| level.span().start);
                Error::input(Place { name: Some(name.clone()), ..place(at) }, problem)
            })?;
            let line = line_of(text.as_bytes(), at);
            // TOML itself refuses equal keys, but not those that differ by blanks alone.
            if columns.contains_key(&name) {
                let what = format!("the column {} appears twice", quoted(&name));
                return Err(Error::input(place(at), InputProblem::Schema { what }));
            }
            columns.insert(name, Declared { line, levels, cuts: None });
        }
        for (name, points) in document.cuts.unwrap_or_default() {
            let line = line_of(text.as_bytes(), name.span().start);
            let name = name.get_ref().trim_ascii().to_owned();
            let refused = |problem| {
                Error::input(Place { name: Some(name.clone()), ..Place::file(file).at_line(line) }, problem)
            };
            if let Some(what) = Cuts::fault(&points) {
                return Err(refused(InputProblem::Points { what }));
            }
            let cuts = Cuts::new(points)?;
            let declared =
                columns.entry(name.clone()).or_insert(Declared { line, levels: cuts.labels(), cuts: None });
            check_cuts(&declared.levels, &cuts).map_err(refused)?;
            declared.cuts = Some(cuts);
        }
        Ok(Self { file: file.to_owned(), columns })
    }

    /// Levels from memory: columns, each with its levels in order; `name` stands for the file
    /// in errors.
    ///
    /// # Errors
    /// When a column lists no level, a level twice or too many.
    pub fn from_levels(name: &str, columns: impl IntoIterator<Item = (String, Vec<String>)>) -> Result<Self> {
        let mut declared = BTreeMap::new();
        for (column, levels) in columns {
            let levels: Vec<String> = levels.iter().map(|level| level.trim_ascii().to_owned()).collect();
            check_levels(&levels).map_err(|problem| {
                Error::input(Place { name: Some(column.clone()), ..Place::file(name) }, problem)
            })?;
            declared.insert(column.trim_ascii().to_owned(), Declared { line: 0, levels, cuts: None });
        }
        Ok(Self { file: name.to_owned(), columns: declared })
    }

    /// The levels of a schema's variables, such as a model's.
    pub fn of(schema: &Schema) -> Self {
        let declared = |(place, variable): (usize, &Variable)| {
            let (levels, cuts) = (variable.levels.clone(), schema.cuts(place).cloned());
            (variable.name.clone(), Declared { line: 0, levels, cuts })
        };
        let columns = schema.variables().iter().enumerate().map(declared).collect();
        Self { file: "the model".to_owned(), columns }
    }

    /// The text of a schema file that says the same.
    pub fn to_text(&self) -> String {
        let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
        let mut text = "[levels]\n".to_owned();
        for (name, declared) in &self.columns {
            let levels: Vec<String> = declared.levels.iter().map(|level| quoted(level)).collect();
            text += &[&quoted(name), " = [", &levels.join(", "), "]\n"].concat();
        }
        let cut: Vec<(&String, &Cuts)> = self
            .columns
            .iter()
            .filter_map(|(name, declared)| Some((name, declared.cuts.as_ref()?)))
            .collect();
        if !cut.is_empty() {
            text += "\n[cuts]\n";
        }
        for (name, cuts) in cut {
            let points: Vec<String> =
                cuts.points().iter().map(|&point| toml::Value::Float(point).to_string()).collect();
            text += &[&quoted(name), " = [", &points.join(", "), "]\n"].concat();
        }
        text
    }

    /// The declared levels of a column.
    pub fn levels(&self, column: &str) -> Option<&[String]> {
        self.columns.get(column).map(|declared| declared.levels.as_slice())
    }

    /// Where numbers become the levels of a column, if its levels are ranges of numbers.
    pub fn cuts(&self, column: &str) -> Option<&Cuts> {
        self.columns.get(column)?.cuts.as_ref()
    }

    /// Checks that every column listed is one of a table's.
    pub(super) fn check_columns(&self, names: &[String]) -> Result<()> {
        let unknown = self.columns.iter().find(|(column, _)| !names.contains(column));
        match unknown {
            Some((column, declared)) => {
                let line = (declared.line > 0).then_some(declared.line);
                Err(unknown_column(Place { line, ..Place::file(&self.file) }, column, names))
            }
            None => Ok(()),
        }
    }
}

/// The text of a small file that people write, and its name.
pub(super) fn read_text(path: &Path, problem: impl Fn(String) -> InputProblem) -> Result<(String, String)> {
    let file = path.display().to_string();
    let refused = |place: Place, what: &str| Error::input(place, problem(what.to_owned()));
    if path.is_dir() {
        return Err(refused(Place::file(file), "this is a directory"));
    }
    let mut bytes = Vec::new();
    open_file(path)?
        .take(LARGEST + 1)
        .read_to_end(&mut bytes)
        .map_err(|source| Error::io(path, "read", source))?;
    if bytes.len() as u64 > LARGEST {
        return Err(refused(Place::file(file), "this file is too large"));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok((file, text)),
        Err(error) => {
            let line = line_of(error.as_bytes(), error.utf8_error().valid_up_to());
            Err(refused(Place::file(&file).at_line(line), "the text is not UTF-8"))
        }
    }
}

/// Reads a document of TOML; an error names its line.
pub(super) fn parse_toml<T: de::DeserializeOwned>(
    file: &str,
    text: &str,
    problem: impl Fn(String) -> InputProblem,
) -> Result<T> {
    toml::from_str(text).map_err(|error| {
        let line = |at: usize| Place::file(file).at_line(line_of(text.as_bytes(), at));
        let place = error.span().map_or_else(|| Place::file(file), |span| line(span.start));
        Error::input(place, problem(error.message().replace('\n', " ")))
    })
}

/// The error that a table has no column of a name.
pub(super) fn unknown_column(place: Place, name: &str, names: &[String]) -> Error {
    let known = || names.iter().map(String::as_str);
    let problem = InputProblem::UnknownColumn {
        name: quoted(name),
        known: quoted_list(known()),
        near: nearest(name, known()).map(str::to_owned),
    };
    Error::input(place, problem)
}

fn line_of(text: &[u8], at: usize) -> u64 {
    1 + text.iter().take(at).map(|&byte| u64::from(byte == b'\n')).sum::<u64>()
}

/// A label as a schema file may write it.
struct Level(String);

impl<'de> Deserialize<'de> for Level {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_any(LevelVisitor)
    }
}

struct LevelVisitor;

impl Visitor<'_> for LevelVisitor {
    type Value = Level;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a level as a text in quotes or a whole number")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> std::result::Result<Level, E> {
        Ok(Level(text.trim_ascii().to_owned()))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> std::result::Result<Level, E> {
        Ok(Level(number.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        LevelOrder::parse("s.toml", text).unwrap_err().to_string()
    }

    #[test]
    fn levels_are_texts_or_whole_numbers_in_order() {
        let order = LevelOrder::parse("s", "[levels]\ngrade = ['low', ' high ']\n\"a b\" = [2, 1]").unwrap();
        assert_eq!(order.levels("grade").unwrap(), ["low", "high"]);
        assert_eq!(order.levels("a b").unwrap(), ["2", "1"]);
        assert_eq!(order.levels("other"), None);
    }

    #[test]
    fn levels_may_come_from_memory() {
        let of = |levels: &[&str]| {
            let levels = levels.iter().map(|&level| level.to_owned()).collect();
            LevelOrder::from_levels("schema", [("grade".to_owned(), levels)])
        };
        assert_eq!(of(&["low", " high"]).unwrap().levels("grade").unwrap(), ["low", "high"]);
        let refused = of(&["x", "x"]).unwrap_err().to_string();
        assert!(
            refused.starts_with("schema, column \"grade\": the level \"x\" is listed twice"),
            "{refused}"
        );
        let unknown = of(&["x"]).unwrap().check_columns(&["sex".to_owned()]).unwrap_err().to_string();
        assert!(unknown.starts_with("schema: there is no column \"grade\""), "{unknown}");
    }

    #[test]
    fn cut_points_are_read_and_written() {
        let text = "[levels]\nage = ['young', 'old']\n[cuts]\nage = [40]\nweight = [60.5, 80]";
        let order = LevelOrder::parse("s", text).unwrap();
        assert_eq!(order.levels("age").unwrap(), ["young", "old"]);
        assert_eq!(order.levels("weight").unwrap(), ["<60.5", "60.5..80", ">=80"]);
        assert_eq!(order.cuts("weight").unwrap().points(), [60.5, 80.0]);
        let again = LevelOrder::parse("s", &order.to_text()).unwrap();
        assert_eq!((again.levels("age"), again.cuts("weight")), (order.levels("age"), order.cuts("weight")));
        assert!(
            message("[cuts]\na = [3, 2]").contains("line 2, column \"a\""),
            "{}",
            message("[cuts]\na = [3, 2]")
        );
        assert!(message("[levels]\na = ['x']\n[cuts]\na = [3]").contains("1 levels and 1 cut points"));
        assert!(message("[cuts]\na = ['x']").contains("line 2"));
    }

    #[test]
    fn errors_carry_the_line() {
        assert!(message("[levels]\na = [\"x\", \"y\"\nb = 1").starts_with("s.toml, line 3: "));
        assert!(message("[levels]\n\na = [1.5]").starts_with(
            "s.toml, line 3: invalid type: floating point `1.5`, expected a level as a text in quotes"
        ));
        assert!(message("\n[level]\na = ['x']").contains("line 2: unknown field `level`"));
        assert!(message("[levels]\na = 'x'").contains("line 2"));
        assert!(message("[levels]\na = ['x']\na = ['y']").contains("line 3: duplicate key"));
        assert!(message("").contains("missing field `levels`"));
        assert_eq!(
            message("[levels]\na = [\n 'x',\n 'x',\n]"),
            "s.toml, line 4, column \"a\": the level \"x\" is listed twice; remove one of them"
        );
        assert_eq!(
            message("[levels]\nb = []"),
            "s.toml, line 2, column \"b\": this variable has no level; list at least one"
        );
    }

    #[test]
    fn columns_that_the_table_lacks_are_refused() {
        let order = LevelOrder::parse("s.toml", "[levels]\ngrad = ['x']").unwrap();
        let names = ["grade".to_owned(), "sex".to_owned()];
        assert_eq!(
            order.check_columns(&names).unwrap_err().to_string(),
            "s.toml, line 2: there is no column \"grad\" (the table has \"grade\", \"sex\"); \
             did you mean \"grade\"?"
        );
    }
}
