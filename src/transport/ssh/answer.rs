//! Reading what comes back: the command's own output between the marks, with whatever start-up files print around it.

/// One stream of a command on a host, read piece by piece. It keeps what it must and forgets the rest.
#[derive(Debug)]
pub struct Stream {
    begin: Vec<u8>,
    end: Vec<u8>,
    cap: usize,
    /// Whether something between the ends writes `\r\n` for `\n`.
    crlf: bool,
    state: State,
    /// Bytes that may be the beginning of a mark.
    pending: Vec<u8>,
    noise: Vec<u8>,
    kept: Vec<u8>,
}

#[derive(Debug, PartialEq, Eq)]
enum State {
    Before,
    Inside,
    /// The words of the end mark, once its line is whole.
    Ended(Option<String>),
}

/// How much of the start-up files' talk is kept for a message.
const NOISE: usize = 2048;

impl Stream {
    /// A stream with the marks of `nonce` that keeps at most `cap` bytes of output.
    #[must_use]
    pub fn new(nonce: &str, cap: usize) -> Self {
        Self {
            begin: format!("B-{nonce}").into_bytes(),
            end: format!("E-{nonce} ").into_bytes(),
            cap,
            crlf: false,
            state: State::Before,
            pending: Vec::new(),
            noise: Vec::new(),
            kept: Vec::new(),
        }
    }

    /// Takes the next bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.pending.extend_from_slice(bytes);
        if self.state == State::Before {
            self.look_for_begin();
        }
        if self.state == State::Inside {
            self.look_for_end();
        }
        if self.state == State::Ended(None)
            && let Some(line) = self.pending.iter().position(|byte| *byte == b'\n')
        {
            let words = String::from_utf8_lossy(&self.pending[..line]);
            self.state = State::Ended(Some(words.trim_end_matches('\r').to_owned()));
            self.pending.clear();
        }
        if matches!(self.state, State::Ended(Some(_))) {
            self.pending.clear();
        }
    }

    fn look_for_begin(&mut self) {
        if let Some(at) = find(&self.pending, &self.begin) {
            let after = at + self.begin.len();
            // The mark counts once its line is whole; a carriage return belongs to the line end.
            let line = self.pending[after..].iter().position(|byte| *byte == b'\n');
            if let Some(line) = line {
                self.noise.extend_from_slice(&self.pending[..at]);
                self.noise.truncate(NOISE);
                self.crlf = self.pending[after..after + line].ends_with(b"\r");
                self.pending.drain(..=after + line);
                self.state = State::Inside;
            }
        } else {
            let keep = self.begin.len().min(self.pending.len());
            let noise = self.pending.drain(..self.pending.len() - keep);
            self.noise.extend(noise);
            self.noise.truncate(NOISE);
        }
    }

    fn look_for_end(&mut self) {
        let mut mark = b"\n".to_vec();
        mark.extend_from_slice(&self.end);
        if let Some(at) = find(&self.pending, &mark) {
            let mut output = &self.pending[..at];
            if let Some(rest) = output.strip_suffix(b"\r").filter(|_| self.crlf) {
                output = rest;
            }
            let room = self.cap.saturating_sub(self.kept.len());
            self.kept
                .extend_from_slice(&output[..output.len().min(room)]);
            self.pending.drain(..at + mark.len());
            self.state = State::Ended(None);
        } else {
            // Everything but what may be the first half of the mark is output.
            let keep = (mark.len() + 1).min(self.pending.len());
            let output = self.pending.len() - keep;
            let room = self.cap.saturating_sub(self.kept.len());
            self.kept
                .extend_from_slice(&self.pending[..output.min(room)]);
            self.pending.drain(..output);
        }
    }

    /// Whether the beginning of the command was seen.
    #[must_use]
    pub fn began(&self) -> bool {
        self.state != State::Before
    }

    /// The words after the end mark, once they are there: the status, then what the script has to add.
    #[must_use]
    pub fn ended(&self) -> Option<&str> {
        match &self.state {
            State::Ended(words) => words.as_deref(),
            _ => None,
        }
    }

    /// What came before the command, as text without control characters.
    #[must_use]
    pub fn noise(&self) -> String {
        let mut noise = self.noise.clone();
        if self.state == State::Before {
            noise.extend_from_slice(&self.pending);
        }
        printable(&String::from_utf8_lossy(&noise))
    }

    /// What the command wrote; of a stream that was cut off, everything that came.
    #[must_use]
    pub fn into_output(mut self) -> Vec<u8> {
        if self.state == State::Inside {
            let room = self.cap.saturating_sub(self.kept.len());
            self.pending.truncate(room);
            self.kept.append(&mut self.pending);
        }
        self.kept
    }
}

