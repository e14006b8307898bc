//! What the tests stand on: the binary with a state directory of its own, and a loop device that is put back.

use serde_json::Value;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Tests that load a device take turns: two cores measure one thing at a time.
static DEVICE: Mutex<()> = Mutex::new(());

/// The longest that anything is waited for: a busy machine may take minutes, only a defect takes so long.
pub const PATIENCE: Duration = Duration::from_secs(600);

/// Waits until something holds; panics with `what` when it never does.
pub fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(
            begun.elapsed() < PATIENCE,
            "{what}: not after {} s",
            PATIENCE.as_secs()
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Whether a process has a thread that loads.
pub fn has_load(pid: u32) -> bool {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task"));
    let mut threads = threads.into_iter().flatten().flatten();
    threads.any(|thread| {
        std::fs::read_to_string(thread.path().join("comm"))
            .is_ok_and(|name| name.starts_with("iodyno-load"))
    })
}

/// The turn of a test that takes loop devices or reads what others change: given back when it is dropped.
pub fn turn() -> MutexGuard<'static, ()> {
    DEVICE
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// A directory that goes when it is dropped.
pub struct Dir(PathBuf);

impl Dir {
    pub fn new(label: &str) -> Dir {
        // Below the build directory, which is on a disk; /tmp may be memory.
        let base = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
        let unique = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap()
            .as_nanos();
        let path = base.join(format!("{label}-{}-{unique}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Dir(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The binary with a state directory of its own.
pub struct Iodyno {
    pub state: Dir,
    said: Dir,
}

impl Iodyno {
    pub fn new() -> Iodyno {
        Iodyno {
            state: Dir::new("state"),
            said: Dir::new("said"),
        }
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_iodyno"));
        command
            .args(arguments)
            .env("IODYNO_STATE_DIR", self.state.path())
            .env("LC_ALL", "C.UTF-8")
            .env("NO_COLOR", "1");
        command.stdin(Stdio::null());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// What it says on stderr is kept for a test that fails.
    pub fn spawn(&self, arguments: &[&str]) -> Killed {
        let said = std::fs::File::create(self.said.path().join("stderr")).unwrap();
        let child = self
            .command(arguments)
            .stdout(Stdio::null())
            .stderr(said)
            .spawn();
        Killed(child.unwrap())
    }

    /// What the process that was spawned last has said.
    pub fn said(&self) -> String {
        std::fs::read_to_string(self.said.path().join("stderr")).unwrap_or_default()
    }

    /// Waits until a process with this state directory holds its device and has saved the settings.
    pub fn wait_for_journal(&self, child: &mut Child) {
        let journals = self.state.path().join("journal");
        until("a journal", || {
            if let Some(status) = child.try_wait().unwrap() {
                panic!("it ended before it began, {status}: {}", self.said());
            }
            let is_named = |entry: std::fs::DirEntry| {
                entry.file_name().to_string_lossy().ends_with(".journal")
            };
            std::fs::read_dir(&journals).is_ok_and(|entries| entries.flatten().any(is_named))
        });
    }

    /// Nothing of this state directory is changed, whatever other state directories of the machine hold.
    pub fn assert_nothing_is_changed(&self) {
        let (status, _) = self.json(&["status"]);
        assert_eq!(status["journals"], serde_json::json!([]), "{status:#}");
    }

    /// Runs with `--json` and reads the document.
    pub fn json(&self, arguments: &[&str]) -> (Value, Output) {
        // Before the verb: behind `--` every word is fio's.
        let output = self.run(&[&["--json"], arguments].concat());
        let document = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
            panic!(
                "{error}\n{}\n{}",
                text(&output.stdout),
                text(&output.stderr)
            )
        });
        (document, output)
    }
}

/// A copy of the binary that runs. While a test beside this one starts a program, the new process still holds the copy
/// open for writing, and the kernel runs no text that is written ("Text file busy").
pub fn copy_binary(to: &Path) {
    std::fs::copy(env!("CARGO_BIN_EXE_iodyno"), to).unwrap();
    until("a copy that runs", || {
        Command::new(to).arg("--version").output().is_ok()
    });
}

/// Sends a signal by name; the shell's own `kill` is there where no program of that name is.
pub fn signal(pid: u32, name: &str) {
    let sent = Command::new("sh")
        .args(["-c", &format!("kill -{name} {pid}")])
        .status()
        .unwrap();
    assert!(sent.success(), "kill -{name} {pid}");
    if name == "STOP" {
        // A process that waits for a disk stops when that is over.
        until("the process stops", || is_stopped(pid));
    }
}

pub fn is_stopped(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit_once(')').map(|(_, rest)| rest.trim_start());
    state.is_none_or(|rest| rest.starts_with('T'))
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub fn code(output: &Output) -> i32 {
    output.status.code().unwrap_or(-1)
}

/// What a test lacks that traces nothing: only the kernel keeps root from it.
pub fn tracing() -> &'static str {
    if is_root() { "kernel:tracing" } else { "root" }
}

/// The monitor's port of one of this process's clusters of Ceph, 0 to 2. Its daemons take the 200 above: below those that the
/// kernel gives to clients, and others than those of another run on this machine.
pub fn ceph_port(which: u16) -> u16 {
    let run = (std::process::id() % 28) as u16;
    10_000 + run * 800 + which * 250
}

pub fn is_root() -> bool {
    std::fs::metadata("/proc/self")
        .is_ok_and(|metadata| std::os::unix::fs::MetadataExt::uid(&metadata) == 0)
}

/// A loop device over a fully written file, with direct I/O. Dropped, its settings are put back and it is detached.
pub struct Loop {
    pub device: String,
    pub name: String,
    first: Vec<(String, String)>,
    _dir: Dir,
    /// None for one beside another, whose turn it is.
    _turn: Option<MutexGuard<'static, ()>>,
}

/// Settings that the tests look at and put back: a detached loop device keeps them for its next user.
pub const SETTINGS: [&str; 7] = [
    "scheduler",
    "wbt_lat_usec",
    "nr_requests",
    "max_sectors_kb",
    "nomerges",
    "rq_affinity",
    "read_ahead_kb",
];

impl Loop {
    /// None, with the reason printed, where this machine cannot have one.
    pub fn new(mib: u64) -> Option<Loop> {
        Loop::over(mib, Dir::new("loop"), &["--direct-io=on"])
    }

    /// The same without direct I/O: the page cache lies between the device and its file.
    pub fn cached(mib: u64) -> Option<Loop> {
        Loop::over(mib, Dir::new("loop"), &[])
    }

    /// Over a file in memory, for what must not wait for a busy disk.
    pub fn in_memory(mib: u64) -> Option<Loop> {
        Loop::over(mib, memory()?, &[])
    }

    /// The same for what only looks at it: beside others, in nobody's turn.
    pub fn left_alone(mib: u64) -> Option<Loop> {
        Loop::attach(mib, memory()?, &[], None)
    }

    /// A second one, in this one's turn.
    pub fn beside(&self, mib: u64) -> Option<Loop> {
        Loop::attach(mib, Dir::new("loop"), &["--direct-io=on"], None)
    }

    /// One whose file lies in a directory, in this one's turn, through the page cache.
    pub fn inside(&self, directory: &Path, mib: u64) -> Option<Loop> {
        let path = directory.join("disk-below");
        std::fs::create_dir(&path).unwrap();
        Loop::attach(mib, Dir(path), &[], None)
    }

    fn over(mib: u64, dir: Dir, options: &[&str]) -> Option<Loop> {
        let turn = turn();
        Loop::attach(mib, dir, options, Some(turn))
    }

    fn attach(
        mib: u64,
        dir: Dir,
        options: &[&str],
        turn: Option<MutexGuard<'static, ()>>,
    ) -> Option<Loop> {
        if !is_root() {
            skip::missing("root", "a loop device needs root");
            return None;
        }
        let file = dir.path().join("disk");
        write_noise(&file, mib);
        let output = Command::new("losetup")
            .args(options)
            .args(["-f", "--show"])
            .arg(&file)
            .output();
        let Ok(output) = output
            .as_ref()
            .map(|output| text(&output.stdout).trim().to_string())
        else {
            skip::missing("losetup", "losetup is not installed");
            return None;
        };
        if output.is_empty() {
            skip::missing("loop", "this machine gives no loop device");
            return None;
        }
        let name = output.trim_start_matches("/dev/").to_string();
        let first = SETTINGS
            .iter()
            .map(|setting| (setting.to_string(), read(&name, setting)))
            .collect();
        Some(Loop {
            device: output,
            name,
            first,
            _dir: dir,
            _turn: turn,
        })
    }

    pub fn set(&self, setting: &str, value: &str) {
        std::fs::write(path(&self.name, setting), value)
            .unwrap_or_else(|error| panic!("{setting}={value}: {error}"));
    }

    /// A setting now, as one word.
    pub fn value(&self, setting: &str) -> String {
        read(&self.name, setting)
    }

    /// Every setting now.
    pub fn settings(&self) -> Vec<String> {
        SETTINGS
            .iter()
            .map(|setting| format!("{setting}={}", read(&self.name, setting)))
            .collect()
    }

    /// Reads that it has completed so far, by the kernel.
    pub fn reads(&self) -> u64 {
        let counters = std::fs::read_to_string(format!("/sys/block/{}/stat", self.name)).unwrap();
        let reads = counters.split_whitespace().next().unwrap();
        reads.parse().unwrap()
    }

    /// Whether this kernel has no such scheduler, which is then noted as a skip.
    pub fn lacks_scheduler(&self, word: &str) -> bool {
        let lacks = !self.has_scheduler(word);
        if lacks {
            let why = format!("this kernel has no {word}");
            skip::missing(&format!("kernel:{word}"), why);
        }
        lacks
    }

    /// Whether this kernel has the scheduler for it.
    pub fn has_scheduler(&self, word: &str) -> bool {
        let text = std::fs::read_to_string(path(&self.name, "scheduler")).unwrap_or_default();
        text.split_whitespace()
            .any(|offered| offered.trim_matches(['[', ']']) == word)
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        for (setting, value) in &self.first {
            let _ = std::fs::write(path(&self.name, setting), value);
        }
        let _ = Command::new("losetup").args(["-d", &self.device]).status();
    }
}

/// A directory in memory; none, with the reason noted, where this machine has no such place.
fn memory() -> Option<Dir> {
    let unique = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap()
        .as_nanos();
    let path = PathBuf::from(format!("/dev/shm/iodyno-{}-{unique}", std::process::id()));
    match std::fs::create_dir(&path) {
        Ok(()) => Some(Dir(path)),
        Err(error) => {
            skip::missing("shm", format!("no file system in memory: {error}"));
            None
        }
    }
}

fn path(device: &str, setting: &str) -> String {
    format!("/sys/block/{device}/queue/{setting}")
}

/// A setting as one word.
fn read(device: &str, setting: &str) -> String {
    let text = std::fs::read_to_string(path(device, setting)).unwrap_or_default();
    let chosen = text
        .split_once('[')
        .and_then(|(_, rest)| rest.split_once(']'))
        .map(|(word, _)| word.to_string());
    chosen.unwrap_or_else(|| text.trim().to_string())
}

/// Bytes that no layer can compress or leave out.
fn write_noise(path: &Path, mib: u64) {
    let file = std::fs::File::create(path).unwrap();
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    let mut block = vec![0u8; 1 << 20];
    for index in 0..mib {
        for word in block.chunks_exact_mut(8) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            word.copy_from_slice(&state.to_le_bytes());
        }
        file.write_all_at(&block, index << 20).unwrap();
    }
    file.sync_all().unwrap();
}

/// A process that is killed when this is dropped, so that none outlives its test.
pub struct Killed(pub Child);

impl std::ops::Deref for Killed {
    type Target = Child;

    fn deref(&self) -> &Child {
        &self.0
    }
}

impl std::ops::DerefMut for Killed {
    fn deref_mut(&mut self) -> &mut Child {
        &mut self.0
    }
}

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// How often a long test repeats itself: the environment's number, or a few.
pub fn rounds(variable: &str, few: u32) -> u32 {
    std::env::var(variable)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(few)
}

/// A guest's disk in memory, /dev/nullb0 of 2 GiB, to be put on by writing 1 to $nullb/power. Linux 5.10 takes its memory by
/// configfs only.
pub const DISK_IN_MEMORY: &str = "modprobe null_blk nr_devices=0 && modprobe configfs && \
    { mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config; } && \
    nullb=/sys/kernel/config/nullb/nullb0 && mkdir $nullb && echo 2048 >$nullb/size && echo 2 >$nullb/queue_mode && \
    echo 1 >$nullb/memory_backed";

/// A guest with the binary at `/run/iodyno`, and this test's turn; none, with the reason printed, where there is none.
pub fn guest_with_iodyno(machine: lab::Machine) -> Option<(lab::Guest, MutexGuard<'static, ()>)> {
    let turn = turn();
    let architecture = machine.architecture();
    let mut guest = machine.boot_or_skip()?;
    let built = Path::new(env!("CARGO_BIN_EXE_iodyno"));
    // A machine newer than the guest links against a newer C library; the static build runs on any.
    let fixed = format!("{}-unknown-linux-gnu/release/iodyno", architecture.name());
    let fixed = built.parent()?.parent()?.join(fixed);
    let candidates = match architecture {
        lab::Architecture::X86_64 => vec![built, &fixed],
        lab::Architecture::Arm64 => vec![&*fixed],
    };
    let mut said = String::new();
    for binary in candidates.into_iter().filter(|binary| binary.exists()) {
        guest.put(binary, "iodyno").unwrap();
        let done = guest
            .run(
                "cp /mnt/lab/iodyno /run/iodyno && /run/iodyno --version",
                600,
            )
            .unwrap();
        if done.status == 0 {
            return Some((guest, turn));
        }
        said = done.err;
    }
    let why = format!(
        "no binary starts in the guest ({}); tools/build {} makes one that does",
        said.trim(),
        architecture.name()
    );
    skip::missing("guest", why);
    None
}
