//! `resume` of one session by several at once: it is opened once, and the others are told where.

use serde_json::{Value, json};

use crate::agents_support::{Stage, text};
use crate::resume::{id, session};
use crate::support::client::Client;
use crate::support::env::have;
use crate::support::tmux::Tmux;
use crate::support::wait;

fn clients(stage: &Stage, count: usize) -> Vec<Client> {
    let daemon = stage.daemon.as_ref().unwrap();
    (0..count).map(|_| daemon.client()).collect()
}

/// The only result that was opened; every other one names its place.
#[track_caller]
fn opened_once(results: &[Value]) -> Value {
    let opened: Vec<&Value> = results.iter().filter(|one| one["ok"] == true).collect();
    assert_eq!(opened.len(), 1, "{results:?}");
    let surface = text(&opened[0]["surface"]);
    for other in results.iter().filter(|one| one["ok"] != true) {
        assert_eq!(other["kind"], "conflict", "{other}");
        assert!(text(&other["error"]).contains(&surface), "{other}");
        assert!(other["hint"].is_string(), "{other}");
    }
    opened[0].clone()
}

#[test]
fn a_session_that_many_take_up_at_once_is_opened_once() {
    if !have("tmux") {
        return;
    }
    let mut stage = Stage::new();
    let _tmux = Tmux::start(&stage.sandbox, "main");
    for (number, backend) in ["tmux", "builtin"].into_iter().enumerate() {
        let own = id();
        session(&stage, backend, &own);
        let params = json!({ "ids": [own], "backend": backend, "context": {} });
        let mut clients = clients(&stage, 3);
        for client in &mut clients {
            client.request("resume", &params);
        }
        // Two more in one batch.
        let calls: Vec<Value> = [1, 2]
            .map(|id| json!({ "jsonrpc": "2.0", "id": id, "method": "resume", "params": params }))
            .into();
        stage.client.send(format!("{}\n", json!(calls)));
        let mut answers: Vec<Value> = clients.iter_mut().map(Client::read).collect();
        answers.extend(stage.client.read().as_array().unwrap().iter().cloned());
        let results: Vec<Value> = answers
            .iter()
            .map(|answer| answer["result"]["results"][0].clone())
            .collect();
        assert_eq!(results.len(), 5);
        opened_once(&results);
        wait::until("its start", || {
            (stage.starts().len() > number).then_some(())
        });
        assert_eq!(stage.starts().len(), number + 1, "{backend}");
        assert!(stage.starts()[number].1.ends_with(&own));
    }
}

#[test]
fn calls_that_name_the_same_sessions_in_another_order_do_not_wait_for_each_other() {
    if !have("tmux") {
        return;
    }
    let stage = Stage::new();
    let _tmux = Tmux::start(&stage.sandbox, "main");
    let (one, two) = (id(), id());
    session(&stage, "one", &one);
    session(&stage, "two", &two);
    let mut clients = clients(&stage, 2);
    for (client, ids) in clients.iter_mut().zip([[&one, &two], [&two, &one]]) {
        let params = json!({ "ids": ids, "backend": "tmux", "context": {} });
        client.request("resume", &params);
    }
    let answers: Vec<Value> = clients.iter_mut().map(Client::read).collect();
    let result = |call: usize, at: usize| answers[call]["result"]["results"][at].clone();
    opened_once(&[result(0, 0), result(1, 1)]);
    opened_once(&[result(0, 1), result(1, 0)]);
}
