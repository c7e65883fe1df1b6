//! A drawn screen, fed to a second emulator, gives the same grid, cursor and modes, whatever the program wrote and wherever
//! its output was cut.

use std::num::NonZeroU16;

use pretty_assertions::assert_eq;
use proptest::prelude::*;
use vt100::Parser;

use super::{Scope, Screen, Setup};

fn screen(rows: u16, cols: u16) -> Screen {
    Screen::new(Setup {
        rows,
        cols,
        scrollback: 50,
        title: String::new(),
        cwd: "/".into(),
        host: String::new(),
    })
}

/// Everything that can be seen of an emulator, and what it does next: hidden state shows there.
fn seen(parser: &mut Parser) -> Vec<String> {
    let mut seen = vec![shown(parser.screen())];
    for probe in [
        "\x18",
        "\x1b[?6l\x1b[999;1H\n",
        "\x1b8x",
        "\x1b[?47l",
        "\x1b[?6l\x1b[999;1H\n",
        "\x1b8x",
    ] {
        parser.process(probe.as_bytes());
        seen.push(shown(parser.screen()));
    }
    seen
}

fn shown(screen: &vt100::Screen) -> String {
    let (rows, cols) = screen.size();
    let (row, col) = screen.cursor_position();
    let mut text = format!(
        "at {row},{} hidden {} alternate {} paste {} keys {} keypad {} mouse {:?} {:?} style {:?}\n",
        col.min(cols.get() - 1),
        screen.hide_cursor(),
        screen.alternate_screen(),
        screen.bracketed_paste(),
        screen.application_cursor(),
        screen.application_keypad(),
        screen.mouse_protocol_mode(),
        screen.mouse_protocol_encoding(),
        screen.cursor_style(),
    );
    for row in 0..rows.get() {
        for col in 0..cols.get() {
            let cell = screen.cell(row, col).unwrap();
            text.push_str(cell.contents());
            let pen = super::row::Pen::of(cell);
            if pen != super::row::Pen::default() {
                pen.set(&mut text);
            }
            text.push(if cell.is_wide() { '+' } else { '|' });
        }
        text.push('\n');
    }
    text
}

/// Whether the cursor, or the saved one, waits behind a last column that is empty everywhere. No sequence leads there.
fn out_of_reach(parser: &mut Parser) -> bool {
    let behind = |screen: &vt100::Screen| {
        let (rows, cols) = screen.size();
        let empty = |row| {
            screen
                .cell(row, cols.get() - 1)
                .is_some_and(|cell| !cell.has_contents() && !cell.is_wide_continuation())
        };
        screen.cursor_position().1 == cols.get() && (0..rows.get()).all(empty)
    };
    let mut copy = Parser::default();
    *copy.screen_mut() = parser.screen().clone();
    let mut found = behind(copy.screen());
    for probe in ["\x1b8", "\x1b[?47l", "\x1b8"] {
        copy.process(probe.as_bytes());
        found |= behind(copy.screen());
    }
    found
}

fn check(rows: u16, cols: u16, pieces: &[Vec<u8>], resize: Option<(u16, u16)>) {
    let mut first = screen(rows, cols);
    for (index, piece) in pieces.iter().enumerate() {
        first.feed(piece);
        if let Some((rows, cols)) = resize
            && index == pieces.len() / 2
        {
            first.resize(rows, cols);
        }
    }
    if out_of_reach(first.emulator()) {
        return;
    }
    let drawn = first.draw(Scope::Both);
    assert_eq!((drawn.rows, drawn.cols), first.size());
    let mut second = Parser::new(
        NonZeroU16::new(drawn.rows).unwrap(),
        NonZeroU16::new(drawn.cols).unwrap(),
        50,
    );
    // Nothing of an earlier state may shine through.
    second
        .process(b"\x1b[2;3r\x1b[?6h\x1b[?1003h\x1b[?1006h\x1b[?1049h\x1b[?25l\x1b[31mold\x1b]0;x");
    second.process(&drawn.bytes);
    let sent = String::from_utf8_lossy(&drawn.bytes).into_owned();
    assert_eq!(seen(&mut second), seen(first.emulator()), "{sent:?}");
}

