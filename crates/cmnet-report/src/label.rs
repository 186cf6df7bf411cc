//! What stands on an edge: rows of codes as in the paper, or names.

use super::align::columns;
use super::layout::Size;
use super::metrics;
use super::wording::{Condition, Rows, cases, equation};
use super::{Drawing, LabelStyle};
use cmnet::{EdgeContext, Symbol};

/// The font size of labels.
pub(super) const FONT: f64 = 12.0;

/// The height of a label's line.
pub(super) const LINE: f64 = 15.0;

/// The widest line of a label, and the widest that holds more than one condition.
const WIDEST: f64 = 250.0;
const WIDEST_TOGETHER: f64 = 170.0;

/// Rows of codes in one column, and in two.
const ONE_COLUMN: usize = 4;
const TWO_COLUMNS: usize = 8;

/// Lines of names.
const MOST_LINES: usize = 8;

/// What names may need before a list under the picture reads better.
mod short {
    pub(super) const LINES: usize = 5;
    pub(super) const LABELS: usize = 12;
    /// Lines of all labels together.
    pub(super) const ALL_LINES: usize = 24;
}

/// The lines on an edge.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LabelText {
    pub(super) lines: Vec<String>,
    pub(super) size: Size,
}

impl LabelText {
    /// A sign that stands for a text in the list under the picture.
    pub(super) fn sign(text: String) -> Self {
        let width = metrics::width(&text, FONT);
        Self { lines: vec![text], size: Size::new(metrics::even(width + 10.0), LINE + 1.0) }
    }

    fn new(lines: Vec<String>, codes: bool) -> Self {
        let width = lines.iter().map(|line| line_width(line, codes)).fold(0.0, f64::max);
        let height = lines.len() as f64 * LINE + 3.0;
        Self { lines, size: Size::new(metrics::even(width + 8.0), metrics::even(height)) }
    }
}

/// Codes are set in a font of one width, so that rows stand in columns.
fn line_width(line: &str, codes: bool) -> f64 {
    if codes { columns(line) as f64 * 0.61 * FONT } else { metrics::width(line, FONT) }
}

/// The labels of a drawing's contexts.
pub(super) struct Labels {
    /// Codes or names.
    pub(super) style: LabelStyle,
    /// One for each context.
    pub(super) texts: Vec<LabelText>,
    /// Whether they are too many or too long for the picture.
    pub(super) to_list: bool,
}

/// The style that a drawing's labels have, and a label for each of its contexts.
pub(super) fn labels(drawing: &Drawing<'_>, contexts: &[(&EdgeContext, Rows)]) -> Labels {
    let codes = match drawing.labels {
        LabelStyle::Codes => true,
        LabelStyle::Names => false,
        LabelStyle::Auto => numbered(drawing),
    };
    let text = |(context, rows): &(&EdgeContext, Rows)| {
        let lines = if codes { code_lines(context, rows) } else { name_lines(drawing, context, rows) };
        LabelText::new(lines, codes)
    };
    let texts: Vec<LabelText> = contexts.iter().map(text).collect();
    let style = if codes { LabelStyle::Codes } else { LabelStyle::Names };
    let lines = || texts.iter().map(|label| label.lines.len());
    let many = texts.len() > short::LABELS || lines().sum::<usize>() > short::ALL_LINES;
    let long = lines().any(|lines| lines > short::LINES);
    let to_list = drawing.labels == LabelStyle::Auto && !codes && (many || long);
    Labels { style, texts, to_list }
}

/// Whether names and levels are numbers, as in the paper's figures: then codes say it all.
fn numbered(drawing: &Drawing<'_>) -> bool {
    let variables = drawing.schema.variables();
    variables.iter().enumerate().all(|(index, variable)| {
        says_its_number(&variable.name, index)
            && variable.levels.iter().enumerate().all(|(code, level)| *level == code.to_string())
    })
}

