//! # Network file system
//!
//! Where a file system without a disk of this machine keeps its files, and the mount options that make its speed.
//!
//! ## What it reads
//! The mount table only: `/proc/self/mountinfo`. No server is asked. A secret among the options is left out by the
//! kernel; `username=` is not taken over.
//!
//! ## Fields
//! - `server`, `export`: of NFS, CIFS, Ceph, GlusterFS, 9p and virtiofs, from the source
//! - `nfs_version`, `rsize`, `wsize`, `nconnect`, `nfs_proto`, `nfs_timeo`: of NFS; `rsize` and `wsize` also of CIFS
//! - `nfs_hard`: `no` where I/O fails when the server is silent (`soft`, `softerr`)
//! - `smb_version`; `cache`: of CIFS and 9p (`strict`, `none`, `loose`, `mmap`); `msize`: bytes of a 9p message
//! - `sync`: `yes` where every write waits for the server
//! - `attribute_cache`: `off` with `noac`
//! - `fuse_program`: `sshfs` of `fuse.sshfs`; of a plain `fuse` the source
//!
//! ## Example
//! `server` nas, `export` /srv/db, `nfs_version` 4.2, `rsize` 1048576, `nconnect` 4.

use crate::{Below, CephClient, Collector, Draft, Survey};
use model::iopath::LayerKind;

/// What this file adds to an I/O path.
pub static COLLECTOR: Collector = Collector {
    id: "network_mount",
    since: "0.1.0",
    kinds: &[LayerKind::Unbacked],
    reads: &["/proc/self/mountinfo"],
    collect,
};

fn collect(_: &mut Survey<'_>, draft: &mut Draft) {
    let text = |name: &str| draft.known(name).unwrap_or_default().to_string();
    let (fstype, source, options) = (text("fstype"), text("source"), text("options"));
    let value = |name: &str| {
        let mut options = options.split(',');
        options
            .find_map(|option| option.strip_prefix(name)?.strip_prefix('='))
            .map(str::to_string)
    };
    let has = |name: &str| options.split(',').any(|option| option == name);
    let is_remote = match fstype.as_str() {
        "nfs" | "nfs4" => {
            draft.fact("nfs_version", value("vers").or_else(|| value("nfsvers")));
            draft.fact("nconnect", value("nconnect"));
            draft.fact("nfs_proto", value("proto"));
            draft.fact("nfs_timeo", value("timeo"));
            draft.fact(
                "nfs_hard",
                (has("soft") || has("softerr") || has("hard"))
                    .then(|| if has("hard") { "yes" } else { "no" }),
            );
            draft.fact("attribute_cache", has("noac").then_some("off"));
            true
        }
        "cifs" | "smb3" => {
            draft.fact("smb_version", value("vers"));
            draft.fact("cache", value("cache"));
            true
        }
        "9p" => {
            draft.fact("cache", value("cache"));
            draft.fact("msize", value("msize"));
            true
        }
        "ceph" | "fuse.ceph-fuse" | "fuse.ceph" => {
            let named = value("fs").or_else(|| value("mds_namespace"));
            let client = CephClient::of_mount(&source, named);
            draft.below.push(Below::Ceph(client));
            true
        }
        "glusterfs" | "fuse.glusterfs" | "virtiofs" | "lustre" | "afs" | "beegfs"
        | "fuse.sshfs" => true,
        _ => false,
    };
    if is_remote {
        let (server, export) = parts(&source);
        draft.fact("server", server);
        draft.fact("export", export);
        draft.fact("rsize", value("rsize"));
        draft.fact("wsize", value("wsize"));
        draft.fact("sync", has("sync").then_some("yes"));
    }
    // `fuse.sshfs`, or `fuse` with the program as its source.
    let program = match fstype.strip_prefix("fuse.") {
        None if fstype == "fuse" => Some(source.as_str()),
        program => program,
    };
    draft.fact(
        "fuse_program",
        program.filter(|program| !program.is_empty()),
    );
}

/// `nas:/srv`, `[fe80::1]:/srv`, `10.0.0.1:6789,10.0.0.2:6789:/a`, `//nas/share/a`, or a name alone.
fn parts(source: &str) -> (Option<&str>, Option<&str>) {
    if let Some(rest) = source.strip_prefix("//") {
        let end = rest.find('/').unwrap_or(rest.len());
        return (
            Some(&rest[..end]),
            Some(&rest[end..]).filter(|share| !share.is_empty()),
        );
    }
    let at = source.find(":/").or_else(|| {
        source
            .find(']')
            .and_then(|end| source[end..].find(':').map(|at| end + at))
    });
    match at {
        Some(at) => (
            Some(source[..at].trim_matches(['[', ']'])),
            Some(&source[at + 1..]),
        ),
        // Ceph from 5.17 on: `user@id.name=/path`; the monitors are an option.
        None => match source.split_once("=/") {
            Some((name, _)) => (Some(name), Some(&source[name.len() + 1..])),
            None => (
                None,
                Some(source).filter(|source| !source.is_empty() && *source != "none"),
            ),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::parts;
    use crate::tests::{collect_on, facts};

    fn mounted(fstype: &str, source: &str, options: &str) -> model::iopath::IoPath {
        collect_on(
            &format!(
                "path: /proc/self/mountinfo\nlines: 2\n1 1 8:1 / / rw - ext4 /dev/sda1 rw\n\
                 4 1 0:50 / /n rw,relatime - {fstype} {source} {options}\npath: /n\ndirectory\n"
            ),
            "/n",
        )
    }

    #[test]
    fn what_nfs_was_mounted_with() {
        let path = mounted(
            "nfs4",
            "nas:/srv/db",
            "rw,vers=4.2,rsize=1048576,wsize=262144,hard,proto=tcp,nconnect=4,timeo=600,sync,noac",
        );
        let fact = |name: &str| facts(&path, "/n", name);
        assert_eq!(
            (fact("server"), fact("export"), fact("nfs_version")),
            ("nas", "/srv/db", "4.2")
        );
        assert_eq!(
            (fact("rsize"), fact("wsize"), fact("nconnect")),
            ("1048576", "262144", "4")
        );
        assert_eq!(
            (fact("sync"), fact("nfs_hard"), fact("attribute_cache")),
            ("yes", "yes", "off")
        );
    }

    #[test]
    fn other_kinds_and_their_sources() {
        let path = mounted("fuse.sshfs", "me@host:/data", "rw,user_id=0");
        assert_eq!(
            (
                facts(&path, "/n", "fuse_program"),
                facts(&path, "/n", "server")
            ),
            ("sshfs", "me@host")
        );
        assert_eq!(
            facts(&mounted("fuse", "mergerfs", "rw"), "/n", "fuse_program"),
            "mergerfs"
        );
        let path = mounted("tmpfs", "tmpfs", "rw");
        assert_eq!(
            (facts(&path, "/n", "server"), facts(&path, "/n", "export")),
            ("", "")
        );
        assert_eq!(parts("//nas/share/a"), (Some("nas"), Some("/share/a")));
        assert_eq!(parts("[fe80::1]:/srv"), (Some("fe80::1"), Some("/srv")));
        assert_eq!(
            parts("10.0.0.1:6789,10.0.0.2:6789:/a"),
            (Some("10.0.0.1:6789,10.0.0.2:6789"), Some("/a"))
        );
        assert_eq!(
            parts("admin@07fe.fs=/a"),
            (Some("admin@07fe.fs"), Some("/a"))
        );
        assert_eq!(parts("share"), (None, Some("share")));
        for text in ["", "//", ":", "]", "]:", "=/", ":/"] {
            parts(text);
        }
    }
}