/// Text of a host, fit to be shown: one line, without control characters.
#[must_use]
pub fn printable(text: &str) -> String {
    let words = text
        .split_whitespace()
        .map(|word| word.chars().filter(|c| !c.is_control()).collect::<String>())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>();
    let line = words.join(" ");
    match line.char_indices().nth(300) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack
        .windows(needle.len())
        .position(|window| window == needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], piece: usize) -> Stream {
        let mut stream = Stream::new("n1", 20);
        for piece in bytes.chunks(piece) {
            stream.feed(piece);
        }
        stream
    }

    #[test]
    fn output_is_what_stands_between_the_marks() {
        let cases: &[(&str, Option<&str>, &str, &str)] = &[
            ("\nB-n1\nhello\n\nE-n1 0\n", Some("0"), "hello\n", ""),
            ("\nB-n1\nhello\nE-n1 0\n", Some("0"), "hello", ""),
            ("\nB-n1\n\nE-n1 255\nbye\n", Some("255"), "", ""),
            (
                "welcome\nB-n2 \nB-n1\nx\n\nE-n1 1\nlogged out",
                Some("1"),
                "x\n",
                "welcome B-n2",
            ),
            (
                "motd\r\n\r\nB-n1\r\nx\r\n\r\nE-n1 0\r\n",
                Some("0"),
                "x\r\n",
                "motd",
            ),
            (
                "\nB-n1\nE-n1 5\n E-n1 6\n\nE-n1 127 missing /bin:/x y\n",
                Some("127 missing /bin:/x y"),
                "E-n1 5\n E-n1 6\n",
                "",
            ),
            ("\nB-n1\nbar\r\nE-n1 0\n", Some("0"), "bar\r", ""),
            ("\nB-n1\nhalf", None, "half", ""),
            ("\nB-n1\nhalf\nE-n1 0", None, "half", ""),
            ("only talk", None, "", "only talk"),
            (
                "\nB-n1\n0123456789012345678901234567890\nE-n1 0\n",
                Some("0"),
                "01234567890123456789",
                "",
            ),
        ];
        for (bytes, ended, output, noise) in cases {
            for piece in [1, 2, 3, 7, 1000] {
                let stream = read(bytes.as_bytes(), piece);
                assert_eq!(stream.ended(), *ended, "{bytes:?} by {piece}");
                assert_eq!(stream.noise(), *noise, "{bytes:?} by {piece}");
                assert_eq!(
                    String::from_utf8_lossy(&stream.into_output()),
                    *output,
                    "{bytes:?} by {piece}"
                );
            }
        }
    }

    #[test]
    fn talk_and_output_cannot_fill_memory() {
        let mut stream = Stream::new("n1", 10);
        for _ in 0..1000 {
            stream.feed(&[b'x'; 1000]);
        }
        stream.feed(b"\nB-n1\n");
        for _ in 0..1000 {
            stream.feed(&[b'y'; 1000]);
        }
        assert!(stream.pending.len() < 1100 && stream.noise.len() <= NOISE);
        stream.feed(b"\nE-n1 0\n");
        assert_eq!(stream.ended(), Some("0"));
        assert_eq!(stream.into_output(), b"yyyyyyyyyy");
    }

    #[test]
    fn text_of_a_host_is_made_fit_to_show() {
        assert_eq!(printable("a\x1b[31m b\r\n\tc\0"), "a[31m b c");
        assert_eq!(printable(&"x".repeat(400)).chars().count(), 301);
    }
}
