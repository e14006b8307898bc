//! What all programs in the kernel need: the kernel's type information, rights, and the reason where one is refused.

use crate::ProbeError;
use crate::btf::Events;
use crate::error::chain;
use aya::programs::{BtfTracePoint, ProgramError};
use aya::{Btf, Ebpf, EbpfError, EbpfLoader, Endianness};
use host::{Host, files};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::Path;

const BTF_PATH: &str = "/sys/kernel/btf/vmlinux";

/// What one program has cost since it was loaded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramCost {
    /// Its name.
    pub program: String,
    /// How often it ran, for whatever device; 0 unless `kernel.bpf_stats_enabled` is 1.
    pub runs: u64,
    /// How long, ns, with what measuring it costs.
    pub time_ns: u64,
    /// Events that the kernel says it left out, because they interrupted this program on the same CPU.
    pub missed: u64,
}

/// What the running kernel says of its own structures and events.
pub(crate) struct TypeInfo {
    pub btf: Btf,
    pub events: Events,
}

impl TypeInfo {
    /// # Errors
    /// Where the kernel has none.
    pub fn read() -> Result<TypeInfo, ProbeError> {
        let bytes = files::read_bytes(Path::new(BTF_PATH)).map_err(|error| no_btf(&error))?;
        let events = Events::parse(&bytes).ok_or_else(|| no_btf(&"it cannot be read"))?;
        let btf = Btf::parse(&bytes, Endianness::default()).map_err(|error| no_btf(&error))?;
        Ok(TypeInfo { btf, events })
    }
}

/// Creates the maps of an object and fits its programs to this kernel's structures.
pub(crate) fn load(loader: &mut EbpfLoader<'_>, object: &[u8]) -> Result<Ebpf, ProbeError> {
    loader.load(object).map_err(|error| match &error {
        EbpfError::BtfRelocationError(_) => ProbeError::Load {
            what: "the programs: a field they need is not in its structures".into(),
            why: chain(&error),
        },
        _ => refused("the programs' maps", &error),
    })
}

/// Has the kernel run a program at each such event.
pub(crate) fn attach(
    ebpf: &mut Ebpf,
    name: &str,
    event: &str,
    btf: &Btf,
) -> Result<(), ProbeError> {
    let mut attached = || -> Result<(), ProgramError> {
        let program = ebpf.program_mut(name).ok_or(ProgramError::NotLoaded)?;
        let program: &mut BtfTracePoint = program.try_into()?;
        program.load(event, btf)?;
        program.attach()?;
        Ok(())
    };
    attached().map_err(|error| refused(&format!("the program {name}"), &error))
}

/// What a program has cost and missed.
pub(crate) fn cost(ebpf: &Ebpf, name: &str) -> ProgramCost {
    let fd = ebpf.program(name).and_then(|program| match program {
        aya::programs::Program::BtfTracePoint(program) => program.fd().ok(),
        _ => None,
    });
    let path = fd.map(|fd| format!("/proc/self/fdinfo/{}", fd.as_fd().as_raw_fd()));
    let text = path
        .and_then(|path| files::read_bytes(Path::new(&path)).ok())
        .unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let field = |wanted: &str| {
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix(wanted)?.strip_prefix(':'));
        line.and_then(|value| value.trim().parse().ok())
            .unwrap_or(0)
    };
    ProgramCost {
        program: name.to_string(),
        runs: field("run_cnt"),
        time_ns: field("run_time_ns"),
        missed: field("recursion_misses"),
    }
}

/// Makes the kernel measure how long programs run, for [`crate::Layers::cost`], until what it returns is dropped. Measuring
/// costs some 20 ns a run, of every BPF program of the machine.
pub fn measure_cost() -> Result<OwnedFd, ProbeError> {
    aya::sys::enable_stats(aya::sys::Stats::RunTime)
        .map_err(|error| refused("the statistics of programs", &error))
}

fn no_btf(why: &dyn std::fmt::Display) -> ProbeError {
    ProbeError::NoBtf {
        path: BTF_PATH,
        why: why.to_string(),
    }
}

pub(crate) fn missing(what: &str) -> ProbeError {
    ProbeError::Load {
        what: what.to_string(),
        why: "it is not among the programs".into(),
    }
}

pub(crate) fn unread(what: &'static str, why: &dyn std::fmt::Display) -> ProbeError {
    ProbeError::Read {
        what,
        why: why.to_string(),
    }
}

/// A refusal for want of rights is told from one of the program's.
pub(crate) fn refused(what: &str, error: &(dyn std::error::Error + 'static)) -> ProbeError {
    match is_permission(error) {
        true => ProbeError::NotPermitted {
            missing: missing_rights(),
        },
        false => ProbeError::Load {
            what: what.to_string(),
            why: chain(error),
        },
    }
}

fn is_permission(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(one) = next {
        // The verifier says EACCES too, of a program that it finds unsafe; then it says why.
        if let Some(ProgramError::LoadError { verifier_log, .. }) = one.downcast_ref()
            && !verifier_log.to_string().trim().is_empty()
        {
            return false;
        }
        let errno = one
            .downcast_ref::<std::io::Error>()
            .and_then(std::io::Error::raw_os_error);
        if matches!(errno, Some(libc::EPERM | libc::EACCES)) {
            return true;
        }
        next = one.source();
    }
    false
}

/// The capabilities' bits (linux/capability.h): CAP_BPF and CAP_PERFMON came with 5.8, before it was CAP_SYS_ADMIN.
const CAPABILITIES: [(&str, u32); 3] =
    [("CAP_BPF", 39), ("CAP_PERFMON", 38), ("CAP_SYS_ADMIN", 21)];

fn missing_rights() -> String {
    let host = Host::live();
    let lockdown = host
        .text("/sys/kernel/security/lockdown")
        .unwrap_or_default();
    if lockdown.contains("[confidentiality]") {
        return "a kernel that is not locked down for confidentiality".into();
    }
    let status = host.text("/proc/self/status").unwrap_or_default();
    let held = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let held = held
        .and_then(|text| u64::from_str_radix(text.trim(), 16).ok())
        .unwrap_or(0);
    let lacking: Vec<&str> = CAPABILITIES
        .iter()
        .filter(|(_, bit)| held >> bit & 1 == 0)
        .map(|(name, _)| *name)
        .collect();
    match lacking.is_empty() {
        true => "a kernel and a container that allow bpf(2); this one refuses it".into(),
        false => format!(
            "root, or CAP_BPF and CAP_PERFMON (missing here: {})",
            lacking.join(", ")
        ),
    }
}
