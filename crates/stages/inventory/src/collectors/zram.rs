//! # Compressed RAM disk
//!
//! How large a zram device is, how it compresses and what it holds.
//!
//! ## What it reads
//! `/sys/class/block/{}/{disksize,comp_algorithm,mm_stat,backing_dev}`.
//!
//! ## Fields
//! - `size_bytes`: of the device
//! - `algorithm`: the chosen one, of those in brackets
//! - `stored_bytes`, `compressed_bytes`, `memory_bytes`: content, the same compressed, and the memory it takes
//! - `backing_device`: where incompressible pages go, when there is one
//!
//! ## Example
//! `zram0`, 4 GiB, lzo-rle: 1.2 GiB stored in 410 MiB of memory.

use crate::{Collector, Draft, Survey};
use kernel::choice;
use model::iopath::LayerKind;

/// What this file adds to an I/O path.
pub static COLLECTOR: Collector = Collector {
    id: "zram",
    since: "0.1.0",
    kinds: &[LayerKind::Zram],
    reads: &[
        "/sys/class/block/{}/disksize",
        "/sys/class/block/{}/comp_algorithm",
        "/sys/class/block/{}/mm_stat",
    ],
    collect,
};

fn collect(survey: &mut Survey<'_>, draft: &mut Draft) {
    let host = survey.host;
    draft.fact_from(host, "size_bytes", "disksize");
    let algorithms = host.text(&draft.path("comp_algorithm"));
    draft.fact("algorithm", algorithms.as_deref().and_then(choice::chosen));
    // Documentation/admin-guide/blockdev/zram.rst: orig_data_size compr_data_size mem_used_total …, in bytes.
    let stat = host.text(&draft.path("mm_stat")).unwrap_or_default();
    let mut columns = stat.split_whitespace();
    draft.fact("stored_bytes", columns.next());
    draft.fact("compressed_bytes", columns.next());
    draft.fact("memory_bytes", columns.next());
    let backing = host
        .text(&draft.path("backing_dev"))
        .filter(|device| device.trim() != "none");
    draft.fact("backing_device", backing);
    draft.layer.title = "compressed RAM disk".into();
}

#[cfg(test)]
mod tests {
    use crate::tests::{collect_on, facts};

    #[test]
    fn reads_what_it_holds() {
        let base = "/sys/devices/virtual/block/zram0";
        let path = collect_on(
            &format!(
                "path: /sys/class/block/zram0\nlink: ../../devices/virtual/block/zram0\n\
                 path: {base}/comp_algorithm\nlines: 1\nlzo [lzo-rle] zstd\n\
                 path: {base}/mm_stat\nlines: 1\n    4096       74    12288        0    12288\n"
            ),
            "zram0",
        );
        assert_eq!(facts(&path, "zram0", "algorithm"), "lzo-rle");
        assert_eq!(facts(&path, "zram0", "memory_bytes"), "12288");
    }
}
