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
    /// Several files with the same columns, which are one table.
    Files {
        /// What stands for them in errors about the whole.
        name: String,
        /// The files, in the order in which they are read.
        paths: Vec<PathBuf>,
    },
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
    /// What a command-line argument means: `-` is standard input, all else is [a path](Self::from_path).
    pub fn from_argument(argument: impl AsRef<OsStr>) -> Self {
        let argument = argument.as_ref();
        if argument == "-" { Self::Stdin } else { Self::from_path(PathBuf::from(argument)) }
    }

    /// A file. A file name with `*` or `?` that is not the name of a file stands for all files that match it.
    pub fn from_path(path: PathBuf) -> Self {
        let paths = if path.exists() { Vec::new() } else { matching(&path) };
        if paths.is_empty() {
            Self::Path(path)
        } else {
            Self::Files { name: path.display().to_string(), paths }
        }
    }

    /// Several files with the same columns, which are one table.
    pub fn from_paths(paths: Vec<PathBuf>) -> Self {
        let name = match paths.as_slice() {
            [] => "no file".to_owned(),
            [first] => first.display().to_string(),
            [first, rest @ ..] => format!("{} and {} more files", first.display(), rest.len()),
        };
        Self::Files { name, paths }
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
            Self::Bytes { name, .. } | Self::Files { name, .. } => name.clone(),
        }
    }

    /// The text of the source.
    #[cfg(feature = "csv")]
    pub(super) fn open<'a>(&'a self, control: &'a dyn Control) -> Result<Text<'a>> {
        match self {
            Self::Path(path) => Text::open(self.name(), open_file(path)?, control),
            // Readers of rows take several files one by one; elsewhere the first stands for them.
            Self::Files { paths, .. } => {
                let first = paths.first().map_or(Path::new(""), PathBuf::as_path);
                Text::open(first.display().to_string(), open_file(first)?, control)
            }
            Self::Stdin => Text::open(self.name(), std::io::stdin().lock(), control),
            Self::Bytes { bytes, .. } => Text::open(self.name(), bytes.as_slice(), control),
        }
    }
}

/// The files of a folder whose names match a name with `*` and `?`, in the order of their names.
fn matching(path: &Path) -> Vec<PathBuf> {
    let pattern = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if !pattern.contains(['*', '?']) {
        return Vec::new();
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let Ok(entries) = fs::read_dir(folder.unwrap_or(Path::new("."))) else { return Vec::new() };
    let pattern: Vec<char> = pattern.chars().collect();
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok().filter(|entry| entry.path().is_file())?.file_name().into_string().ok())
        .filter(|name| fits(&pattern, &name.chars().collect::<Vec<_>>()))
        .collect();
    names.sort_unstable();
    let placed = |name: String| folder.map_or_else(|| PathBuf::from(&name), |folder| folder.join(&name));
    names.into_iter().map(placed).collect()
}

/// Whether a name fits a pattern: `*` stands for any characters, `?` for one.
fn fits(pattern: &[char], name: &[char]) -> bool {
    // The places of the pattern that the name so far may have come to.
    let mut places = vec![false; pattern.len() + 1];
    places[0] = true;
    let skip_stars = |places: &mut Vec<bool>| {
        for place in 0..pattern.len() {
            if places[place] && pattern[place] == '*' {
                places[place + 1] = true;
            }
        }
    };
    skip_stars(&mut places);
    for &character in name {
        let mut next = vec![false; pattern.len() + 1];
        for place in (0..pattern.len()).filter(|&place| places[place]) {
            match pattern[place] {
                '*' => next[place] = true,
                '?' => next[place + 1] = true,
                own if own == character => next[place + 1] = true,
                _ => {}
            }
        }
        skip_stars(&mut next);
        places = next;
    }
    places[pattern.len()]
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

    #[test]
    fn patterns_fit_names() {
        let fit = |pattern: &str, name: &str| {
            fits(&pattern.chars().collect::<Vec<_>>(), &name.chars().collect::<Vec<_>>())
        };
        assert!(fit("part-*.csv", "part-01.csv") && fit("*", "") && fit("a?c", "abc") && fit("*a*a", "aa"));
        assert!(!fit("part-*.csv", "part-01.csv.gz") && !fit("a?c", "ac") && !fit("?", ""));
    }
}
