//! What a guest's CPU is: the name of its kernel says it, `6.1` or `6.1-arm64`.

use std::path::{Path, PathBuf};

/// How a kernel's name ends that is arm64's.
const ARM64: &str = "-arm64";

/// The CPU that QEMU emulates, and what depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Architecture {
    /// A PC.
    X86_64,
    /// A server of arm64: the CPU of AWS's Graviton2 and Ampere's Altra.
    Arm64,
}

impl Architecture {
    /// What a kernel of this name, as `lab/build` takes it, runs on.
    pub fn from_kernel(kernel: &str) -> Architecture {
        if kernel.ends_with(ARM64) {
            Architecture::Arm64
        } else {
            Architecture::X86_64
        }
    }

    /// The same version of a kernel, for arm64.
    pub(crate) fn arm64_kernel(kernel: &str) -> String {
        format!("{}{ARM64}", kernel.trim_end_matches(ARM64))
    }

    /// As `uname -m` and Rust call it.
    pub fn name(self) -> &'static str {
        match self {
            Architecture::X86_64 => "x86_64",
            Architecture::Arm64 => "aarch64",
        }
    }

    /// The program that emulates it.
    pub(crate) fn qemu(self) -> String {
        format!("qemu-system-{}", self.name())
    }

    /// The image that its guests boot, in the directory that `lab/build` fills.
    pub(crate) fn root(self, lab: &Path) -> PathBuf {
        lab.join(match self {
            Architecture::X86_64 => "root.img",
            Architecture::Arm64 => "root-arm64.img",
        })
    }

    /// QEMU's words for the board and its CPU.
    pub(crate) fn board(self) -> &'static str {
        match self {
            Architecture::X86_64 => "-M q35,hpet=off -cpu qemu64",
            Architecture::Arm64 => "-M virt,gic-version=3 -cpu neoverse-n1",
        }
    }

    /// The kernel's words for its console and its clock.
    pub(crate) fn kernel_arguments(self) -> &'static str {
        match self {
            // Of the clocks, the emulated TSC costs least; the kernel would not trust it by itself.
            Architecture::X86_64 => "console=ttyS0 tsc=reliable clocksource=tsc no_timer_check",
            Architecture::Arm64 => "console=ttyAMA0",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_of_arm64_has_its_own_name_once() {
        for kernel in ["6.1", "6.1-arm64"] {
            let named = Architecture::arm64_kernel(kernel);
            assert_eq!(named, "6.1-arm64");
            assert_eq!(Architecture::from_kernel(&named), Architecture::Arm64);
        }
        assert_eq!(Architecture::from_kernel("6.12"), Architecture::X86_64);
    }
}
