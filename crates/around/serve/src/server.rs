//! The server from its first address to its last job: what it listens on, what it prints, and how it ends.

use crate::door::GRACE;
use crate::helper::Helper;
use crate::keeper::Keeper;
use crate::tls::Tls;
use crate::wire::{Pem, Plan};
use crate::{listen, turns};
use host::signals::{Nudge, Stop};
use std::net::{IpAddr, Ipv6Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// What the user asked for.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where to listen; port 0 takes a free one.
    pub listen: SocketAddr,
    /// Directories that may be loaded from a browser, absolute, besides mounts and disks.
    pub targets: Vec<String>,
    /// Whether every change is refused.
    pub read_only: bool,
    /// Names by which it may be called besides localhost.
    pub allow_hosts: Vec<String>,
    /// Certificate and key.
    pub tls: Option<Tls>,
    /// Where records and journals are.
    pub state_dir: PathBuf,
    /// The executable whose verbs are run.
    pub program: String,
    /// Its version.
    pub version: String,
    /// How long an import of a file that was sent may take.
    pub import_time: Duration,
}

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Others could listen in.
    #[error(
        "{0} can be reached from other machines, and without TLS anybody between could read the token and take over."
    )]
    Exposed(SocketAddr),
    /// The address cannot be had.
    #[error("cannot listen on {0}: {1}")]
    Bind(SocketAddr, std::io::Error),
    /// A certificate or key that is none.
    #[error("{}: {why}", path.display())]
    Certificate {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// A key that others may read or write.
    #[error(
        "{}: others than its owner may read or change this key, so it may not be ours alone",
        .0.display()
    )]
    OpenKey(PathBuf),
    /// The machine failed.
    #[error(transparent)]
    Host(#[from] host::Error),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] store::StoreError),
    /// Somebody typed what a server starts for itself.
    #[error("serve-door is a part of iodyno serve and works for nobody else")]
    NotStarted,
    /// The process that listens has ended, or never came up.
    #[error("the process that listens has ended")]
    Ended,
    /// The executor could not be started.
    #[error("cannot start the server: {0}")]
    Start(std::io::Error),
}

impl ServeError {
    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            ServeError::Exposed(_) => Some(
                "Give --tls-cert and --tls-key, or stay on loopback and forward the port: ssh -L 7979:localhost:7979 HOST"
                    .into(),
            ),
            ServeError::NotStarted => Some("Start iodyno serve, which starts it itself.".into()),
            ServeError::Ended => Some(
                "What was started here is stopped; iodyno status says whether anything is left. Start the server again."
                    .into(),
            ),
            ServeError::Bind(..) => Some("--listen 127.0.0.1:0 takes a free port.".into()),
            ServeError::OpenKey(file) => Some(format!(
                "Take their rights with chmod 600 {}, or chmod 640 where a group of its own reads it.",
                file.display()
            )),
            _ => None,
        }
    }
}

/// What happens while it runs.
#[derive(Debug)]
pub enum ServerSpeech {
    /// An address with a fresh token.
    Address(Address),
    /// Something that should be known.
    Note(String),
    /// It ends, and waits for so many jobs to put everything back.
    Ending(usize),
    /// A job has ended; whether nothing of it is left.
    Ended {
        /// The command.
        command: String,
        /// Whether everything is put back.
        is_back: bool,
    },
}

/// An address to open once.
#[derive(Clone, Debug)]
pub struct Address {
    /// With the token, behind a `#`: browsers send that part to nobody.
    pub url: String,
    /// The token alone.
    pub token: String,
    /// How long it may be used, s.
    pub valid_s: u64,
}

/// A server that has its address.
#[derive(Debug)]
pub struct Server {
    helper: Arc<Helper>,
    listeners: Vec<TcpListener>,
    plan: Plan,
    base: String,
    notes: Vec<String>,
}

