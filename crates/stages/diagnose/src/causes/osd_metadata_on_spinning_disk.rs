//! # OSDs that keep their metadata on a spinning disk
//!
//! Also: BlueStore, `block.db`, `bluefs`, RocksDB, `metadataDevice` of Rook, small files on CephFS.
//!
//! ## What it finds
//! OSDs whose data disk spins, and whose database lies on the same disk or on another that spins (a note).
//!
//! ## Why it matters
//! BlueStore keeps where each object lies, and of CephFS all names and inodes, in a database. A read of an object that is not cached asks
//! it first, and each write adds to it. On a disk that spins these are seeks beside those for the data, so that many small objects
//! cost a multiple of few large ones.
//!
//! ## What to try
//! A database on flash: `ceph-volume lvm new-db` gives one to an OSD that is there, while it is down. Rook takes `metadataDevice` only
//! for OSDs that it makes: each is purged and made anew, one by one. What holds the database holds the OSD: without that disk its
//! data is lost, so a USB disk is no place for it, and one that several OSDs share takes all of them with it. For CephFS a pool of its own for
//! metadata, with a CRUSH rule for OSDs on flash, needs neither.
//!
//! ## Example
//! ```scene
//! cluster: ceph health=HEALTH__OK
//! pool: files pool_size=3
//! osd: osd.0 data_spins=yes metadata_apart=no metadata_spins=yes
//! osd: osd.1 data_spins=yes metadata_apart=yes metadata_spins=no
//! expect: note says "osd.0 keeps" says "the disk of its data" about ceph
//! ```
//! ```scene
//! cluster: ceph health=HEALTH__OK
//! pool: files pool_size=3
//! osd: osd.0 data_spins=yes metadata_apart=no metadata_spins=yes
//! osd: osd.1 data_spins=yes metadata_apart=yes metadata_spins=yes
//! expect: note says "2 of 2 OSDs" about ceph
//! ```
//!
//! ## Stays silent
//! ```scene
//! cluster: ceph health=HEALTH__OK
//! pool: files pool_size=3
//! osd: osd.0 data_spins=no metadata_apart=no metadata_spins=no
//! osd: osd.1 data_spins=yes metadata_apart=yes metadata_spins=no
//! ```
//! ```scene
//! cluster: ceph health=HEALTH__OK
//! pool: files pool_size=3
//! osd: osd.0 objectstore=bluestore
//! ```
//!
//! ## Seen
//! On a live kernel: three OSDs on one disk of a virtual machine that says it spins (Ceph 16.2.15). What the seeks cost was not
//! measured.
//!
//! ## Sources
//! - Ceph documentation: BlueStore configuration reference, Devices; `ceph-volume lvm new-db`
//! - Ceph `src/os/bluestore/BlueStore.cc`, `collect_metadata`: `bluefs_dedicated_db`, `bluefs_db_rotational`, `bluestore_bdev_rotational`
//! - Rook documentation: CephCluster, `metadataDevice`

use crate::ceph_parts::{cluster, osd_words, osds};
use crate::finding::{With, note};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::iopath::Layer;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "osd_metadata_on_spinning_disk",
    since: "0.1.0",
    summary: "Ceph OSDs whose database lies on a disk that spins",
    level: Level::Note,
    risk: Risk::NeedsCare,
    competing: &[
        "the disks do not spin, and say they do, as those of virtual machines: then a random read of 4 KiB takes less than 2 ms",
        "objects are large and few: then the seeks for metadata are few too",
    ],
    experiment: Experiment::Line(
        "{ceph} osd metadata | grep -E 'bluefs_dedicated_db|_rotational' # what each OSD says of its disks",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

/// Whether both data and metadata of an OSD lie on disks that spin.
fn has_slow_metadata(osd: &Layer) -> bool {
    let is_so = |name: &str| osd.fact(name) == Some("yes");
    is_so("data_spins") && (is_so("metadata_spins") || osd.fact("metadata_apart") == Some("no"))
}

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    finding(scene).into_iter().collect()
}

fn finding(scene: &Scene<'_>) -> Option<Finding> {
    let cluster = cluster(scene)?;
    let all = osds(scene);
    let slow: Vec<&Layer> = all
        .iter()
        .copied()
        .filter(|osd| has_slow_metadata(osd))
        .collect();
    let who = match slow[..] {
        [] => return None,
        [osd] => format!("{} keeps its", osd_words(osd)),
        _ => format!("{} of {} OSDs keep their", slow.len(), all.len()),
    };
    let is_shared = |osd: &&&Layer| osd.fact("metadata_apart") == Some("no");
    let on = match slow.iter().filter(is_shared).count() {
        0 => "on another disk that says it spins",
        shared if shared < slow.len() => "on a disk that says it spins",
        _ if slow.len() == 1 => "on the disk of its data, which says it spins",
        _ => "on the disks of their data, which say they spin",
    };
    let claim = format!(
        "{who} metadata {on}: each small object, and each small file of CephFS, then costs more seeks than its data alone."
    );
    Some(
        note(&cluster.name, claim)
            .shows("OSDs whose metadata is on a spinning disk", slow.len().to_string())
            .shows("OSDs", all.len().to_string())
            .refuted_by("ceph osd metadata says bluefs_dedicated_db 1 and bluefs_db_rotational 0")
            .advise("Give the database of these OSDs, or CephFS's metadata pool, disks that do not spin."),
    )
}
