//! Frames out of a stream that is cut anywhere.

use super::wire::LONGEST_FROM_HOST;

/// Collects bytes and hands out whole frames.
#[derive(Debug, Default)]
pub(super) struct Frames {
    bytes: Vec<u8>,
    start: usize,
}

/// A frame is longer than allowed: the other side is not one of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a frame is too long")]
pub(super) struct TooLong;

impl Frames {
    /// Takes bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        if self.start > 0 && self.start >= self.bytes.len() / 2 {
            self.bytes.drain(..self.start);
            self.start = 0;
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// Whether a whole frame is there, or one that is too long.
    pub(super) fn ready(&self) -> bool {
        let rest = &self.bytes[self.start..];
        rest.split_first_chunk::<4>().is_some_and(|(length, rest)| {
            let length = usize::try_from(u32::from_le_bytes(*length)).unwrap_or(usize::MAX);
            rest.len() >= length || length > LONGEST_FROM_HOST
        })
    }

    /// The next whole frame: its kind and its payload.
    pub(super) fn next(&mut self, longest: usize) -> Result<Option<(u8, &[u8])>, TooLong> {
        let rest = &self.bytes[self.start..];
        let Some((length, rest)) = rest.split_first_chunk::<4>() else {
            return Ok(None);
        };
        let length = usize::try_from(u32::from_le_bytes(*length)).unwrap_or(usize::MAX);
        if length == 0 || length > longest {
            return Err(TooLong);
        }
        if rest.len() < length {
            return Ok(None);
        }
        let begin = self.start + 4;
        self.start = begin + length;
        Ok(Some((
            self.bytes[begin],
            &self.bytes[begin + 1..self.start],
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::wire;

    #[test]
    fn frames_come_out_whole_wherever_they_are_cut() {
        let mut stream = wire::frame(3, &[b"ab", b"c"]);
        stream.extend(wire::frame(4, &[]));
        for size in 1..stream.len() {
            let mut frames = Frames::default();
            let mut found = Vec::new();
            for part in stream.chunks(size) {
                frames.push(part);
                while let Some((kind, payload)) = frames.next(10).unwrap() {
                    found.push((kind, payload.to_vec()));
                }
            }
            assert_eq!(found, [(3, b"abc".to_vec()), (4, vec![])]);
        }
        let mut frames = Frames::default();
        frames.push(&wire::frame(3, &[&[0; 20]]));
        assert_eq!(frames.next(10), Err(TooLong));
    }
}
