//! A running guest: scripts into it, answers out of it, and its end.

use crate::{Disk, Error, Machine, cache, qmp};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How long each attempt to boot may take. Six seconds are usual, 40 were seen on a machine with other work; QEMU 7.2
/// without KVM was once seen to stand still before the kernel's first word, for which a new start is the only cure.
const BOOTS_S: [u64; 3] = [150, 300, 600];
/// How much longer than a script's own limit its answer may take.
const GRACE_S: u64 = 60;
/// How often its console is looked at while an answer is waited for.
const LOOK: Duration = Duration::from_secs(5);
/// A CPU that its kernel calls stuck for so long never goes on: QEMU before 8.1 with several emulated CPUs can keep
/// running the breakpoint that the kernel's own patching (a tracepoint switched on under load) has already taken away.
/// Hosts with too much other work made kernels speak of 20 to 60 s.
const STUCK_S: u64 = 100;
/// How long a guest may take to write what it has and power off.
const STOP_S: u64 = 120;

/// What a script left.
#[derive(Clone, Debug)]
pub struct CommandDone {
    /// Its exit status; 124 where its time was up.
    pub status: i32,
    /// Its standard output.
    pub out: String,
    /// Its standard error.
    pub err: String,
}

/// A guest that runs. Dropped, it is ended and its files are removed; it also ends with the thread that booted it.
#[derive(Debug)]
pub struct Guest {
    machine: Machine,
    dir: PathBuf,
    running: Option<Running>,
    scripts: u32,
    uname: String,
}

#[derive(Debug)]
struct Running {
    qemu: Child,
    port: ChildStdin,
    lines: Receiver<String>,
}

impl Guest {
    pub(crate) fn boot(machine: Machine) -> Result<Guest, Error> {
        let dir = cache::guest_dir()?;
        let mut guest = Guest {
            machine,
            dir,
            running: None,
            scripts: 0,
            uname: String::new(),
        };
        let base = guest
            .machine
            .architecture()
            .root(&cache::dir().canonicalize()?);
        let base = base.to_string_lossy().into_owned();
        let overlay = [
            "create",
            "-q",
            "-f",
            "qcow2",
            "-F",
            "raw",
            "-b",
            &base,
            "root.qcow2",
        ];
        let made = Command::new("qemu-img")
            .args(overlay)
            .current_dir(&guest.dir)
            .output()?;
        if !made.status.success() {
            return Err(Error::Failed(
                String::from_utf8_lossy(&made.stderr).into_owned(),
            ));
        }
        for (number, disk) in guest.machine.disks.iter().enumerate() {
            File::create(guest.dir.join(Disk::file_name(number)))?.set_len(disk.bytes())?;
        }
        guest.start()?;
        Ok(guest)
    }

    /// Starts QEMU until the guest's clock is right. On a host with much other work the guest's kernel may measure its
    /// own clock wrongly, once seen by a factor of eight, and every limit in the guest would be wrong with it.
    fn start(&mut self) -> Result<(), Error> {
        let mut why = "its clock is wrong; the host may have too much other work".to_string();
        for limit_s in BOOTS_S {
            let start = Instant::now();
            let up = match self.start_once(limit_s) {
                Ok(up) => up,
                Err(Error::Failed(silent)) => {
                    self.kill();
                    why = silent;
                    continue;
                }
                Err(error) => return Err(error),
            };
            let mut words = up.split(' ');
            let uptime_s: f64 = words
                .next()
                .and_then(|word| word.parse().ok())
                .unwrap_or(0.0);
            self.uname = words.next().unwrap_or_default().into();
            // A clock of its own runs as it runs.
            if self.machine.is_in_virtual_time {
                return Ok(());
            }
            let here_s = start.elapsed().as_secs_f64();
            // QEMU's own start counts here and not there: where that was long, a second look decides.
            if uptime_s < here_s && (uptime_s * 2.0 + 10.0 > here_s || self.is_clock_right()?) {
                return Ok(());
            }
            self.kill();
        }
        Err(Error::Failed(format!(
            "three boots in a row did not do, the last one because: {why}"
        )))
    }

    /// Whether some seconds of the guest are as many here, twice as many at most either way.
    fn is_clock_right(&mut self) -> Result<bool, Error> {
        let mut look = || {
            let text = self.run("cut -d ' ' -f 1 /proc/uptime", 120)?.out;
            Ok::<f64, Error>(text.trim().parse().unwrap_or(0.0))
        };
        let outer = Instant::now();
        let first_s = look()?;
        let inner = Instant::now();
        std::thread::sleep(Duration::from_secs(3));
        let inner_s = inner.elapsed().as_secs_f64();
        let passed_s = look()? - first_s;
        Ok(passed_s * 2.0 > inner_s && passed_s < outer.elapsed().as_secs_f64() * 2.0)
    }

