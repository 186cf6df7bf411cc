//! `cmnet draw` of a mixture: a picture of each class, with the variables at the same places.

use crate::args::{DrawArgs, Format, Printed};
use crate::commands::draw::places;
use crate::exit::Outcome;
use crate::interrupt::{self, Interrupt};
use crate::output;
use cmnet::{Component, Evidence, ExactOptions, Mixture, Under, write_atomic};
use cmnet_report::answer::DrawnAnswer;
use cmnet_report::{Drawing, Format as Picture, Places};
use std::path::{Path, PathBuf};

pub(crate) fn run(
    arguments: &Printed<DrawArgs>,
    mixture: &Mixture,
    format: Picture,
) -> anyhow::Result<Outcome> {
    let at = arguments.positions.as_deref().map(places).transpose()?;
    let to_stdout = arguments.output.as_os_str() == "-";
    interrupt::listen();
    let drawn = Pictures { mixture, format, widths: arguments.widths };
    if to_stdout {
        let pictures = drawn.all(at.as_ref())?;
        let named = (1..).zip(pictures).map(|(class, picture)| format!("Class {class}\n{picture}\n"));
        let text = named.collect::<Vec<String>>().concat();
        match arguments.format {
            Format::Text => output::text(&text)?,
            Format::Json => output::answer(&DrawnAnswer { file: None, text: Some(text) })?,
        }
        return Ok(Outcome::Done);
    }
    let written = drawn.write(&arguments.output, at.as_ref())?;
    let files: Vec<String> = written.iter().map(|path| path.display().to_string()).collect();
    match arguments.format {
        Format::Text => output::note(&format!("wrote {}", files.join(", "))),
        Format::Json => output::answer(&DrawnAnswer { file: Some(files.join(", ")), text: None })?,
    }
    Ok(Outcome::Done)
}

/// Writes a picture of each class: `x.svg` becomes `x-1.svg`, `x-2.svg`, and so on.
pub(crate) fn write(
    mixture: &Mixture,
    path: &Path,
    format: Picture,
    at: Option<&Places>,
) -> anyhow::Result<Vec<PathBuf>> {
    Pictures { mixture, format, widths: false }.write(path, at)
}

/// Edges of all classes together up to which they share one layout.
const MOST_EDGES: usize = 100;

struct Pictures<'a> {
    mixture: &'a Mixture,
    format: Picture,
    widths: bool,
}

impl Pictures<'_> {
    fn write(&self, path: &Path, at: Option<&Places>) -> anyhow::Result<Vec<PathBuf>> {
        let mut written = Vec::new();
        for (class, picture) in (1..).zip(self.all(at)?) {
            let one = numbered(path, class);
            write_atomic(&one, picture.as_bytes())?;
            written.push(one);
        }
        Ok(written)
    }

    fn all(&self, at: Option<&Places>) -> anyhow::Result<Vec<String>> {
        let whole = self.mixture.union()?;
        let places = match at {
            Some(given) => Some(given.clone()),
            // All edges at once take long to lay out where they are many: then each class has its own places.
            None if whole.graph().edge_count() > MOST_EDGES => None,
            None => Some(Places::of(&Drawing::new(self.mixture.schema(), &whole)?)),
        };
        self.mixture.components().iter().map(|component| self.one(component, places.as_ref())).collect()
    }

    fn one(&self, component: &Component, places: Option<&Places>) -> anyhow::Result<String> {
        let model = &component.model;
        let mut drawing = Drawing::new(model.schema(), model.structure())?;
        if let Some(places) = places {
            drawing = drawing.with_places(places)?;
        }
        if self.widths {
            let exact = ExactOptions::default();
            let explained = model.network()?.explain(&Evidence::none(), Under::new(&exact, &Interrupt))?;
            drawing = drawing.with_strengths(&explained.edges);
        }
        Ok(self.format.render(&drawing))
    }
}

/// The file of one class.
fn numbered(path: &Path, class: usize) -> PathBuf {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let ending = path.extension().map(|ending| format!(".{}", ending.to_string_lossy())).unwrap_or_default();
    path.with_file_name(format!("{stem}-{class}{ending}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_numbered_before_the_ending() {
        assert_eq!(numbered(Path::new("a/x.svg"), 2), Path::new("a/x-2.svg"));
        assert_eq!(numbered(Path::new("x"), 1), Path::new("x-1"));
    }
}
