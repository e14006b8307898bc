//! # Swapping or dropping pages
//!
//! ## What it does
//! Whether the kernel rather swaps out programs or drops file pages, a knob: `iodyno explain swappiness` says what it
//! does, what it risks and how it is undone.
//!
//! ## Unit and default
//! Points, 0 to 200 (to 100 before Linux 5.8); 60 by default.
//!
//! ## What it does to storage
//! It acts where memory is short and there is swap space: on what the page cache keeps, so on buffered I/O, and on the
//! disk that swap lies on.
//!
//! ## Recommended
//! TuneD 10 in throughput-performance, latency-performance and oracle, 30 in virtual-guest, 3 in postgresql, 1 in
//! mssql.
//!
//! ## Known against it
//! Without swap space it does nothing. Very low values make reclaim drop file pages that are in use.
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/sysctl/vm.rst`, `swappiness`
//! - TuneD 2bfa4423, `profiles/*/tuned.conf`

use crate::Sysctl;
use crate::acts::ActsOn;

/// The setting.
pub static SYSCTL: Sysctl = Sysctl {
    id: "vm_swappiness",
    since: "0.1.0",
    name: "vm.swappiness",
    summary: "when memory is short: to swap (where there is any) or to drop file pages",
    acts: ActsOn::Buffered,
};
