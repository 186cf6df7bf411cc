//! Names, levels and contexts as words that are safe to show.

use super::metrics::is_zero_width;
use cmnet::{EdgeContext, Label, Schema, Symbol, Var, Variable};
use std::fmt;

/// Configurations looked at for the stars of all labels of a drawing; beyond, rows are
/// written out one by one.
const STAR_WORK: u64 = 20_000_000;

/// Rows kept of a context; nothing that is drawn or written shows more.
const MOST_ROWS: usize = 64;

/// Marks on one character that are kept.
const MOST_MARKS: usize = 3;

/// Characters kept of a name or a level.
const MOST_CHARACTERS: usize = 60;

/// Levels listed of a condition.
const MOST_LEVELS: usize = 6;

/// Words kept of a title.
const MOST_WORDS: usize = 40;

/// A number of things: `1 edge`, `2 edges`.
///
/// # Example
/// ```
/// assert_eq!(cmnet_report::many(1, "edge"), "1 edge");
/// assert_eq!(cmnet_report::many(0, "edge"), "0 edges");
/// ```
pub fn many<N: Copy + fmt::Display + PartialEq + From<u8>>(count: N, noun: &str) -> String {
    let ending = if count == N::from(1) { "" } else { "s" };
    format!("{count} {noun}{ending}")
}

/// The first rows of a context, levels and stars, and how many rows follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rows {
    pub(super) rows: Vec<Vec<Symbol>>,
    pub(super) more: usize,
}

/// A budget for finding stars, shared by the labels of one drawing.
#[derive(Debug)]
pub(super) struct Stars {
    left: u64,
}

impl Stars {
    pub(super) fn new() -> Self {
        Self { left: STAR_WORK }
    }

    /// The rows of a context, with stars while the budget lasts.
    pub(super) fn rows(&mut self, context: &EdgeContext) -> Rows {
        let Some(left) = self.left.checked_sub(star_price(context)) else {
            let space = context.space();
            let row = |cell| space.configuration(cell).into_iter().map(Symbol::Level).collect();
            let rows: Vec<Vec<Symbol>> = context.elements().take(MOST_ROWS).map(row).collect();
            return Rows { more: context.len() - rows.len(), rows };
        };
        self.left = left;
        let label = Label::of(&context.elements().collect(), context.space());
        let rows: Vec<Vec<Symbol>> = label.rows().iter().take(MOST_ROWS).cloned().collect();
        Rows { more: label.rows().len() - rows.len(), rows }
    }
}

/// What `Label::of` may cost: every pattern for each row in a small space, else the
/// elements once for each position and row.
fn star_price(context: &EdgeContext) -> u64 {
    let product = |factor: fn(u64) -> u64| {
        let levels = context.space().cardinalities().iter().map(|&r| u64::from(r));
        levels.fold(1u64, |product, r| product.saturating_mul(factor(r)))
    };
    let elements = context.len() as u64;
    let once = if product(|r| r + 1) <= 1 << 16 {
        product(|r| 2 * r)
    } else {
        elements.saturating_mul(context.space().cardinalities().len() as u64)
    };
    elements.saturating_mul(once)
}

/// A condition: a variable has one of these levels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Condition {
    pub(super) variable: Var,
    pub(super) levels: Vec<u32>,
}

/// The rows as cases, each a list of conditions that hold together; stars are left out,
/// and rows that differ in one level only become one case.
pub(super) fn cases(rows: &Rows, context: &EdgeContext) -> Vec<Vec<Condition>> {
    let variables = context.space().variables().as_slice();
    let mut cases: Vec<Vec<Condition>> = Vec::new();
    for row in &rows.rows {
        let conditions = variables.iter().zip(row).filter_map(|(&variable, symbol)| match symbol {
            Symbol::Any => None,
            Symbol::Level(level) => Some(Condition { variable, levels: vec![*level] }),
        });
        let case: Vec<Condition> = conditions.collect();
        if !cases.last_mut().is_some_and(|last| merged(last, &case)) {
            cases.push(case);
        }
    }
    cases
}

