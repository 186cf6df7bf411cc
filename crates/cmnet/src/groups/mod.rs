//! Groups of rows: where a dependence holds for one group and vanishes for another.

mod compared;
mod grouping;
mod pair;
mod permute;

pub use grouping::{GroupNames, Grouping};

use crate::control::{StopReason, ask};
use crate::data::{Dataset, Schema, Var, numbered_configurations};
use crate::error::{Error, Expected, OptionName, Remedy, Result, quoted};
use crate::graph::{Edge, Graph};
use crate::learn::{ContextChoice, LearnObserver, LearnOptions, Refine, Select, Tune, in_pool, learn_here};
use crate::score::{EdgePattern, Kappa, Knowledge};
use crate::structure::Structure;
use compared::Compared;
use pair::Pair;
use permute::{Labels, p_values};

/// The most observations, and the most numbers that permutations may take.
const MOST: u64 = 1 << 27;

/// How groups are compared.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupOptions {
    /// The column whose levels are the groups.
    pub group: Var,
    /// The column within whose levels labels of groups are exchanged, such as pairs or persons; it is no
    /// variable. \[default: none\]
    pub block: Option<Var>,
    /// How often labels of groups are exchanged. \[default: 999\]
    pub permutations: u64,
    /// The level of the tests. \[default: 0.05\]
    pub level: f64,
    /// What determines the random numbers. \[default: 1\]
    pub seed: u64,
}

impl GroupOptions {
    /// The usual options for a column of groups.
    pub fn of(group: Var) -> Self {
        Self { group, block: None, permutations: 999, level: 0.05, seed: 1 }
    }

    /// Checks the options against a table.
    ///
    /// # Errors
    /// When a number is out of range, or the columns give no groups that can be compared.
    pub fn check(&self, data: &Dataset) -> Result<()> {
        if self.permutations == 0 {
            return Err(Error::option(OptionName::Permutations, "0", Expected::AtLeast(1)));
        }
        if !(self.level > 0.0 && self.level < 1.0) {
            return Err(Error::option(OptionName::Level, self.level.to_string(), "a number between 0 and 1"));
        }
        let name = |variable: Var| quoted(data.schema().name(variable));
        if self.block == Some(self.group) {
            let expected = "another column than that of the groups";
            return Err(Error::option(OptionName::Block, data.schema().name(self.group), expected));
        }
        let counts = data.level_counts(self.group);
        if counts.iter().filter(|&&rows| rows > 0).count() < 2 {
            let expected =
                format!("a column with at least two levels that occur; {} has one", name(self.group));
            return Err(Error::option(OptionName::Group, data.schema().name(self.group), expected));
        }
        if let Some(small) = counts.iter().position(|&rows| rows == 1) {
            let level = quoted(&data.schema().variable(self.group).levels[small]);
            let expected = format!(
                "groups of at least two rows; {level} has one: leave it out, or join it with another"
            );
            return Err(Error::option(OptionName::Group, data.schema().name(self.group), expected));
        }
        self.check_blocks(data)?;
        let pairs = (data.variables() as u64).saturating_mul(data.variables() as u64);
        if data.rows() > MOST {
            return Err(Error::limit("rows of groups", MOST, ["compare the groups of a sample".into()]));
        }
        if pairs.saturating_mul(self.permutations) > MOST {
            let remedies = ["ask for fewer permutations".into(), Remedy::LeaveOutVariables];
            return Err(Error::limit("pairs of variables times permutations of groups", MOST, remedies));
        }
        Ok(())
    }

    /// Refuses blocks within which there is nothing to exchange: every p-value would be 1.
    fn check_blocks(&self, data: &Dataset) -> Result<()> {
        let Some(block) = self.block else { return Ok(()) };
        let mut seen: Vec<Option<u32>> = vec![None; data.schema().variable(block).levels.len()];
        let rows = data.column(block).iter().zip(data.column(self.group).iter()).zip(data.weights());
        for ((own, group), _) in rows.filter(|(_, weight)| **weight > 0) {
            if seen[own as usize].replace(group).is_some_and(|before| before != group) {
                return Ok(());
            }
        }
        let single = data.level_counts(block).iter().all(|&rows| rows <= 1);
        let why = if single { "every block has one row" } else { "every block has rows of one group alone" };
        let expected =
            format!("a column of blocks with rows of two groups or more, whose labels are exchanged; {why}");
        let found = data.schema().name(block);
        Err(Error::option(OptionName::Block, found, Expected::Described(expected.into())))
    }

