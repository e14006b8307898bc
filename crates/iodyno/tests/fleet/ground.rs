//! Hosts of a test's own: an sshd each, on a port of its own, with keys, state directory and cache of its own.

use crate::support::{Dir, Iodyno, Killed, until};
use std::fmt::Write;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const SSHD: &str = "/usr/sbin/sshd";

/// What a host is like.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Nature {
    /// As it should be.
    #[default]
    Good,
    /// Whoever logs in gets noise.
    Noise,
    /// Whoever logs in gets one endless line.
    Flood,
    /// It greets with much before its shell does what it is told.
    Chatty,
    /// Nobody listens.
    Absent,
}

/// A host.
pub struct FleetHost {
    pub name: String,
    pub dir: PathBuf,
    port: u16,
    /// None for one on which nobody listens.
    sshd: Option<Killed>,
}

impl FleetHost {
    /// Processes of iodyno there: those that have its state directory.
    pub fn processes(&self) -> Vec<u32> {
        let mark = format!("IODYNO_STATE_DIR={}", self.state().display());
        let is_its = |pid: &u32| {
            let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            let mut variables = environment.split(|byte| *byte == 0);
            variables.any(|variable| variable == mark.as_bytes())
        };
        let is_iodyno = |pid: &u32| {
            let exe = std::fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default();
            exe.to_string_lossy().contains("iodyno")
        };
        pids()
            .into_iter()
            .filter(is_iodyno)
            .filter(is_its)
            .collect()
    }

    pub fn state(&self) -> PathBuf {
        self.dir.join("state")
    }

    pub fn cache(&self) -> PathBuf {
        self.dir.join("cache")
    }

    /// The sshd processes of the connections that it has now.
    pub fn sessions(&self) -> Vec<u32> {
        let Some(sshd) = &self.sshd else {
            return Vec::new();
        };
        let is_child = |pid: &u32| parent(*pid) == Some(sshd.0.id());
        pids().into_iter().filter(is_child).collect()
    }

    /// The names of the binaries that were sent there.
    pub fn binaries(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.cache().join("iodyno-fleet"));
        let names = entries.into_iter().flatten().flatten();
        names
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect()
    }
}

fn pids() -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    entries
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect()
}

fn parent(pid: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let rest = stat.rsplit_once(')')?.1;
    rest.split_whitespace().nth(1)?.parse().ok()
}

/// The hosts, and who leads them.
pub struct Ground {
    pub iodyno: Iodyno,
    pub hosts: Vec<FleetHost>,
    pub dir: Dir,
    binary: PathBuf,
}

impl Ground {
    /// Hosts h1, h2 and so on; none, with the reason noted, where there is no sshd.
    pub fn new(natures: &[Nature]) -> Option<Ground> {
        if !Path::new(SSHD).exists() || skip::lacks("ssh") {
            skip::missing("sshd", "openssh-server is not installed");
            return None;
        }
        let dir = Dir::new("fleet");
        if crate::support::is_root() {
            // What Debian's unit makes at its start; sshd as root does not begin without it.
            std::fs::create_dir_all("/run/sshd").unwrap();
        }
        key(&dir.path().join("id"));
        let mut ground = Ground {
            iodyno: Iodyno::new(),
            hosts: Vec::new(),
            binary: stripped(dir.path()),
            dir,
        };
        for (at, nature) in natures.iter().enumerate() {
            let host = ground.host(&format!("h{}", at + 1), *nature);
            ground.hosts.push(host);
        }
        ground.configure();
        Some(ground)
    }

    fn host(&self, name: &str, nature: Nature) -> FleetHost {
        let dir = self.dir.path().join(name);
        std::fs::create_dir_all(dir.join("scratch")).unwrap();
        std::fs::create_dir(dir.join("cache")).unwrap();
        key(&dir.join("hostkey"));
        std::fs::copy(self.dir.path().join("id.pub"), dir.join("authorized")).unwrap();
        let (mut host, forced) = (
            FleetHost {
                name: name.into(),
                port: free_port(),
                dir,
                sshd: None,
            },
            forced(nature),
        );
        let mut config = format!(
            "Port {}\nListenAddress 127.0.0.1\nHostKey {1}/hostkey\nAuthorizedKeysFile {1}/authorized\nPidFile none\n\
             PasswordAuthentication no\nKbdInteractiveAuthentication no\nUsePAM no\nStrictModes no\nPermitRootLogin yes\n\
             SetEnv IODYNO_STATE_DIR={1}/state XDG_CACHE_HOME={1}/cache\n",
            host.port,
            host.dir.display()
        );
        if let Some(forced) = forced {
            writeln!(config, "ForceCommand {forced}").unwrap();
        }
        std::fs::write(host.dir.join("sshd_config"), config).unwrap();
        if nature != Nature::Absent {
            host.sshd = Some(start(&host));
        }
        host
    }

