//! The state of one terminal: fed with bytes, asked for lines and drawings.

use std::num::NonZeroU16;
use std::panic::{AssertUnwindSafe, catch_unwind};

use vt100::Parser;

use super::backlog::{self, Backlog};
use super::charset::Charsets;
use super::draw::{self, Drawing, Scope};
use super::extra::Extra;
use super::lines;
use super::osc::{self, Mark, Said};
use super::query::Query;
use super::tokens::{Token, Tokens};
use crate::proto::terminal::MAX_SIZE;

const ESC: u8 = 0x1b;

/// U+FE0F, which asks for the wide form of the character before it.
const WIDEN: &[u8] = "\u{fe0f}".as_bytes();

/// What a screen begins with.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Rows, 1 to 1000.
    pub rows: u16,
    /// Columns, 1 to 1000.
    pub cols: u16,
    /// How many rows are kept that scrolled away.
    pub scrollback: usize,
    /// The title until the program sets one.
    pub title: String,
    /// The working directory until the program tells another.
    pub cwd: String,
    /// This machine's name.
    pub host: String,
}

/// What output changed or asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The title, which is now another.
    Title(String),
    /// The directory, which is now another.
    Cwd(String),
    /// A command mark.
    Mark(Mark),
    /// A question that wants an answer.
    Query(Query),
}

/// What came of some output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fed {
    /// In the order in which it happened.
    pub changes: Vec<Change>,
    /// Whether the program went to the alternate screen or came back: a viewer that has only one must be drawn anew.
    pub switched: bool,
}

/// The screen of a terminal. Sizes outside 1 to 1000 are brought inside.
pub struct Screen {
    parser: Parser,
    tokens: Tokens,
    /// The start of an unfinished character.
    held: Vec<u8>,
    /// Text that came after everything that the emulator has read.
    backlog: Backlog,
    /// Whether a scroll region was set, on the main screen and on the alternate one: then not the whole screen scrolls.
    regions: [bool; 2],
    charsets: Charsets,
    extra: Extra,
    title: String,
    cwd: String,
    host: String,
    waiting: Option<bool>,
    revision: u64,
    scrollback: usize,
}

impl std::fmt::Debug for Screen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Screen")
            .field("size", &self.size())
            .field("revision", &self.revision)
            .finish_non_exhaustive()
    }
}

fn side(size: u16) -> NonZeroU16 {
    NonZeroU16::new(size.min(MAX_SIZE)).unwrap_or(NonZeroU16::MIN)
}

impl Screen {
    /// An empty screen.
    #[must_use]
    pub fn new(setup: Setup) -> Self {
        Self {
            parser: Parser::new(side(setup.rows), side(setup.cols), setup.scrollback),
            tokens: Tokens::default(),
            held: Vec::new(),
            backlog: Backlog::default(),
            regions: [false; 2],
            charsets: Charsets::default(),
            extra: Extra::default(),
            title: setup.title,
            cwd: setup.cwd,
            host: setup.host,
            waiting: None,
            revision: 0,
            scrollback: setup.scrollback,
        }
    }

    /// Takes output of the program, cut anywhere.
    pub fn feed(&mut self, bytes: &[u8]) -> Fed {
        let mut fed = Fed::default();
        self.revision += bytes.len() as u64;
        self.guarded(|screen| screen.read(bytes, &mut fed));
        fed
    }

    /// Rows and columns.
    #[must_use]
    pub fn size(&self) -> (u16, u16) {
        let (rows, cols) = self.parser.screen().size();
        (rows.get(), cols.get())
    }

    /// Changes the size.
    pub fn resize(&mut self, rows: u16, cols: u16) {
        self.settle();
        self.regions = [false; 2];
        self.guarded(|screen| screen.parser.set_size(side(rows), side(cols)));
    }

    /// How many bytes the program has written.
    #[must_use]
    pub const fn revision(&self) -> u64 {
        self.revision
    }

    /// The title.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The working directory.
    #[must_use]
    pub fn cwd(&self) -> &str {
        &self.cwd
    }

    /// Whether a shell waits at its prompt; `None` where the shell does not tell.
    #[must_use]
    pub const fn waiting(&self) -> Option<bool> {
        self.waiting
    }

    /// Whether the program uses the alternate screen.
    #[must_use]
    pub fn alternate(&self) -> bool {
        self.parser.screen().alternate_screen()
    }

    /// Whether the program asked for the other form of the cursor keys (DECCKM).
    #[must_use]
    pub fn application_cursor(&self) -> bool {
        self.parser.screen().application_cursor()
    }

