//! # fstab
//!
//! What `/etc/fstab` says of a mount, beside what is in force.
//!
//! ## What it reads
//! `/etc/fstab`.
//!
//! ## Fields
//! - `fstab`: the options of the line for this mount point, without passwords
//! - `fstab_place`: its place, `/etc/fstab:7`
//!
//! ## Example
//! `/etc/fstab:3` gives `/srv` the options `noatime,nobarrier`, of which the kernel took `noatime`.

use crate::{Collector, Draft, Survey, secrets};
use kernel::fstab;
use model::iopath::LayerKind;

const FILE: &str = "/etc/fstab";

/// What this file adds to an I/O path.
pub static COLLECTOR: Collector = Collector {
    id: "fstab",
    since: "0.1.0",
    kinds: &[LayerKind::FileSystem, LayerKind::Unbacked],
    reads: &[FILE],
    collect,
};

fn collect(survey: &mut Survey<'_>, draft: &mut Draft) {
    let text = survey.host.text(FILE).unwrap_or_default();
    let (lines, _) = fstab::lines(&text);
    let mut own = lines
        .into_iter()
        .filter(|line| line.point == draft.layer.name);
    // Where there are several, mount(8) takes the last for a mount point.
    if let Some(line) = own.next_back() {
        draft.fact("fstab", Some(secrets::cut(line.options)));
        draft.fact("fstab_place", Some(format!("{FILE}:{}", line.number)));
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::{collect_on, facts};

    #[test]
    fn the_line_of_the_mount_point_is_found() {
        let path = collect_on(
            "path: /proc/self/mountinfo\nlines: 1\n1 1 0:9 / /a\\040b rw - cifs //nas/x rw\npath: /a b\ndirectory\n\
             path: /etc/fstab\nlines: 3\n# //nas/x /a\\040b cifs no 0 0\n/dev/sda1 / ext4 defaults 0 1\n\
             //nas/x /a\\040b cifs user=me,password=pw,vers=3 0 0\n",
            "/a b",
        );
        assert_eq!(facts(&path, "/a b", "fstab"), "user=me,password=…,vers=3");
        assert_eq!(facts(&path, "/a b", "fstab_place"), "/etc/fstab:3");
    }
}
