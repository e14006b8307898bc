//! Rows out of facts: a network mount in a line, and with `--all` every fact that no other row tells.

use super::text::clean;
use super::tree::TreeRow;
use model::iopath::Layer;
use model::units;

/// What the other rows and the head say already, in words of their own.
const TOLD: &str = "\
    algorithm aligned application array_state backing_allocated_bytes backing_device backing_file backing_sparse \
    bitmap block_bytes cache_dirty cache_dirty_percent cache_mode cache_state cache_used_percent chunk_bytes cipher \
    client_read_bytes_per_s client_write_bytes_per_s commit_ms compressed_bytes controller controller_driver \
    crush_rule crypt_flags crypt_sector_bytes degraded delay_ms device_class dio dm_name driver failed_members \
    failure_domain fc_speed free_bytes free_inodes fstype full_ratio health health_checks holders iscsi_portal \
    iscsi_target link_speed link_speed_max link_width link_width_max logical_block_bytes lv lv_part max_avail_bytes \
    mds mds_caps mds_clients mds_standbys memory_bytes mgr_active model mons mons_in_quorum mount_point mounted_on \
    named nconnect nearfull_ratio nfs_proto nfs_version numa_node offset_bytes options osd_commit_ms_max \
    osd_commit_ms_median osd_devices osd_flags osd_host osd_hosts osd_in osd_up osd_used_share_max osds osds_in \
    osds_up path_policy paths_active paths_failed pg_autoscale_mode pg_num pg_num_wanted pg_states pgs \
    physical_block_bytes pool_min_size pool_size quota_bytes raid_controller raid_health raid_level rbd_image \
    rbd_pool read_only reason recovering_bytes_per_s rotational rsize rule_class sas_speed sata_speed segments \
    size_bytes smb_version snapshot_used_percent source stack start_bytes stored_bytes stripe_bytes stripes \
    subdirectory suspended swap sync_action sync_percent sync_speed_kib thin_data_used_percent thin_mapped_percent \
    thin_metadata_used_percent total_bytes total_inodes transport unanswered usb_driver usb_speed_mbit used_share \
    vendor vg wsize";

/// Every other fact as it was found, so that nothing that is known stays out of sight.
pub(super) fn others(layer: &Layer) -> Vec<TreeRow> {
    let told: Vec<&str> = TOLD.split(' ').collect();
    let others = layer
        .facts
        .iter()
        .filter(|(name, _)| !told.contains(&name.as_str()));
    others
        .map(|(name, value)| TreeRow::plain(&clean(name), clean(value)))
        .collect()
}

/// How a file system of another machine is reached, in a line.
pub(super) fn network(layer: &Layer) -> Option<TreeRow> {
    let size = |name: &str| layer.number(name).map(units::bytes);
    let version = layer
        .fact("nfs_version")
        .map(|version| format!("NFS {version}"));
    let parts = [
        version.or_else(|| {
            layer
                .fact("smb_version")
                .map(|version| format!("SMB {version}"))
        }),
        layer.fact("nfs_proto").map(str::to_string),
        layer
            .fact("nconnect")
            .map(|count| format!("{count} connections")),
        size("rsize").map(|size| format!("reads of {size}")),
        size("wsize").map(|size| format!("writes of {size}")),
        layer
            .fact("sync")
            .map(|_| "every write waits for the server".to_string()),
        layer
            .fact("attribute_cache")
            .map(|_| "attributes asked for anew each time".to_string()),
        layer
            .fact("nfs_hard")
            .filter(|hard| *hard == "no")
            .map(|_| "soft: I/O fails when the server is silent".into()),
    ];
    let text = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
    (!text.is_empty()).then(|| TreeRow::plain("over", clean(&text)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::iopath::LayerKind;

    fn layer(facts: &[(&str, &str)]) -> Layer {
        let mut layer = Layer::new(LayerKind::Unbacked, "/n");
        layer.facts = facts
            .iter()
            .map(|(name, value)| ((*name).to_string(), (*value).to_string()))
            .collect();
        layer
    }

    #[test]
    fn a_network_mount_in_a_line() {
        let nfs = [
            ("nfs_version", "4.2"),
            ("rsize", "1048576"),
            ("nconnect", "4"),
            ("sync", "yes"),
        ];
        let row = network(&layer(&nfs)).unwrap();
        let wanted = "NFS 4.2, 4 connections, reads of 1.00 MiB, every write waits for the server";
        assert_eq!((row.key.as_str(), row.value.as_str()), ("over", wanted));
        assert_eq!(network(&layer(&[("fstype", "tmpfs")])), None);
    }

    #[test]
    fn what_nobody_told_is_shown_and_cleaned() {
        let rows = others(&layer(&[
            ("fstype", "nfs"),
            ("nfs_timeo", "600\x1b"),
            ("server", "nas"),
        ]));
        let shown: Vec<(&str, &str)> = rows
            .iter()
            .map(|row| (row.key.as_str(), row.value.as_str()))
            .collect();
        assert_eq!(shown, [("nfs_timeo", "600?"), ("server", "nas")]);
    }
}
