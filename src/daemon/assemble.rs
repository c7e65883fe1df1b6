//! Where the daemon's parts are put together: each service is made here once and given to the methods that use it.

use std::path::PathBuf;
use std::sync::Arc;

use super::error::DaemonError;
use crate::config::Store;
use crate::host;
use crate::host::place::Place;
use crate::launch::shell::Shell;
use crate::os::environment::{self, variable};
use crate::os::paths::Paths;
use crate::os::person::Person;
use crate::os::supervise::Supervisor;
use crate::proto::{AbsolutePath, Env, EnvName, Word};
use crate::rpc::Registry;
use crate::rpc::api::{self, Launch};
use crate::service::agents::{self, Agents, Places, Programs};
use crate::service::context::Contexts;
use crate::service::conversations::Pool;
use crate::service::events::Events;
use crate::service::hosted::Hosted;
use crate::service::in_force::InForce;
use crate::service::layouts::Layouts;
use crate::service::links::Everywhere;
use crate::service::machine::Machine;
use crate::service::open::{self, Links, Opener, Whereabouts};
use crate::service::path_capture::PathCapture;
use crate::service::providers::Installed;
use crate::service::resolve::Resolver;
use crate::service::resume::{self, Resumer};
use crate::service::scripts::Scripts;
use crate::service::seats::Seats;
use crate::service::seats::book::Book;
use crate::service::sessions::Sessions;
use crate::service::starts::Starts;
use crate::service::surfaces::{Announcer, Surfaces};
use crate::service::terminals::{self, Terminals};
use crate::service::turns::Turns;
use crate::store::Records;
use crate::transport::ssh::{self, Hosts};
use crate::transport::{Local, Transport};

/// The version of the shape of seats' records.
const SEAT_RECORDS: u32 = 1;

/// What services are made of.
#[derive(Clone, Debug)]
pub struct Parts {
    /// Where things are.
    pub paths: Paths,
    /// The configuration in force.
    pub config: Store,
    /// Ends the tasks of the services when the daemon ends.
    pub supervisor: Supervisor,
}

