//! What `inspect` and `check` say of a real Ceph cluster: as it is, and with troubles that are made on purpose.

use crate::ceph_facts::{
    Cluster, few_placement_groups, healthy, near_full, recovery, scrub, slow_osd,
};
use crate::support::Iodyno;

#[test]
#[ignore = "lab"]
fn planted_troubles_of_a_cluster_are_named_first() {
    let Some(cluster) = Cluster::new() else {
        return;
    };
    let iodyno = Iodyno::new();
    let target = cluster.target("bench");
    healthy(&iodyno, &cluster, &target);
    few_placement_groups(&iodyno, &cluster);
    near_full(&iodyno, &cluster, &target);
    cluster.writes(3).wait().unwrap();
    scrub(&iodyno, &cluster, &target);
    recovery(&iodyno, &cluster, &target);
    slow_osd(&iodyno, &cluster, &target);
}
