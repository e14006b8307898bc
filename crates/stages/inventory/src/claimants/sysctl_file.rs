//! # sysctl file
//!
//! ## What it reads
//! `*.conf` of `/etc/sysctl.d`, `/run/sysctl.d`, `/usr/local/lib/sysctl.d`, `/usr/lib/sysctl.d` and `/lib/sysctl.d`, where a
//! file of an earlier directory masks those of its name in later ones, and `/etc/sysctl.conf`.
//!
//! ## What it claims
//! Settings of `vm`, `fs` and `kernel`. A ratio and its number of bytes exclude each other: setting one clears the
//! other. `/etc/sysctl.conf` is read by `sysctl --system` after all others, but by systemd only where a link
//! `99-sysctl.conf` in `/etc/sysctl.d` leads to it; without the link it is a maybe.
//!
//! ## When it acts
//! At boot, in the order of the file names; and when TuneD starts, which by its own default applies the files of `/etc`
//! and `/run` again after its profile (`reapply_sysctl`).
//!
//! ## Example
//! `/etc/sysctl.d/90-db.conf:2` wants `vm.dirty_bytes` to be 268435456.
//!
//! ## Sources
//! - sysctl.d(5), sysctl(8); Linux `Documentation/admin-guide/sysctl/vm.rst`
//! - TuneD, `tuned-main.conf`

use crate::claims::{Claim, Claimant, On, Phase, Scene};
use crate::config_files::{ConfigFile, drop_ins, sysctl_path};

/// Where files are, the strongest first.
pub(crate) const DIRECTORIES: &[&str] = &[
    "/etc/sysctl.d",
    "/run/sysctl.d",
    "/usr/local/lib/sysctl.d",
    "/usr/lib/sysctl.d",
    "/lib/sysctl.d",
];
const OLD: &str = "/etc/sysctl.conf";

/// The claimant.
pub static CLAIMANT: Claimant = Claimant {
    id: "sysctl_file",
    since: "0.1.0",
    reads: &["/etc/sysctl.d", "/run/sysctl.d", "/usr/lib/sysctl.d", OLD],
    claims,
};

fn claims(scene: &Scene<'_>) -> Vec<Claim> {
    let host = scene.host;
    let again = super::tuned::reapplies_sysctl(host);
    let mut claims: Vec<Claim> = Vec::new();
    let files = drop_ins(host, DIRECTORIES, ".conf");
    let is_linked = files
        .iter()
        .any(|file| host.resolve(&file.path).as_deref() == Some(OLD));
    for (number, file) in files.iter().enumerate() {
        let is_own = file.path.starts_with("/etc/") || file.path.starts_with("/run/");
        claims.extend(of_file(file, number << 16, again && is_own, ""));
    }
    let old = host
        .text(OLD)
        .filter(|_| !is_linked)
        .map(|text| ConfigFile {
            path: OLD.into(),
            text,
        });
    if let Some(old) = old {
        claims.extend(of_file(&old, files.len() << 16, again, "maybe "));
    }
    claims
}

fn of_file(file: &ConfigFile, first: usize, again: bool, doubt: &str) -> Vec<Claim> {
    let claim = |(index, line): (usize, &str)| {
        let line = line.trim().trim_start_matches('-');
        let (key, value) = line
            .split_once('=')
            .filter(|_| !line.starts_with(['#', ';']))?;
        let (phase, when) = match again {
            true => (Phase::Again, "at boot, and again after TuneD's profile"),
            false => (Phase::System, "at boot"),
        };
        let doubted = if doubt.is_empty() {
            ""
        } else {
            ": sysctl --system reads this file, systemd does not"
        };
        Some(Claim {
            on: On::Path(sysctl_path(key.trim())),
            phase,
            sequence: first + index,
            place: format!("{}:{}", file.path, index + 1),
            wants: Some(value.split_whitespace().collect::<Vec<_>>().join(" ")),
            acts: format!("{doubt}{when}{doubted}"),
        })
    };
    file.text.lines().enumerate().filter_map(claim).collect()
}

#[cfg(test)]
mod tests {
    use crate::tests::collect_on;
    use model::ownership::SetBy;

    const MACHINE: &str = "path: /sys/class/block/sda\nlink: ../../devices/p/sda\n\
        path: /sys/devices/p/sda/dev\nlines: 1\n8:0\npath: /proc/sys/vm/swappiness\nlines: 1\n1\n";

    #[test]
    fn the_last_file_by_name_has_the_last_word_and_masks_count() {
        let path = collect_on(
            &format!(
                "{MACHINE}path: /etc/sysctl.d/99-z.conf\nlines: 2\n; c\n-vm.swappiness = 1\n\
                 path: /usr/lib/sysctl.d/50-a.conf\nlines: 1\nvm/swappiness=10\n\
                 path: /usr/lib/sysctl.d/99-z.conf\nlines: 1\nvm.swappiness=5\n"
            ),
            "sda",
        );
        let setting = path.machine_setting("vm.swappiness").unwrap();
        let places: Vec<&str> = setting
            .owners
            .iter()
            .map(|owner| owner.place.as_str())
            .collect();
        assert_eq!(
            places,
            ["/usr/lib/sysctl.d/50-a.conf:1", "/etc/sysctl.d/99-z.conf:2"]
        );
        assert!(
            matches!(setting.set_by(), SetBy::Owner(owner) if owner.place.ends_with("99-z.conf:2"))
        );
    }

    #[test]
    fn the_old_file_counts_for_sure_only_through_its_link() {
        let old = "path: /etc/sysctl.conf\nlines: 1\nvm.swappiness=1\n";
        let alone = collect_on(&format!("{MACHINE}{old}"), "sda");
        assert!(!alone.machine_setting("vm.swappiness").unwrap().owners[0].is_certain());
        let link = "path: /etc/sysctl.d/99-sysctl.conf\nlink: ../sysctl.conf\n";
        let linked = collect_on(&format!("{MACHINE}{old}{link}"), "sda");
        let owners = &linked.machine_setting("vm.swappiness").unwrap().owners;
        assert_eq!((owners.len(), owners[0].is_certain()), (1, true));
    }
}
