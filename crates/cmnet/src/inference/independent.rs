//! Whether a structure makes variables independent of each other: X_A and X_B given X_S and
//! the context X_C = x_C (paper, Definition 1).
//!
//! Context-specific independence is independence for every x_S. Given x_C and one x_S the
//! edges whose contexts hold are cut, and what is separated in the graph that is left is
//! independent in every distribution of the structure. Different x_S can cut different edges,
//! so that no single graph needs to separate A and B for all of them: the values of S are
//! taken apart, but only those of variables that decide about an edge on a way from A to B.

use super::cut_edges::holds;
use super::evidence::{Evidence, find_variables};
use crate::context::EdgeContext;
use crate::control::{Control, ask};
use crate::data::{Schema, Var};
use crate::error::{Error, Result, quoted};
use crate::graph::{Edge, Graph, VarSet};
use crate::loglinear::affordable_canonical;
use crate::structure::Structure;
use std::collections::{BTreeMap, VecDeque};

/// The most cases that are told apart.
const MOST_CASES: usize = 1 << 16;

/// A question about independence: of `one` and `other`, given `given` and `context`.
///
/// # Example
/// ```
/// use cmnet::{Edge, IndependenceQuestion, Schema, Structure, Variable, independent};
/// let variable = |name: &str| Variable { name: name.to_owned(), levels: vec!["0".into(), "1".into()] };
/// let schema = Schema::new(vec![variable("a"), variable("b"), variable("c")])?;
/// let mut structure = Structure::empty(&schema.cardinalities());
/// for (i, j) in [(0, 1), (0, 2), (1, 2)] {
///     structure.toggle_edge(Edge::new(i, j)?)?;
/// }
/// structure.add_context_element(Edge::new(0, 1)?, 1)?; // a and b, cut off where c = 1
/// let ask = |context: &str| {
///     let question = IndependenceQuestion::read(&schema, "a", "b")?.in_context(&schema, context)?;
///     independent(&structure, &question, &())
/// };
/// assert!(ask("c=1")?.is_independent());
/// assert!(!ask("c=0")?.is_independent());
/// # Ok::<(), cmnet::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IndependenceQuestion {
    /// The variables A.
    pub one: VarSet,
    /// The variables B.
    pub other: VarSet,
    /// The variables S, which are known with any values.
    pub given: VarSet,
    /// The context X_C = x_C. Weights of levels say nothing here.
    pub context: Evidence,
}

impl IndependenceQuestion {
    /// Whether the variables of one text are independent of those of another: names with
    /// commas between, in double quotes those that contain commas themselves.
    ///
    /// # Errors
    /// When a variable does not exist.
    pub fn read(schema: &Schema, one: &str, other: &str) -> Result<Self> {
        let named =
            |text: &str| -> Result<VarSet> { Ok(find_variables(schema, &[text])?.into_iter().collect()) };
        Ok(Self { one: named(one)?, other: named(other)?, ..Self::default() })
    }

    /// The same, given variables with any values.
    ///
    /// # Errors
    /// When a variable does not exist.
    pub fn given(mut self, schema: &Schema, names: &str) -> Result<Self> {
        let more = find_variables(schema, &[names])?;
        self.given = self.given.iter().chain(more).collect();
        Ok(self)
    }

    /// The same in a context, written as `name=level,name=level`.
    ///
    /// # Errors
    /// As [`Evidence::add`].
    pub fn in_context(mut self, schema: &Schema, levels: &str) -> Result<Self> {
        self.context.add(schema, levels)?;
        Ok(self)
    }