    /// What the agent says when it is up: seconds since the boot, and the kernel's release.
    fn start_once(&mut self, limit_s: u64) -> Result<String, Error> {
        let lab = cache::dir().canonicalize()?;
        let log = File::create(self.dir.join("qemu.log"))?;
        // setpriv ends QEMU when the thread that started it ends, also by a signal that nothing can be done about. An
        // emulated CPU that has to wait for a host's stands still in the midst of an I/O, so it goes before other work,
        // where the right for that is there.
        let mut qemu = Command::new("setpriv")
            .args(["--pdeathsig", "KILL", "nice", "-n", "-5"])
            .arg(self.machine.architecture().qemu())
            .args(self.machine.qemu_arguments(&lab))
            .current_dir(&self.dir)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()?;
        let (Some(port), Some(answers)) = (qemu.stdin.take(), qemu.stdout.take()) else {
            return Err(Error::Failed("QEMU was started without pipes".into()));
        };
        self.running = Some(Running {
            qemu,
            port,
            lines: lines_of(answers),
        });
        self.answer("UP ", Duration::from_secs(limit_s))
    }

    /// The kernel's release.
    pub fn uname(&self) -> &str {
        &self.uname
    }

    /// Runs a shell script in the guest, as root, for at most `limit_s` seconds. Errors when the guest does not answer;
    /// a script that fails is no error.
    pub fn run(&mut self, script: &str, limit_s: u64) -> Result<CommandDone, Error> {
        self.scripts += 1;
        let name = format!("script{}", self.scripts);
        self.put_bytes(script.as_bytes(), &format!("{name}.sh"))?;
        let running = self
            .running
            .as_mut()
            .ok_or_else(|| Error::Failed("it was stopped before".into()))?;
        writeln!(running.port, "{name} {limit_s}")?;
        let answer = self.answer(
            &format!("DONE {name} "),
            Duration::from_secs(limit_s + GRACE_S),
        )?;
        let text = |end: &str| {
            let bytes = self.get(&format!("{name}.{end}"))?;
            Ok::<String, Error>(String::from_utf8_lossy(&bytes).into_owned())
        };
        Ok(CommandDone {
            status: answer.trim().parse().unwrap_or(-1),
            out: text("out")?,
            err: text("err")?,
        })
    }

    /// Copies a file of this machine to `/mnt/lab/NAME` of the guest, with its mode.
    pub fn put(&self, file: &Path, name: &str) -> Result<(), Error> {
        std::fs::copy(file, self.share().join(name))?;
        Ok(())
    }

    /// Writes `/mnt/lab/NAME` of the guest.
    pub fn put_bytes(&self, bytes: &[u8], name: &str) -> Result<(), Error> {
        Ok(std::fs::write(self.share().join(name), bytes)?)
    }

    /// Reads `/mnt/lab/NAME` of the guest.
    pub fn get(&self, name: &str) -> Result<Vec<u8>, Error> {
        Ok(std::fs::read(self.share().join(name))?)
    }

    fn share(&self) -> PathBuf {
        self.dir.join("share")
    }

    /// The path in the guest of a disk of its machine: kernels name disks in the order in which they answer.
    pub fn disk(&mut self, number: usize) -> Result<String, Error> {
        let serial = Disk::serial(number);
        let script = format!(
            "lsblk --nodeps -no PATH,SERIAL | awk '$2 == \"{serial}\" {{ print $1; exit }}'"
        );
        let path = self.run(&script, 300)?.out.trim().to_string();
        if path.is_empty() {
            Err(Error::Failed(format!(
                "it shows no disk with serial {serial}"
            )))
        } else {
            Ok(path)
        }
    }

    /// A QMP command, such as `qom-set` on `/objects/limit0` to change a disk's limits, or `device_del` of `dev0`.
    pub fn qmp(&self, command: &str, arguments: &Value) -> Result<Value, Error> {
        qmp::command(&self.dir, command, arguments)
    }

    /// Gives a disk these limits and no others, in QEMU's words (`iops-total`, `bps-write-max` …).
    pub fn limit(&self, disk: usize, limits: &Value) -> Result<(), Error> {
        const NAMES: [&str; 2] = ["iops", "bps"];
        const PARTS: [&str; 3] = ["total", "read", "write"];
        // What is not said stays as it was.
        let mut all = serde_json::Map::new();
        for (name, part) in NAMES
            .iter()
            .flat_map(|name| PARTS.iter().map(move |part| (name, part)))
        {
            all.insert(format!("{name}-{part}"), json!(0));
            all.insert(format!("{name}-{part}-max"), json!(0));
            all.insert(format!("{name}-{part}-max-length"), json!(1));
        }
        all.insert("iops-size".into(), json!(0));
        all.extend(
            limits
                .as_object()
                .into_iter()
                .flatten()
                .map(|(name, value)| (name.clone(), value.clone())),
        );
        let set =
            json!({"path": format!("/objects/limit{disk}"), "property": "limits", "value": all});
        self.qmp("qom-set", &set).map(|_| ())
    }

