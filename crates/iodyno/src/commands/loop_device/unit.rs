//! The unit of systemd that attaches a loop device at boot with the same options and mounts it, and the drop-in that has
//! the local file systems' target want it.
//!
//! The target only wants it: a machine whose file is damaged boots all the same, as with `nofail` in fstab. Whoever needs
//! the mount says so with `RequiresMountsFor=`.

use super::shell;
use model::change::SavedLoop;
use model::text::is_plain_name;

/// The files, each with its content.
///
/// # Errors
/// Where a path has letters in it that the unit, or the shell in it, would read as something else.
pub fn files(saved: &SavedLoop) -> Result<Vec<(String, String)>, String> {
    let point = saved.point.as_ref().map(|point| point.path.as_str());
    let paths = [Some(saved.path.as_str()), point];
    let is_plain = |path: &str| path.split('/').skip(1).all(is_plain_name);
    if let Some(odd) = paths.into_iter().flatten().find(|path| !is_plain(path)) {
        let shown = model::text::clean_to(odd, 200);
        return Err(format!(
            "`{shown}` has letters in it that a unit reads in another way"
        ));
    }
    let name = saved.path.trim_start_matches('/').replace('/', "-");
    if !is_plain_name(&format!("loop-{name}")) {
        return Err("its path is too long for the name of a unit".into());
    }
    let service = format!("iodyno-loop-{name}.service");
    Ok(vec![
        (
            format!("/etc/systemd/system/{service}"),
            format!("{}{}", head(saved), body(saved)),
        ),
        (
            format!("/etc/systemd/system/local-fs.target.d/99-iodyno-loop-{name}.conf"),
            format!("{}[Unit]\nWants={service}\n", head(saved)),
        ),
    ])
}

fn head(saved: &SavedLoop) -> String {
    let path = &saved.path;
    format!(
        "# Written by iodyno: the loop device over {path}.\n\
         # Taken away with the device and its file by: iodyno loop remove {path}\n"
    )
}

fn body(saved: &SavedLoop) -> String {
    let file = &saved.path;
    // What has to be mounted before: the file's file system, and the one that the mount point lies in.
    let above = saved
        .point
        .as_ref()
        .and_then(|point| point.path.rsplit_once('/'));
    let above = above.map_or(String::new(), |(above, _)| {
        format!(" {}", if above.is_empty() { "/" } else { above })
    });
    let attach = shell::losetup(saved).replace("--show", "--show --nooverlap");
    let (start, stop) = match (&saved.point, shell::mount(saved, "\"$$device\"")) {
        (Some(point), Some(mount)) => (
            format!(
                "device=$$({attach}) && {{ mountpoint --quiet {0} || {mount}; }}",
                point.path
            ),
            format!("umount {}; ", point.path),
        ),
        _ => (attach, String::new()),
    };
    format!(
        "[Unit]\n\
         Description=Loop device over {file}\n\
         DefaultDependencies=no\n\
         RequiresMountsFor={file}{above}\n\
         Wants=modprobe@loop.service\n\
         After=modprobe@loop.service systemd-remount-fs.service\n\
         Before=local-fs.target umount.target\n\
         Conflicts=umount.target\n\
         \n\
         [Service]\n\
         Type=oneshot\n\
         RemainAfterExit=yes\n\
         ExecStart=/bin/sh -c '{start}'\n\
         ExecStop=/bin/sh -c '{stop}losetup --noheadings --output NAME --associated {file} | xargs --no-run-if-empty losetup --detach'\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::change::SavedPoint;

    fn saved(path: &str, point: Option<&str>) -> SavedLoop {
        SavedLoop {
            path: path.into(),
            sector_bytes: 512,
            direct: true,
            fs: Some("xfs".into()),
            point: point.map(|path| SavedPoint {
                path: path.into(),
                made: false,
            }),
            ..SavedLoop::default()
        }
    }

    #[test]
    fn it_attaches_and_mounts_before_the_local_file_systems_are_reached() {
        let files = files(&saved("/srv/data.img", Some("/mnt/data"))).unwrap();
        let (path, text) = &files[0];
        assert_eq!(path, "/etc/systemd/system/iodyno-loop-srv-data.img.service");
        for line in [
            "RequiresMountsFor=/srv/data.img /mnt\n",
            "Before=local-fs.target umount.target\n",
            "ExecStart=/bin/sh -c 'device=$$(losetup --find --show --nooverlap --direct-io=on /srv/data.img) && \
             { mountpoint --quiet /mnt/data || mount -t xfs \"$$device\" /mnt/data; }'\n",
            "iodyno loop remove /srv/data.img\n",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
        let (path, text) = &files[1];
        assert_eq!(
            path,
            "/etc/systemd/system/local-fs.target.d/99-iodyno-loop-srv-data.img.conf"
        );
        assert!(
            text.ends_with("[Unit]\nWants=iodyno-loop-srv-data.img.service\n"),
            "{text}"
        );
        let top = super::files(&saved("/data.img", Some("/data"))).unwrap();
        assert!(top[0].1.contains("RequiresMountsFor=/data.img /\n"));
    }

    #[test]
    fn without_a_mount_it_only_attaches() {
        let mut bare = saved("/srv/disk", None);
        bare.fs = None;
        let text = &files(&bare).unwrap()[0].1;
        assert!(text.contains("RequiresMountsFor=/srv/disk\n"), "{text}");
        assert!(
            text.contains("'losetup --find --show --nooverlap --direct-io=on /srv/disk'"),
            "{text}"
        );
        assert!(
            !text.contains("mount ") || !text.contains("umount "),
            "{text}"
        );
    }

    #[test]
    fn a_path_that_a_shell_or_a_unit_reads_in_another_way_is_refused() {
        for odd in [
            "/srv/my data",
            "/srv/a'b",
            "/srv/$x",
            "/srv/%n",
            "/srv/a\\b",
            "/srv/a\nb",
        ] {
            assert!(files(&saved(odd, None)).is_err(), "{odd}");
            assert!(files(&saved("/srv/x", Some(odd))).is_err(), "{odd}");
        }
    }
}