/// Adds a case's one different level to the case before it, if that is all there is.
fn merged(last: &mut [Condition], case: &[Condition]) -> bool {
    let same_variables =
        last.len() == case.len() && last.iter().zip(case).all(|(one, other)| one.variable == other.variable);
    let different: Vec<usize> =
        (0..case.len().min(last.len())).filter(|&place| last[place].levels != case[place].levels).collect();
    let (true, [place]) = (same_variables, different.as_slice()) else { return false };
    last[*place].levels.extend_from_slice(&case[*place].levels);
    true
}

/// A condition as on a label, its two parts: `lipoprotein_ratio` and ` >=3`, `class` and
/// ` = good or bad`.
pub(super) fn equation(schema: &Schema, condition: &Condition) -> (String, String) {
    let variable = schema.variable(condition.variable);
    let levels = level_list(variable, &condition.levels);
    let compares = levels.starts_with(['<', '>', '=', '≤', '≥', '≠', '!']);
    (shown(&variable.name), format!("{}{levels}", if compares { " " } else { " = " }))
}

/// Levels in words: `a`, `a or b`, `a, b or c`; of many, the first few.
pub(super) fn level_list(variable: &Variable, levels: &[u32]) -> String {
    let shown = if levels.len() <= MOST_LEVELS { levels.len() } else { MOST_LEVELS - 1 };
    let mut words: Vec<String> = levels[..shown].iter().map(|&level| level_name(variable, level)).collect();
    if levels.len() > shown {
        words.push(format!("one of {} more", levels.len() - shown));
    }
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => words.concat(),
    }
}

/// A level's label, or its code where the schema has none.
pub(super) fn level_name(variable: &Variable, level: u32) -> String {
    variable.levels.get(level as usize).map_or_else(|| level.to_string(), |label| shown(label))
}

/// A text of the user's on one line: no control or direction characters, no long runs of
/// marks, cut with an ellipsis, never empty.
pub(super) fn shown(text: &str) -> String {
    let mut clean = String::new();
    let (mut marks, mut count) = (0, 0);
    for c in text.chars() {
        let c = if c.is_whitespace() { ' ' } else { c };
        if is_hidden(c) || (c == ' ' && (clean.is_empty() || clean.ends_with(' '))) {
            continue;
        }
        marks = if is_zero_width(c) { marks + 1 } else { 0 };
        if marks > MOST_MARKS || (marks > 0 && clean.is_empty()) {
            continue;
        }
        if count == MOST_CHARACTERS {
            clean.truncate(clean.trim_end().len());
            clean.push('…');
            return clean;
        }
        count += 1;
        clean.push(c);
    }
    clean.truncate(clean.trim_end().len());
    if clean.is_empty() { "(empty)".to_owned() } else { clean }
}

/// A longer text of the user's on one line, each word of it made harmless.
pub(super) fn shown_words(text: &str) -> String {
    let words: Vec<String> = text.split_whitespace().take(MOST_WORDS).map(shown).collect();
    if words.is_empty() { shown(text) } else { words.join(" ") }
}

/// Characters that show nothing, steer the terminal or turn the direction of the text
/// around them, or that XML does not allow.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
        || (c as u32 & 0xfffe) == 0xfffe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_is_made_harmless() {
        for (text, harmless) in [
            ("a\n\tb\u{1b}[31m", "a b[31m"),
            ("\u{202e}evil\u{200f}", "evil"),
            (" \u{0}\u{301}", "(empty)"),
            ("x\u{ffff}\u{fffe}y", "xy"),
        ] {
            assert_eq!(shown(text), harmless);
        }
        assert_eq!(shown(&format!("e{}", "\u{301}".repeat(500))).chars().count(), 4);
        assert_eq!(shown(&"ab ".repeat(1000)).chars().count(), 60);
    }

    #[test]
    fn levels_that_compare_need_no_equals_sign() {
        let levels = vec!["<3".to_owned(), ">=3".to_owned(), "none".to_owned()];
        let schema = Schema::new_unchecked(vec![Variable { name: "ratio".to_owned(), levels }]);
        let text = |levels: &[u32]| {
            let (name, rest) = equation(&schema, &Condition { variable: 0, levels: levels.to_vec() });
            name + &rest
        };
        assert_eq!(text(&[1]), "ratio >=3");
        assert_eq!(text(&[2]), "ratio = none");
        assert_eq!(text(&[2, 0, 1]), "ratio = none, <3 or >=3");
    }
}
