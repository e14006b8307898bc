//! # Network and FUSE file systems
//!
//! What the host can see of a file system whose disk is elsewhere.
//!
//! ## What it reads
//! The source and the options of the mount.
//!
//! ## Fields
//! - `server`, `export`: of NFS, Ceph and SMB
//! - `nfs_version`, `rsize`, `wsize`, `nconnect`: of NFS, `rsize` and `wsize` also of others that give them
//! - `sync`: `yes` where every write waits for the server
//! - `fuse_program`: what serves a FUSE file system, where the type or the source names it
//!
//! ## Example
//! `nas:/export`, NFS 4.2, 1 MiB a request, one connection.

use crate::inventory::{Collector, Draft, Survey};
use model::iopath::LayerKind;

/// What this file adds to an I/O path.
pub static COLLECTOR: Collector = Collector {
    id: "filesystem_network",
    since: "0.1.0",
    kinds: &[LayerKind::Unbacked],
    reads: &["/proc/self/mountinfo"],
    collect,
};

fn collect(survey: &mut Survey<'_>, draft: &mut Draft) {
    let Some(mount) = survey.mounts.holding(&draft.subject).cloned() else { return };
    if let Some((server, export)) = remote(&mount.source) {
        draft.fact("server", Some(server));
        draft.fact("export", Some(export));
    }
    if mount.fstype.starts_with("nfs") {
        draft.fact("nfs_version", mount.option("vers"));
    }
    for name in ["rsize", "wsize", "nconnect"] {
        draft.fact(name, mount.option(name));
    }
    draft.fact("sync", mount.options.split(',').any(|option| option == "sync").then_some("yes"));
    if let Some(program) = mount.fstype.strip_prefix("fuse") {
        let by_type = program.strip_prefix('.').unwrap_or_default();
        let program = if by_type.is_empty() { mount.source.as_str() } else { by_type };
        draft.fact("fuse_program", Some(program).filter(|program| !program.is_empty()));
    }
}

/// `nas:/x`, `[fe80::1]:/x`, `10.0.0.1:6789,10.0.0.2:6789:/`, `//nas/x`.
fn remote(source: &str) -> Option<(String, String)> {
    if let Some(rest) = source.strip_prefix("//") {
        let (server, share) = rest.split_once('/')?;
        return Some((server.to_string(), format!("/{share}")));
    }
    let at = source.find(":/")?;
    let server = source[..at].trim_matches(['[', ']']);
    (!server.is_empty()).then(|| (server.to_string(), source[at + 1..].to_string()))
}

#[cfg(test)]
mod tests {
    use crate::inventory::tests::{collect_on, facts};

    fn mounted(line: &str) -> model::iopath::IoPath {
        collect_on(
            &format!("path: /proc/self/mountinfo\nlines: 1\n1 1 0:50 / /n {line}\npath: /n\ndirectory\n"),
            "/n",
        )
    }

    #[test]
    fn the_server_and_the_sizes_of_requests_are_told() {
        let nfs = mounted("rw,sync - nfs4 nas:/x rw,vers=4.2,rsize=1048576,wsize=262144,nconnect=4");
        let fact = |name: &'static str| facts(&nfs, "/n", name);
        assert_eq!((fact("server"), fact("export"), fact("nfs_version")), ("nas", "/x", "4.2"));
        assert_eq!((fact("rsize"), fact("nconnect"), fact("sync")), ("1048576", "4", "yes"));
        let smb = mounted("rw - cifs //nas/share/a rw");
        assert_eq!((facts(&smb, "/n", "server"), facts(&smb, "/n", "export")), ("nas", "/share/a"));
        let tmpfs = mounted("rw - tmpfs tmpfs rw");
        assert_eq!(facts(&tmpfs, "/n", "server"), "");
    }

    #[test]
    fn the_program_of_fuse_is_in_its_type_or_its_source() {
        assert_eq!(facts(&mounted("rw - fuse.sshfs me@nas:/x rw"), "/n", "fuse_program"), "sshfs");
        assert_eq!(facts(&mounted("rw - fuse mergerfs rw"), "/n", "fuse_program"), "mergerfs");
    }
}