    /// The variables without the column of blocks.
    fn variables(&self, data: &Dataset) -> Vec<Var> {
        (0..data.variables()).filter(|&variable| Some(variable) != self.block).collect()
    }
}

/// What is known about edges when the group is required to be adjacent to all other variables, or to those
/// that are named.
pub fn group_knowledge(schema: &Schema, group: Var, among: &[Var]) -> Knowledge {
    let all: Vec<Var> = (0..schema.len()).collect();
    let ends = if among.is_empty() { all.as_slice() } else { among };
    let require = ends
        .iter()
        .filter(|&&other| other != group)
        .map(|&other| EdgePattern::Ends([schema.name(group).to_owned(), schema.name(other).to_owned()]));
    Knowledge { require: require.collect(), ..Knowledge::default() }
}

/// A pair of variables in one group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairInGroup {
    /// The mutual information given the neighbours, in nats.
    pub information: f64,
    /// The log odds ratio given the neighbours, and its standard error; where both variables have two levels.
    pub log_odds_ratio: Option<(f64, f64)>,
}

/// A pair of variables in all groups.
#[derive(Clone, Debug, PartialEq)]
pub struct PairOfGroups {
    /// The pair, as variables of the table that was given.
    pub pair: (Var, Var),
    /// The variables that it is compared given: neighbours of one of its ends.
    pub given: Vec<Var>,
    /// One entry for each group.
    pub groups: Vec<PairInGroup>,
    /// How much the groups' associations differ.
    pub statistic: f64,
    /// The p-value of that alone.
    pub p_value: f64,
    /// The p-value adjusted for all pairs.
    pub adjusted: f64,
    /// Whether the pair differs at the level asked for.
    pub differs: bool,
}

/// What the comparison of groups found.
#[derive(Clone, Debug)]
pub struct GroupComparison {
    /// The rows of each group.
    pub rows: Vec<u64>,
    /// Every pair of variables other than group and block, in order.
    pub pairs: Vec<PairOfGroups>,
    /// Permutations that were done.
    pub permutations: u64,
    /// Why it ended.
    pub stop: StopReason,
}

/// Compares the groups pair by pair: by how much their associations differ, and how probable so large a
/// difference is when labels of groups are exchanged.
///
/// Each pair is compared given the neighbours of one of its ends in the graph that is learned without the
/// column of groups, so that what is tested is fixed before labels are looked at. A pair that differs depends
/// on each other in some group: where that graph lacks it, it is added, the most different one first, and
/// the others are compared anew. So an edge that is weak over all groups together, and strong in one, makes
/// no difference between its neighbours.
///
/// p-values hold where rows of different groups, within a block, come from one distribution. The statistic is
/// in units of standard errors, which keeps them near the truth where groups differ in single variables alone.
///
/// # Errors
/// When an option cannot be used, or learning is asked to stop.
pub fn compare_groups(
    data: &Dataset,
    options: &GroupOptions,
    learning: &LearnOptions,
    observer: &dyn LearnObserver,
) -> Result<GroupComparison> {
    options.check(data)?;
    let variables: Vec<Var> =
        options.variables(data).into_iter().filter(|&variable| variable != options.group).collect();
    if variables.len() < 2 {
        let expected = "a table with at least two other variables";
        return Err(Error::option(OptionName::Group, data.schema().name(options.group), expected));
    }
    let learning = LearnOptions {
        kappas: vec![Kappa::Epsilon],
        refine: Refine::No,
        select: Select::None,
        contexts: ContextChoice::All,
        knowledge: Knowledge::default(),
        tune: Tune::NOTHING,
        target: None,
        ..learning.clone()
    };
    in_pool(&learning, || {
        let learned = learn_here(&data.select(&variables)?, &learning, observer)?;
        ask(observer)?;
        let found = learned.models.first().map(|model| model.structure.graph().clone());
        let graph = found.unwrap_or_else(|| Graph::empty(variables.len()));
        let rows = Rows::new(data, options, &variables);
        let compared = rows.compare(options, graph, observer);
        Ok(rows.told(data, options, compared))
    })
}

/// The observations of a table, one by one.
struct Rows<'a> {
    variables: &'a [Var],
    columns: Vec<Vec<u32>>,
    levels: Vec<u32>,
    labels: Labels,
}

