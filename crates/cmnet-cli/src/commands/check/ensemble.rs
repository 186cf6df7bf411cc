//! `cmnet check` of an ensemble: every resample is drawn once more, and the referee examines its network there.

use super::examined::table;
use super::labelled;
use super::parameters::{ParameterVerdict, examine};
use crate::args::{CheckArgs, Format, Printed};
use crate::exit::Outcome;
use crate::interrupt::{self, Interrupt};
use crate::{files, output};
use cmnet::{Control, DataDigest, Dataset, Ensemble, Member};
use cmnet_report::Together;
use cmnet_report::answer::Answer;
use serde::Serialize;
use std::fmt::Write as _;

/// `cmnet-check/1` of an ensemble.
#[derive(Debug, Default, Serialize)]
struct EnsembleVerdict {
    agrees: bool,
    /// Networks, and those of them that were examined.
    members: usize,
    examined: usize,
    /// Whether every structure is regular.
    regular: bool,
    /// Whether the table is the one that was resampled.
    same_data: bool,
    /// The largest of all networks.
    restriction_violation: f64,
    /// The largest of all networks; null where none was examined.
    gradient: Option<f64>,
    /// The replicates whose network the referee disagrees with.
    disagreeing: Vec<u64>,
    /// Why something was not examined, of the first network of which that is so.
    not_examined: Option<String>,
}

impl Answer for EnsembleVerdict {
    const FORMAT: &'static str = "cmnet-check/1";
}

pub(super) fn run(arguments: &Printed<CheckArgs>, ensemble: &Ensemble) -> anyhow::Result<Outcome> {
    let data = files::table_for(ensemble.first(), &arguments.score.data)?;
    interrupt::listen();
    let mut verdict = EnsembleVerdict {
        members: ensemble.members().len(),
        regular: true,
        same_data: ensemble.drawn().digest == DataDigest::of(&data),
        ..EnsembleVerdict::default()
    };
    let rows = !verdict.same_data || ensemble.drawn().rows == data.rows();
    for member in ensemble.members() {
        if Interrupt.stop().is_some() {
            break;
        }
        verdict.add(ensemble, member, &data)?;
    }
    verdict.agrees = rows && verdict.regular && verdict.disagreeing.is_empty();
    match arguments.format {
        Format::Text => output::page(&verdict.as_text())?,
        Format::Json => output::answer(&verdict)?,
    }
    Ok(match (verdict.agrees, verdict.examined == verdict.members) {
        (false, _) => Outcome::No,
        (true, true) => Outcome::Done,
        (true, false) => Outcome::Interrupted,
    })
}

impl EnsembleVerdict {
    /// Examines a network on its own resample, or by itself where the table is another.
    fn add(&mut self, ensemble: &Ensemble, member: &Member, data: &Dataset) -> anyhow::Result<()> {
        let drawn = if self.same_data { &ensemble.redraw(member, data)? } else { data };
        let (plain, structure) = (table(drawn)?, labelled(member.model.structure()));
        self.regular &= structure.is_regular(plain.cardinalities());
        let Some(fit) = member.model.fit() else { return Ok(()) };
        let own = fit.digest.as_ref() == Some(&DataDigest::of(drawn));
        let found = examine(fit, &plain, &structure, own)?;
        // On the table that was resampled a network must be that of the resample drawn once more.
        if !found.agrees() || own != self.same_data {
            self.disagreeing.push(member.replicate);
        }
        let ParameterVerdict { gradient, restriction_violation, not_examined, .. } = found;
        self.restriction_violation = self.restriction_violation.max(restriction_violation);
        self.gradient = self.gradient.into_iter().chain(gradient).reduce(f64::max);
        self.not_examined = self.not_examined.take().or(not_examined);
        self.examined += 1;
        Ok(())
    }

    fn as_text(&self) -> String {
        let gradient = self.gradient.map_or("not examined".to_owned(), |value| format!("{value:.3e}"));
        let mut text = format!(
            "networks                {} ({} examined)\n\
             gradient per row        {gradient}, the largest\n\
             restrictions broken by  {:.3e}, the largest\n\
             regular                 {}\n",
            self.members,
            self.examined,
            self.restriction_violation,
            if self.regular { "yes" } else { "NO" },
        );
        if let Some(why) = &self.not_examined {
            let _ = writeln!(text, "Not examined: {why}.");
        }
        if !self.same_data {
            text += "This is not the table that was resampled: parameters are not held against it.\n";
        }
        if !self.disagreeing.is_empty() {
            let named: Vec<String> = self.disagreeing.iter().map(u64::to_string).collect();
            let named = named.join(", ");
            let _ = writeln!(text, "Networks that are not those of their resamples: {named}");
        }
        text + match (self.agrees, self.not_examined.is_some()) {
            (true, false) => "The referee agrees.\n",
            (true, true) => "The referee agrees with what it examined.\n",
            (false, _) => "The referee DISAGREES.\n",
        }
    }
}
