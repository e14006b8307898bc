//! # ext4
//!
//! How an ext4 keeps its journal, and whether it has met errors.
//!
//! ## What it reads
//! `/proc/fs/ext4/{}/options`, `/sys/fs/ext4/{}/{errors_count,first_error_time}` (Documentation/ABI/testing/sysfs-fs-ext4).
//!
//! ## Fields
//! - `journal`: `ordered`, `writeback` or `journal`
//! - `delayed_allocation`: `yes` or `no`
//! - `errors_count`: errors that it has noted since it was last repaired; `first_error_time`: when, s after 1970
//!
//! ## Example
//! `ordered` with delayed allocation; 2 errors noted.

use crate::{Below, Collector, Draft, Survey};
use model::iopath::LayerKind;

/// What this file adds to an I/O path.
pub static COLLECTOR: Collector = Collector {
    id: "filesystem_ext4",
    since: "0.1.0",
    kinds: &[LayerKind::FileSystem],
    reads: &["/proc/fs/ext4/{}/options", "/sys/fs/ext4/{}/errors_count"],
    collect,
};

fn collect(survey: &mut Survey<'_>, draft: &mut Draft) {
    let host = survey.host;
    let Some(Below::Device(device)) = draft.below.first().cloned() else {
        return;
    };
    if !matches!(draft.known("fstype"), Some("ext4" | "ext3" | "ext2")) {
        return;
    }
    // All options with their defaults; the mount table leaves defaults out.
    let options = host
        .text(&format!("/proc/fs/ext4/{device}/options"))
        .unwrap_or_default();
    let mode = options
        .lines()
        .chain(draft.known("options").unwrap_or_default().split(','));
    let mode = mode
        .filter_map(|option| option.trim().strip_prefix("data="))
        .next()
        .map(str::to_string);
    draft.fact("journal", mode);
    let has = |word: &str| options.lines().any(|option| option.trim() == word);
    let delays = if has("nodelalloc") {
        Some("no")
    } else {
        has("delalloc").then_some("yes")
    };
    draft.fact("delayed_allocation", delays);
    for name in ["errors_count", "first_error_time"] {
        let text = host.text(&format!("/sys/fs/ext4/{device}/{name}"));
        let number = text.and_then(|text| text.trim().parse::<u64>().ok());
        // A time of 0 is that of no error.
        let told = number.filter(|number| name == "errors_count" || *number > 0);
        draft.fact(name, told.map(|number| number.to_string()));
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::{collect_on, facts};

    #[test]
    fn the_mode_of_the_journal_is_told_with_its_default() {
        let path = collect_on(
            "path: /proc/self/mountinfo\nlines: 1\n1 1 8:1 / /x rw - ext4 /dev/sda1 rw\npath: /x\ndirectory\n\
             path: /sys/dev/block/8:1\nlink: ../../devices/p/sda1\npath: /sys/class/block/sda1\nlink: ../../devices/p/sda1\n\
             path: /sys/devices/p/sda1/size\nlines: 1\n9\n\
             path: /proc/fs/ext4/sda1/options\nlines: 3\nrw\ndelalloc\ndata=ordered\n\
             path: /sys/fs/ext4/sda1/errors_count\nlines: 1\n2\npath: /sys/fs/ext4/sda1/first_error_time\nlines: 1\n0\n",
            "/x",
        );
        assert_eq!(facts(&path, "/x", "journal"), "ordered");
        assert_eq!(facts(&path, "/x", "delayed_allocation"), "yes");
        assert_eq!(facts(&path, "/x", "errors_count"), "2");
        assert_eq!(facts(&path, "/x", "first_error_time"), "");
    }
}
