//! `iodyno serve`: the web server, for a browser on this machine or at the other end of an SSH tunnel.

use crate::context::Context;
use crate::exit::{Exit, Failure};
use host::signals::Nudge;
use serde::Serialize;
use serve::{Address, Options, ServeError, Server, ServerSpeech, Tls};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Arguments of `serve`.
#[derive(Debug, clap::Args)]
pub struct ServeArgs {
    /// Where to listen; :0 takes a free port. Anything but a loopback address needs --tls-cert and --tls-key.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:7979", value_parser = address)]
    pub listen: SocketAddr,
    /// A directory that may be loaded from the browser, besides mounts and disks. Repeat for more.
    #[arg(long, value_name = "DIR")]
    pub target: Vec<PathBuf>,
    /// Show everything, change and start nothing.
    #[arg(long)]
    pub read_only: bool,
    /// A name by which the server may be called besides localhost. Repeat for more.
    #[arg(long, value_name = "NAME")]
    pub allow_host: Vec<String>,
    /// Certificate, PEM, with what it is signed with.
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,
    /// Its key, PEM; a file that others may read is refused.
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,
    /// Write the address into this file, for you alone, in place of printing it: its token belongs in no log.
    #[arg(long, value_name = "FILE")]
    pub address_file: Option<PathBuf>,
    /// How long an import of a file that was sent may take.
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = model::units::parse_duration_ms)]
    pub import_time: u64,
}

/// The document: an address to open once.
#[derive(Serialize)]
struct ServeDocument {
    schema: &'static str,
    url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
    valid_s: u64,
    read_only: bool,
}

/// `127.0.0.1:7979`, `[::1]:7979`, a bare port or `:7979` for the loopback address.
fn address(text: &str) -> Result<SocketAddr, String> {
    let port = text.strip_prefix(':').unwrap_or(text).parse::<u16>();
    let loopback = |port| SocketAddr::from((IpAddr::V4(Ipv4Addr::LOCALHOST), port));
    let named = |text: &str| {
        text.strip_prefix("localhost:")
            .and_then(|port| port.parse().ok())
            .map(loopback)
    };
    match port {
        Ok(port) => Ok(loopback(port)),
        Err(_) => named(text).map_or_else(|| text.parse(), Ok).map_err(|_| {
            "an address is 127.0.0.1:7979, [::1]:7979, or a port alone for the loopback address"
                .into()
        }),
    }
}

/// Serves until a signal ends it.
pub fn run(args: &ServeArgs, context: &Context) -> Result<Exit, Failure> {
    let tls = args
        .tls_cert
        .clone()
        .zip(args.tls_key.clone())
        .map(|(cert, key)| Tls { cert, key });
    let options = Options {
        listen: args.listen,
        targets: args
            .target
            .iter()
            .map(|path| directory(path))
            .collect::<Result<_, _>>()?,
        read_only: args.read_only,
        allow_hosts: args.allow_host.clone(),
        tls,
        state_dir: context.state_dir.clone(),
        // The very file that runs, also when the one of its name was replaced meanwhile.
        program: "/proc/self/exe".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        import_time: Duration::from_millis(args.import_time),
    };
    let stop = context.stop_on_signals()?;
    let nudge = Nudge::on_usr1().map_err(|error| {
        Failure::new(Exit::Failed, format!("cannot watch for signals: {error}"))
    })?;
    let server = Server::bind(options)?;
    let mut screen = Screen {
        args,
        context,
        // Before anything runs: later nobody would read why it cannot be written.
        file: args
            .address_file
            .as_deref()
            .map(AddressFile::begin)
            .transpose()?,
        is_first: true,
    };
    let served = server.run(&stop, &nudge, &mut |told| screen.tell(told));
    if let Some(file) = screen.file {
        file.end()?;
    }
    Ok(served.map(|()| Exit::Fine)?)
}

/// The file in which the address is kept for this user alone, and what we wrote into it.
struct AddressFile {
    path: PathBuf,
    text: String,
}

impl AddressFile {
    fn begin(path: &Path) -> host::Result<AddressFile> {
        let mut file = AddressFile {
            path: path.to_path_buf(),
            text: String::new(),
        };
        file.write(String::new()).map(|()| file)
    }

    fn write(&mut self, text: String) -> host::Result<()> {
        host::files::write_secret(&self.path, &text)?;
        self.text = text;
        Ok(())
    }

