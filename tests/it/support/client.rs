//! A client of lines over the socket, as plain as `nc`.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

use serde_json::{Value, json};

use super::wait::LONG;

/// One connection.
pub struct Client {
    reader: BufReader<UnixStream>,
    next: u64,
}

impl Client {
    /// Connects.
    pub fn connect(socket: &Path) -> Self {
        Self::try_connect(socket)
            .unwrap_or_else(|error| panic!("connect to {}: {error}", socket.display()))
    }

    /// Connects where something listens.
    pub fn try_connect(socket: &Path) -> std::io::Result<Self> {
        let stream = UnixStream::connect(socket)?;
        stream.set_read_timeout(Some(LONG))?;
        stream.set_write_timeout(Some(LONG))?;
        Ok(Self {
            reader: BufReader::new(stream),
            next: 1,
        })
    }

    /// Sends bytes as they are.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.reader.get_mut().write_all(bytes.as_ref()).unwrap();
    }

    /// The next message.
    #[track_caller]
    pub fn read(&mut self) -> Value {
        self.try_read().expect("a message")
    }

    /// The next message; `None` at the end of the stream.
    pub fn try_read(&mut self) -> Option<Value> {
        let mut line = String::new();
        if self.reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        Some(serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error} in {line:?}")))
    }

    /// Sends a request and returns its id.
    pub fn request(&mut self, method: &str, params: &Value) -> u64 {
        let id = self.next;
        self.next += 1;
        self.send(format!(
            "{}\n",
            json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
        ));
        id
    }

    /// Calls a method and returns the whole reply; items of subscriptions that come before it are dropped.
    #[track_caller]
    pub fn reply(&mut self, method: &str, params: &Value) -> Value {
        let id = self.request(method, params);
        loop {
            let message = self.read();
            if message["id"] == id {
                return message;
            }
        }
    }

    /// Calls a method and returns its result.
    #[track_caller]
    pub fn call(&mut self, method: &str, params: &Value) -> Value {
        let mut reply = self.reply(method, params);
        assert!(reply.get("error").is_none(), "{method}: {}", reply["error"]);
        reply["result"].take()
    }

    /// Calls a method and returns its error.
    #[track_caller]
    pub fn fail(&mut self, method: &str, params: &Value) -> Value {
        let mut reply = self.reply(method, params);
        assert!(
            reply.get("error").is_some(),
            "{method} succeeded: {}",
            reply["result"]
        );
        reply["error"].take()
    }

    /// Creates a terminal that runs these words in `/`, and returns its id.
    #[track_caller]
    pub fn terminal(&mut self, words: &[&str]) -> String {
        let params = json!({ "command": words[0], "args": words[1..], "cwd": "/" });
        let made = self.call("terminal.create", &params);
        made["id"].as_str().unwrap().to_owned()
    }

    /// Creates a terminal that runs a line of `sh` in `/`, and returns its id.
    #[track_caller]
    pub fn sh(&mut self, line: &str) -> String {
        self.terminal(&["sh", "-c", line])
    }

    /// Calls a method where the daemon may not answer.
    pub fn try_call(&mut self, method: &str, params: &Value) -> Option<Value> {
        self.request(method, params);
        self.try_read()?.get_mut("result").map(Value::take)
    }

    /// The socket itself.
    pub fn stream(&self) -> &UnixStream {
        self.reader.get_ref()
    }
}
