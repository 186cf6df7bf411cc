//! `cmnet export`: a model for other inference engines.

use super::asking;
use crate::args::{Format, Printed};
use crate::ask_args::ExportArgs;
use crate::exit::{Outcome, Usage};
use crate::{files, output};
use cmnet::{Evidence, uai, write_atomic};
use cmnet_report::answer::ExportedAnswer;

/// The most memory for the tables of all cliques, in bytes.
const MEMORY: u64 = 1 << 30;

pub(crate) fn run(arguments: &Printed<ExportArgs>) -> anyhow::Result<Outcome> {
    let known = arguments.output.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("uai"));
    if !known {
        let path = arguments.output.display();
        return Err(Usage(format!("{path}: unknown kind of file; expected a name that ends in .uai")).into());
    }
    for path in [Some(&arguments.output), arguments.evidence_output.as_ref()].into_iter().flatten() {
        files::check_output(path, &arguments.given.files(&arguments.model))?;
    }
    if let Some(path) = &arguments.evidence_output {
        files::check_apart(path, &arguments.output)?;
    }
    let given = &arguments.given;
    if arguments.evidence_output.is_none() && !(given.given.is_empty() && given.evidence.is_none()) {
        let problem = "evidence stands in a file of its own; name it: --evidence-output FILE";
        return Err(Usage(problem.to_owned()).into());
    }
    let network = files::model(&arguments.model.model)?.network()?;
    let evidence = asking::evidence(network.schema(), &arguments.given)?;
    if evidence.soft().next().is_some() {
        return Err(Usage("--soft: UAI evidence files hold levels only".to_owned()).into());
    }
    let factors = network.factors(&Evidence::none(), MEMORY)?;
    let text = uai::network_to_text(network.cardinalities(), &factors);
    write_atomic(&arguments.output, text.as_bytes())?;
    if let Some(path) = &arguments.evidence_output {
        write_atomic(path, uai::evidence_to_text(&evidence).as_bytes())?;
    }
    let (path, count) = (arguments.output.display().to_string(), factors.tables().len());
    match arguments.format {
        Format::Text => {
            output::page(&format!("{path}: {count} factors over {} variables\n", network.schema().len()))?;
        }
        Format::Json => output::answer(&ExportedAnswer { file: path, factors: count })?,
    }
    Ok(Outcome::Done)
}
