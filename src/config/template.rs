//! Templates of command lines: words with named holes.

/// What fills a hole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hole {
    /// The working directory.
    Cwd,
    /// The words of the command, spliced; stands alone in its word.
    Command,
    /// The command as one line for a shell.
    ShellLine,
    /// The path of the launch script.
    Script,
    /// The title; empty where there is none.
    Title,
    /// The surface that is meant, as `handle` gave it.
    Target,
    /// The text to inject.
    Text,
    /// A session to resume.
    SessionId,
    /// The model.
    Model,
    /// The mode.
    Mode,
    /// The first prompt.
    Prompt,
}

impl Hole {
    const ALL: [(&'static str, Self); 11] = [
        ("cwd", Self::Cwd),
        ("command", Self::Command),
        ("shell_line", Self::ShellLine),
        ("script", Self::Script),
        ("title", Self::Title),
        ("target", Self::Target),
        ("text", Self::Text),
        ("session_id", Self::SessionId),
        ("model", Self::Model),
        ("mode", Self::Mode),
        ("prompt", Self::Prompt),
    ];

    /// The name in braces.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(_, hole)| *hole == self)
            .map_or("", |(name, _)| name)
    }

    fn parse(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, hole)| *hole)
    }
}

/// A part of a word.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Piece {
    /// Text as it is.
    Text(String),
    /// A hole.
    Hole(Hole),
}

/// One word: its pieces are joined without blanks. No pieces: an empty word.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TemplateWord(pub Vec<Piece>);

/// A command line: at least one word.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Template(pub Vec<TemplateWord>);

impl Template {
    /// Whether some word has this hole.
    #[must_use]
    pub fn has(&self, hole: Hole) -> bool {
        self.0
            .iter()
            .flat_map(|word| &word.0)
            .any(|piece| *piece == Piece::Hole(hole))
    }

    /// The first word where it is plain text: the program.
    #[must_use]
    pub fn program(&self) -> Option<&str> {
        match self.0.first()?.0.as_slice() {
            [Piece::Text(text)] => Some(text),
            _ => None,
        }
    }
}

/// Reads a word. `{name}` is a hole, `{{` and `}}` are braces.
pub(super) fn word(text: &str, allowed: &[Hole]) -> Result<TemplateWord, String> {
    let mut pieces = Vec::new();
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        plain.push_str(&rest[..at]);
        let brace = &rest[at..=at];
        rest = &rest[at + 1..];
        if let Some(doubled) = rest.strip_prefix(brace) {
            plain.push_str(brace);
            rest = doubled;
            continue;
        }
        let name = if brace == "{" {
            rest.split_once('}')
        } else {
            None
        };
        let Some((name, after)) = name else {
            return Err(format!(
                "has a single {brace:?} in {text:?}; write it twice to mean the brace itself"
            ));
        };
        let hole = Hole::parse(name)
            .filter(|hole| allowed.contains(hole))
            .ok_or_else(|| unknown(name, allowed))?;
        if !plain.is_empty() {
            pieces.push(Piece::Text(std::mem::take(&mut plain)));
        }
        pieces.push(Piece::Hole(hole));
        rest = after;
    }
    plain.push_str(rest);
    if !plain.is_empty() {
        pieces.push(Piece::Text(plain));
    }
    if pieces.len() > 1 && pieces.contains(&Piece::Hole(Hole::Command)) {
        return Err(format!(
            "has {{command}} inside {text:?}; it is several words and must stand alone (for one word use {{shell_line}} or {{script}})"
        ));
    }
    Ok(TemplateWord(pieces))
}

fn unknown(name: &str, allowed: &[Hole]) -> String {
    let names: Vec<String> = allowed
        .iter()
        .map(|hole| format!("{{{}}}", hole.name()))
        .collect();
    format!("has no use for {{{name}}}; here are {}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_text_and_holes() {
        let all = [Hole::Cwd, Hole::Command, Hole::Title];
        let text = |text: &str| Piece::Text(text.into());
        for (input, pieces) in [
            ("", vec![]),
            ("plain", vec![text("plain")]),
            ("{cwd}", vec![Piece::Hole(Hole::Cwd)]),
            (
                "--dir={cwd}/x",
                vec![text("--dir="), Piece::Hole(Hole::Cwd), text("/x")],
            ),
            ("{{cwd}}", vec![text("{cwd}")]),
            ("ü{title}", vec![text("ü"), Piece::Hole(Hole::Title)]),
        ] {
            assert_eq!(word(input, &all), Ok(TemplateWord(pieces)), "{input:?}");
        }
    }

    #[test]
    fn mistakes_are_named() {
        let all = [Hole::Cwd, Hole::Command];
        for (input, part) in [
            ("{", "single \"{\""),
            ("a}b", "single \"}\""),
            ("{nope}", "has no use for {nope}; here are {cwd}, {command}"),
            ("{title}", "has no use for {title}"),
            ("x{command}", "must stand alone"),
        ] {
            let error = word(input, &all).unwrap_err();
            assert!(error.contains(part), "{input:?}: {error}");
        }
    }

    #[test]
    fn every_hole_has_a_name() {
        for (name, hole) in Hole::ALL {
            assert_eq!(hole.name(), name);
            assert_eq!(Hole::parse(name), Some(hole));
        }
    }
}