    /// Shuts the guest down and boots it again from the same disks.
    pub fn reboot(&mut self) -> Result<(), Error> {
        if !self.stop() {
            return Err(Error::Failed(format!(
                "it did not power off within {STOP_S} s: {}",
                self.console()
            )));
        }
        self.start()
    }

    /// Shuts the guest down and boots it again with these words on the kernel's command line in place of the machine's own.
    pub fn reboot_with(&mut self, kernel_arguments: &str) -> Result<(), Error> {
        self.machine = self.machine.clone().kernel_arguments(kernel_arguments);
        self.reboot()
    }

    /// Cuts the power in the midst of whatever it does, and boots it again from the same disks. What it had in memory is
    /// gone; what its disks said was written is there.
    pub fn cut_power(&mut self) -> Result<(), Error> {
        self.kill();
        self.start()
    }

    /// What the guest wrote to its console.
    pub fn console(&self) -> String {
        let bytes = std::fs::read(self.dir.join("console.log")).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The rest of the next line that begins so.
    fn answer(&mut self, start: &str, limit: Duration) -> Result<String, Error> {
        let until = Instant::now() + limit;
        let running = self
            .running
            .as_ref()
            .ok_or_else(|| Error::Failed("it was stopped before".into()))?;
        let said_before = self.console().len();
        let why = loop {
            let left = until.saturating_duration_since(Instant::now());
            match running.lines.recv_timeout(left.min(LOOK)) {
                Ok(line) => match line.strip_prefix(start) {
                    Some(rest) => return Ok(rest.to_string()),
                    None => continue,
                },
                Err(RecvTimeoutError::Timeout) if left.is_zero() => {
                    break format!("no answer within {} s", limit.as_secs());
                }
                Err(RecvTimeoutError::Timeout)
                    if self.console().get(said_before..).is_some_and(stands_still) =>
                {
                    break "its kernel stands still".into();
                }
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => break "it is gone".into(),
            }
        };
        let log = std::fs::read_to_string(self.dir.join("qemu.log")).unwrap_or_default();
        let console = self.console();
        let tail: Vec<&str> = console.lines().rev().take(30).collect();
        let tail: Vec<&str> = tail.into_iter().rev().collect();
        Err(Error::Failed(format!(
            "{why}\nQEMU: {log}\nconsole:\n{}",
            tail.join("\n")
        )))
    }

    /// Ends the guest; whether it powered off by itself.
    fn stop(&mut self) -> bool {
        let Some(mut running) = self.running.take() else {
            return true;
        };
        let asked = writeln!(running.port, "QUIT 0").is_ok();
        let until = Instant::now() + Duration::from_secs(if asked { STOP_S } else { 0 });
        while Instant::now() < until {
            if matches!(running.qemu.try_wait(), Ok(Some(_))) {
                return true;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = running.qemu.kill();
        let _ = running.qemu.wait();
        false
    }

    fn kill(&mut self) {
        if let Some(mut running) = self.running.take() {
            let _ = running.qemu.kill();
            let _ = running.qemu.wait();
        }
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        // Nothing of it is kept, so nothing needs to be written first.
        self.kill();
        let _ = std::fs::remove_dir_all(&self.dir);
    }
}

/// Whether a kernel has said on its console that a CPU is stuck for good.
fn stands_still(console: &str) -> bool {
    let stuck_s = |line: &str| -> Option<u64> {
        let (_, rest) = line.split_once("soft lockup - CPU#")?;
        rest.split_once("stuck for ")?
            .1
            .split_once('s')?
            .0
            .parse()
            .ok()
    };
    console
        .lines()
        .filter_map(stuck_s)
        .any(|seconds| seconds >= STUCK_S)
}

/// Reads lines on a thread of its own, so that waiting for one can have an end.
fn lines_of(answers: ChildStdout) -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(answers).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    receiver
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cpu_that_is_stuck_for_good_is_told_from_one_that_waits_for_the_host() {
        let line = |seconds: u64| {
            format!(
                "[  512.486160] watchdog: BUG: soft lockup - CPU#0 stuck for {seconds}s! [dd:2019]\n"
            )
        };
        assert!(!stands_still(
            &(line(23) + "[  513.1] systemd[1]: started\n")
        ));
        assert!(stands_still(&(line(23) + &line(101))));
        assert!(!stands_still("soft lockup - CPU#0 stuck for ages"));
    }
}
