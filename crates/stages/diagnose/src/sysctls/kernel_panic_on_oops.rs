//! # Stop at an error of the kernel
//!
//! ## What it does
//! Whether the machine stops when the kernel finds an error in itself (an oops), or goes on with what is left.
//!
//! ## Unit and default
//! 0 or 1; 0 by default.
//!
//! ## What it does to storage
//! Nothing to its speed. Who stops at once writes nothing more with a kernel that is known to be broken; what was dirty
//! is lost.
//!
//! ## Recommended
//! TuneD 1 in oracle, whose clusters fence a node that is half alive.
//!
//! ## Known against it
//! One error in any driver takes the whole machine down, and every container with it.
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/sysctl/kernel.rst`, `panic_on_oops`
//! - TuneD 2bfa4423, `profiles/oracle/tuned.conf`

use crate::Sysctl;
use crate::acts::ActsOn;

/// The setting.
pub static SYSCTL: Sysctl = Sysctl {
    id: "kernel_panic_on_oops",
    since: "0.1.0",
    name: "kernel.panic_on_oops",
    summary: "what happens after an error of the kernel",
    acts: ActsOn::Nothing,
};