    /// The configuration and the known hosts of whoever leads.
    fn configure(&self) {
        let (mut config, mut known) = (String::new(), String::new());
        let dir = self.dir.path().display();
        for host in &self.hosts {
            writeln!(
                config,
                "Host {}\n HostName 127.0.0.1\n Port {}\n IdentityFile {dir}/id\n IdentitiesOnly yes\n \
                 UserKnownHostsFile {dir}/known\n StrictHostKeyChecking yes\n",
                host.name, host.port
            )
            .unwrap();
            let public = std::fs::read_to_string(host.dir.join("hostkey.pub")).unwrap();
            writeln!(known, "[127.0.0.1]:{} {}", host.port, public.trim()).unwrap();
        }
        std::fs::write(self.dir.path().join("config"), config).unwrap();
        std::fs::write(self.dir.path().join("known"), known).unwrap();
    }

    pub fn names(&self) -> String {
        let names: Vec<&str> = self.hosts.iter().map(|host| host.name.as_str()).collect();
        names.join(",")
    }

    /// A command to all hosts; options of `fleet` first.
    pub fn command(&self, options: &[&str], verb: &[&str]) -> Command {
        let names = self.names();
        let config = self.dir.path().join("config");
        let binary = format!("{}={}", std::env::consts::ARCH, self.binary.display());
        let fleet = [
            "--json",
            "fleet",
            "--hosts",
            &names,
            "--ssh-config",
            config.to_str().unwrap(),
            "--binary",
            &binary,
        ];
        let mut command = self.iodyno.command(&[&fleet[..], options, verb].concat());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs one to its end.
    pub fn fleet(&self, options: &[&str], verb: &[&str]) -> (serde_json::Value, Output) {
        let output = self.command(options, verb).output().unwrap();
        (document(&output), output)
    }
}

/// The document of a fleet.
pub fn document(output: &Output) -> serde_json::Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        let said = String::from_utf8_lossy(&output.stderr);
        panic!(
            "{error}: {}\n{said}",
            String::from_utf8_lossy(&output.stdout)
        )
    })
}

/// What whoever logs in gets in place of a shell.
fn forced(nature: Nature) -> Option<&'static str> {
    match nature {
        Nature::Good | Nature::Absent => None,
        Nature::Noise => Some("head -c 3000000 /dev/urandom; sleep 60"),
        Nature::Flood => Some("cat /dev/zero"),
        Nature::Chatty => {
            Some("seq -f 'Welcome, dear guest number %g' 99; eval \"$SSH_ORIGINAL_COMMAND\"")
        }
    }
}

fn start(host: &FleetHost) -> Killed {
    let log = std::fs::File::create(host.dir.join("sshd.log")).unwrap();
    let child = Command::new(SSHD)
        .args(["-D", "-e", "-f"])
        .arg(host.dir.join("sshd_config"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log)
        .spawn()
        .unwrap();
    let mut sshd = Killed(child);
    until("sshd listens", || {
        if let Some(status) = sshd.0.try_wait().unwrap() {
            let said = std::fs::read_to_string(host.dir.join("sshd.log")).unwrap_or_default();
            panic!("sshd ended, {status}: {said}");
        }
        TcpStream::connect(("127.0.0.1", host.port)).is_ok()
    });
    sshd
}

fn key(path: &Path) {
    let made = Command::new("ssh-keygen")
        .args(["-q", "-t", "ed25519", "-N", "", "-f"])
        .arg(path)
        .stdin(Stdio::null())
        .status()
        .unwrap();
    assert!(made.success(), "ssh-keygen {}", path.display());
}

fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    listener.local_addr().unwrap().port()
}

/// The binary without what only a debugger reads: a tenth of it has to be sent.
pub fn stripped(dir: &Path) -> PathBuf {
    let to = dir.join("iodyno");
    let built = env!("CARGO_BIN_EXE_iodyno");
    let done = Command::new("strip").arg("-o").arg(&to).arg(built).status();
    if !done.is_ok_and(|status| status.success()) {
        std::fs::copy(built, &to).unwrap();
    }
    to
}
