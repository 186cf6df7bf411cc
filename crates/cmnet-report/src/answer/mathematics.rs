//! The mathematics of a model on show: its terms, the restrictions of its contexts, and the
//! classes of a blanket (paper, equation 1, Proposition 2 and section 3.2).

use super::names;
use cmnet::{
    BlanketPartition, Control, Count, CountSource, Dataset, Model, Restriction, Result, RowCounts, Schema,
    Term, Terms, Var, parameter_count_of, restrictions,
};
use serde_json::{Map, Value, json};

/// What is to be shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// The restrictions that contexts put on terms.
    pub restrictions: bool,
    /// The classes of this variable's blanket.
    pub classes: Option<Var>,
    /// The terms.
    pub terms: bool,
}

impl Shown {
    /// Whether nothing is to be shown.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The classes of one variable's blanket.
#[derive(Clone, Debug)]
pub struct Classes {
    /// The classes with their configurations.
    pub partition: BlanketPartition,
    /// How often each level was observed in each class; `None` without a table.
    pub counts: Option<Vec<Vec<Count>>>,
    /// The variable's distribution in each class; `None` without parameters.
    pub probabilities: Option<Vec<Vec<f64>>>,
}

/// What is shown of a model.
#[derive(Clone, Debug)]
pub struct Mathematics<'a> {
    /// The model.
    pub model: &'a Model,
    /// What was asked for.
    pub shown: Shown,
    /// Its terms, where they or the restrictions on them were asked for.
    pub terms: Option<Terms>,
    /// The restrictions, where they were asked for.
    pub restrictions: Vec<Restriction>,
    /// The free parameters: terms less the rank of all restrictions. With the restrictions.
    pub parameters: Option<usize>,
    /// The classes, where they were asked for.
    pub classes: Option<Classes>,
}

impl<'a> Mathematics<'a> {
    /// What is asked for, with counts where there is a table.
    ///
    /// # Errors
    /// When there are too many terms, or a blanket has too many configurations to list; when the
    /// control asks to stop.
    pub fn of(model: &'a Model, shown: Shown, data: Option<&Dataset>, control: &dyn Control) -> Result<Self> {
        let structure = model.structure();
        let asked = shown.restrictions || shown.terms;
        let of_order = || Terms::of_order(structure, model.order(), Some(model.schema()));
        let terms = asked.then(of_order).transpose()?;
        let counted = |terms: &Terms| parameter_count_of(structure, terms, control);
        let parameters = terms.as_ref().filter(|_| shown.restrictions).map(counted).transpose()?;
        let listed = match &terms {
            Some(terms) if shown.restrictions => restrictions(structure, terms),
            _ => Vec::new(),
        };
        let classes = shown.classes.map(|node| classes(model, node, data)).transpose()?;
        Ok(Self { model, shown, terms, restrictions: listed, parameters, classes })
    }

    /// How many terms there are to show.
    pub fn term_count(&self) -> usize {
        self.terms.as_ref().map_or(0, Terms::len)
    }

    /// A term by its number.
    pub fn term(&self, number: usize) -> Option<Term> {
        self.terms.as_ref().map(|terms| terms.term(number))
    }

    /// The value of a term; `None` without parameters.
    pub fn value(&self, term: usize) -> Option<f64> {
        let fit = self.model.fit()?;
        Some(fit.parameters.value(&self.terms.as_ref()?.term(term)))
    }

    /// The constant term, -log Z; `None` where it is not known.
    pub fn constant(&self) -> Option<f64> {
        Some(-self.model.fit()?.parameters.log_partition()?)
    }

    /// What a restriction sums to, which should be 0; `None` without parameters.
    pub fn sum(&self, restriction: &Restriction) -> Option<f64> {
        restriction.terms.iter().map(|&term| self.value(term)).sum()
    }

    /// The element of a restriction: the common neighbours with their levels.
    pub fn element(&self, restriction: &Restriction) -> Vec<(Var, u32)> {
        self.model.structure().context(restriction.edge).map_or(Vec::new(), |context| {
            let levels = context.space().configuration(restriction.cell);
            context.space().variables().iter().zip(levels).collect()
        })
    }

