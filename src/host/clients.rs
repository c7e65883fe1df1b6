//! All connections to a host, and what is told to them.

use std::os::unix::net::{UnixListener, UnixStream};
use std::rc::Rc;
use std::time::Instant;

use super::client::Client;
use super::wire::{self, Attach, Command, Event, Head, Size};
use crate::screen::{Drawing, Scope, Screen};

/// The connections, oldest first.
#[derive(Default)]
pub(super) struct Clients {
    all: Vec<Client>,
}

impl Clients {
    /// Takes the connections that wait. Only this user's processes are let in.
    pub(super) fn accept(&mut self, listener: &UnixListener) {
        while let Ok((stream, _)) = listener.accept() {
            if !ours(&stream) {
                continue;
            }
            self.all.extend(Client::new(stream));
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Client> {
        self.all.iter()
    }

    pub(super) fn get(&mut self, index: usize) -> &mut Client {
        &mut self.all[index]
    }

    pub(super) const fn count(&self) -> usize {
        self.all.len()
    }

    /// Forgets those that are gone. Answers whether an interactive viewer was among them.
    pub(super) fn forget_gone(&mut self) -> bool {
        let mut left = false;
        self.all.retain(|client| {
            left |= client.gone() && interactive(client);
            !client.gone()
        });
        left
    }

    /// Whether a person's terminal is there, which answers the program's questions.
    pub(super) fn interactive(&self) -> bool {
        self.all.iter().any(interactive)
    }

    /// The size of the newest interactive viewer that has one.
    pub(super) fn wanted_size(&self) -> Option<Size> {
        self.all
            .iter()
            .rev()
            .filter(|client| interactive(client))
            .find_map(|client| client.viewer()?.attach.size)
    }

    /// Makes a connection a viewer, the newest one.
    pub(super) fn watch(&mut self, index: usize, attach: Attach) {
        let mut client = self.all.remove(index);
        client.watch(attach);
        self.all.push(client);
    }

    /// Tells output to the viewers. After a switch between the program's screens, one-screen viewers get a drawing instead.
    pub(super) fn output(&mut self, bytes: &[u8], switched: bool, screen: &mut Screen) {
        let mut frame = None;
        let mut drawing = None;
        for client in &mut self.all {
            let Some(viewer) = client.viewer() else {
                continue;
            };
            let one_screen = viewer.attach.one_screen;
            if client.miss(bytes.len() as u64) {
                continue;
            }
            if switched && one_screen {
                let drawing =
                    drawing.get_or_insert_with(|| Rc::from(snapshot(screen, Scope::Visible)));
                client.show(drawing, 0);
            } else {
                let frame = frame.get_or_insert_with(|| {
                    let revision = screen.revision().to_le_bytes();
                    Rc::from(wire::frame(wire::OUTPUT, &[&revision, bytes]))
                });
                client.show(frame, bytes.len() as u64);
            }
        }
    }

    /// Tells everybody an event; viewers those that they show. Lagging ones are told sizes and titles by their drawing.
    pub(super) fn event(&mut self, event: &Event) {
        let frame: Rc<[u8]> = Rc::from(wire::json(wire::EVENT, event));
        for client in &mut self.all {
            match event {
                Event::Exit { .. } => client.push(Rc::clone(&frame)),
                _ if client.viewer().is_none() => client.tell(&frame),
                Event::Title { .. } | Event::Resized(_) => client.show(&frame, 0),
                _ => {}
            }
        }
    }

    /// Tells how things are now to those that did not hear of all that happened.
    pub(super) fn abreast(&mut self, screen: &Screen) {
        for client in self
            .all
            .iter_mut()
            .filter_map(|client| client.abreast().then_some(client))
        {
            let (rows, cols) = screen.size();
            let command = screen.waiting().map(|waiting| {
                Event::Command(if waiting {
                    Command::Prompt
                } else {
                    Command::Started { line: None }
                })
            });
            let events = [
                Event::Title {
                    title: screen.title().to_owned(),
                },
                Event::Cwd {
                    cwd: screen.cwd().to_owned(),
                },
                Event::Resized(Size { rows, cols }),
            ];
            for event in events.iter().chain(&command) {
                client.push(Rc::from(wire::json(wire::EVENT, event)));
            }
        }
    }

    /// When the next viewer that lags is to catch up.
    pub(super) fn due(&self) -> Option<Instant> {
        self.all.iter().filter_map(Client::due).min()
    }

    /// Draws the screen anew for one-screen viewers, whose own terminal may have moved things at a change of size.
    pub(super) fn redraw(&mut self, screen: &mut Screen) {
        let wants = |client: &Client| {
            !client.lagging()
                && client
                    .viewer()
                    .is_some_and(|viewer| viewer.attach.one_screen)
        };
        if self.all.iter().any(wants) {
            let frame: Rc<[u8]> = Rc::from(snapshot(screen, Scope::Visible));
            for client in self.all.iter_mut().filter(|client| wants(client)) {
                client.show(&frame, 0);
            }
        }
    }

    /// Draws the screen for a new viewer.
    pub(super) fn draw(&mut self, index: usize, screen: &mut Screen) {
        let client = &mut self.all[index];
        let frame = snapshot(screen, scope(client));
        client.push(Rc::from(frame));
    }

    /// Lets viewers catch up that lagged: the count of what they missed, and a drawing. `all`: at once.
    pub(super) fn catch_up(&mut self, all: bool, screen: &mut Screen) {
        // One drawing serves all that show the same, however many they are.
        let (mut visible, mut both) = (None, None);
        for client in &mut self.all {
            if let Some(missed) = client.catch_up(all) {
                if missed > 0 {
                    let gap = wire::json(wire::EVENT, &Event::Gap { missed });
                    client.push(Rc::from(gap));
                }
                let scope = scope(client);
                let drawing: &mut Option<Rc<[u8]>> = match scope {
                    Scope::Visible => &mut visible,
                    Scope::Both => &mut both,
                };
                let drawing = drawing.get_or_insert_with(|| Rc::from(snapshot(screen, scope)));
                client.push(Rc::clone(drawing));
            }
        }
    }

    /// Writes what goes out now.
    pub(super) fn write(&mut self) {
        for client in &mut self.all {
            client.write();
        }
    }

    /// Whether anything waits to be written.
    pub(super) fn pending(&self) -> bool {
        self.all.iter().any(Client::has_output)
    }
}

fn interactive(client: &Client) -> bool {
    client
        .viewer()
        .is_some_and(|viewer| viewer.attach.interactive)
}

fn scope(client: &Client) -> Scope {
    match client.viewer() {
        Some(viewer) if viewer.attach.one_screen => Scope::Visible,
        _ => Scope::Both,
    }
}

fn snapshot(screen: &mut Screen, scope: Scope) -> Vec<u8> {
    let drawing = screen.draw(scope);
    wire::snapshot(&head(&drawing, screen.revision()), &drawing.bytes)
}

/// What a drawing shows.
pub(super) const fn head(drawing: &Drawing, revision: u64) -> Head {
    Head {
        rows: drawing.rows,
        cols: drawing.cols,
        row: drawing.row,
        col: drawing.col,
        visible: drawing.visible,
        revision,
    }
}

#[cfg(target_os = "linux")]
fn ours(stream: &UnixStream) -> bool {
    rustix::net::sockopt::socket_peercred(stream)
        .is_ok_and(|peer| peer.uid == rustix::process::getuid())
}

/// Elsewhere the private directory is the guard.
#[cfg(not(target_os = "linux"))]
fn ours(_: &UnixStream) -> bool {
    true
}
