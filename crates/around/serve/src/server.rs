//! The server from its first address to its last job: what it listens on, what it prints, and how it ends.

use crate::door::{self, Door};
use crate::listen::{self, Entrance};
use crate::tls::Tls;
use host::signals::{Nudge, Stop};
use std::net::{IpAddr, Ipv6Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How long whoever still listens is waited for at the end.
const GRACE: Duration = Duration::from_secs(3);

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

/// A server that listens.
#[derive(Debug)]
pub struct Server {
    door: Arc<Door>,
    listeners: Vec<TcpListener>,
    acceptor: Option<Acceptor>,
    base: String,
    notes: Vec<String>,
}

/// What encrypts.
#[derive(Clone)]
struct Acceptor(tokio_rustls::TlsAcceptor);

impl std::fmt::Debug for Acceptor {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Acceptor")
    }
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
        let (acceptor, note) = options.tls.as_ref().map(Tls::acceptor).transpose()?.unzip();
        let mut notes: Vec<String> = note.flatten().into_iter().collect();
        if !options.read_only {
            drop(store::Store::open(&options.state_dir)?);
            let left = host::Upload::sweep(&options.state_dir);
            let removed =
                || format!("removed {left} of the files that a killed server was being sent.");
            notes.extend((left > 0).then(removed));
        }
        let (listeners, port) = listeners(asked)?;
        let scheme = if acceptor.is_some() { "https" } else { "http" };
        let door = Arc::new(Door::new(options, port));
        let name = match asked.ip() {
            ip if ip.is_unspecified() => crate::hosts::own_name(&door.host).unwrap_or_default(),
            IpAddr::V6(ip) => format!("[{ip}]"),
            IpAddr::V4(ip) => ip.to_string(),
        };
        Ok(Server {
            base: format!("{scheme}://{}:{port}", name.trim()),
            door,
            listeners,
            acceptor: acceptor.map(Acceptor),
            notes,
        })
    }

    /// Serves until it is told to stop, then stops what it started and waits until that has put everything back.
    ///
    /// # Errors
    /// When it cannot start.
    pub fn run(
        self,
        stop: &Stop,
        nudge: &Nudge,
        tell: &mut dyn FnMut(ServerSpeech),
    ) -> Result<(), ServeError> {
        let runtime = listen::runtime(2, door::THREADS_MAX).map_err(ServeError::Start)?;
        self.notes
            .iter()
            .for_each(|note| tell(ServerSpeech::Note(note.clone())));
        tell(ServerSpeech::Address(self.address()?));
        let (end, ended) = tokio::sync::watch::channel(false);
        let door = Arc::clone(&self.door);
        let entrance = Entrance {
            tls: self.acceptor.as_ref().map(|acceptor| acceptor.0.clone()),
            router: door::router(&self.door),
            room: Arc::default(),
            is_known: Arc::new(move |headers| door.knows(headers)),
            end: ended.clone(),
        };
        let served = runtime.block_on(async {
            for listener in &self.listeners {
                let listener = listener.try_clone().map_err(ServeError::Start)?;
                listen::accept(listener, entrance.clone())
                    .await
                    .map_err(ServeError::Start)?;
            }
            drop(entrance);
            while !stop.is_asked() {
                tokio::time::sleep(Duration::from_millis(100)).await;
                if nudge.take() || self.door.wants_token.swap(false, Ordering::Relaxed) {
                    tell(ServerSpeech::Address(self.address()?));
                }
            }
            Ok(())
        });
        self.door.jobs.end_all(&mut |told| tell(told));
        self.door.hub.close();
        drop(ended);
        // The receiver may be gone already.
        let _ = end.send(true);
        // Responses under way are sent to their end, but a slow client does not hold the server up.
        let _ = runtime.block_on(async { tokio::time::timeout(GRACE, end.closed()).await });
        runtime.shutdown_timeout(GRACE);
        self.door.hub.join();
        served
    }

    /// A new token in an address.
    fn address(&self) -> Result<Address, ServeError> {
        let token = self.door.sessions.new_token(self.door.now_ms())?;
        let url = format!("{}/#token={token}", self.base);
        Ok(Address {
            url,
            token,
            valid_s: crate::sessions::TOKEN_MS / 1000,
        })
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
