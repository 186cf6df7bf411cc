//! Where a table comes from.

#[cfg(feature = "csv")]
use super::text::Text;
#[cfg(feature = "csv")]
use crate::control::Control;
use crate::error::{Error, InputProblem, Place, Remedy, Result, nearest};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::ErrorKind as IoErrorKind;
use std::path::{Path, PathBuf};

/// Where a table comes from. Compressed data (gzip) is recognised by its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A file.
    Path(PathBuf),
    /// Standard input.
    Stdin,
    /// Bytes in memory, and what to call them in errors.
    Bytes {
        /// What stands for the file's name.
        name: String,
        /// The content of the file.
        bytes: Vec<u8>,
    },
}

impl Source {
    /// What a command-line argument means: `-` is standard input, all else is a path.
    pub fn from_argument(argument: impl AsRef<OsStr>) -> Self {
        let argument = argument.as_ref();
        if argument == "-" { Self::Stdin } else { Self::Path(argument.into()) }
    }

    /// Bytes in memory.
    pub fn bytes(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self::Bytes { name: name.into(), bytes: bytes.into() }
    }

    /// The name used in errors.
    pub fn name(&self) -> String {
        match self {
            Self::Path(path) => path.display().to_string(),
            Self::Stdin => "standard input".to_owned(),
            Self::Bytes { name, .. } => name.clone(),
        }
    }

    /// The text of the source.
    #[cfg(feature = "csv")]
    pub(super) fn open<'a>(&'a self, control: &'a dyn Control) -> Result<Text<'a>> {
        match self {
            Self::Path(path) => Text::open(self.name(), open_file(path)?, control),
            Self::Stdin => Text::open(self.name(), std::io::stdin().lock(), control),
            Self::Bytes { bytes, .. } => Text::open(self.name(), bytes.as_slice(), control),
        }
    }
}

/// Opens a file, or says why it cannot be one.
pub(super) fn open_file(path: &Path) -> Result<File> {
    let place = || Place::file(path.display().to_string());
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Err(Error::input(place(), InputProblem::Directory)),
        Ok(_) => File::open(path).map_err(|source| Error::io(path, "read", source)),
        Err(source) if source.kind() == IoErrorKind::NotFound => {
            Err(Error::input(place(), InputProblem::NotFound { remedy: not_found_remedy(path) }))
        }
        Err(source) => Err(Error::io(path, "read", source)),
    }
}

/// The file of the same folder with the nearest name, or what else to look at.
fn not_found_remedy(path: &Path) -> Remedy {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let Ok(entries) = fs::read_dir(folder.unwrap_or(Path::new("."))) else {
        return "its folder does not exist either; check the path".into();
    };
    let mut names: Vec<String> =
        entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort_unstable();
    let wanted = path.file_name().unwrap_or_default().to_string_lossy();
    match nearest(&wanted, names.iter().map(String::as_str)) {
        Some(name) => {
            let near = folder.map_or_else(|| PathBuf::from(name), |folder| folder.join(name));
            Remedy::DidYouMean(near.to_string_lossy().into_owned())
        }
        None => "check the path, which is taken from the current directory".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dash_is_standard_input() {
        assert_eq!(Source::from_argument("-"), Source::Stdin);
        assert_eq!(Source::from_argument("a.csv"), Source::Path("a.csv".into()));
        assert_eq!(Source::bytes("b", "x").name(), "b");
    }
}