fn piece() -> impl Strategy<Value = Vec<u8>> {
    let number = 0u16..14;
    prop_oneof![
        8 => "[a-z ]{1,12}".prop_map(String::into_bytes),
        4 => "[a-cé─😀中\u{301}\u{200d}☂]{1,6}".prop_map(String::into_bytes),
        3 => prop::sample::select(vec!["\u{fe0f}", "☂\u{fe0f}", "❤\u{fe0f}x", "1\u{fe0f}\u{20e3}", "中\u{fe0f}", "🏳\u{fe0f}\u{200d}🌈", "☂\u{301}\u{fe0f}"])
            .prop_map(|text| text.as_bytes().to_vec()),
        3 => prop::sample::select(vec!["\r\n", "\n", "\r", "\t", "\x08", "\x1b7", "\x1b8", "\x1bM", "\x1bD", "\x1bE", "\x1bc", "\x1b=", "\x1b>", "\x0e", "\x0f", "\x1b(0", "\x1b(B", "\x1b)0"])
            .prop_map(|text| text.as_bytes().to_vec()),
        6 => (number.clone(), number, prop::sample::select(b"@ABCDEFGHJKLMPSTXdfrmZsu".to_vec()))
            .prop_map(|(a, b, last)| format!("\x1b[{a};{b}{}", char::from(last)).into_bytes()),
        3 => (prop::sample::select(vec![1, 6, 9, 25, 47, 1000, 1002, 1003, 1004, 1005, 1006, 1047, 1048, 1049, 2004]), any::<bool>())
            .prop_map(|(mode, on)| format!("\x1b[?{mode}{}", if on { 'h' } else { 'l' }).into_bytes()),
        3 => (prop::sample::select(vec![0, 1, 2, 3, 4, 7, 22, 23, 24, 27, 31, 39, 42, 49, 95, 104]))
            .prop_map(|sgr| format!("\x1b[{sgr}m").into_bytes()),
        1 => (any::<u8>(), any::<u8>()).prop_map(|(a, b)| format!("\x1b[38;5;{a};48;2;{b};1;2m").into_bytes()),
        1 => prop::sample::select(vec!["\x1b]0;title\x07", "\x1b]2;part", "\x1b\\", "\x1b[3", "\x1b", "\x1bP1q", "\x1b[4 q", "\x1b[>1u"])
            .prop_map(|text| text.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 1..6),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn a_drawing_gives_the_same_screen(
        rows in 1u16..12,
        cols in 1u16..16,
        pieces in prop::collection::vec(piece(), 1..40),
        resize in prop::option::of((1u16..12, 1u16..16)),
    ) {
        check(rows, cols, &pieces, resize);
    }

    #[test]
    fn cuts_do_not_matter(pieces in prop::collection::vec(piece(), 1..20), size in 1usize..5) {
        let text: Vec<u8> = pieces.concat();
        let mut whole = screen(6, 12);
        whole.feed(&text);
        let mut cut = screen(6, 12);
        for part in text.chunks(size) {
            cut.feed(part);
        }
        prop_assert_eq!(cut.draw(Scope::Both), whole.draw(Scope::Both));
        prop_assert_eq!(cut.lines(true), whole.lines(true));
        prop_assert_eq!(cut.title(), whole.title());
    }
}

/// Text that was never emulated changes nothing: a flood read at once, and the same flood line by line with looks between.
#[test]
fn floods_end_as_if_every_line_had_been_read() {
    for (rows, scrollback, line_end) in [(5, 10, "\r\n"), (5, 0, "\r\n"), (24, 50, "\n")] {
        for before in [
            "",
            "\x1b[31mred",
            "\x1b[2;4r\x1b[3;1H",
            "\x1b[?1049h",
            "\x1b[?1049h\x1b[2;3r",
        ] {
            let make = || {
                let mut screen = Screen::new(Setup {
                    rows,
                    cols: 20,
                    scrollback,
                    title: String::new(),
                    cwd: "/".into(),
                    host: String::new(),
                });
                screen.feed(before.as_bytes());
                screen
            };
            let (mut flooded, mut looked) = (make(), make());
            let mut flood = Vec::new();
            for number in 0..2_000 {
                let line = format!("{number} é {}{line_end}", "x".repeat(number % 30));
                looked.feed(line.as_bytes());
                looked.visible_lines(false);
                flood.extend(line.into_bytes());
            }
            for part in flood.chunks(4096 + 1) {
                flooded.feed(part);
            }
            assert_eq!(flooded.lines(true), looked.lines(true), "{before:?}");
            assert_eq!(
                String::from_utf8_lossy(&flooded.draw(Scope::Both).bytes),
                String::from_utf8_lossy(&looked.draw(Scope::Both).bytes),
                "{before:?}"
            );
        }
    }
}

#[test]
fn an_editor_is_drawn_with_what_lies_under_it() {
    check(
        10,
        20,
        &[
            b"shell$ vi\r\nline\r\n".to_vec(),
            b"\x1b[?1049h\x1b[?2004h\x1b[?1002h\x1b[?1006h\x1b[?1h\x1b=\x1b[2;9r\x1b[H".to_vec(),
            "wide 中文 e\u{301}\x1b[10;20Hx".as_bytes().to_vec(),
        ],
        None,
    );
}

/// A character is widened where there is room, and stays as it is where the row ends.
#[test]
fn an_emoji_is_as_wide_as_the_row_allows() {
    for (cols, text, lines) in [
        (6, "ab☂\u{fe0f}c", &["ab☂\u{fe0f}c"][..]),
        (6, "abcd☂\u{fe0f}e", &["abcd☂\u{fe0f}", "e"]),
        (6, "abcde☂\u{fe0f}f", &["abcde☂", "f"]),
        (1, "☂\u{fe0f}", &["☂"]),
        (6, "abcd中\u{fe0f}e", &["abcd中", "e"]),
    ] {
        let mut screen = screen(3, cols);
        screen.feed(text.as_bytes());
        assert_eq!(screen.visible_lines(false), lines, "{text:?}");
        check(3, cols, &[text.as_bytes().to_vec()], None);
        // On the last row, where going on scrolls.
        check(1, cols, &[text.as_bytes().to_vec()], None);
        check(
            3,
            cols,
            &[
                format!("\x1b[3;1H{text}").into_bytes(),
                "\x1b[2D\u{fe0f}x".as_bytes().to_vec(),
            ],
            None,
        );
    }
}

/// Should the emulator ever panic, what is drawn is what it has then, and it goes on.
#[test]
fn an_emulator_that_panicked_is_replaced_by_one_that_works() {
    let mut screen = screen(4, 10);
    screen.feed(b"before\x1b[?1049h\x1b[2;3r\x1b[?2004hvi\x1b[3");
    screen.guarded(|_| panic!("as the emulator would"));
    assert!(screen.alternate());
    assert!(screen.emulator().screen().bracketed_paste());
    assert_eq!(screen.visible_lines(false), [""; 0]);
    screen.feed("\x1b[2;2Hafter ☂\u{fe0f}\r\n".as_bytes());
    assert_eq!(screen.visible_lines(false), ["", " after ☂\u{fe0f}"]);
    let drawn = screen.draw(Scope::Both);
    let mut second = Parser::new(
        NonZeroU16::new(4).unwrap(),
        NonZeroU16::new(10).unwrap(),
        50,
    );
    second.process(&drawn.bytes);
    assert_eq!(seen(&mut second), seen(screen.emulator()));
}
