//! `cmnet import`: a UAI network as a model.

use crate::args::{Format, Printed};
use crate::ask_args::ImportArgs;
use crate::exit::{Outcome, Usage};
use crate::{files, output};
use cmnet::{Fit, Model, uai};
use cmnet_report::answer::ImportedAnswer;

pub(crate) fn run(arguments: &Printed<ImportArgs>) -> anyhow::Result<Outcome> {
    files::check_output(&arguments.output, &[&arguments.file])?;
    let file = arguments.file.display().to_string();
    let imported = uai::read_network(&uai::read_text(&arguments.file)?, &file)?;
    let schema = match &arguments.names {
        None => imported.schema,
        Some(path) => {
            let schema = files::model(path)?.schema().clone();
            if schema.cardinalities() != imported.schema.cardinalities() {
                let problem = "has other numbers of variables or levels than the network";
                return Err(Usage(format!("--names: {} {problem}", path.display())).into());
            }
            schema
        }
    };
    let fit = Fit::imported(imported.parameters, format!("read from {file}"));
    let model = Model::new(schema, imported.structure)?.with_fit(fit)?;
    model.save(&arguments.output)?;
    let (path, edges) = (arguments.output.display().to_string(), model.structure().graph().edge_count());
    match arguments.format {
        Format::Text => {
            output::page(&format!("{path}: variables {}, edges {edges}\n", model.schema().len()))?;
        }
        Format::Json => output::answer(&ImportedAnswer { file: path, edges })?,
    }
    Ok(Outcome::Done)
}
