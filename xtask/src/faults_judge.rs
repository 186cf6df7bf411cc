//! What a fault may do to a command, and what not.

use crate::faults::Scene;

/// The n-th call of a kind, and the error that it returns.
pub(crate) struct Injected<'a> {
    pub(crate) call: &'a str,
    pub(crate) error: &'a str,
    pub(crate) nth: u64,
}

impl Injected<'_> {
    /// What the fault met, by the line in the log of `strace`.
    pub(crate) fn met(&self, place: &str) -> Met {
        match self.call {
            "write" if place.contains("write(1,") => Met::Output { closed: self.error == "EPIPE" },
            "write" if place.contains("write(2,") => Met::Other,
            "write" | "fsync" | "renameat" | "fchmod" => Met::File,
            "unlink" => Met::Removal,
            _ => Met::Other,
        }
    }
}

/// What a fault met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Met {
    /// Standard output. A reader that has gone is no failure.
    Output { closed: bool },
    /// A file that is written: the answer is known by then.
    File,
    /// The removal of a temporary file, which may then be left.
    Removal,
    /// Anything else, perhaps before there is an answer.
    Other,
}

/// How a run ended.
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
    pub(crate) files: Vec<Option<Vec<u8>>>,
    /// Temporary files that were left.
    pub(crate) left: usize,
}

/// A command, what stood at its paths before, and how it ends without a fault.
pub(crate) struct Stage<'a> {
    pub(crate) scene: &'a Scene,
    pub(crate) old: Option<&'a [u8]>,
    pub(crate) expected: &'a Ended,
}

impl Stage<'_> {
    /// What is wrong about the way in which the command ended.
    pub(crate) fn wrong(&self, met: Met, ended: &Ended) -> Option<String> {
        let said = ended.stderr.trim();
        if !matches!(ended.code, Some(0..=3)) || said.contains("panicked") {
            return Some(format!("exit code {:?} ({said})", ended.code));
        }
        let states = || ended.files.iter().zip(&self.expected.files);
        if states().any(|(now, new)| now.as_deref() != self.old && now != new) {
            return Some("a file is neither the old one nor the new one".to_owned());
        }
        if ended.left > 0 && met != Met::Removal {
            return Some("a temporary file is left".to_owned());
        }
        let unwritten = states().any(|(now, new)| now != new);
        let whole_output = ended.stdout == self.expected.stdout || met == (Met::Output { closed: true });
        if ended.code == Some(0) && (unwritten || !whole_output) {
            return Some(format!("done, it says, but something was not written ({said})"));
        }
        let stdout = String::from_utf8_lossy(&ended.stdout);
        match self.scene.told {
            Some(told) if met == Met::File && unwritten && !stdout.contains(told) => {
                Some(format!("the answer is lost ({said})"))
            }
            _ => None,
        }
    }
}
