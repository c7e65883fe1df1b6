//! The first bytes of a connection.

/// How a caller frames its messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Framing {
    /// A message a line, or spread over lines.
    Lines,
    /// Behind `Content-Length` headers.
    Length,
    /// HTTP/1.1.
    Http,
}

const METHODS: [&[u8]; 9] = [
    b"GET ",
    b"POST ",
    b"PUT ",
    b"HEAD ",
    b"DELETE ",
    b"OPTIONS ",
    b"PATCH ",
    b"CONNECT ",
    b"TRACE ",
];

const HEADER: &[u8] = b"content-";

/// Chooses the framing from the first bytes; `None` when more are needed. With `ended` there are no more.
pub(in super::super) fn sniff(bytes: &[u8], ended: bool) -> Option<Framing> {
    let bytes = bytes.trim_ascii_start();
    let begins = |word: &[u8], with: fn(&[u8], &[u8]) -> bool| {
        let known = bytes.len().min(word.len());
        (with(&bytes[..known], &word[..known]), known == word.len())
    };
    let mut open = bytes.is_empty();
    match begins(HEADER, <[u8]>::eq_ignore_ascii_case) {
        (true, true) => return Some(Framing::Length),
        (same, _) => open |= same,
    }
    for method in METHODS {
        match begins(method, |a, b| a == b) {
            (true, true) => return Some(Framing::Http),
            (same, _) => open |= same,
        }
    }
    (!open || ended).then_some(Framing::Lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bytes_choose() {
        for (bytes, framing) in [
            ("{", Some(Framing::Lines)),
            ("  \r\n[", Some(Framing::Lines)),
            ("nul", Some(Framing::Lines)),
            ("\u{feff}{}", Some(Framing::Lines)),
            ("\0", Some(Framing::Lines)),
            ("Content-Length: 2", Some(Framing::Length)),
            ("\r\ncontent-type: x", Some(Framing::Length)),
            ("CONTENT-", Some(Framing::Length)),
            ("Content", None),
            ("contend", Some(Framing::Lines)),
            ("POST / HTTP/1.1", Some(Framing::Http)),
            ("GET ", Some(Framing::Http)),
            ("GET", None),
            ("G", None),
            ("GETX", Some(Framing::Lines)),
            ("get / HTTP/1.1", Some(Framing::Lines)),
            ("C", None),
            ("", None),
            (" \n", None),
        ] {
            assert_eq!(sniff(bytes.as_bytes(), false), framing, "{bytes:?}");
        }
        assert_eq!(sniff(b"GET", true), Some(Framing::Lines));
    }
}
