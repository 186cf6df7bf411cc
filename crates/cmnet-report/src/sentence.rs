//! Contexts as English sentences.

use super::wording::{Rows, Stars, cases, level_list, shown};
use cmnet::{Edge, EdgeContext, Schema, Var};

/// What every sentence ends with.
pub(super) const GIVEN: &str = " (given everything else)";

/// Cases spelled out in one sentence.
const MOST_CASES: usize = 6;

/// What an edge context says, in words.
///
/// Common neighbours that may have any value are left out; beyond six cases the rest is
/// counted only. Names and levels are shortened and stripped of control characters.
///
/// # Example
/// ```
/// use cmnet::{Edge, Schema, Structure, Variable};
/// let variable = |name: &str, levels: [&str; 2]| Variable {
///     name: name.to_owned(),
///     levels: levels.map(str::to_owned).to_vec(),
/// };
/// let schema = Schema::new(vec![
///     variable("smoking", ["no", "yes"]),
///     variable("pressure", ["<140", ">=140"]),
///     variable("ratio", ["<3", ">=3"]),
/// ])?;
/// let mut structure = Structure::empty(&schema.cardinalities());
/// for (i, j) in [(0, 1), (0, 2), (1, 2)] {
///     structure.toggle_edge(Edge::new(i, j)?)?;
/// }
/// let edge = Edge::new(0, 1)?;
/// structure.add_context_element(edge, 1)?;
/// let sentences: Vec<String> = structure.contexts().map(|context| cmnet_report::sentence(&schema, context)).collect();
/// assert_eq!(
///     sentences,
///     ["smoking and pressure are independent when ratio is >=3 (given everything else)"]
/// );
/// # Ok::<(), cmnet::Error>(())
/// ```
pub fn sentence(schema: &Schema, context: &EdgeContext) -> String {
    let rows = Stars::new().rows(context);
    of_rows(schema, context, &rows)
}

/// An edge in a configuration of its common neighbours: `a | b given c=x, d=y`.
pub fn element_name(schema: &Schema, edge: Edge, given: &[(Var, u32)]) -> String {
    let level = |&(variable, level): &(Var, u32)| {
        let variable = schema.variable(variable);
        format!("{}={}", variable.name, variable.levels[level as usize])
    };
    let given: Vec<String> = given.iter().map(level).collect();
    format!("{} | {} given {}", schema.name(edge.low()), schema.name(edge.high()), given.join(", "))
}

/// The sentence for rows that are known already.
pub(super) fn of_rows(schema: &Schema, context: &EdgeContext, rows: &Rows) -> String {
    let (low, high) = context.edge().ends();
    format!(
        "{} and {} are {}{GIVEN}",
        shown(schema.name(low)),
        shown(schema.name(high)),
        when(schema, context, rows)
    )
}

/// The sentence without its subject: `independent when ...`.
pub(super) fn when(schema: &Schema, context: &EdgeContext, rows: &Rows) -> String {
    let cases = cases(rows, context);
    let mut parts: Vec<String> = cases
        .iter()
        .take(MOST_CASES)
        .map(|case| {
            let conditions: Vec<String> = case
                .iter()
                .map(|condition| {
                    let variable = schema.variable(condition.variable);
                    format!("{} is {}", shown(&variable.name), level_list(variable, &condition.levels))
                })
                .collect();
            format!("when {}", conditions.join(" and "))
        })
        .collect();
    let more = cases.len() - parts.len() + rows.more;
    if more > 0 {
        parts.push(format!("in {more} more {}", if more == 1 { "case" } else { "cases" }));
    }
    format!("independent {}", parts.join("; or "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cmnet::{Cell, Edge, Structure, Variable};

    /// The sentence of edge 0-1 in the complete graph over binary variables `a`, `b`, ...
    fn of(variables: usize, cells: &[Cell]) -> String {
        let names = ["a", "b", "c", "d", "e", "f", "g"];
        let variable = |name: &&str| Variable {
            name: (*name).to_owned(),
            levels: vec!["no".to_owned(), "yes".to_owned()],
        };
        let schema = Schema::new_unchecked(names[..variables].iter().map(variable).collect());
        let mut structure = Structure::empty(&schema.cardinalities());
        for pair in structure.graph().pairs() {
            structure.toggle_edge(pair).unwrap();
        }
        let edge = Edge::new(0, 1).unwrap();
        for &cell in cells {
            structure.add_context_element(edge, cell).unwrap();
        }
        sentence(&schema, structure.context(edge).unwrap())
    }

    #[test]
    fn stars_are_left_out_and_rows_are_joined() {
        assert_eq!(of(4, &[2, 3]), "a and b are independent when c is yes (given everything else)");
        assert_eq!(
            of(4, &[1, 2]),
            "a and b are independent when c is no and d is yes; or when c is yes and d is no \
             (given everything else)"
        );
    }

    #[test]
    fn long_contexts_are_counted_to_the_end() {
        let odd: Vec<Cell> = (0..32).filter(|cell: &Cell| cell.count_ones() % 2 == 1).collect();
        let text = of(7, &odd);
        assert_eq!(text.matches("when").count(), 6);
        assert!(text.contains("; or in 10 more cases (given"), "{text}");
    }
}