    /// Refuses variables that do not exist, stand on two sides, or are not there at all.
    ///
    /// # Errors
    /// In each of these cases, with the name of the variable.
    pub fn check(&self, schema: &Schema) -> Result<()> {
        let context: VarSet = self.context.hard().map(|(v, _)| v).collect();
        if self.one.is_empty() || self.other.is_empty() {
            let problem = "independence is asked of nothing";
            return Err(Error::question(problem, "name at least one variable on each side"));
        }
        let sides = [
            (&self.one, "asked about"),
            (&self.other, "what it is to be independent of"),
            (&self.given, "given with any value"),
            (&context, "given in the context"),
        ];
        let mut seen: BTreeMap<Var, &str> = BTreeMap::new();
        for (variable, role) in sides.iter().flat_map(|(set, role)| set.iter().map(move |v| (v, *role))) {
            if variable >= schema.len() {
                let problem = format!("there is no variable {variable}");
                return Err(Error::question(problem, format!("there are {}, counted from 0", schema.len())));
            }
            if let Some(before) = seen.insert(variable, role) {
                let name = quoted(schema.name(variable));
                let problem = format!("{name} is both {before} and {role}");
                return Err(Error::question(problem, "name each variable once"));
            }
        }
        Ok(())
    }
}

/// Values of some of the given variables for which contexts cut A off from B.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndependentCase {
    /// The values that make the case; the other given variables may have any.
    pub levels: Vec<(Var, u32)>,
    /// The cut edges without which there would be a way from A to B. None where what is given
    /// separates them in the graph itself.
    pub cut: Vec<Edge>,
}

/// A way from A to B that is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenPath {
    /// From a variable of A to one of B.
    pub variables: Vec<Var>,
    /// Values of given variables with which no edge of it is cut, whatever the others are.
    pub levels: Vec<(Var, u32)>,
    /// Whether contexts that others imply were looked for. Where the structure is too large for
    /// that, one of them may cut the path.
    pub is_closed: bool,
}

/// Whether a structure makes variables independent, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Independence {
    /// They are, in every distribution of the structure: the cases cover all values.
    Holds(Vec<IndependentCase>),
    /// They are not, or only by chance: in this way A tells about B.
    Open(OpenPath),
}

impl Independence {
    /// Whether they are independent.
    pub fn is_independent(&self) -> bool {
        matches!(self, Self::Holds(_))
    }
}

/// Whether every distribution of a structure makes variables independent.
///
/// Contexts that others imply count too, where they are cheap to find
/// ([`affordable_canonical`]). A yes holds for every distribution of the structure. A no is
/// one for almost every distribution, where implied contexts were looked for
/// ([`OpenPath::is_closed`]): chance can make more independent than the structure says.
///
/// # Errors
/// When the answer takes more than 65,536 cases; when the control asks to stop. The question
/// must be one of the structure's variables: [`IndependenceQuestion::check`].
pub fn independent(
    structure: &Structure,
    question: &IndependenceQuestion,
    control: &dyn Control,
) -> Result<Independence> {
    let implied = affordable_canonical(structure);
    let closed = implied.as_ref().unwrap_or(structure);
    let search = CaseSearch { graph: structure.graph(), closed, question };
    let mut open = vec![BTreeMap::new()];
    let mut cases = Vec::new();
    while let Some(levels) = open.pop() {
        ask(control)?;
        match search.look(&levels) {
            Seen::Apart(cut) => cases.push(IndependentCase { levels: levels.into_iter().collect(), cut }),
            Seen::Path(variables) => {
                let levels = levels.into_iter().collect();
                return Ok(Independence::Open(OpenPath { variables, levels, is_closed: implied.is_some() }));
            }
            Seen::Undecided(variable) => {
                let levels_of = structure.cardinalities()[variable];
                open.extend((0..levels_of).rev().map(|level| {
                    let mut more = levels.clone();
                    more.insert(variable, level);
                    more
                }));
            }
        }
        if cases.len() + open.len() > MOST_CASES {
            let what = "the number of cases of the given variables that the contexts tell apart";
            return Err(Error::limit(what, MOST_CASES, "give a context in place of some variables"));
        }
    }
    Ok(Independence::Holds(cases))
}

/// What one case shows.
enum Seen {
    /// No way from A to B, since these edges are cut.
    Apart(Vec<Edge>),
    /// A way that nothing more can cut.
    Path(Vec<Var>),
    /// A way that depends on the value of this given variable.
    Undecided(Var),
}

/// What an edge is in a case.
#[derive(PartialEq, Eq)]
enum Standing {
    Cut,
    /// Cut for some values of this variable, which is given.
    Depends(Var),
    Solid,
}