    /// Adds the parts that were asked for to a document.
    pub(super) fn write_into(&self, document: &mut Map<String, Value>) {
        if self.shown.restrictions {
            let all = self.restrictions.iter().map(|one| self.restriction_json(one));
            document.insert("restrictions".to_owned(), all.collect());
            document.insert("free_parameters".to_owned(), self.parameters.into());
        }
        if let Some(classes) = &self.classes {
            document.insert("classes".to_owned(), classes.to_json(self.model.schema()));
        }
        if self.shown.terms {
            let constant = json!({"variables": [], "levels": [], "value": self.constant()});
            let terms = (0..self.term_count()).map(|term| self.term_json(term, self.value(term)));
            document.insert("terms".to_owned(), [constant].into_iter().chain(terms).collect());
        }
    }

    fn term_json(&self, term: usize, value: Option<f64>) -> Value {
        let mut named = self.named_term(term);
        named.insert("value".to_owned(), value.into());
        Value::Object(named)
    }

    fn named_term(&self, term: usize) -> Map<String, Value> {
        let schema = self.model.schema();
        let Some(term) = self.term(term) else { return Map::new() };
        let labels = term.variables.iter().zip(term.levels).map(|known| names::label(schema, known));
        let variables = json!(names::list(schema, &term.variables));
        Map::from_iter([("variables".to_owned(), variables), ("levels".to_owned(), labels.collect())])
    }

    fn restriction_json(&self, one: &Restriction) -> Value {
        let schema = self.model.schema();
        let (low, high) = one.edge.ends();
        let levels = [names::label(schema, (low, one.levels.0)), names::label(schema, (high, one.levels.1))];
        let element: Map<String, Value> = self
            .element(one)
            .into_iter()
            .map(|known| (schema.name(known.0).to_owned(), names::label(schema, known).into()))
            .collect();
        let terms: Value = one.terms.iter().map(|&term| Value::Object(self.named_term(term))).collect();
        json!({"edge": names::edge(schema, one.edge), "context": element, "levels": levels,
            "terms": terms, "sum": self.sum(one)})
    }
}

fn classes(model: &Model, node: Var, data: Option<&Dataset>) -> Result<Classes> {
    let structure = model.structure();
    let partition = BlanketPartition::new(structure, node)?;
    let counts = match data {
        Some(data) => {
            let family = RowCounts::new(data).family(node, structure.markov_blanket(node))?;
            Some(partition.counts(&family))
        }
        None => None,
    };
    let probabilities = model.fit().map(|fit| {
        let evaluator = fit.parameters.evaluator();
        let mut row = vec![0; structure.variables()];
        let of_class = |cells: &Vec<u64>| {
            let levels = cells.first().map_or(Vec::new(), |&cell| partition.space().configuration(cell));
            partition.space().variables().iter().zip(levels).for_each(|(v, level)| row[v] = level);
            evaluator.conditional(node, &row)
        };
        partition.classes().iter().map(of_class).collect()
    });
    Ok(Classes { partition, counts, probabilities })
}

impl Classes {
    fn to_json(&self, schema: &Schema) -> Value {
        let (node, space) = (self.partition.node(), self.partition.space());
        let configuration = |&cell: &u64| -> Value {
            let levels = space.variables().iter().zip(space.configuration(cell));
            levels.map(|known| names::label(schema, known)).collect()
        };
        let labels = &schema.variable(node).levels;
        let class = |(place, cells): (usize, &Vec<u64>)| {
            let counts = self.counts.as_ref().map(|counts| {
                let named = labels.iter().cloned().zip(counts[place].iter().map(|&count| json!(count)));
                Value::Object(named.collect())
            });
            let probabilities =
                self.probabilities.as_ref().map(|all| names::by_level(schema, node, &all[place]));
            json!({"configurations": cells.iter().map(configuration).collect::<Value>(),
                "counts": counts, "probabilities": probabilities})
        };
        json!({"variable": schema.name(node), "blanket": names::list(schema, space.variables()),
            "classes": self.partition.classes().iter().enumerate().map(class).collect::<Value>()})
    }
}
