//! Files that are either the old ones or the new ones, never half of each.

use crate::error::{Error, Result};
use std::fs::{self, File};
use std::io::{self, Write};
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
    write(path, bytes).map_err(|source| Error::io(path, "write", source))
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let existing = match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        // Replacing a device by a file would be a nasty surprise.
        Ok(metadata) if !metadata.is_file() => {
            return fs::OpenOptions::new().write(true).open(path)?.write_all(bytes);
        }
        Ok(metadata) => Some(metadata.permissions()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let target = if existing.is_some() { fs::canonicalize(path)? } else { path.to_owned() };
    let folder = folder_of(&target);
    let mut builder = tempfile::Builder::new();
    builder.prefix(".cmnet-");
    share(&mut builder);
    let mut file = builder.tempfile_in(&folder)?;
    file.write_all(bytes)?;
    if let Some(permissions) = existing {
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

    #[cfg(unix)]
    #[test]
    fn permissions_links_and_devices_stay_what_they_are() {
        use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&file, &link).unwrap();
        write_atomic(&link, b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        write_atomic(Path::new("/dev/null"), b"x").unwrap();
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    }
}