    /// Draws the screen as it is at [`Screen::revision`].
    pub fn draw(&mut self, scope: Scope) -> Drawing {
        self.settle();
        let mut tail = Vec::new();
        if scope == Scope::Both {
            tail.extend_from_slice(format!("\x1b]2;{}\x1b\\", self.title).as_bytes());
        }
        self.charsets.draw(&mut tail);
        tail.extend_from_slice(self.tokens.unfinished());
        draw::draw(self.parser.screen(), scope, &self.extra, &tail)
    }

    /// The kept lines, oldest first; `ansi` with attributes as SGR sequences. Blank lines at the end are left out.
    pub fn lines(&mut self, ansi: bool) -> Vec<String> {
        self.settle();
        lines::kept(&mut self.parser, ansi)
    }

    /// The visible lines, likewise.
    pub fn visible_lines(&mut self, ansi: bool) -> Vec<String> {
        self.settle();
        lines::visible(&self.parser, ansi)
    }

    /// The sequences that give a terminal back its usual modes after it showed a screen.
    #[must_use]
    pub fn leave() -> String {
        draw::leave()
    }

    /// The emulator, to compare with another.
    #[cfg(test)]
    pub(super) fn emulator(&mut self) -> &mut Parser {
        self.settle();
        &mut self.parser
    }

    /// The emulator is code of others that reads what any program writes. If it ever panics, the terminal goes on with an
    /// empty screen and the modes that it had, instead of taking the program down.
    pub(super) fn guarded(&mut self, work: impl FnOnce(&mut Self)) {
        // A panic inside of it leaves nothing half done that is used afterwards.
        if catch_unwind(AssertUnwindSafe(|| work(self))).is_err() {
            self.begin_anew();
        }
    }

    fn begin_anew(&mut self) {
        let (rows, cols) = self.size();
        // The emulator that panicked may do it again.
        let modes = catch_unwind(AssertUnwindSafe(|| {
            let screen = self.parser.screen();
            let mut modes = screen.input_mode_formatted().into_bytes();
            if screen.alternate_screen() {
                modes.extend_from_slice(b"\x1b[?47h");
            }
            modes
        }));
        self.parser = Parser::new(side(rows), side(cols), self.scrollback);
        self.parser.process(&modes.unwrap_or_default());
        self.tokens = Tokens::default();
        self.held.clear();
        self.regions = [false; 2];
    }

    /// Has the emulator read the backlog.
    fn settle(&mut self) {
        if self.backlog.is_empty() {
            return;
        }
        let bytes = self.backlog.take();
        let screen = self.parser.screen();
        let scrolled = if screen.alternate_screen() {
            0
        } else {
            self.scrollback
        };
        let text = if self.regions[usize::from(screen.alternate_screen())] {
            &bytes
        } else {
            backlog::tail(&bytes, scrolled + usize::from(screen.size().0.get()))
        };
        self.guarded(|screen| screen.emulate(text));
        self.backlog.give_back(bytes);
    }

    fn read(&mut self, mut bytes: &[u8], fed: &mut Fed) {
        let plain = self.tokens.ground()
            && self.held.is_empty()
            && !self.charsets.needed()
            && memchr::memchr(ESC, bytes).is_none();
        if plain {
            // Boundaries of characters are kept as everywhere: the rest of a cut one comes later.
            self.tokens.next(bytes);
            if let Some(shifted) = self.tokens.shift() {
                self.charsets.shift(shifted);
            }
            let whole = bytes.len() - self.tokens.unfinished().len().min(bytes.len());
            self.held.extend_from_slice(&bytes[whole..]);
            if self.backlog.push(&bytes[..whole]) {
                self.settle();
            }
            return;
        }
        self.settle();
        while !bytes.is_empty() {
            let dropping = self.tokens.overlong();
            // Line drawing is rewritten character by character; all other text goes on in one piece.
            let piece = if self.charsets.needed() && self.tokens.ground() {
                &bytes[..1]
            } else {
                bytes
            };
            let text = self.tokens.ground();
            let (used, token) = self.tokens.next(piece);
            if let Some(shifted) = self.tokens.shift() {
                self.charsets.shift(shifted);
            }
            let read = &bytes[..used];
            bytes = &bytes[used..];
            match (dropping, self.tokens.overlong()) {
                (false, overlong) => {
                    match text.then(|| self.charsets.rewrite(read)).flatten() {
                        Some(rewritten) => self.parser.process(rewritten),
                        None => self.process(read),
                    }
                    if overlong {
                        self.parser.process(b"\x18");
                    }
                }
                (true, false) => self.parser.process(self.tokens.unfinished()),
                (true, true) => {}
            }
            match token {
                Some(Token::Osc(text)) => self.said(osc::read(&text, &self.host), fed),
                Some(Token::Escape { between, last }) => self.escape(between, last),
                Some(Token::Csi {
                    private,
                    params,
                    between: 0,
                    last,
                }) => self.csi(private, &params, last, fed),
                _ => {}
            }
        }
    }

