//! Compressed data: the members of a gzip file, one after another.

use flate2::bufread::GzDecoder;
use std::io::{self, BufRead, Read};

/// Reads every member, as `gzip -d` does: zero bytes after the last one are padding, which tapes
/// and some archives add.
pub(super) struct Members<R> {
    member: Option<GzDecoder<R>>,
}

impl<R: BufRead> Members<R> {
    pub(super) fn new(bytes: R) -> Self {
        Self { member: Some(GzDecoder::new(bytes)) }
    }
}

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        while let Some(member) = &mut self.member {
            let length = member.read(buffer)?;
            if length > 0 {
                return Ok(length);
            }
            self.member = match self.member.take().map(GzDecoder::into_inner) {
                Some(bytes) => next_member(bytes)?,
                None => None,
            };
        }
        Ok(0)
    }
}

/// The member after padding, if there is one.
fn next_member<R: BufRead>(mut bytes: R) -> io::Result<Option<GzDecoder<R>>> {
    loop {
        let ahead = match bytes.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            ahead => ahead?,
        };
        if ahead.is_empty() {
            return Ok(None);
        }
        let padding = ahead.iter().position(|&byte| byte != 0);
        let length = padding.unwrap_or(ahead.len());
        bytes.consume(length);
        if padding.is_some() {
            return Ok(Some(GzDecoder::new(bytes)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use std::io::{BufReader, Write};

    fn member(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn read(bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut plain = Vec::new();
        Members::new(BufReader::with_capacity(7, bytes)).read_to_end(&mut plain).map(|_| plain)
    }

    #[test]
    fn members_follow_each_other_and_padding_is_passed_over() {
        let (one, two) = (member(b"a,b\n"), member(b"1,2\n"));
        assert_eq!(read(&one).unwrap(), b"a,b\n");
        assert_eq!(read(&[&one[..], &two].concat()).unwrap(), b"a,b\n1,2\n");
        assert_eq!(read(&[&one[..], &[0; 1000], &two, &[0; 511]].concat()).unwrap(), b"a,b\n1,2\n");
        assert_eq!(read(&[&one[..], &member(b""), &two].concat()).unwrap(), b"a,b\n1,2\n");
    }

    #[test]
    fn other_bytes_after_a_member_and_a_cut_one_are_errors() {
        let one = member(b"a,b\n");
        assert!(read(&[&one[..], b"x"].concat()).is_err());
        assert!(read(&one[..one.len() - 3]).is_err());
    }
}