impl Server {
    /// Takes the address, and makes a store where there is none.
    ///
    /// # Errors
    /// See [`ServeError`].
    pub fn bind(options: Options) -> Result<Server, ServeError> {
        let asked = options.listen;
        if !asked.ip().is_loopback() && options.tls.is_none() {
            return Err(ServeError::Exposed(asked));
        }
        let (pem, note) = options.tls.as_ref().map(Tls::read).transpose()?.unzip();
        let mut notes: Vec<String> = note.flatten().into_iter().collect();
        if !options.read_only {
            drop(store::Store::open(&options.state_dir)?);
            let left = host::Upload::sweep(&options.state_dir);
            let removed =
                || format!("removed {left} of the files that a killed server was being sent.");
            notes.extend((left > 0).then(removed));
        }
        let (listeners, port) = listeners(asked)?;
        let scheme = if pem.is_some() { "https" } else { "http" };
        let helper = Arc::new(Helper::new(options, port));
        let plan = plan(&helper, pem);
        let name = match asked.ip() {
            ip if ip.is_unspecified() => plan.hostname.clone(),
            IpAddr::V6(ip) => format!("[{ip}]"),
            IpAddr::V4(ip) => ip.to_string(),
        };
        Ok(Server {
            base: format!("{scheme}://{}:{port}", name.trim()),
            helper,
            listeners,
            plan,
            notes,
        })
    }

    /// Serves until it is told to stop, then stops what it started and waits until that has put everything back.
    ///
    /// # Errors
    /// When it cannot start, or the process that listens has ended.
    pub fn run(
        self,
        stop: &Stop,
        nudge: &Nudge,
        tell: &mut dyn FnMut(ServerSpeech),
    ) -> Result<(), ServeError> {
        let runtime = listen::runtime(2, turns::THREADS_MAX).map_err(ServeError::Start)?;
        let (helper, base) = (self.helper, self.base);
        for note in self.notes {
            tell(ServerSpeech::Note(note));
        }
        let keeper = Keeper::start(&helper, self.plan, self.listeners, runtime.handle())?;
        let served = keeper.follow((stop, nudge), &base, tell);
        helper.jobs.end_all(&mut |told| tell(told));
        helper.hub.close();
        keeper.end();
        runtime.shutdown_timeout(GRACE);
        helper.hub.join();
        served
    }
}

/// What the process that listens has to know.
fn plan(helper: &Helper, tls: Option<Pem>) -> Plan {
    let hostname = crate::hosts::own_name(&helper.host);
    let mut names = helper.options.allow_hosts.clone();
    if tls.is_some() {
        names.extend(hostname.clone());
    }
    Plan {
        names,
        cookie: helper.cookie.clone(),
        read_only: helper.options.read_only,
        version: helper.options.version.clone(),
        hostname: hostname.unwrap_or_default(),
        is_root: host::rights::is_root(),
        tls,
    }
}

/// The address, and for 127.0.0.1 the same port of ::1 where the machine has one and it is free: `localhost` may mean
/// either.
fn listeners(asked: SocketAddr) -> Result<(Vec<TcpListener>, u16), ServeError> {
    let failed = |error| ServeError::Bind(asked, error);
    let first = TcpListener::bind(asked).map_err(failed)?;
    let port = first.local_addr().map_err(failed)?.port();
    let mut listeners = vec![first];
    if asked.ip() == IpAddr::V4(std::net::Ipv4Addr::LOCALHOST) {
        listeners.extend(TcpListener::bind(SocketAddr::from((
            Ipv6Addr::LOCALHOST,
            port,
        ))));
    }
    Ok((listeners, port))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(listen: &str, state_dir: &std::path::Path) -> Options {
        Options {
            listen: listen.parse().unwrap(),
            targets: Vec::new(),
            read_only: false,
            allow_hosts: Vec::new(),
            tls: None,
            state_dir: state_dir.to_path_buf(),
            program: "false".into(),
            version: "0".into(),
            import_time: Duration::from_secs(1),
        }
    }

    #[test]
    fn others_are_not_reached_without_tls() {
        let dir = host::files::temporary_dir("serve").unwrap();
        for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0"] {
            let error = Server::bind(options(address, dir.path())).unwrap_err();
            assert!(
                matches!(error, ServeError::Exposed(_)),
                "{address}: {error}"
            );
        }
        assert!(Server::bind(options("127.0.0.1:0", dir.path())).is_ok());
    }

    #[test]
    fn a_certificate_that_is_none_is_named() {
        let dir = host::files::temporary_dir("serve").unwrap();
        let file = dir.path().join("cert.pem");
        host::files::write_atomically(&file, "not a certificate").unwrap();
        let tls = Some(Tls {
            cert: file.clone(),
            key: file,
        });
        let error = Server::bind(Options {
            tls,
            ..options("0.0.0.0:0", dir.path())
        })
        .unwrap_err();
        assert!(
            error
                .to_string()
                .contains("cert.pem: no certificate is in it"),
            "{error}"
        );
    }
}
