//! `cmnet explore`: a page that answers by itself.

use crate::args::{DataArgs, Format, Printed};
use crate::ask_args::ExploreArgs;
use crate::exit::{Outcome, Usage};
use crate::{files, output};
use cmnet_report::answer::ExploredAnswer;
use cmnet_report::{Explorer, PageAnswers};
use std::path::Path;
use std::process::{Command, Stdio};

pub(crate) fn run(arguments: &Printed<ExploreArgs>) -> anyhow::Result<Outcome> {
    let (page, model) = (&arguments.output, &arguments.model.model);
    check_ending(page)?;
    let table = |data: &String| DataArgs { data: data.clone(), reading: arguments.reading.clone() };
    let data = arguments.data.as_ref().map(table);
    let mut inputs = data.as_ref().map(DataArgs::files).unwrap_or_default();
    inputs.push(model);
    files::check_output(page, &inputs)?;
    let file = model.to_string_lossy().into_owned();
    let model = files::model(model)?;
    let table = data.as_ref().map(|data| files::table_for(&model, data)).transpose()?;
    let explorer = Explorer::new(&model, &file);
    let explorer = match &table {
        Some(table) => explorer.with_table(table),
        None => explorer,
    };
    // Nothing is kept of an unfinished page, so that Ctrl-C simply ends the command.
    let made = explorer.page(&())?;
    cmnet::write_atomic(page, made.html.as_bytes())?;
    let shown = page.display().to_string();
    match arguments.format {
        Format::Text => {
            output::note(&format!("wrote {shown}{}", remark(made.answers)));
        }
        Format::Json => {
            output::answer(&ExploredAnswer { file: shown, answers: made.answers, bytes: made.html.len() })?;
        }
    }
    if arguments.open {
        open(page)?;
    }
    Ok(Outcome::Done)
}

/// A browser knows a page by its ending.
pub(super) fn check_ending(page: &Path) -> anyhow::Result<()> {
    let ending = page.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    if matches!(ending.as_deref(), Some("html" | "htm")) {
        return Ok(());
    }
    Err(Usage(format!("{}: a page is written to a file that ends in .html", page.display())).into())
}

fn remark(answers: PageAnswers) -> &'static str {
    match answers {
        PageAnswers::Sampled => {
            "; its answers are approximate, because the junction tree is too large for a page"
        }
        PageAnswers::Structure => "; the model has no parameters, so that the page shows its structure only",
        _ => "",
    }
}

/// Opens a page in the browser of the desktop.
pub(super) fn open(page: &Path) -> anyhow::Result<()> {
    let mut command = if cfg!(target_os = "macos") {
        Command::new("open")
    } else if cfg!(windows) {
        Command::new("explorer")
    } else {
        Command::new("xdg-open")
    };
    let page = std::path::absolute(page)?;
    let quiet = command.arg(&page).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // Some of these stay until the browser is closed: nobody waits for that.
    if quiet.spawn().is_ok() {
        return Ok(());
    }
    let problem = format!("{}: written, but no browser could be started; open it yourself", page.display());
    Err(Usage(problem).into())
}
