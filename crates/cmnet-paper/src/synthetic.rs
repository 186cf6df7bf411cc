//! Known distributions to sample from: the seven-variable true model of the paper's section 4
//! and a network that no chordal model can express.

use cmnet::{Dataset, Edge, OutcomeSpace, Result, Schema, Structure, Var, Variable};
use rand::Rng;

/// A distribution known cell by cell, with the structure that it satisfies.
///
/// # Example
/// ```
/// use cmnet_paper::synthetic::KnownModel;
/// let model = KnownModel::seven_variables()?;
/// assert!((model.entropy() - 4.253230674).abs() < 1e-9);
/// let given = [(0, 0), (1, 0), (3, 0), (4, 1)];
/// assert!((model.conditional(2, &given)[0] - 0.8140).abs() < 5e-5); // the paper's table
/// # Ok::<(), cmnet::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct KnownModel {
    schema: Schema,
    structure: Structure,
    space: OutcomeSpace,
    probabilities: Vec<f64>,
}

/// The five parameters that are not published, chosen so that the entropy fits the published sBIC.
const CHOSEN: [f64; 5] = [0.5, 0.3, 0.7, 0.8, 0.4];

/// Edges and, by edge, the cells of its context.
type Outline<'a> = (&'a [(Var, Var)], &'a [(Var, Var, &'a [u64])]);

impl KnownModel {
    /// The seven binary variables of the paper's synthetic experiment, a stratified graphical
    /// model of Nyman et al. (2014) with 19 parameters.
    ///
    /// 14 parameters are forced by the paper's tables of p(X3|...) and p(X4|...). **Five are
    /// not published** and are chosen so that the entropy fits the published sBIC: P(X2=1),
    /// P(X6=1|X5) (two values) and P(X7=1|X5,X6) (two values).
    ///
    /// # Errors
    /// Never.
    pub fn seven_variables() -> Result<Self> {
        Self::seven_variables_with(CHOSEN)
    }

    /// The same with other values of the five parameters that are not published: P(X2=1),
    /// P(X6=1|X5=0), P(X6=1|X5=1), P(X7=1|X5=0,X6=1) and P(X7=1|elsewhere).
    ///
    /// # Errors
    /// Never.
    pub fn seven_variables_with(unpublished: [f64; 5]) -> Result<Self> {
        let edges = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3), (2, 4), (3, 4), (4, 5), (4, 6), (5, 6)];
        let contexts: [(Var, Var, &[u64]); 5] =
            [(0, 1, &[2]), (0, 2, &[2, 3]), (3, 4, &[0]), (4, 6, &[0]), (5, 6, &[1])];
        Self::new(7, (&edges, &contexts), |x| seven_variable_probability(x, unpublished))
    }

    /// Six binary variables round a square without chord, with a labelled triangle on two of
    /// its sides: X1-X2-X3-X4, X5 with X1 and X2 (edge X1-X5 cut off where X2 = 0), X6 with X3
    /// and X4 (edge X3-X6 cut off where X4 = 1). Ours, not the paper's.
    ///
    /// # Errors
    /// Never.
    pub fn square() -> Result<Self> {
        let edges = [(0, 1), (1, 2), (2, 3), (0, 3), (0, 4), (1, 4), (2, 5), (3, 5)];
        let contexts: [(Var, Var, &[u64]); 2] = [(0, 4, &[0]), (2, 5, &[1])];
        Self::new(6, (&edges, &contexts), square_weight)
    }

    /// X1 to X4 of the seven variables, the others summed out: all connected, with the contexts
    /// of X1-X2 and X1-X3. Small enough for an exact search.
    ///
    /// # Errors
    /// Never.
    pub fn first_four() -> Result<Self> {
        let edges = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
        let contexts: [(Var, Var, &[u64]); 2] = [(0, 1, &[2]), (0, 2, &[2, 3])];
        Self::new(4, (&edges, &contexts), |row| {
            let rest = |number: u32| [number >> 2 & 1, number >> 1 & 1, number & 1];
            (0..8).map(|number| seven_variable_probability(&[row, &rest(number)].concat(), CHOSEN)).sum()
        })
    }

    fn new(variables: usize, outline: Outline<'_>, weight: impl Fn(&[u32]) -> f64) -> Result<Self> {
        let levels = vec!["0".to_owned(), "1".to_owned()];
        let variable = |number: usize| Variable { name: format!("X{}", number + 1), levels: levels.clone() };
        let schema = Schema::new_unchecked((0..variables).map(variable).collect());
        let cardinalities = schema.cardinalities();
        let mut structure = Structure::empty(&cardinalities);
        for &(low, high) in outline.0 {
            structure.toggle_edge(Edge::new(low, high)?)?;
        }
        for &(low, high, cells) in outline.1 {
            for &cell in cells {
                structure.add_context_element(Edge::new(low, high)?, cell)?;
            }
        }
        let space = OutcomeSpace::new((0..variables).collect(), &cardinalities)?;
        let mut probabilities: Vec<f64> =
            (0..space.size()).map(|cell| weight(&space.configuration(cell))).collect();
        let total: f64 = probabilities.iter().sum();
        for probability in &mut probabilities {
            *probability /= total;
        }
        Ok(Self { schema, structure, space, probabilities })
    }

    /// Names and levels.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The true graph and contexts.
    pub fn structure(&self) -> &Structure {
        &self.structure
    }

    /// p(x) of every configuration, the last variable running fastest.
    pub fn probabilities(&self) -> &[f64] {
        &self.probabilities
    }

    /// A table of independent observations.
    ///
    /// # Errors
    /// When no row is asked for, or too many.
    pub fn sample(&self, rows: u32, rng: &mut impl Rng) -> Result<Dataset> {
        let mut sum = 0.0;
        let ends: Vec<f64> = self
            .probabilities
            .iter()
            .map(|probability| {
                sum += probability;
                sum
            })
            .collect();
        let mut weights = vec![0u32; ends.len()];
        for _ in 0..rows {
            let draw = rng.random::<f64>() * sum;
            weights[ends.partition_point(|&end| end <= draw).min(ends.len() - 1)] += 1;
        }
        self.table(&weights)
    }

    /// A table with this many observations of each configuration.
    ///
    /// # Errors
    /// When there are none at all.
    pub fn table(&self, weights: &[u32]) -> Result<Dataset> {
        let column =
            |position: usize| (0..self.space.size()).map(|cell| self.space.level(cell, position)).collect();
        let columns: Vec<Vec<u32>> = (0..self.schema.len()).map(column).collect();
        Dataset::from_columns(self.schema.clone(), &columns, Some(weights))
    }

    /// The Kullback-Leibler divergence from this distribution, first, to one that is given by
    /// its log probabilities: sum of p ln(p / q).
    pub fn divergence(&self, log_probability: impl Fn(&[u32]) -> f64) -> f64 {
        let term = |(cell, &p): (u64, &f64)| {
            if p > 0.0 { p * (libm::log(p) - log_probability(&self.space.configuration(cell))) } else { 0.0 }
        };
        (0..).zip(&self.probabilities).map(term).sum()
    }

    /// The entropy in nats.
    pub fn entropy(&self) -> f64 {
        -self.divergence(|_| 0.0)
    }

    /// The distribution of one variable given levels of others.
    pub fn conditional(&self, variable: Var, given: &[(Var, u32)]) -> Vec<f64> {
        let mut sums = vec![0.0; self.schema.variable(variable).levels.len()];
        for (cell, probability) in (0..).zip(&self.probabilities) {
            if given.iter().all(|&(other, level)| self.space.level(cell, other) == level) {
                sums[self.space.level(cell, variable) as usize] += probability;
            }
        }
        let total: f64 = sums.iter().sum();
        sums.iter().map(|sum| sum / total).collect()
    }
}