/// Makes the services and adds their methods. `daemon.*` and `rpc.discover` are there already.
///
/// # Errors
/// A part of the daemon's home cannot be used.
pub async fn assemble(parts: &Parts, registry: &mut Registry) -> Result<(), DaemonError> {
    let person = Person::current();
    let path = variable("PATH").unwrap_or_default();
    let home = home_of(variable("HOME"), person.as_ref());
    let login_shell = login_shell(person.as_ref());
    let tools = environment::with_usual_places(&path, home.as_path());
    let local: Arc<dyn Transport> = Arc::new(Local::new(tools.clone()));
    let in_force = InForce::new(parts.config.clone());
    let machine = Arc::new(Machine::new(
        home.as_path(),
        tools,
        variable("TMUX_TMPDIR").map(PathBuf::from),
    ));
    let contexts = Contexts::new(Arc::clone(&machine), Arc::clone(&local));
    let sessions = Sessions::new(machine.clone(), local.clone(), in_force.providers());
    let resolver = Resolver::new(
        machine,
        in_force.backends(),
        contexts.clone(),
        sessions.clone(),
    );
    let whereabouts: Arc<dyn Whereabouts> = Arc::new(resolver.clone());
    let hosts = Hosts::new(
        ssh::Settings::of_daemon(&parts.paths, path.clone()),
        parts.config.clone(),
        &parts.supervisor,
    );
    hosts.sweep().await;
    let links: Arc<dyn Links> = Arc::new(Everywhere::new(Arc::clone(&local), hosts));
    let events = Events::new();
    let terminals = hosted_terminals(parts, person.as_ref(), &events).await?;
    let hosted: Arc<dyn Hosted> = Arc::new(terminals.clone());
    let sessions = sessions.with(Arc::clone(&hosted));
    let scripts = kept_scripts(parts);

    let announcer = announcer(parts, &events, &links, &hosted);
    let own = announcer.clone();
    let paths = PathCapture::new(parts.supervisor.clone(), Arc::clone(&local));
    let answers = Records::open(parts.paths.home.join("opens"), open::VERSION)?;
    let opener = Opener::new(open::Parts {
        supervisor: parts.supervisor.clone(),
        registry: in_force.backends(),
        whereabouts: Arc::clone(&whereabouts),
        links: Arc::clone(&links),
        hosted: Arc::clone(&hosted),
        scripts: scripts.clone(),
        records: Some(answers),
        paths: paths.clone(),
        path: path.clone(),
        home: home.clone(),
        login_shell: login_shell.clone(),
        announce: Arc::new(move |result| own.opened(result)),
    });
    let (providers, shell) = (in_force.providers(), opener.shell().program());
    let installed = Installed::new(providers, paths.clone(), local.clone(), shell, &path);
    api::add_providers(registry, &in_force, &installed);
    let pool = Pool::new(in_force.providers(), &home);
    api::add_launch(
        registry,
        &Launch {
            in_force: in_force.clone(),
            opener: opener.clone(),
            resolver,
            links: Arc::clone(&links),
            sessions: sessions.clone(),
            pool: pool.clone(),
        },
    );
    let turns = Turns::default();
    let seats = seats(parts, &links, &scripts, events.clone(), turns.clone()).await?;
    let surfaces = Surfaces {
        registry: in_force.backends(),
        whereabouts,
        links: Arc::clone(&links),
        hosted,
        announcer,
        seats: Some(seats.clone()),
        turns: turns.clone(),
    };
    api::add_surfaces(registry, &surfaces);
    let shown = (opener.clone(), surfaces.clone());
    let places = (terminals.clone(), seats.clone(), opener, surfaces);
    let ways = (pool.clone(), Arc::clone(&links));
    let programs = (installed.clone(), paths, path);
    let agents = terminal_agents(parts, places, programs, ways, &events).await?;
    api::add_terminals(registry, &terminals, &agents, &events);
    let resumer = resumer(parts, (sessions, pool), &agents, installed, shown, &links);
    api::add_resume(registry, &in_force, &resumer);
    let layouts = Layouts::new(
        links,
        scripts,
        contexts,
        Shell::named(&login_shell),
        home,
        parts.supervisor.clone(),
        turns,
    );
    api::add_seats(registry, &seats, &layouts);
    Ok(())
}

/// Who tells of surfaces.
fn announcer(
    parts: &Parts,
    events: &Events,
    links: &Arc<dyn Links>,
    hosted: &Arc<dyn Hosted>,
) -> Announcer {
    Announcer {
        events: events.clone(),
        links: Arc::clone(links),
        hosted: Arc::clone(hosted),
        supervisor: parts.supervisor.clone(),
    }
}

/// What takes sessions up again.
fn resumer(
    parts: &Parts,
    (sessions, pool): (Sessions, Pool),
    agents: &Agents,
    installed: Installed,
    (opener, surfaces): (Opener, Surfaces),
    links: &Arc<dyn Links>,
) -> Resumer {
    let seen = resume::Seen {
        sessions,
        pool,
        links: Arc::clone(links),
    };
    Resumer::new(resume::Parts {
        listing: Arc::new(seen),
        agents: Arc::new(agents.clone()),
        installed,
        opener,
        surfaces,
        links: Arc::clone(links),
        starts: agents.starts(),
        supervisor: parts.supervisor.clone(),
    })
}

/// The shell in which the person works.
fn login_shell(person: Option<&Person>) -> String {
    let of_person = || person.map(|person| person.shell.display().to_string());
    variable("SHELL")
        .or_else(of_person)
        .unwrap_or_else(|| "/bin/sh".to_owned())
}

/// The seats, those of earlier daemons among them.
async fn seats(
    parts: &Parts,
    links: &Arc<dyn Links>,
    scripts: &Scripts,
    events: Events,
    turns: Turns,
) -> Result<Seats, DaemonError> {
    let records = Records::open(parts.paths.home.join("seats"), SEAT_RECORDS)?;
    let book = Book::open(records, &parts.supervisor)?;
    Seats::start(
        Arc::clone(links),
        scripts.clone(),
        seat_base(),
        book,
        Arc::new(move |topic, seat| events.publish(topic, &seat)),
        parts.supervisor.clone(),
        turns,
    )
    .await
    .map_err(DaemonError::Service)
}