impl<'a> Rows<'a> {
    fn new(data: &Dataset, options: &GroupOptions, variables: &'a [Var]) -> Self {
        let expanded = |variable: Var| -> Vec<u32> {
            let rows = data.column(variable).iter().zip(data.weights());
            rows.flat_map(|(code, &weight)| std::iter::repeat_n(code, weight as usize)).collect()
        };
        let groups: Vec<u16> = expanded(options.group).into_iter().map(|code| code as u16).collect();
        let mut blocks: Vec<Vec<usize>> = Vec::new();
        let of_rows = options.block.map_or_else(|| vec![0; groups.len()], expanded);
        for (row, &block) in of_rows.iter().enumerate() {
            let block = block as usize;
            if blocks.len() <= block {
                blocks.resize_with(block + 1, Vec::new);
            }
            blocks[block].push(row);
        }
        let count = data.schema().variable(options.group).levels.len();
        let cardinality = |&variable: &Var| data.schema().variable(variable).cardinality();
        Self {
            variables,
            columns: variables.iter().map(|&variable| expanded(variable)).collect(),
            levels: variables.iter().map(cardinality).collect(),
            labels: Labels { groups, count, blocks, seed: options.seed },
        }
    }

    fn pair(&self, graph: &Graph, edge: Edge) -> Pair {
        let (one, other) = edge.ends();
        let given = under(graph, edge, &self.columns);
        Pair::new((one, other), &self.columns, [self.levels[one], self.levels[other]], given)
    }

    /// Compares all pairs, and again whenever one differs that the graph lacks, until none does.
    fn compare(&self, options: &GroupOptions, mut graph: Graph, observer: &dyn LearnObserver) -> Compared {
        let edges: Vec<Edge> = graph.pairs().collect();
        let pairs = edges.iter().map(|&edge| self.pair(&graph, edge)).collect();
        let mut compared = Compared::of(&self.labels, pairs, options.permutations, observer);
        while compared.stop == StopReason::Converged {
            let lacks = |place: usize| !graph.contains(edges[place]);
            let Some(place) = compared.most_different(options.level, lacks) else { break };
            graph.add_edge(edges[place]);
            let changed = edges.iter().enumerate().filter_map(|(place, &edge)| {
                let pair = self.pair(&graph, edge);
                (pair.given != compared.pairs[place].given).then_some((place, pair))
            });
            let changed = changed.collect();
            compared.replace(&self.labels, changed, observer);
        }
        compared
    }

    fn told(&self, data: &Dataset, options: &GroupOptions, compared: Compared) -> GroupComparison {
        let values = p_values(&compared.observed, &compared.permuted);
        let numbers = compared.pairs.iter().zip(compared.observed).zip(values);
        let pairs = numbers.map(|((pair, statistic), p)| PairOfGroups {
            pair: (self.variables[pair.ends.0], self.variables[pair.ends.1]),
            given: pair.given.iter().map(|&variable| self.variables[variable]).collect(),
            groups: pair
                .strengths(&self.labels.groups, self.labels.count)
                .into_iter()
                .map(PairInGroup::from)
                .collect(),
            statistic,
            p_value: p.alone,
            adjusted: p.adjusted,
            differs: p.adjusted <= options.level,
        });
        GroupComparison {
            rows: data.level_counts(options.group),
            pairs: pairs.collect(),
            permutations: compared.permuted.len() as u64,
            stop: compared.stop,
        }
    }
}

impl From<(f64, Option<pair::LogOdds>)> for PairInGroup {
    fn from((information, odds): (f64, Option<pair::LogOdds>)) -> Self {
        let log_odds_ratio = odds.map(|odds| (odds.value, libm::sqrt(odds.variance)));
        Self { information, log_odds_ratio }
    }
}

/// What a pair is compared under: the neighbours of the end that have fewer configurations.
fn under(graph: &Graph, edge: Edge, columns: &[Vec<u32>]) -> Vec<Var> {
    let (one, other) = edge.ends();
    let of = |end: Var| -> Vec<Var> {
        graph.markov_blanket(end).iter().filter(|&neighbour| neighbour != edge.other(end)).collect()
    };
    let (first, second) = (of(one), of(other));
    let count = |some: &[Var]| numbered_configurations(columns, some.iter().copied()).1;
    if count(&second) < count(&first) { second } else { first }
}

