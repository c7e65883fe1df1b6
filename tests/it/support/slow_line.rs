//! A line with a long way: bytes arrive a while after they were sent, in both directions.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::spawn;
use std::time::{Duration, Instant};

use super::wait::until_async;

/// Carries connections to a port of this machine.
pub struct SlowLine {
    port: u16,
    flights: Arc<Flights>,
}

/// Counts how often the near side spoke after it had heard something new: each time costs the way there and back.
#[derive(Default)]
struct Flights {
    count: AtomicUsize,
    heard: AtomicBool,
    /// Pieces that were sent and have not arrived.
    under_way: AtomicUsize,
    /// The count when the near side last heard something: what it said since then is not answered yet.
    answered: AtomicUsize,
}

/// How often in a row a quiet line is seen to be quiet: whoever hears something needs a moment to answer.
const LOOKS: usize = 10;

impl Flights {
    /// A piece was sent, or has arrived.
    fn moves(&self, sent: bool) {
        if sent {
            self.under_way.fetch_add(1, Ordering::SeqCst);
        } else {
            self.under_way.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

impl SlowLine {
    /// A line to this port that needs `delay` for each way.
    pub fn to(far: u16, delay: Duration) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let flights = Arc::new(Flights::default());
        let counted = Arc::clone(&flights);
        spawn(move || {
            for near in listener.incoming().flatten() {
                let far = TcpStream::connect(("127.0.0.1", far)).unwrap();
                for stream in [&near, &far] {
                    stream.set_nodelay(true).unwrap();
                }
                let spoke = Arc::clone(&counted);
                let heard = Arc::clone(&counted);
                let (near_in, far_in) = (near.try_clone().unwrap(), far.try_clone().unwrap());
                carry(near_in, far, delay, move |sent| {
                    spoke.moves(sent);
                    if sent && spoke.heard.swap(false, Ordering::SeqCst) {
                        spoke.count.fetch_add(1, Ordering::SeqCst);
                    }
                });
                carry(far_in, near, delay, move |sent| {
                    heard.moves(sent);
                    if !sent {
                        heard.heard.store(true, Ordering::SeqCst);
                        let count = heard.count.load(Ordering::SeqCst);
                        heard.answered.store(count, Ordering::SeqCst);
                    }
                });
            }
        });
        Self { port, flights }
    }

    /// Where its near end is.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Waits until what was said before has arrived, and nobody had more to say to it for some looks.
    pub async fn quiet(&self) {
        let mut looks = 0;
        until_async("the line to be quiet", || {
            let still = self.flights.under_way.load(Ordering::SeqCst) == 0;
            looks = if still { looks + 1 } else { 0 };
            (looks == LOOKS).then_some(())
        })
        .await;
    }

    /// Forgets what was counted; the next word of the near side is the first.
    pub fn reset(&self) {
        self.flights.count.store(0, Ordering::SeqCst);
        self.flights.heard.store(true, Ordering::SeqCst);
    }

    /// Round trips since then, up to the last thing that was heard.
    pub fn round_trips(&self) -> usize {
        self.flights.answered.load(Ordering::SeqCst)
    }
}

/// Carries bytes one way. `note` is told of each piece when it is sent (`true`) and when it arrives.
fn carry(
    mut from: TcpStream,
    mut to: TcpStream,
    delay: Duration,
    note: impl Fn(bool) + Send + Sync + 'static,
) {
    let note = Arc::new(note);
    let (under_way, arriving) = mpsc::channel::<(Instant, Vec<u8>)>();
    let sent = Arc::clone(&note);
    spawn(move || {
        let mut bytes = vec![0; 64 << 10];
        while let Ok(length @ 1..) = from.read(&mut bytes) {
            sent(true);
            let piece = (Instant::now() + delay, bytes[..length].to_vec());
            under_way.send(piece).unwrap();
        }
    });
    spawn(move || {
        for (due, bytes) in arriving {
            #[expect(
                clippy::disallowed_methods,
                reason = "being slow is what this line is for"
            )]
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
            note(false);
            // What is sent to somebody who has gone arrives nowhere, after as long a way.
            let _ = to.write_all(&bytes);
        }
        let _ = to.shutdown(Shutdown::Both);
    });
}
