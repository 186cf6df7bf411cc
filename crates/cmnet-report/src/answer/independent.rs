//! Whether variables are independent of each other, and why.

use super::names;
use cmnet::{Independence, IndependenceQuestion, IndependentCase, Schema, Var};
use serde_json::{Map, Value, json};

/// Cases that are listed.
const MOST_CASES: usize = 1000;

/// A question about independence with its answer.
#[derive(Clone, Debug)]
pub struct IndependentAnswer<'a> {
    /// Names and levels.
    pub schema: &'a Schema,
    /// What was asked.
    pub question: &'a IndependenceQuestion,
    /// What the structure says.
    pub found: &'a Independence,
}

answer_by_json!(IndependentAnswer, "cmnet-independent/1");

impl IndependentAnswer<'_> {
    /// `graph` where what is given separates in the graph itself, `contexts` where contexts
    /// cut edges besides, `path` where a way is open.
    pub fn reason(&self) -> &'static str {
        match self.found {
            Independence::Holds(cases) if cases.iter().all(|case| case.cut.is_empty()) => "graph",
            Independence::Holds(_) => "contexts",
            Independence::Open(_) => "path",
        }
    }

    /// The cases; none where a way is open.
    pub fn cases(&self) -> &[IndependentCase] {
        match self.found {
            Independence::Holds(cases) => cases,
            Independence::Open(_) => &[],
        }
    }

    fn to_json(&self) -> Value {
        let schema = self.schema;
        let list = |set| json!(names::list(schema, set));
        let case = |case: &IndependentCase| json!({"given": by_name(schema, &case.levels), "cut_edges": names::edges(schema, &case.cut)});
        let cases = self.cases();
        let path = match self.found {
            Independence::Holds(_) => Value::Null,
            Independence::Open(open) => {
                let ways: Vec<&str> = open.variables.iter().map(|&v| schema.name(v)).collect();
                json!({"variables": ways, "given": by_name(schema, &open.levels), "closed": open.is_closed})
            }
        };
        json!({
            "variables": list(&self.question.one),
            "of": list(&self.question.other),
            "given": list(&self.question.given),
            "context": names::given(schema, &self.question.context),
            "independent": self.found.is_independent(),
            "reason": self.reason(),
            "cases": cases.iter().take(MOST_CASES).map(case).collect::<Value>(),
            "cases_left_out": cases.len().saturating_sub(MOST_CASES),
            "path": path,
        })
    }
}

fn by_name(schema: &Schema, levels: &[(Var, u32)]) -> Value {
    let named = |&known: &(Var, u32)| (schema.name(known.0).to_owned(), names::label(schema, known).into());
    Value::Object(levels.iter().map(named).collect::<Map<_, _>>())
}
