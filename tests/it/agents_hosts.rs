//! Agents on hosts: a real sshd on loopback, tmux and stand-ins over there.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::agents_support::{CLAUDE, text};
use crate::resume_hosts::install;
use crate::support::client::Client;
use crate::support::daemon::Daemon;
use crate::support::process::runs;
use crate::support::sshd::Sshd;
use crate::support::tmux::Tmux;
use crate::support::wait;
use crate::support::world::{World, ready};

struct Far {
    daemon: Option<Daemon>,
    client: Client,
    sshd: Sshd,
    world: World,
}

impl Far {
    fn new(kind: &str) -> Self {
        let world = World::new();
        let sshd = world.server("zion", "/bin/sh");
        world.prefer(kind);
        install(&sshd, "claude", CLAUDE);
        let daemon = world.daemon();
        Self {
            client: daemon.client(),
            daemon: Some(daemon),
            sshd,
            world,
        }
    }

    fn dir(&self, name: &str) -> PathBuf {
        let dir = self.sshd.home().join(name);
        std::fs::create_dir_all(&dir).unwrap();
        dir
    }

    #[track_caller]
    fn create(&mut self, cwd: &Path, more: &Value) -> Value {
        let place = json!({ "kind": "surface", "host": "zion" });
        let mut params = json!({ "provider": "claude", "cwd": cwd, "place": place });
        for (name, value) in more.as_object().unwrap() {
            params[name] = value.clone();
        }
        self.client.call("agent.create", &params)
    }

    #[track_caller]
    fn agent(&mut self, method: &str, id: &str) -> Value {
        self.client.call(method, &json!({ "id": id }))
    }

    #[track_caller]
    fn reaches(&mut self, id: &str, lifecycle: &str) -> Value {
        wait::until(&format!("{id} to be {lifecycle}"), || {
            let agent = self.client.call("agent.get", &json!({ "id": id }));
            (agent["lifecycle"] == lifecycle).then_some(agent)
        })
    }

    fn says(&mut self, agent: &Value, line: &str) {
        let surface = text(&agent["surface"]);
        self.client.call(
            "surface.inject",
            &json!({ "surface": surface, "text": line }),
        );
    }

    /// Waits until the pane of an agent shows this.
    #[track_caller]
    fn shows(&self, agent: &Value, words: &str) -> String {
        let surface = text(&agent["surface"]);
        let pane = surface.split(';').next().unwrap();
        // It goes with the stage and not before.
        let tmux = std::mem::ManuallyDrop::new(Tmux::absent(&self.world.sandbox));
        tmux.wait_for_text(pane.rsplit('.').next().unwrap(), words)
    }

    /// Every start over there: its process and its words.
    fn starts(&self) -> Vec<(u32, String)> {
        let text = std::fs::read_to_string(self.sshd.home().join("starts")).unwrap_or_default();
        text.lines()
            .filter(|line| !line.ends_with("--version"))
            .map(|line| {
                let (pid, words) = line.split_once(' ').unwrap();
                (pid.parse().unwrap(), words.to_owned())
            })
            .collect()
    }

    fn crash(&mut self) {
        self.daemon.take().unwrap().kill();
        let daemon = self.world.daemon();
        self.client = daemon.client();
        self.daemon = Some(daemon);
    }
}

impl Drop for Far {
    /// A server of tmux that something started would outlive the test.
    fn drop(&mut self) {
        drop(Tmux::absent(&self.world.sandbox));
    }
}

