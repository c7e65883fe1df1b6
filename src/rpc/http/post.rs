//! `POST /`: one message and its reply.

use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::header::{self, HeaderValue};
use hyper::{Request, Response, StatusCode};
use tokio::time::{MissedTickBehavior, interval};

use super::super::connection::LOOK;
use super::super::driver::{Driver, Mode};
use super::super::envelope::parse_error;
use super::super::framing::too_large;
use super::super::outbox::{Outbox, Wire};
use super::{Reply, Site, json, refusal};

impl Site {
    pub(super) async fn post(&self, request: Request<Incoming>) -> Reply {
        let limits = self.server.limits();
        let body = Limited::new(request.into_body(), limits.message_bytes)
            .collect()
            .await;
        self.half.set(false);
        let text = match body {
            Ok(body) => body.to_bytes(),
            Err(error) if error.is::<LengthLimitError>() => {
                return closing(refusal(StatusCode::PAYLOAD_TOO_LARGE, &too_large(&limits)));
            }
            Err(_) => {
                let failure = parse_error("the body of the request is incomplete");
                return closing(refusal(StatusCode::BAD_REQUEST, &failure));
            }
        };
        let outbox = Outbox::sharing(Wire::Messages, self.server.unread());
        let mode = match self.mode {
            Mode::Full => Mode::Once,
            mode => mode,
        };
        let mut driver = Driver::new(self.server.clone(), self.peer, outbox.clone(), mode);
        driver.receive(&text);
        self.finish(&mut driver).await;
        match outbox.try_pop() {
            Some(reply) if self.mode.is_refused() => {
                closing(json(StatusCode::SERVICE_UNAVAILABLE, reply))
            }
            Some(reply) => json(StatusCode::OK, reply),
            None => no_content(),
        }
    }

    async fn finish(&self, driver: &mut Driver) {
        let stop = self.server.supervisor().token();
        let mut stopped = false;
        let mut gone = false;
        let mut looks = interval(LOOK);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while !driver.is_idle() {
            tokio::select! {
                finished = driver.next() => driver.settle(finished),
                _ = looks.tick(), if !gone => {
                    gone = self.socket.is_gone();
                    if gone {
                        driver.abandon();
                    }
                }
                () = stop.cancelled(), if !stopped => {
                    stopped = true;
                    driver.shut_down();
                }
            }
        }
    }
}

fn no_content() -> Reply {
    let mut reply = Response::new(Full::default());
    *reply.status_mut() = StatusCode::NO_CONTENT;
    reply
}

/// A reply after which nothing more is read.
fn closing(mut reply: Reply) -> Reply {
    let close = HeaderValue::from_static("close");
    reply.headers_mut().insert(header::CONNECTION, close);
    reply
}
