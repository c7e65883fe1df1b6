//! A program in a pseudo-terminal of the test's own, with an emulator that shows what a person would see.

use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Arc, Mutex};

use rustix::process::Pid;
use rustix::termios::LocalModes;
use surfaced::screen::{Screen, Setup};

use super::wait;

/// A running program and its terminal.
pub struct Pty {
    child: Child,
    master: std::fs::File,
    screen: Arc<Mutex<Screen>>,
    raw: Arc<Mutex<Vec<u8>>>,
}

impl Pty {
    /// Starts a command in a terminal of this size.
    pub fn start(command: &Command, rows: u16, cols: u16) -> Self {
        let (pty, pts) = pty_process::blocking::open().unwrap();
        pty.resize(pty_process::Size::new(rows, cols)).unwrap();
        let mut started = pty_process::blocking::Command::new(command.get_program())
            .args(command.get_args())
            .env_clear()
            .envs(
                command
                    .get_envs()
                    .filter_map(|(name, value)| Some((name, value?))),
            )
            .env("TERM", "xterm-256color");
        if let Some(dir) = command.get_current_dir() {
            started = started.current_dir(dir);
        }
        let child = started.spawn(pts).unwrap();
        let master = std::fs::File::from(OwnedFd::from(pty));
        let screen = Arc::new(Mutex::new(Screen::new(Setup {
            rows,
            cols,
            scrollback: 100,
            title: String::new(),
            cwd: "/".into(),
            host: String::new(),
        })));
        let raw = Arc::new(Mutex::new(Vec::new()));
        let mut reading = master.try_clone().unwrap();
        let (shown, kept) = (Arc::clone(&screen), Arc::clone(&raw));
        std::thread::spawn(move || {
            let mut buffer = vec![0; 64 << 10];
            while let Ok(count @ 1..) = reading.read(&mut buffer) {
                shown.lock().unwrap().feed(&buffer[..count]);
                kept.lock().unwrap().extend_from_slice(&buffer[..count]);
            }
        });
        Self {
            child,
            master,
            screen,
            raw,
        }
    }

    /// Its process.
    pub fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Whether the terminal reads lines and shows what is typed, as a shell finds it.
    pub fn cooked(&self) -> bool {
        let modes = rustix::termios::tcgetattr(&self.master)
            .unwrap()
            .local_modes;
        modes.contains(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG)
    }

    /// Types.
    pub fn type_in(&self, text: &str) {
        (&self.master).write_all(text.as_bytes()).unwrap();
    }

    /// The lines that are visible.
    pub fn lines(&self) -> Vec<String> {
        self.screen.lock().unwrap().visible_lines(false)
    }

    /// Everything that was written to the terminal.
    pub fn raw(&self) -> Vec<u8> {
        self.raw.lock().unwrap().clone()
    }

    /// Whether the alternate screen is in use.
    pub fn alternate(&self) -> bool {
        self.screen.lock().unwrap().alternate()
    }

    /// Waits until a visible line contains the text.
    #[track_caller]
    pub fn shows(&self, text: &str) {
        let mut last = Vec::new();
        let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            wait::until(&format!("the screen to show {text:?}"), || {
                last = self.lines();
                last.iter().any(|line| line.contains(text)).then_some(())
            });
        }));
        assert!(found.is_ok(), "{text:?} is not shown:\n{}", last.join("\n"));
    }

    /// Waits until no visible line contains the text.
    #[track_caller]
    pub fn hides(&self, text: &str) {
        wait::until(&format!("the screen to hide {text:?}"), || {
            let shown = self.lines().iter().any(|line| line.contains(text));
            (!shown).then_some(())
        });
    }

    /// Changes the size, of the emulator too.
    pub fn resize(&self, rows: u16, cols: u16) {
        self.screen.lock().unwrap().resize(rows, cols);
        let size = rustix::termios::Winsize {
            ws_row: rows,
            ws_col: cols,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        rustix::termios::tcsetwinsize(&self.master, size).unwrap();
    }

    /// Waits for the end of the program.
    #[track_caller]
    pub fn ended(&mut self) -> ExitStatus {
        wait::until("the program to end", || self.child.try_wait().unwrap())
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
