//! One run at a time: a file that only one process holds.

use crate::error::{Error, Result};
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

/// A lock on a path, given back when this is dropped or the process ends, however it ends.
#[derive(Debug)]
pub(super) struct Lock {
    file: File,
    path: PathBuf,
}

impl Lock {
    /// The lock of this path; `None` when another process, or another run of this one, has it.
    ///
    /// # Errors
    /// When the file of the lock cannot be made.
    pub(super) fn take(path: &Path) -> Result<Option<Self>> {
        let failed = |source| Error::io(path, "write", source);
        loop {
            let file = File::options().create(true).append(true).open(path).map_err(failed)?;
            match file.try_lock() {
                // Its last owner may have removed the file just before it was locked here.
                Ok(()) if !is_at(&file, path) => {}
                Ok(()) => return Ok(Some(Self { file, path: path.to_owned() })),
                Err(TryLockError::WouldBlock) => return Ok(None),
                // A file system without locks cannot be asked for more.
                Err(TryLockError::Error(source)) if source.kind() == std::io::ErrorKind::Unsupported => {
                    return Ok(Some(Self { file, path: path.to_owned() }));
                }
                Err(TryLockError::Error(source)) => return Err(failed(source)),
            }
        }
    }
}

/// Whether the path still leads to this file.
#[cfg(unix)]
pub(super) fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let place = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    fs::metadata(path).is_ok_and(|there| file.metadata().is_ok_and(|here| place(here) == place(there)))
}

#[cfg(not(unix))]
pub(super) fn is_at(_: &File, path: &Path) -> bool {
    fs::metadata(path).is_ok()
}

impl Drop for Lock {
    fn drop(&mut self) {
        // While it is locked: nobody can have taken it meanwhile.
        let _ = fs::remove_file(&self.path);
        let _ = self.file.unlock();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_holds_it_at_a_time_and_nothing_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.lock");
        let first = Lock::take(&path).unwrap().unwrap();
        assert!(Lock::take(&path).unwrap().is_none());
        drop(first);
        assert!(!path.exists());
        assert!(Lock::take(&path).unwrap().is_some());
        assert!(Lock::take(&folder.path().join("absent/run.lock")).is_err());
    }
}