#[test]
fn an_agent_on_a_host_is_created_left_taken_up_again_and_closed() {
    if !ready() {
        return;
    }
    for kind in ["library", "openssh"] {
        let mut far = Far::new(kind);
        let cwd = far.dir("my work");
        let agent = far.create(&cwd, &json!({ "prompt": "fix it", "title": "there" }));
        let id = text(&agent["id"]);
        let session = text(&agent["persistence"]["sessionId"]);
        assert_eq!(agent["lifecycle"], "idle", "{kind}: {agent}");
        assert!(text(&agent["surface"]).ends_with(";host=zion"), "{agent}");
        let attach = text(&agent["attach"]);
        assert!(
            attach.starts_with("ssh ") && attach.contains(" -t zion "),
            "{attach}"
        );
        far.shows(&agent, "got fix it");
        let (pid, words) = far.starts()[0].clone();
        assert_eq!(words, format!("--session-id {session} fix it"));

        // The host shows it as its own.
        let listed = far.client.call("sessions", &json!({ "on": "zion" }));
        let listed = listed["sessions"].as_array().unwrap();
        let found = listed
            .iter()
            .find(|one| one["sessionId"] == session.as_str());
        let found = found.unwrap_or_else(|| panic!("{listed:?}"));
        assert_eq!(found["machine"], "zion");
        assert_eq!(found["surface"], agent["surface"]);
        assert_eq!(found["cwd"], json!(cwd));

        // Its own goodbye is told from a death.
        far.says(&agent, "/exit");
        let closed = far.reaches(&id, "closed");
        assert_eq!(closed["reason"], Value::Null, "{kind}");
        assert!(!runs(pid));
        let opened = far.agent("agent.open", &id);
        assert_eq!(opened["lifecycle"], "idle", "{opened}");
        far.shows(&opened, &format!("resumed {session}"));
        far.shows(&opened, "in ");
        let (pid, words) = far.starts()[1].clone();
        assert_eq!(words, format!("--resume {session}"));
        assert_eq!(std::fs::read_link(format!("/proc/{pid}/cwd")).unwrap(), cwd);
        // A live one is shown, and nothing is opened.
        assert_eq!(far.agent("agent.open", &id)["surface"], opened["surface"]);
        far.says(&opened, "die");
        let ended = far.reaches(&id, "interrupted");
        assert!(text(&ended["reason"]).contains("SIGKILL"), "{ended}");

        let opened = far.agent("agent.open", &id);
        far.shows(&opened, "resumed");
        let pid = far.starts().last().unwrap().0;
        assert_eq!(far.agent("agent.close", &id)["lifecycle"], "closed");
        assert!(!runs(pid), "{kind}: a close ends it over there");
        let archived = far.agent("agent.archive", &id);
        assert!(archived["archivedAt"].is_string());
        let error = far.client.fail("agent.open", &json!({ "id": id }));
        assert_eq!(error["data"]["kind"], "conflict");
        assert_eq!(far.starts().len(), 3);
        // Nothing of it is left over there.
        let left = std::fs::read_dir(format!(
            "/tmp/surfaced-{}",
            rustix::process::getuid().as_raw()
        ));
        let left = left.unwrap().flatten();
        let left: Vec<_> = left
            .filter(|entry| entry.file_name().to_string_lossy().contains(&id))
            .collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

#[test]
fn an_agent_that_nobody_spoke_to_begins_anew_over_there() {
    if !ready() {
        return;
    }
    let mut far = Far::new("auto");
    let cwd = far.dir("quiet");
    // Other versions than the one that is started are not asked.
    install(
        &far.sshd,
        "claude@2.0.9",
        "#!/bin/sh\n: >\"$HOME/asked\"\necho 2.0.9\n",
    );
    let agent = far.create(&cwd, &json!({}));
    assert!(!far.sshd.home().join("asked").exists());
    let id = text(&agent["id"]);
    far.shows(&agent, "ready");
    far.says(&agent, "/exit");
    far.reaches(&id, "closed");
    let opened = far.agent("agent.open", &id);
    assert_eq!(opened["lifecycle"], "idle", "{opened}");
    far.shows(&opened, "ready");
    let starts = far.starts();
    assert_eq!(starts[0].1, starts[1].1, "the same id");
    far.agent("agent.delete", &id);
}

#[test]
fn a_link_that_is_lost_leaves_an_agent_unknown_and_not_gone() {
    if !ready() {
        return;
    }
    let mut far = Far::new("auto");
    let cwd = far.dir("work");
    let agent = far.create(&cwd, &json!({ "prompt": "fix it" }));
    let id = text(&agent["id"]);
    far.shows(&agent, "got fix it");
    let pid = far.starts()[0].0;
    far.sshd.stop();
    for method in ["agent.open", "agent.close", "agent.archive"] {
        let error = far.client.fail(method, &json!({ "id": id }));
        assert_eq!(error["data"]["kind"], "state-unknown", "{method}: {error}");
        assert_eq!(far.agent("agent.get", &id)["lifecycle"], "idle", "{method}");
    }
    let doubt = "whether it runs is not known, because zion cannot be asked";
    let doubted = |agent: &Value| {
        agent["reason"]
            .as_str()
            .is_some_and(|it| it.contains(doubt))
    };
    let known = far.agent("agent.get", &id);
    assert!(doubted(&known), "{known}");
    // The next daemon does not know more, and says so from its first answer on.
    far.crash();
    let listed = far.client.call("agent.list", &json!({}));
    assert_eq!(listed["agents"][0]["lifecycle"], "idle", "{listed}");
    assert!(doubted(&listed["agents"][0]), "{listed}");
    assert!(runs(pid), "it works on");
    far.sshd.restart(&far.world.sandbox);
    let opened = wait::until("the host to be reached again", || {
        far.client.try_call("agent.open", &json!({ "id": id }))
    });
    assert_eq!(opened["surface"], agent["surface"]);
    assert_eq!(opened["reason"], Value::Null, "{opened}");
    assert_eq!(far.starts().len(), 1, "it is not doubled");
    // Nobody needs to ask for the doubt to be noticed, and for its end.
    far.sshd.stop();
    wait::until("the doubt to be noticed", || {
        doubted(&far.agent("agent.get", &id)).then_some(())
    });
    far.sshd.restart(&far.world.sandbox);
    wait::until("the host to be asked again", || {
        (far.agent("agent.get", &id)["reason"] == Value::Null).then_some(())
    });
    far.says(&agent, "/exit");
    let closed = far.reaches(&id, "closed");
    assert_eq!(
        closed["reason"],
        Value::Null,
        "its end was written down over there"
    );
}

#[test]
fn a_link_that_breaks_while_an_agent_is_started_doubles_nothing() {
    if !ready() {
        return;
    }
    let mut far = Far::new("library");
    let cwd = far.dir("work");
    let place = json!({ "kind": "surface", "host": "zion" });
    far.client.request(
        "agent.create",
        &json!({ "provider": "claude", "cwd": cwd, "place": place, "prompt": "fix it" }),
    );
    wait::until("its program", || (!far.starts().is_empty()).then_some(()));
    // Before anybody has written down that it was started.
    far.sshd.drop_sessions();
    far.crash();
    let agent = wait::until("the agent to be known again", || {
        let listed = far.client.call("agent.list", &json!({}))["agents"].clone();
        let id = listed[0]["id"].as_str()?.to_owned();
        let agent = far.client.call("agent.get", &json!({ "id": id }));
        agent["surface"].is_string().then_some(agent)
    });
    let id = text(&agent["id"]);
    assert_eq!(agent["lifecycle"], "idle", "{agent}");
    far.shows(&agent, "got fix it");
    let opened = far.agent("agent.open", &id);
    assert_eq!(opened["surface"], agent["surface"]);
    assert_eq!(far.starts().len(), 1, "{:?}", far.starts());
    far.agent("agent.close", &id);
    assert!(!runs(far.starts()[0].0));
}

#[test]
fn a_start_that_was_cut_off_is_found_once_its_host_answers() {
    if !ready() {
        return;
    }
    let mut far = Far::new("auto");
    let cwd = far.dir("work");
    let agent = far.create(&cwd, &json!({ "prompt": "fix it" }));
    let id = text(&agent["id"]);
    far.shows(&agent, "got fix it");
    let unwritten = |far: &mut Far, number: u32| {
        far.daemon.take().unwrap().kill();
        let kept = far.world.sandbox.state().join("agents");
        let kept = kept.join(format!("{id}.json"));
        let mut whole: Value = serde_json::from_slice(&std::fs::read(&kept).unwrap()).unwrap();
        let run = &mut whole["record"]["run"];
        assert!(run.is_object(), "{whole}");
        run["stage"] = json!("starting");
        run["number"] = json!(number);
        for name in ["surface", "attach", "there"] {
            run[name] = Value::Null;
        }
        std::fs::write(&kept, serde_json::to_vec(&whole).unwrap()).unwrap();
    };
    let restart = |far: &mut Far| {
        let daemon = far.world.daemon();
        far.client = daemon.client();
        far.daemon = Some(daemon);
    };
    unwritten(&mut far, 1);
    far.sshd.stop();
    restart(&mut far);
    let listed = far.client.call("agent.list", &json!({}))["agents"][0].clone();
    assert_eq!(listed["id"], id.as_str(), "{listed}");
    assert_eq!(listed["surface"], Value::Null, "{listed}");
    let reason = text(&listed["reason"]);
    assert!(reason.contains("zion cannot be asked"), "{reason}");
    far.sshd.restart(&far.world.sandbox);
    let found = wait::until("its pane to be found", || {
        let agent = far.agent("agent.get", &id);
        agent["surface"].is_string().then_some(agent)
    });
    assert_eq!(found["surface"], agent["surface"]);
    assert!(text(&found["attach"]).starts_with("ssh "), "{found}");
    assert_eq!(found["reason"], Value::Null, "{found}");
    assert_eq!(far.starts().len(), 1, "{:?}", far.starts());
    far.agent("agent.close", &id);
    assert!(!runs(far.starts()[0].0));

    // What was never begun over there is told as that.
    unwritten(&mut far, 7);
    far.sshd.stop();
    restart(&mut far);
    let listed = far.client.call("agent.list", &json!({}))["agents"][0].clone();
    assert!(text(&listed["reason"]).contains("is not known"), "{listed}");
    far.sshd.restart(&far.world.sandbox);
    let failed = far.reaches(&id, "failed");
    let reason = text(&failed["reason"]);
    assert!(
        reason.contains("before the program was started"),
        "{reason}"
    );
}

#[test]
fn what_a_host_lacks_is_said_before_anything_is_made() {
    if !ready() {
        return;
    }
    let mut far = Far::new("auto");
    let cwd = far.dir("work");
    let place = json!({ "kind": "surface", "host": "zion" });
    let params =
        |provider: &str, cwd: &Path| json!({ "provider": provider, "cwd": cwd, "place": place });
    install(
        &far.sshd,
        "droid",
        "#!/bin/sh\necho 'no such runtime' >&2\nexit 1\n",
    );
    for (provider, cwd, kind, words) in [
        (
            "codex",
            cwd.clone(),
            "program-missing",
            "codex is not on PATH there",
        ),
        ("droid", cwd.clone(), "program-missing", "no such runtime"),
        ("claude", cwd.join("none"), "cwd-missing", "none"),
    ] {
        let error = far.client.fail("agent.create", &params(provider, &cwd));
        assert_eq!(error["data"]["kind"], kind, "{error}");
        assert!(text(&error["message"]).contains(words), "{error}");
    }
    let error = far.client.fail(
        "agent.create",
        &json!({ "provider": "claude", "cwd": cwd, "place": { "kind": "surface", "host": "-oProxyCommand=x" } }),
    );
    assert_eq!(error["data"]["kind"], "host-invalid", "{error}");
    let listed = far.client.call("agent.list", &json!({ "archived": true }));
    assert_eq!(listed["agents"], json!([]));
    assert!(far.starts().is_empty());
}

#[test]
fn the_session_of_an_agent_on_a_host_is_taken_up_there_only() {
    if !ready() {
        return;
    }
    let mut far = Far::new("auto");
    let cwd = far.dir("work");
    let agent = far.create(&cwd, &json!({ "prompt": "fix it" }));
    let (id, session) = (text(&agent["id"]), text(&agent["persistence"]["sessionId"]));
    far.shows(&agent, "got fix it");
    let resume = |far: &mut Far, id: &str, on: Value| {
        let params = json!({ "ids": [id], "on": on, "context": {} });
        far.client.call("resume", &params)["results"][0].clone()
    };
    let result = resume(&mut far, &session, json!("zion"));
    assert_eq!(result["kind"], "conflict", "it runs: {result}");
    far.says(&agent, "/exit");
    far.reaches(&id, "closed");
    for named in [&session, &id] {
        let result = resume(&mut far, named, Value::Null);
        assert_eq!(result["ok"], false, "{result}");
        assert_eq!(result["kind"], "host-invalid", "{result}");
        assert!(text(&result["error"]).contains("is on zion"), "{result}");
    }
    // Another place of this machine is refused too.
    let error = far.client.fail(
        "agent.open",
        &json!({ "id": id, "place": { "kind": "terminal" } }),
    );
    assert!(
        text(&error["message"]).contains("another machine"),
        "{error}"
    );
    let result = resume(&mut far, &session, json!("zion"));
    assert_eq!(result["ok"], true, "{result}");
    // Its agent opened it, so that the record knows where it is.
    let live = far.agent("agent.get", &id);
    assert_eq!(live["lifecycle"], "idle", "{live}");
    assert_eq!(live["surface"], result["surface"]);
    far.shows(&live, &format!("resumed {session}"));
    far.agent("agent.delete", &id);
}