struct CaseSearch<'a> {
    graph: &'a Graph,
    /// The structure with what its contexts imply.
    closed: &'a Structure,
    question: &'a IndependenceQuestion,
}

impl CaseSearch<'_> {
    fn look(&self, levels: &BTreeMap<Var, u32>) -> Seen {
        let standing = |edge| self.standing(edge, levels);
        if let Some(path) = self.path(&|edge| standing(edge) == Standing::Solid) {
            return Seen::Path(path);
        }
        let Some(path) = self.path(&|edge| standing(edge) != Standing::Cut) else {
            return Seen::Apart(self.responsible(&|edge| standing(edge) == Standing::Cut));
        };
        let edges = path.windows(2).filter_map(|ends| Edge::new(ends[0], ends[1]).ok());
        let mut decisive = edges.filter_map(|edge| match standing(edge) {
            Standing::Depends(variable) => Some(variable),
            Standing::Cut | Standing::Solid => None,
        });
        // A path of solid edges alone was found above.
        decisive.next().map_or(Seen::Path(path.clone()), Seen::Undecided)
    }

    fn standing(&self, edge: Edge, levels: &BTreeMap<Var, u32>) -> Standing {
        if !self.closed.graph().contains(edge) {
            return Standing::Cut;
        }
        let Some(context) = self.closed.context(edge) else { return Standing::Solid };
        let known = |v| self.question.context.level(v).or_else(|| levels.get(&v).copied());
        if holds(context, known) {
            return Standing::Cut;
        }
        let unknown = |&v: &Var| self.question.given.contains(v) && known(v).is_none();
        match context.space().variables().iter().find(unknown) {
            Some(variable) if fits_somewhere(context, known) => Standing::Depends(variable),
            _ => Standing::Solid,
        }
    }

    fn is_known(&self, v: Var) -> bool {
        self.question.given.contains(v) || self.question.context.level(v).is_some()
    }

    /// A shortest way from A to B along such edges, past what is known.
    fn path(&self, passable: &dyn Fn(Edge) -> bool) -> Option<Vec<Var>> {
        let before = self.reach(&self.question.one, passable);
        let mut end = self.question.other.iter().find(|v| before.contains_key(v))?;
        let mut path = vec![end];
        while before[&end] != end {
            end = before[&end];
            path.push(end);
        }
        path.reverse();
        Some(path)
    }

    /// Every variable that can be reached, with the one before it; a start with itself.
    fn reach(&self, from: &VarSet, passable: &dyn Fn(Edge) -> bool) -> BTreeMap<Var, Var> {
        let mut before: BTreeMap<Var, Var> = from.iter().map(|v| (v, v)).collect();
        let mut open: VecDeque<Var> = from.iter().collect();
        while let Some(node) = open.pop_front() {
            for next in self.graph.markov_blanket(node).iter() {
                let way = Edge::new(node, next).is_ok_and(passable);
                if way && !self.is_known(next) && !before.contains_key(&next) {
                    before.insert(next, node);
                    open.push_back(next);
                }
            }
        }
        before
    }

    /// The cut edges that lead from where A reaches towards B.
    fn responsible(&self, is_cut: &dyn Fn(Edge) -> bool) -> Vec<Edge> {
        let near = self.reach(&self.question.one, &|edge| !is_cut(edge));
        let outside = |edge: Edge| !near.contains_key(&edge.low()) && !near.contains_key(&edge.high());
        let far = self.reach(&self.question.other, &outside);
        let crosses = |edge: &Edge| {
            let (low, high) = edge.ends();
            (near.contains_key(&low) && far.contains_key(&high))
                || (near.contains_key(&high) && far.contains_key(&low))
        };
        self.graph.edges().filter(crosses).filter(|&edge| is_cut(edge)).collect()
    }
}

/// Whether some element of a context agrees with what is known.
fn fits_somewhere(context: &EdgeContext, known: impl Fn(Var) -> Option<u32>) -> bool {
    let space = context.space();
    let agrees = |cell| {
        let mut variables = space.variables().iter().enumerate();
        variables.all(|(position, v)| known(v).is_none_or(|level| space.level(cell, position) == level))
    };
    context.elements().any(agrees)
}
