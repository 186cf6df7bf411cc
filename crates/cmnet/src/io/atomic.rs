//! Files that are either the old ones or the new ones, never half of each.

use super::lock::is_at;
use crate::error::{Error, Result};
use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Processes that write one target at once, each with a temporary file of a known name. Further ones have random names.
const AT_ONCE: usize = 16;
/// Bytes of a target's name that its temporary files have: some systems allow 255 in all.
const LONGEST_NAME: usize = 200;

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
            temporary(&target).map(drop)
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

/// A new file beside the target. It is named after the target, and locked while its process lives. So what a killed
/// process left is known, and is removed when the target is written again.
fn temporary(target: &Path) -> io::Result<NamedTempFile> {
    let folder = folder_of(target);
    let stem = stem(target);
    for place in 0..AT_ONCE {
        let name = format!("{stem}{place}");
        remove_left(&folder.join(&name));
        match new_file(&name, 0, &folder) {
            Ok(file) => {
                if let Some(file) = locked(file) {
                    return Ok(file);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    new_file(&stem, 6, &folder)
}

/// How the names of a target's temporary files begin. Long names are cut; what two targets share is safe, since a
/// file that is locked is left alone.
fn stem(target: &Path) -> String {
    let name = target.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut length = name.len().min(LONGEST_NAME);
    while !name.is_char_boundary(length) {
        length -= 1;
    }
    format!(".cmnet-{}-", &name[..length])
}

fn new_file(prefix: &str, random: usize, folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix).rand_bytes(random);
    share(&mut builder);
    builder.tempfile_in(folder)
}

/// Locks a new file. `None` where another process, faster than the lock, took it for one that was left.
fn locked(file: NamedTempFile) -> Option<NamedTempFile> {
    let lost = match file.as_file().try_lock() {
        Ok(()) => !is_at(file.as_file(), file.path()),
        Err(TryLockError::WouldBlock) => true,
        // A file system without locks: nobody gets one there, so nothing is removed.
        Err(TryLockError::Error(_)) => false,
    };
    if !lost {
        return Some(file);
    }
    // What is at the path by now is not this file.
    let _ = file.keep();
    None
}

/// Removes a temporary file whose process is gone. Whatever is in doubt stays.
fn remove_left(path: &Path) {
    // A pipe of that name would wait for a reader.
    if !fs::symlink_metadata(path).is_ok_and(|found| found.is_file()) {
        return;
    }
    if let Ok(file) = File::options().append(true).open(path)
        && file.try_lock().is_ok()
        && is_at(&file, path)
    {
        let _ = fs::remove_file(path);
    }
}

fn write(path: &Path, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let existing = existing(path)?;
    if let Existing::Device = existing {
        let mut out = BufWriter::new(fs::OpenOptions::new().write(true).open(path)?);
        content(&mut out)?;
        return out.flush();
    }
    let target = target_of(path, &existing)?;
    let mut file = temporary(&target)?;
    let mut out = BufWriter::new(file.as_file_mut());
    content(&mut out)?;
    out.flush()?;
    drop(out);
    if let Existing::File(permissions) = existing {
        file.as_file().set_permissions(permissions)?;
    }
    file.as_file().sync_all()?;
    file.persist(&target).map_err(|error| error.error)?;
    sync_folder(&folder_of(&target));
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
    fn what_a_killed_process_left_is_removed_and_what_a_living_one_writes_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.json");
        let left = [0, 1].map(|place| folder.path().join(format!(".cmnet-model.json-{place}")));
        fs::write(&left[0], "half").unwrap();
        write_atomic(&path, b"one").unwrap();
        assert!(!left[0].exists());
        // Another process writes the same target, and a third one was killed beside it.
        let living = File::create(&left[0]).unwrap();
        living.try_lock().unwrap();
        fs::write(&left[1], "half").unwrap();
        write_atomic(&path, b"two").unwrap();
        assert!(left[0].exists() && !left[1].exists());
        drop(living);
        check_writable(&path).unwrap();
        assert!(!left[0].exists());
        // Nothing else is touched, whatever its name.
        fs::create_dir(&left[0]).unwrap();
        let other = folder.path().join(".cmnet-abcdef");
        fs::write(&other, "mine").unwrap();
        write_atomic(&path, b"three").unwrap();
        assert!(left[0].is_dir() && other.exists());
        assert_eq!(fs::read(&path).unwrap(), b"three");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
    }

    #[test]
    fn all_places_may_be_taken_and_names_may_be_long() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("\u{e4}".repeat(120));
        let mut living = Vec::new();
        for _ in 0..=AT_ONCE {
            living.push(temporary(&path).unwrap());
        }
        write_atomic(&path, b"new").unwrap();
        drop(living);
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

    #[test]
    fn while_a_file_is_written_its_temporary_file_is_named_after_it_and_locked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.json");
        write_atomic_with(&path, |file| {
            let found = File::open(folder.path().join(".cmnet-model.json-0"))?;
            assert!(matches!(found.try_lock(), Err(TryLockError::WouldBlock)));
            assert!(!path.exists());
            file.write_all(b"whole")
        })
        .unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