/// Whether an edge between variables other than the group vanishes in a whole group: in every context with
/// its level.
pub fn vanishes_in_group(structure: &Structure, edge: Edge, group: Var, level: u32) -> bool {
    if !structure.graph().contains(edge) {
        return true;
    }
    let Some(context) = structure.context(edge) else { return false };
    let space = context.space();
    let Some(place) = space.variables().position(group) else { return false };
    let inside = context.elements().filter(|&cell| space.configuration(cell)[place] == level).count();
    inside as u64 == space.size() / u64::from(structure.cardinalities()[group])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of three variables and a group; a row is told by whether it is in the first group, and by numbers that it
    /// draws.
    fn grouped(rows: u64, seed: u64, row: impl Fn(bool, &dyn Fn(u64) -> u64) -> [bool; 3]) -> Dataset {
        let labels = (0..rows).map(|number| {
            let first = number % 2 == 0;
            let values = row(first, &|of| crate::data::mix_seed(seed * 1_000_003 + number * 10 + of));
            let [a, b, c] = values.map(|value| if value { "1" } else { "0" });
            [a, b, c, if first { "x" } else { "y" }]
        });
        Dataset::from_labels(&["a", "b", "c", "g"], labels).unwrap()
    }

    /// `a` and `b` go together in the first group alone.
    fn table(rows: u64) -> Dataset {
        grouped(rows, 0, |first, drawn| {
            let draw = |of| drawn(of) % 10;
            let a = draw(0) < 5;
            let b = if first && draw(1) < 8 { a } else { draw(2) < 5 };
            [a, b, if draw(3) < 6 { b } else { draw(4) < 5 }]
        })
    }

    #[test]
    fn the_pair_that_differs_is_found_and_the_others_are_not() {
        let data = table(600);
        let options = GroupOptions { permutations: 199, ..GroupOptions::of(3) };
        let found = compare_groups(&data, &options, &LearnOptions::default(), &()).unwrap();
        let differs: Vec<bool> = found.pairs.iter().map(|pair| pair.differs).collect();
        assert_eq!(differs, [true, false, false], "{found:?}");
        assert!(found.pairs[0].groups[0].information > 5.0 * found.pairs[0].groups[1].information);
        assert_eq!((found.permutations, found.rows.as_slice()), (199, [300, 300].as_slice()));
        let again = LearnOptions { threads: 3, ..LearnOptions::default() };
        assert_eq!(compare_groups(&data, &options, &again, &()).unwrap().pairs, found.pairs);
    }

    /// `a` and `b` go together in the first group alone, so weakly over both that the graph lacks their edge;
    /// `c` follows `b`.
    fn chain(rows: u64, seed: u64) -> Dataset {
        grouped(rows, seed, |first, drawn| {
            let draw = |of| drawn(of) % 100;
            let a = draw(0) < 50;
            let b = if draw(1) < 55 { a == first } else { draw(2) < 50 };
            [a, b, if draw(3) < 90 { b } else { draw(4) < 50 }]
        })
    }

    #[test]
    fn an_edge_that_groups_hide_from_the_graph_marks_no_neighbours() {
        for seed in 0..5 {
            let data = chain(600, seed);
            let options = GroupOptions { permutations: 99, ..GroupOptions::of(3) };
            let learned =
                crate::learn::learn(&data.select(&[0, 1, 2]).unwrap(), &LearnOptions::default(), &());
            let hidden = Edge::new(0, 1).unwrap();
            assert!(!learned.unwrap().models[0].structure.graph().contains(hidden));
            let found = compare_groups(&data, &options, &LearnOptions::default(), &()).unwrap();
            // Without b, a - c would differ.
            let differs = [found.pairs[0].differs, found.pairs[1].differs];
            assert_eq!(
                (differs, found.pairs[1].given.as_slice()),
                ([true, false], [1].as_slice()),
                "{found:?}"
            );
        }
    }

    #[test]
    fn what_cannot_be_compared_is_refused() {
        let refused = |data: &Dataset, options: &GroupOptions| {
            compare_groups(data, options, &LearnOptions::default(), &()).unwrap_err().to_string()
        };
        let data = table(40);
        let usual = GroupOptions::of(3);
        assert!(refused(&data, &GroupOptions { permutations: 0, ..usual.clone() }).contains("1 or more"));
        assert!(refused(&data, &GroupOptions { level: 1.0, ..usual.clone() }).contains("between 0 and 1"));
        assert!(refused(&data, &GroupOptions { block: Some(3), ..usual.clone() }).contains("another column"));
        let constant = Dataset::from_labels(&["a", "b", "g"], [["0", "1", "x"], ["1", "0", "x"]]).unwrap();
        assert!(refused(&constant, &GroupOptions::of(2)).contains("at least two levels that occur"));
        let single = [["0", "1", "x"], ["1", "0", "x"], ["1", "1", "y"]];
        let single = Dataset::from_labels(&["a", "b", "g"], single).unwrap();
        assert!(refused(&single, &GroupOptions::of(2)).contains("\"y\" has one"));
    }
}
