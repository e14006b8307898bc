//! Block devices by name and by number, and what kind of layer each is.

use host::Host;
use model::iopath::LayerKind;

/// The kernel's name of a node below /dev: a slash in it is `!` in /sys (`cciss/c0d0`, fs/sysfs and
/// drivers/base/core.c).
pub(super) fn kernel_name(below_dev: &str) -> String {
    below_dev.replace('/', "!")
}

/// The directory of a disk or a partition in /sys, links resolved; none when there is no such device.
pub(super) fn directory(host: &Host, name: &str) -> Option<String> {
    let is_plain = !name.is_empty() && name != "." && name != ".." && !name.contains('/');
    // Only links below /sys/class/block are devices; /sys/block lacks partitions.
    let path = format!("/sys/class/block/{name}");
    is_plain.then(|| host.resolve(&path)).flatten()
}

/// The kernel name of the device node at a path, such as a mount's source.
pub(super) fn by_node(host: &Host, path: &str) -> Option<String> {
    let resolved = host.resolve(path).unwrap_or_else(|| path.to_string());
    let name = kernel_name(resolved.strip_prefix("/dev/")?);
    directory(host, &name).map(|_| name)
}

/// The last part of a link, such as a driver's name.
pub(super) fn link_name(host: &Host, path: &str) -> Option<String> {
    host.link(path)?.rsplit('/').next().map(str::to_string)
}

/// What kind of layer a block device is.
pub(super) fn kind(host: &Host, name: &str, directory: &str) -> LayerKind {
    let is_stacked = || !host.list(&format!("{directory}/slaves")).is_empty();
    if host.exists(&format!("{directory}/partition")) {
        LayerKind::Partition
    } else if name.starts_with("loop") {
        LayerKind::Loop
    } else if name.starts_with("zram") {
        LayerKind::Zram
    } else if ["dm-", "md", "bcache"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
        || is_stacked()
    {
        LayerKind::Stacked
    } else {
        LayerKind::Disk
    }
}

/// The directories above a device below /sys/devices, nearest first. All of them are devices or the classes that
/// group them (`block`, `nvme`).
pub(super) fn ancestors(directory: &str) -> Vec<String> {
    let above = |path: &String| {
        let parent = path.rsplit_once('/')?.0;
        (parent.matches('/').count() > 2).then(|| parent.to_string())
    };
    std::iter::successors(above(&directory.to_string()), above).collect()
}
