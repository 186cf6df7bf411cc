//! Files that are either the old ones or the new ones, never half of each.

use crate::error::{Error, Result};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Writes a file as a whole: beside it first, and in its place when all is on the disk.
///
/// Whatever goes wrong on the way, the path holds what it held before. An existing file
/// keeps its permissions, a symbolic link keeps pointing where it did; a device or pipe such
/// as `/dev/stdout` is written to as it is.
///
/// # Errors
/// When the operating system refuses; the path then holds what it held before.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<()> {
    write_atomic_with(path, |file| file.write_all(bytes))
}

/// As [`write_atomic`], but the content comes piece by piece and is never held as a whole.
///
/// # Errors
/// As [`write_atomic`], and when `content` fails; the path then holds what it held before.
pub fn write_atomic_with(path: &Path, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    write(path, content).map_err(|source| Error::io(path, "write", source))
}

/// Whether a file can be written here; finds out without touching what is there.
///
/// # Errors
/// What [`write_atomic`] would fail with: no such folder, no permission, a read-only file, a link
/// to nothing.
pub fn check_writable(path: &Path) -> Result<()> {
    let tried = existing(path).and_then(|existing| match existing {
        Existing::Device => Ok(()),
        Existing::File(_) | Existing::Nothing => {
            let target = target_of(path, &existing)?;
            temporary(&folder_of(&target)).map(drop)
        }
    });
    tried.map_err(|source| Error::io(path, "write", source))
}

/// What stands at a path before it is written.
enum Existing {
    Nothing,
    File(fs::Permissions),
    /// Replacing a device by a file would be a nasty surprise.
    Device,
}

fn existing(path: &Path) -> io::Result<Existing> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(metadata) if !metadata.is_file() => Ok(Existing::Device),
        Ok(metadata) if metadata.permissions().readonly() => {
            Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only"))
        }
        Ok(metadata) => Ok(Existing::File(metadata.permissions())),
        Err(error) if error.kind() == io::ErrorKind::NotFound && fs::symlink_metadata(path).is_ok() => {
            Err(io::Error::new(error.kind(), "the path is a link to a file that does not exist"))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Existing::Nothing),
        Err(error) => Err(error),
    }
}

/// The file behind a path: a link keeps pointing where it did.
fn target_of(path: &Path, existing: &Existing) -> io::Result<PathBuf> {
    match existing {
        Existing::File(_) => fs::canonicalize(path),
        Existing::Nothing | Existing::Device => Ok(path.to_owned()),
    }
}

fn temporary(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".cmnet-");
    share(&mut builder);
    builder.tempfile_in(folder)
}

fn write(path: &Path, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let existing = existing(path)?;
    if let Existing::Device = existing {
        let mut out = BufWriter::new(fs::OpenOptions::new().write(true).open(path)?);
        content(&mut out)?;
        return out.flush();
    }
    let target = target_of(path, &existing)?;
    let folder = folder_of(&target);
    let mut file = temporary(&folder)?;
    let mut out = BufWriter::new(file.as_file_mut());
    content(&mut out)?;
    out.flush()?;
    drop(out);
    if let Existing::File(permissions) = existing {
        file.as_file().set_permissions(permissions)?;
    }
    file.as_file().sync_all()?;
    file.persist(&target).map_err(|error| error.error)?;
    sync_folder(&folder);
    Ok(())
}

fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Lets others read a new file as far as the user's mask does: temporary files are private by
/// default, results are not.
#[cfg(unix)]
fn share(builder: &mut tempfile::Builder<'_, '_>) {
    use std::os::unix::fs::PermissionsExt;
    builder.permissions(fs::Permissions::from_mode(0o666));
}

#[cfg(not(unix))]
fn share(_: &mut tempfile::Builder<'_, '_>) {}

/// Makes the new name last through a power cut, where the system can do that. The file is
/// whole either way, so a refusal is no failure.
fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_written_and_replaced_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.json");
        write_atomic(&path, b"one").unwrap();
        write_atomic(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn refusals_name_the_path_and_leave_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let message = |path: &Path| write_atomic(path, b"x").unwrap_err().to_string();
        let absent = folder.path().join("absent/model.json");
        assert!(message(&absent).contains("absent/model.json: cannot write: "));
        assert!(message(folder.path()).contains("cannot write: is a directory"));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    /// A folder with a file of these permissions that holds "old", and a place for a link.
    #[cfg(unix)]
    fn file_and_link(mode: u32) -> (tempfile::TempDir, PathBuf, PathBuf) {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        (folder, file, link)
    }

    #[cfg(unix)]
    #[test]
    fn permissions_links_and_devices_stay_what_they_are() {
        use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
        let (_folder, file, link) = file_and_link(0o640);
        symlink(&file, &link).unwrap();
        write_atomic(&link, b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        write_atomic(Path::new("/dev/null"), b"x").unwrap();
        check_writable(Path::new("/dev/null")).unwrap();
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    }

    #[cfg(unix)]
    #[test]
    fn a_read_only_file_and_a_link_to_nothing_are_not_replaced() {
        use std::os::unix::fs::symlink;
        let (folder, file, link) = file_and_link(0o440);
        symlink(folder.path().join("nowhere"), &link).unwrap();
        for (path, problem) in [(&file, "read-only"), (&link, "a link to a file that does not exist")] {
            let written = write_atomic(path, b"new").unwrap_err().to_string();
            assert!(written.contains(problem), "{written}");
            assert_eq!(check_writable(path).unwrap_err().to_string(), written);
        }
        assert_eq!(fs::read(&file).unwrap(), b"old");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
