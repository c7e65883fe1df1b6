//! Reading rows that hold free text: a title may hold every separator, a directory even line breaks.
//!
//! A row is numbers and ids between blanks, among them the length of each text (`#{n:…}`, tmux 3.1), and then the texts one
//! behind the other: nothing in a text can be taken for a separator.

/// Reads one answer from its beginning.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    rest: &'a str,
}

impl<'a> Record<'a> {
    /// Reads this.
    #[must_use]
    pub const fn new(output: &'a str) -> Self {
        Self { rest: output }
    }

    /// Whether nothing is left.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The text up to the next blank, which is skipped. It does not reach into the next line.
    pub fn word(&mut self) -> Option<&'a str> {
        self.until(' ')
    }

    /// The text up to the next `end`, which is skipped. It does not reach into the next line.
    pub fn until(&mut self, end: char) -> Option<&'a str> {
        let (word, rest) = self.rest.split_once(end)?;
        if word.contains('\n') {
            return None;
        }
        self.rest = rest;
        Some(word)
    }

    /// The next word as a number or an id.
    pub fn parse<T: std::str::FromStr>(&mut self) -> Option<T> {
        self.word()?.parse().ok()
    }

    /// The next word, which may be empty, as a number.
    pub fn optional<T: std::str::FromStr>(&mut self) -> Option<Option<T>> {
        match self.word()? {
            "" => Some(None),
            word => word.parse().ok().map(Some),
        }
    }

    /// The next word as a flag: `1`, or `0` or nothing.
    pub fn flag(&mut self) -> Option<bool> {
        match self.word()? {
            "1" => Some(true),
            "" | "0" => Some(false),
            _ => None,
        }
    }

    /// The next `length` bytes.
    pub fn text(&mut self, length: usize) -> Option<&'a str> {
        let (text, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(text)
    }

    /// The end of the row.
    pub fn end(&mut self) -> Option<()> {
        self.rest = self.rest.strip_prefix('\n')?;
        Some(())
    }

    /// The rest of the line, its end included.
    pub fn line(&mut self) -> Option<&'a str> {
        let (line, rest) = self.rest.split_once('\n')?;
        self.rest = rest;
        Some(line)
    }
}

/// Reads rows until nothing is left. `None`: one of them cannot be read.
pub fn rows<'a, T>(
    output: &'a str,
    mut row: impl FnMut(&mut Record<'a>) -> Option<T>,
) -> Option<Vec<T>> {
    let mut record = Record::new(output);
    let mut rows = Vec::new();
    while !record.is_empty() {
        rows.push(row(&mut record)?);
    }
    Some(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_hold_every_separator() {
        let read = rows("3 %1 a\nb\n0 %2 \n", |record| {
            let length = record.parse()?;
            let id: super::super::id::PaneId = record.parse()?;
            let text = record.text(length)?.to_owned();
            record.end()?;
            Some((id.0, text))
        });
        assert_eq!(read, Some(vec![(1, "a\nb".to_owned()), (2, String::new())]));
    }

    #[test]
    fn a_short_or_broken_row_is_not_read() {
        for output in ["9 abc\n", "x abc\n", "3", "3 abcd\n"] {
            let read = rows(output, |record| {
                let length = record.parse()?;
                record.text(length)?;
                record.end()
            });
            assert_eq!(read, None, "{output:?}");
        }
    }
}