    /// Removes it, unless another server has its own address there by now.
    fn end(self) -> host::Result<()> {
        match host::files::read_text(&self.path) {
            Ok(text) if text == self.text => host::files::remove(&self.path),
            _ => Ok(()),
        }
    }
}

/// What is said of a server while it runs.
struct Screen<'a> {
    args: &'a ServeArgs,
    context: &'a Context,
    file: Option<AddressFile>,
    /// Whether no address was told yet.
    is_first: bool,
}

/// Listens for the server that started this process.
pub fn listen() -> Result<Exit, Failure> {
    serve::run_door()?;
    Ok(Exit::Fine)
}

fn directory(path: &Path) -> Result<String, Failure> {
    let path = host::files::canonical(path)?;
    match host::files::kind(&path)? {
        host::files::FileKind::Directory => Ok(path.to_string_lossy().into_owned()),
        _ => Err(Failure::usage(format!(
            "{} is not a directory.",
            model::text::shown(&path)
        ))),
    }
}

impl Screen<'_> {
    fn tell(&mut self, told: ServerSpeech) {
        let out = self.context.out;
        match told {
            ServerSpeech::Address(address) => self.tell_address(address),
            ServerSpeech::Note(note) => out.note(note),
            ServerSpeech::Ending(jobs) => out.note(format!(
                "iodyno: ending; waits for {jobs} job to put everything back."
            )),
            ServerSpeech::Ended {
                command,
                is_back: true,
            } => {
                out.note(format!(
                    "iodyno: `{command}` has ended; nothing of it is left to undo."
                ));
            }
            ServerSpeech::Ended {
                command,
                is_back: false,
            } => {
                out.note(format!(
                    "iodyno: `{command}` has ended; not everything is back: iodyno status"
                ));
            }
        }
    }

    fn tell_address(&mut self, address: Address) {
        let out = self.context.out;
        let (mut url, mut token) = (address.url, Some(address.token));
        match &mut self.file {
            None => out.say(format!("Open {url}")),
            Some(file) => {
                match file.write(format!("{url}\n")) {
                    Ok(()) => out.say(format!(
                        "The address to open is in {}",
                        model::text::shown(&file.path)
                    )),
                    Err(error) => out.note(format!("iodyno: {error}")),
                }
                url.truncate(url.find('#').unwrap_or(url.len()));
                token = None;
            }
        }
        out.say(format!(
            "  good for one log-in within {} min; a new one: kill -USR1 {}",
            address.valid_s / 60,
            host::process::id()
        ));
        if std::mem::take(&mut self.is_first) {
            out.say("  Ctrl-C stops what was started here, puts everything back and ends.");
        }
        if out.is_json() {
            out.line(&ServeDocument {
                schema: "iodyno.serve/1",
                url,
                token,
                valid_s: address.valid_s,
                read_only: self.args.read_only,
            });
        }
    }
}

impl From<ServeError> for Failure {
    fn from(error: ServeError) -> Self {
        let exit = match &error {
            ServeError::Exposed(_) | ServeError::OpenKey(_) => Exit::Refused,
            ServeError::NotStarted => Exit::Usage,
            ServeError::Bind(_, why) if why.kind() == std::io::ErrorKind::PermissionDenied => {
                Exit::Rights
            }
            _ => Exit::Failed,
        };
        let hint = error.hint();
        let failure = match error {
            ServeError::Host(error) => return error.into(),
            ServeError::Store(error) => return error.into(),
            ServeError::Exposed(address) | ServeError::Bind(address, _) => {
                Failure::new(exit, error.to_string()).on(address.to_string())
            }
            _ => Failure::new(exit, error.to_string()),
        };
        hint.into_iter().fold(failure, Failure::hint)
    }
}

/// Prints the description of the interface.
pub fn description(context: &Context) -> Result<Exit, Failure> {
    let description = serve::description(env!("CARGO_PKG_VERSION"));
    context.out.text(format!("{description:#}"));
    Ok(Exit::Fine)
}

#[cfg(test)]
mod tests {
    use super::address;

    #[test]
    fn a_port_alone_is_on_the_loopback_address() {
        for text in ["7979", ":7979", "localhost:7979", "127.0.0.1:7979"] {
            assert_eq!(address(text).unwrap().to_string(), "127.0.0.1:7979");
        }
        assert_eq!(address("[::1]:80").unwrap().to_string(), "[::1]:80");
        assert_eq!(address("0.0.0.0:0").unwrap().to_string(), "0.0.0.0:0");
        assert!(
            address("example.com:80").is_err() && address("").is_err() && address("99999").is_err()
        );
    }
}
