//! The files that `cmnet learn` writes: the chosen model and its drawing.

use crate::args::{Format, LearnArgs, Printed};
use crate::commands::mixture::draw;
use crate::exit::Usage;
use crate::{files, output};
use cmnet::{Dataset, LearnOptions, Learned, Mixture, Model, Select, write_atomic};
use cmnet_report::{Drawing, Format as Picture, svg};
use std::path::{Path, PathBuf};

/// Where the model and its drawing go.
#[derive(Debug, Default)]
pub(super) struct Outputs {
    model: Option<PathBuf>,
    drawing: Option<PathBuf>,
}

/// Decides where files go before anything is computed, and refuses what would destroy the
/// table or cannot name one model.
pub(super) fn plan(arguments: &Printed<LearnArgs>, kappas: usize) -> anyhow::Result<Outputs> {
    let none_chosen = arguments.select == Select::None && kappas > 1;
    if let Some(path) = &arguments.output {
        if none_chosen {
            let problem = "--select none with several kappas chooses no model to write; \
                           give one --kappa, or --select bic";
            return Err(Usage(problem.to_owned()).into());
        }
        let drawing = drawing_beside(path);
        for output in [path, &drawing] {
            files::check_output(output, &arguments.data.files())?;
        }
        return Ok(Outputs { model: Some(path.clone()), drawing: Some(drawing) });
    }
    if arguments.no_output || none_chosen || arguments.format == Format::Json {
        return Ok(Outputs::default());
    }
    let stem = stem(&arguments.data.data);
    let model = PathBuf::from(format!("{stem}.model.json"));
    let drawing = drawing_beside(&model);
    for output in [&model, &drawing] {
        files::check_output(output, &arguments.data.files())?;
    }
    Ok(Outputs { drawing: Some(drawing), model: Some(model) })
}

impl Outputs {
    /// The files that will be written.
    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        [&self.model, &self.drawing].into_iter().flatten().map(PathBuf::as_path)
    }

    /// Where a picture of groups goes: beside the drawing.
    pub(super) fn groups(&self) -> Option<PathBuf> {
        self.drawing.as_ref().map(|drawing| drawing.with_extension("groups.svg"))
    }

    /// Writes what is kept; returns the paths.
    pub(super) fn write(
        &self,
        learned: &Learned,
        data: &Dataset,
        options: &LearnOptions,
    ) -> anyhow::Result<Vec<PathBuf>> {
        match learned.kept(data.rows()) {
            Some(kept) => self.write_model(&kept.to_model(data, options, &learned.search)?),
            None => Ok(Vec::new()),
        }
    }

    /// Writes a model and its drawing; returns the paths.
    pub(super) fn write_model(&self, model: &Model) -> anyhow::Result<Vec<PathBuf>> {
        let draw = |path: &Path| {
            let drawing = Drawing::new(model.schema(), model.structure())?;
            write_atomic(path, svg::render(&drawing).as_bytes())?;
            Ok(vec![path.to_owned()])
        };
        self.write_by(|path| model.save(path), draw)
    }

    /// Writes a mixture and a drawing for each class, with the variables at the same places; returns the
    /// paths.
    pub(super) fn write_mixture(&self, mixture: &Mixture) -> anyhow::Result<Vec<PathBuf>> {
        self.write_by(|path| mixture.save(path), |path| draw::write(mixture, path, Picture::Svg, None))
    }

    fn write_by(
        &self,
        save: impl FnOnce(&Path) -> cmnet::Result<()>,
        draw: impl FnOnce(&Path) -> anyhow::Result<Vec<PathBuf>>,
    ) -> anyhow::Result<Vec<PathBuf>> {
        let mut written = Vec::new();
        if let Some(path) = &self.model {
            save(path)?;
            written.push(path.clone());
        }
        if let Some(path) = &self.drawing {
            written.extend(draw(path)?);
        }
        Ok(written)
    }
}

/// The files that were written, in words.
pub(super) fn named(written: &[PathBuf]) -> Option<String> {
    let names: Vec<String> = written.iter().map(|path| path.display().to_string()).collect();
    (!names.is_empty()).then(|| names.join(" and "))
}

/// Says on standard error which files were written.
pub(super) fn note_written(written: &[PathBuf]) {
    if let Some(files) = named(written) {
        output::note(&format!("wrote {files}"));
    }
}

/// The drawing's path beside a model's: `x.model.json` and `x.json` become `x.svg`.
fn drawing_beside(model: &Path) -> PathBuf {
    let name = model.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let stem = name.strip_suffix(".model.json").or_else(|| name.strip_suffix(".json")).unwrap_or(&name);
    model.with_file_name(format!("{stem}.svg"))
}

/// The table's name without folder and endings.
fn stem(data: &str) -> String {
    let name = Path::new(data).file_name().map(|name| name.to_string_lossy().into_owned());
    let name = name.filter(|name| name != "-").unwrap_or_else(|| "table".to_owned());
    let endings = [".gz", ".csv", ".tsv", ".txt", ".tab", ".dat", ".data"];
    let mut stem = name.as_str();
    while let Some(shorter) =
        endings.iter().find_map(|ending| stem.strip_suffix(ending)).filter(|s| !s.is_empty())
    {
        stem = shorter;
    }
    stem.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_from_the_table() {
        let tables = ["data/coronary_heart.csv", "a.b/survey.tsv.gz", "-", ".csv"];
        assert_eq!(tables.map(stem), ["coronary_heart", "survey", "table", ".csv"]);
        assert_eq!(drawing_beside(Path::new("x/a.model.json")), Path::new("x/a.svg"));
        assert_eq!(drawing_beside(Path::new("x/model")), Path::new("x/model.svg"));
    }
}