    /// Hands bytes to the emulator, the start of an unfinished character only together with its rest: the emulator's own
    /// reading of cut characters loses text.
    fn process(&mut self, read: &[u8]) {
        let unfinished = if self.tokens.ground() {
            self.tokens.unfinished().len()
        } else {
            0
        };
        self.held.extend_from_slice(read);
        let ready = self.held.len() - unfinished.min(self.held.len());
        let text: Vec<u8> = self.held.drain(..ready).collect();
        self.emulate(&text);
    }

    /// Has the emulator read whole characters. Behind the last column there is no room to widen a character into: it stays
    /// as it is there. The emulator would move it to the next row, or out of the grid.
    fn emulate(&mut self, text: &[u8]) {
        let mut from = 0;
        for at in memchr::memmem::find_iter(text, WIDEN) {
            self.parser.process(&text[from..at]);
            let screen = self.parser.screen();
            from = if screen.cursor_position().1 < screen.size().1.get() {
                at
            } else {
                at + WIDEN.len()
            };
        }
        self.parser.process(&text[from..]);
    }

    fn said(&mut self, said: Option<Said>, fed: &mut Fed) {
        match said {
            Some(Said::Title(title)) if title != self.title => {
                self.title.clone_from(&title);
                fed.changes.push(Change::Title(title));
            }
            Some(Said::Cwd(cwd)) if cwd != self.cwd => {
                self.cwd.clone_from(&cwd);
                fed.changes.push(Change::Cwd(cwd));
            }
            Some(Said::Mark(mark)) => {
                match mark {
                    Mark::Prompt => self.waiting = Some(true),
                    Mark::Started => self.waiting = Some(false),
                    Mark::Line(_) | Mark::Finished(_) => {}
                }
                fed.changes.push(Change::Mark(mark));
            }
            _ => {}
        }
    }

    /// Sequences that the emulator does not know, in terms of those that it knows.
    fn escape(&mut self, between: u8, last: u8) {
        match (between, last) {
            (0, b'c') => {
                self.charsets = Charsets::default();
                self.extra = Extra::default();
                self.regions = [false; 2];
            }
            (0, b'D') => self.parser.process(b"\n"),
            (0, b'E') => self.parser.process(b"\r\n"),
            (b'(' | b')', set) => self.charsets.designate(between, set),
            _ => {}
        }
    }

    fn csi(&mut self, private: u8, params: &[u16], last: u8, fed: &mut Fed) {
        let first = params.first().copied().unwrap_or(0);
        match (private, last) {
            (0, b'r') => {
                let alternate = usize::from(self.parser.screen().alternate_screen());
                self.regions[alternate] = params.iter().any(|param| *param != 0);
            }
            (b'?', b'h' | b'l') => {
                let on = last == b'h';
                fed.switched |= params.iter().any(|mode| matches!(mode, 47 | 1047 | 1049));
                for mode in params {
                    match (mode, on) {
                        (1047, true) => self.parser.process(b"\x1b[?47h"),
                        (1047, false) => self.parser.process(b"\x1b[?47l"),
                        (1048, true) => self.parser.process(b"\x1b7"),
                        (1048, false) => self.parser.process(b"\x1b8"),
                        _ => {}
                    }
                }
            }
            (0, b's') if params.is_empty() => self.parser.process(b"\x1b7"),
            (0, b'u') if params.is_empty() => self.parser.process(b"\x1b8"),
            (0, b'Z') => {
                let col = self.parser.screen().cursor_position().1;
                let stop = col.div_ceil(8).saturating_sub(first.max(1)) * 8;
                self.parser
                    .process(format!("\x1b[{}G", stop + 1).as_bytes());
            }
            (0, b'c') if first == 0 => fed.changes.push(Change::Query(Query::Attributes)),
            (b'>', b'c') if first == 0 => fed.changes.push(Change::Query(Query::Version)),
            (0, b'n') if first == 5 => fed.changes.push(Change::Query(Query::Status)),
            (0, b'n') if first == 6 => {
                let (row, col) = self.parser.screen().cursor_position();
                let col = col.min(self.size().1 - 1);
                fed.changes
                    .push(Change::Query(Query::Position { row, col }));
            }
            _ => {}
        }
        self.extra.csi(private, params, last);
    }
}
