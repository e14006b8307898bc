//! The same as commands of a shell: what `--dry-run` shows, and what brings a device back after a reboot.

use super::file_system;
use super::plan::LoopPlan;
use model::change::SavedLoop;
use model::text::shell_word;

/// The words of losetup that set the device up; `before` stands before the program: `sudo `.
pub fn losetup(saved: &SavedLoop) -> String {
    let direct = if saved.direct { "on" } else { "off" };
    let sector = match saved.sector_bytes {
        512 => String::new(),
        bytes => format!(" --sector-size {bytes}"),
    };
    let file = shell_word(&saved.path);
    format!("losetup --find --show --direct-io={direct}{sector} {file}")
}

/// The mount of a device, as a shell names it.
pub fn mount(saved: &SavedLoop, device: &str) -> Option<String> {
    let (fs, point) = (saved.fs.as_deref()?, saved.point.as_ref()?);
    Some(format!(
        "mount -t {fs} {device} {}",
        shell_word(&point.path)
    ))
}

/// One line that attaches and mounts it again; `before` stands before each program: `sudo `.
pub fn bring_back(saved: &SavedLoop, before: &str) -> String {
    let attach = format!("{before}{}", losetup(saved));
    match mount(saved, "\"$device\"") {
        Some(mount) => format!("device=$({attach}) && {before}{mount}"),
        None => attach,
    }
}

/// The commands that make the same, for root.
pub fn commands(plan: &LoopPlan) -> Vec<String> {
    let (saved, file) = (&plan.saved, shell_word(&plan.saved.path));
    let direct = if plan.takes_direct {
        " oflag=direct"
    } else {
        ""
    };
    let mut commands = vec![
        format!("install --mode=600 /dev/null {file}"),
        format!("fallocate --length {} {file}", saved.bytes),
        format!(
            "dd if=/dev/urandom of={file} bs=1M count={} iflag=count_bytes,fullblock conv=notrunc,fsync{direct} status=progress",
            saved.bytes
        ),
        format!("device=$({})", losetup(saved)),
    ];
    if let Some(made) = file_system::of(plan) {
        let options = made.options.join(" ");
        commands.push(format!("{} {options} \"$device\"", made.program));
    }
    if let Some(point) = saved.point.as_ref().filter(|point| point.made) {
        commands.push(format!("mkdir {}", shell_word(&point.path)));
    }
    commands.extend(mount(saved, "\"$device\""));
    commands
}

/// The commands with what each is for, and the files of the unit.
pub fn script(plan: &LoopPlan) -> Vec<String> {
    let mut lines = vec![
        "# What would be done, as commands for root. fallocate alone leaves unwritten extents: the first write".to_string(),
        "# to each would change the file system's own tables too, and be slower than all that follow.".into(),
    ];
    lines.extend(commands(plan));
    if plan.saved.fs.is_some() {
        lines.push("# Then zeros are written where mkfs has the device zero blocks, which makes their extents unwritten again.".into());
    }
    for (path, content) in &plan.unit {
        lines.push(format!("# {path} would hold:"));
        lines.extend(content.lines().map(str::to_string));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::change::SavedPoint;

    #[test]
    fn a_device_comes_back_as_it_was_made() {
        let mut saved = SavedLoop {
            path: "/srv/my data.img".into(),
            sector_bytes: 4096,
            direct: true,
            fs: Some("ext4".into()),
            point: Some(SavedPoint {
                path: "/mnt/data".into(),
                made: false,
            }),
            ..SavedLoop::default()
        };
        assert_eq!(
            bring_back(&saved, "sudo "),
            "device=$(sudo losetup --find --show --direct-io=on --sector-size 4096 '/srv/my data.img') && \
             sudo mount -t ext4 \"$device\" /mnt/data"
        );
        saved.fs = None;
        saved.point = None;
        (saved.sector_bytes, saved.direct) = (512, false);
        let bare = "losetup --find --show --direct-io=off '/srv/my data.img'";
        assert_eq!(bring_back(&saved, ""), bare);
    }
}
