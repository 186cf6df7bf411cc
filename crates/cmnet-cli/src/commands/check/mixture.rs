//! `cmnet check` of a mixture: the referee lists the joint space once more.

use super::examined::table;
use super::labelled;
use super::parameters::terms_of;
use crate::args::{CheckArgs, Format, Printed};
use crate::exit::Outcome;
use crate::{files, output};
use cmnet::{DataDigest, Mixture};
use cmnet_check::{CheckError, Class, mixture as referee, restriction_violation};
use cmnet_report::Together;
use cmnet_report::align::decimal;
use cmnet_report::answer::Answer;
use serde::Serialize;

/// Violations and log-likelihoods (as a share) above this are a disagreement.
const TOLERANCE: f64 = 1e-6;
/// The most of the joint space that is listed.
const MOST_CELLS: usize = 1 << 20;

/// `cmnet-check/1` of a mixture.
#[derive(Debug, Serialize)]
struct MixtureVerdict {
    agrees: bool,
    /// Whether every structure is regular.
    regular: bool,
    /// Whether the table is the one fitted to.
    same_data: Option<bool>,
    /// Free parameters by exact rational rank, and those of the weights.
    parameters: usize,
    recorded_parameters: usize,
    restriction_violation: f64,
    /// The log-likelihood by the referee; null where the joint space is too large to list.
    log_likelihood: Option<f64>,
    recorded_log_likelihood: Option<f64>,
    /// The largest difference between a weight and the mean chance of its class.
    weight_gap: Option<f64>,
    /// The largest derivative per row.
    gradient: Option<f64>,
    /// What both may be where EM ended: a step that gains so little moves no further.
    allowed: Option<f64>,
    not_examined: Option<String>,
}

impl Answer for MixtureVerdict {
    const FORMAT: &'static str = "cmnet-check/1";
}

pub(super) fn run(arguments: &Printed<CheckArgs>, mixture: &Mixture) -> anyhow::Result<Outcome> {
    let data = files::table_for(mixture.first(), &arguments.score.data)?;
    let plain = table(&data)?;
    let mut classes = Vec::new();
    let (mut regular, mut parameters, mut violation) = (true, mixture.components().len() - 1, 0.0f64);
    for component in mixture.components() {
        let structure = labelled(component.model.structure());
        regular &= structure.is_regular(plain.cardinalities());
        let fit = files::fit_of(&component.model, &arguments.score.model.model)?;
        let (model, phi) = terms_of(fit, &plain, &structure)?;
        parameters += model.parameter_count();
        violation = violation.max(restriction_violation(&model, &phi)?);
        classes.push(Class { weight: component.weight, model, phi, pseudo_counts: fit.smoothing });
    }
    let same_data = mixture.fit().map(|fit| fit.digest == DataDigest::of(&data));
    let fitted = mixture.fit().filter(|_| same_data == Some(true));
    let mut verdict = MixtureVerdict {
        agrees: true,
        regular,
        same_data,
        parameters,
        recorded_parameters: mixture.free_parameters(),
        restriction_violation: violation,
        log_likelihood: None,
        recorded_log_likelihood: fitted.map(|fit| fit.log_likelihood),
        weight_gap: None,
        gradient: None,
        // A class whose derivative is g gains at least 2 g^2 per row in a step of EM.
        allowed: fitted.filter(|fit| fit.converged).map(|fit| libm::sqrt(2.0 * fit.gain.abs()) + TOLERANCE),
        not_examined: None,
    };
    verdict.list(&plain, &classes)?;
    verdict.agrees = verdict.judge();
    let agrees = verdict.agrees;
    match arguments.format {
        Format::Text => output::page(&verdict.as_text())?,
        Format::Json => output::answer(&verdict)?,
    }
    Ok(if agrees { Outcome::Done } else { Outcome::No })
}

impl MixtureVerdict {
    /// Lists the joint space, where it is not too large.
    fn list(&mut self, table: &cmnet_check::Table, classes: &[Class]) -> anyhow::Result<()> {
        let cells = table.cardinalities().iter().try_fold(1usize, |cells, &r| cells.checked_mul(r));
        let found = match cells.filter(|&cells| cells <= MOST_CELLS) {
            Some(_) => referee(table, classes),
            None => Err(CheckError::TooLarge { what: "joint configurations", limit: MOST_CELLS }),
        };
        match found {
            Ok(found) => {
                self.log_likelihood = Some(found.log_likelihood);
                self.weight_gap = Some(found.weight_gap);
                self.gradient = Some(found.gradient);
            }
            Err(CheckError::TooLarge { what, limit }) => {
                self.not_examined = Some(format!("the likelihood takes more than {limit} {what}"));
            }
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    fn judge(&self) -> bool {
        let likelihood = match (self.log_likelihood, self.recorded_log_likelihood) {
            (Some(found), Some(recorded)) => (found - recorded).abs() <= TOLERANCE * found.abs().max(1.0),
            _ => true,
        };
        let small = |value: Option<f64>| match (value, self.allowed) {
            (Some(value), Some(allowed)) => value <= allowed,
            _ => true,
        };
        self.regular
            && likelihood
            && self.parameters == self.recorded_parameters
            && self.restriction_violation <= TOLERANCE
            && small(self.weight_gap)
            && small(self.gradient)
    }

    fn as_text(&self) -> String {
        let number = |value: Option<f64>| value.map_or("not examined".to_owned(), |v| format!("{v:.3e}"));
        let total = |value: Option<f64>| value.map_or("not examined".to_owned(), decimal);
        let mut text = format!(
            "log-likelihood          {} (recorded {})\n\
             weights off by          {} (allowed {})\n\
             gradient per row        {} (allowed {})\n\
             parameters              {} (recorded {})\n\
             restrictions broken by  {:.3e}\n\
             regular                 {}\n",
            total(self.log_likelihood),
            self.recorded_log_likelihood.map_or("none".to_owned(), decimal),
            number(self.weight_gap),
            number(self.allowed),
            number(self.gradient),
            number(self.allowed),
            self.parameters,
            self.recorded_parameters,
            self.restriction_violation,
            if self.regular { "yes" } else { "NO" },
        );
        if let Some(why) = &self.not_examined {
            text += "Not examined: ";
            text += why;
            text += ".\n";
        }
        if self.same_data == Some(false) {
            text += "This is not the table the mixture was fitted to: its records are not compared.\n";
        }
        text + match (self.agrees, self.not_examined.is_some()) {
            (true, false) => "The referee agrees.\n",
            (true, true) => "The referee agrees with what it examined.\n",
            (false, _) => "The referee DISAGREES.\n",
        }
    }
}