/// Whether a name ends in the variable's number, counted from 1, and is hardly more.
pub(super) fn says_its_number(name: &str, index: usize) -> bool {
    let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
    digits == (index + 1).to_string() && name.len() - digits.len() <= 2
}

/// The paper's rows, in two columns where there are many.
fn code_lines(context: &EdgeContext, rows: &Rows) -> Vec<String> {
    let mut lines = code_rows(context, rows);
    if lines.len() <= ONE_COLUMN {
        return lines;
    }
    let second = lines.split_off(lines.len().div_ceil(2));
    let width = lines.iter().chain(&second).map(|line| line.chars().count()).max().unwrap_or(0);
    let right = second.iter().map(String::as_str).chain(std::iter::repeat(""));
    lines.iter().zip(right).map(|(left, right)| format!("{left:<width$} {right:<width$}")).collect()
}

/// The paper's rows parted by slashes, as a label is typed.
pub(super) fn rows_on_one_line(context: &EdgeContext, rows: &Rows) -> String {
    code_rows(context, rows).join("/")
}

/// The paper's rows, a few of them; the rest is counted.
fn code_rows(context: &EdgeContext, rows: &Rows) -> Vec<String> {
    let wide = context.space().cardinalities().iter().any(|&levels| levels > 10);
    let symbol = |symbol: &Symbol| match symbol {
        Symbol::Any => "*".to_owned(),
        Symbol::Level(level) => level.to_string(),
    };
    let line = |row: &Vec<Symbol>| {
        let symbols: Vec<String> = row.iter().map(symbol).collect();
        clipped(&symbols.join(if wide { "," } else { "" }), 24)
    };
    let all = rows.rows.len() + rows.more;
    let shown = if all <= TWO_COLUMNS { all } else { TWO_COLUMNS - 1 };
    let mut lines: Vec<String> = rows.rows.iter().take(shown).map(line).collect();
    if all > shown {
        lines.push(format!("+{}", all - shown));
    }
    lines
}

fn clipped(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most - 1).chain(['…']).collect()
}

/// The cases of a context in names, one or more lines each.
fn name_lines(drawing: &Drawing<'_>, context: &EdgeContext, rows: &Rows) -> Vec<String> {
    let cases: Vec<Vec<String>> = cases(rows, context).iter().map(|case| case_lines(drawing, case)).collect();
    // A long case and the next one are parted by a line of its own.
    let apart = cases.iter().any(|case| case.len() > 1);
    let mut lines: Vec<String> = Vec::new();
    for (number, case) in cases.iter().enumerate() {
        if number > 0 && lines.len() + case.len() + usize::from(apart) > MOST_LINES {
            lines.push(format!("or {} more", cases.len() - number + rows.more));
            return lines;
        }
        if number > 0 && apart {
            lines.push("or".to_owned());
        }
        let or = if number > 0 && !apart { "or " } else { "" };
        lines.extend(case.iter().take(MOST_LINES).map(|line| format!("{or}{line}")));
    }
    if rows.more > 0 {
        lines.push(format!("or {} more", rows.more));
    }
    lines
}

/// Conditions on one line where they fit, else one line each.
fn case_lines(drawing: &Drawing<'_>, case: &[Condition]) -> Vec<String> {
    let conditions: Vec<String> = case
        .iter()
        .map(|condition| {
            let (name, levels) = equation(drawing.schema, condition);
            let levels = metrics::cut(&levels, FONT, WIDEST * 0.6);
            metrics::cut(&name, FONT, WIDEST - metrics::width(&levels, FONT)) + &levels
        })
        .collect();
    let together = conditions.join(" and ");
    if metrics::width(&together, FONT) <= WIDEST_TOGETHER {
        return vec![together];
    }
    let last = conditions.len().saturating_sub(1);
    conditions
        .into_iter()
        .enumerate()
        .map(|(place, condition)| if place < last { condition + " and" } else { condition })
        .collect()
}