/// p(x2) p(x3|x2) p(x4|x2,x3) p(x1|x2,x3,x4) p(x5|x3,x4) p(x6|x5) p(x7|x5,x6).
fn seven_variable_probability(x: &[u32], unpublished: [f64; 5]) -> f64 {
    let [second, sixth_low, sixth_high, seventh_special, seventh] = unpublished;
    let ones = [
        second,
        [0.3, 0.8][x[1] as usize],
        [[0.4, 0.2], [0.8, 0.6]][x[1] as usize][x[2] as usize],
        match (x[1], x[2], x[3]) {
            (0, 0, 0) => 0.5,
            (0, 0, _) => 0.7,
            (_, _, 0) => 0.2,
            (0, _, _) => 0.4,
            _ => 0.8,
        },
        [[0.8, 0.8], [0.2, 0.5]][x[2] as usize][x[3] as usize],
        [sixth_low, sixth_high][x[4] as usize],
        if x[4] == 0 && x[5] == 1 { seventh_special } else { seventh },
    ];
    let order = [1, 2, 3, 0, 4, 5, 6];
    ones.iter().zip(order).map(|(&one, variable)| if x[variable] == 1 { one } else { 1.0 - one }).product()
}

/// exp of the phi-terms of the square.
fn square_weight(x: &[u32]) -> f64 {
    let on = |variables: &[Var]| f64::from(u8::from(variables.iter().all(|&v| x[v] == 1)));
    let pairs = 1.0 * on(&[0, 1]) - 1.1 * on(&[1, 2]) + 1.0 * on(&[2, 3]) + 0.9 * on(&[0, 3]);
    // X1-X5 is cut off where X2 = 0: phi_15 = 0. X3-X6 where X4 = 1: phi_36 + phi_346 = 0.
    let triangles = 0.8 * on(&[1, 4]) + 1.2 * on(&[0, 1, 4]) + 1.2 * on(&[2, 5])
        - 1.2 * on(&[2, 3, 5])
        - 0.8 * on(&[3, 5]);
    let alone = -0.5 * on(&[0]) + 0.2 * on(&[1]) - 0.3 * on(&[3]) - 0.6 * on(&[4]) + 0.1 * on(&[5]);
    libm::exp(pairs + triangles + alone)
}