/// Where launch scripts are written, kept free of those that nothing runs any more.
fn kept_scripts(parts: &Parts) -> Scripts {
    let scripts = Scripts::of_user();
    let swept = scripts.clone();
    parts
        .supervisor
        .spawn(async move { swept.keep_swept().await });
    scripts
}

/// The terminals that this daemon hosts, those of earlier daemons among them.
async fn hosted_terminals(
    parts: &Parts,
    person: Option<&Person>,
    events: &Events,
) -> Result<Terminals, DaemonError> {
    let terminals = Terminals::open(terminals::Setup {
        place: Place::new(&parts.paths.home, &parts.paths.temporary),
        program: host::start::program().map_err(DaemonError::io("find its own program"))?,
        variables: environment::current(person),
        config: parts.config.clone(),
        events: events.clone(),
        supervisor: parts.supervisor.clone(),
    });
    Ok(terminals.await?)
}

/// The person's home: the HOME that programs are given, else that of the password database. One that is no absolute path is
/// none.
fn home_of(given: Option<String>, person: Option<&Person>) -> AbsolutePath {
    let login = || AbsolutePath::try_from(person?.home.clone()).ok();
    given
        .and_then(|home| AbsolutePath::parse(home).ok())
        .or_else(login)
        .unwrap_or_else(root)
}

/// The agents, those of earlier daemons among them.
async fn terminal_agents(
    parts: &Parts,
    (terminals, seats, opener, surfaces): (Terminals, Seats, Opener, Surfaces),
    (installed, paths, path): (Installed, PathCapture, String),
    (pool, links): (Pool, Arc<dyn Links>),
    events: &Events,
) -> Result<Agents, DaemonError> {
    let programs = Programs {
        installed,
        paths,
        shell: opener.shell().clone(),
        path,
    };
    let records = Records::open(parts.paths.home.join("agents"), agents::VERSION)?;
    Agents::start(agents::Parts {
        book: agents::Book::open(records, events.clone(), &parts.supervisor)?,
        places: Places {
            terminals,
            seats,
            opener,
            surfaces,
            links,
            programs,
            runs: parts.paths.home.join("agents").join("runs"),
        },
        conversations: pool,
        starts: Starts::default(),
        events: events.clone(),
        supervisor: parts.supervisor.clone(),
    })
    .await
    .map_err(DaemonError::Service)
}

/// What the environment of every seat begins with.
fn seat_base() -> Env {
    let mut base: Env = ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG"]
        .into_iter()
        .filter_map(|name| {
            Some((
                EnvName::parse(name).ok()?,
                Word::parse(variable(name)?).ok()?,
            ))
        })
        .collect();
    if let (Ok(name), Ok(locale)) = (EnvName::parse("LANG"), Word::parse("C.UTF-8")) {
        base.entry(name).or_insert(locale);
    }
    base
}

fn root() -> AbsolutePath {
    AbsolutePath::parse("/").expect("a slash is an absolute path")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_home_is_an_absolute_path_wherever_there_is_one() {
        let person = |home: &str| Person {
            uid: 1000,
            name: "a".to_owned(),
            home: PathBuf::from(home),
            shell: PathBuf::from("/bin/sh"),
        };
        for (given, login, expected) in [
            (Some("/given"), Some("/login"), "/given"),
            (Some("relative"), Some("/login"), "/login"),
            (None, Some("/login"), "/login"),
            (Some("relative"), Some(""), "/"),
            (Some("relative"), None, "/"),
            (None, None, "/"),
        ] {
            let person = login.map(person);
            let home = home_of(given.map(str::to_owned), person.as_ref());
            assert_eq!(&*home, expected, "{given:?} {login:?}");
        }
    }
}
