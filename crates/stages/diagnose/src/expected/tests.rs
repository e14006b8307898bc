//! Arithmetic of disks, links, arrays, promises and limits, and the figures of the loads.

use super::{expected, gives};
use crate::scene_examples::SceneExample;
use model::check::{Expected, ExpectedWhat};

fn of(text: &str) -> Vec<Expected> {
    expected(&SceneExample::parse(text).scene())
}

fn row(rows: &[Expected], what: ExpectedWhat) -> &Expected {
    rows.iter()
        .find(|row| row.what == what)
        .unwrap_or_else(|| panic!("no {what:?} in {rows:#?}"))
}

#[test]
fn nothing_is_expected_of_what_cannot_be_seen() {
    assert!(of("").is_empty());
    assert!(of("disk: vda transport=virtio rotational=1\n").is_empty());
    assert!(of("unbacked: nfs\n").is_empty());
    assert!(of("stacked: bcache0 stack=bcache\ndisk: sda transport=sata rotational=1\ndisk: +sdb transport=sata rotational=0\n").is_empty());
}

#[test]
fn the_narrowest_link_caps_the_medium() {
    let rows = of("disk: nvme0n1 transport=nvme_(pcie) link_bytes_per_s=985000000\n");
    let read = row(&rows, ExpectedWhat::SequentialRead);
    assert_eq!((read.low, read.high), (985e6, 985e6));
    assert!(
        read.because.contains("its link carries 939 MiB/s"),
        "{}",
        read.because
    );
    let reads = row(&rows, ExpectedWhat::RandomReads);
    assert_eq!(reads.high, 985e6 / 4096.0);
    // A slower link takes the lower edge down with it, so that no range is empty.
    let rows = of("disk: nvme0n1 transport=nvme_(pcie) link_bytes_per_s=250000000\n");
    let read = row(&rows, ExpectedWhat::SequentialRead);
    assert_eq!(read.low, read.high);
}

fn disks(count: usize) -> String {
    let disk = |index: usize| {
        format!(
            "disk: {}sd{index} transport=sata rotational=1\n",
            if index > 0 { "+" } else { "" }
        )
    };
    (0..count).map(disk).collect()
}

#[test]
fn arrays_count_as_their_level_says() {
    let one = of(&disks(1));
    let reads_of_one = row(&one, ExpectedWhat::RandomReads).high;
    let writes_of_one = row(&one, ExpectedWhat::RandomWrites).high;
    let stream_of_one = row(&one, ExpectedWhat::SequentialRead).high;
    // Level, members, random reads, random writes, sequential read at most, all in members.
    let cases = [
        ("raid0", 4, 4.0, 4.0, 4.0),
        ("raid1", 2, 2.0, 1.0, 1.0),
        ("raid10", 4, 4.0, 2.0, 4.0),
        ("raid5", 4, 4.0, 1.0, 3.0),
        ("raid6", 6, 6.0, 1.0, 4.0),
        ("raid4", 4, 3.0, 0.5, 3.0),
    ];
    for (level, members, reads, writes, stream) in cases {
        let rows = of(&format!("stacked: md0 stack={level}\n{}", disks(members)));
        let most = |what: ExpectedWhat| row(&rows, what).high;
        assert_eq!(
            most(ExpectedWhat::RandomReads),
            reads * reads_of_one,
            "{level}"
        );
        assert_eq!(
            most(ExpectedWhat::RandomWrites),
            writes * writes_of_one,
            "{level}"
        );
        assert_eq!(
            most(ExpectedWhat::SequentialRead),
            stream * stream_of_one,
            "{level}"
        );
        assert!(
            row(&rows, ExpectedWhat::RandomReads)
                .because
                .contains(&format!("{level} of {members}"))
        );
        assert!(
            rows.iter().all(|row| row.low <= row.high),
            "{level}: {rows:#?}"
        );
    }
}

#[test]
fn a_linear_volume_streams_like_one_disk() {
    let one = of(&disks(1));
    let rows = of(&format!(
        "stacked: dm-0 stack=LVM mapping=linear\n{}",
        disks(3)
    ));
    assert_eq!(
        row(&rows, ExpectedWhat::SequentialRead).high,
        row(&one, ExpectedWhat::SequentialRead).high
    );
    let reads = row(&rows, ExpectedWhat::RandomReads);
    assert_eq!(
        (reads.low, reads.high),
        (
            row(&one, ExpectedWhat::RandomReads).low,
            3.0 * row(&one, ExpectedWhat::RandomReads).high
        )
    );
    let alone = of("stacked: dm-0 stack=LVM mapping=thin\ndisk: sda transport=sata rotational=1\n");
    assert_eq!(
        row(&alone, ExpectedWhat::RandomReads).high,
        row(&one, ExpectedWhat::RandomReads).high
    );
}

#[test]
fn a_member_that_cannot_be_seen_leaves_the_array_open() {
    let rows = of(
        "stacked: md0 stack=raid0\ndisk: sda transport=sata rotational=1\ndisk: +vda transport=virtio\n",
    );
    assert!(rows.is_empty(), "{rows:#?}");
}

#[test]
fn promises_stand_for_virtual_disks() {
    let rows = of(
        "disk: vda transport=virtio\npromise: aws gp2 iops=300 burst_iops=3000 bytes_per_s=128m\n",
    );
    let reads = row(&rows, ExpectedWhat::RandomReads);
    assert_eq!((reads.low, reads.high), (300.0, 3000.0));
    assert_eq!(
        row(&rows, ExpectedWhat::SequentialWrite).high,
        128.0 * 1048576.0
    );
    let rows = of(
        "disk: vda transport=virtio\npromise: aws gp3 iops=16000 bytes_per_s=1000m instance_iops=4000\n",
    );
    assert_eq!(row(&rows, ExpectedWhat::RandomReads).high, 4000.0);
    assert!(
        row(&rows, ExpectedWhat::RandomReads)
            .because
            .contains("instance")
    );
}

#[test]
fn a_promise_of_figures_alone_says_where_they_come_from() {
    let because = |promise: &str| {
        let rows = of(&format!("disk: vda transport=virtio\npromise: {promise}\n"));
        row(&rows, ExpectedWhat::RandomReads).because.clone()
    };
    assert_eq!(because("aws gp3 iops=3000"), "promised for aws gp3");
    assert_eq!(
        because("iops=500"),
        "promised by the figures of --disk-spec"
    );
    assert_eq!(
        because("iops=500 instance_iops=400"),
        "the instance's limit, below that of the disk"
    );
}

#[test]
fn the_control_group_binds_its_own_disks() {
    let text = "machine: io_limits=sda_riops_40;_sdz_riops_3;_sda_wbps_1048576\ndisk: sda transport=sata rotational=1\n";
    let rows = of(text);
    let reads = row(&rows, ExpectedWhat::RandomReads);
    assert_eq!((reads.low, reads.high), (40.0, 40.0));
    assert!(
        reads
            .because
            .contains("the control group allows 40/s on sda"),
        "{}",
        reads.because
    );
    assert_eq!(row(&rows, ExpectedWhat::SequentialWrite).high, 1048576.0);
    assert_eq!(row(&rows, ExpectedWhat::RandomWrites).high, 256.0);
    // Also where nothing else is known.
    let rows = of("machine: io_limits=vda_riops_1000\ndisk: vda transport=virtio\n");
    assert_eq!(row(&rows, ExpectedWhat::RandomReads).high, 1000.0);
    assert_eq!(rows.len(), 1);
}

#[test]
fn loads_give_their_figures() {
    let example = SceneExample::parse(
        "disk: sda transport=sata\nprobe: latency read=1000@100us elapsed=1s\nprobe: depth read=9000@1ms depth=8 elapsed=1s\n\
         probe: depth read=9100@4ms depth=32 elapsed=1s\nprobe: stream read=100@1ms bs=1m elapsed=1s\n\
         probe: fsync write=50@1ms sync=50@9ms elapsed=1s\n",
    );
    let rows = gives(&example.scene());
    let find = |what: ExpectedWhat| rows.iter().find(|row| row.what == what);
    let reads = find(ExpectedWhat::RandomReads).unwrap();
    // Depth 8 is as good as 32, to noise.
    assert_eq!((reads.value, reads.how.as_str()), (9100.0, "depth 8"));
    assert_eq!(
        find(ExpectedWhat::SequentialRead).unwrap().value,
        100.0 * 1048576.0
    );
    assert_eq!(find(ExpectedWhat::Fsyncs).unwrap().value, 50.0);
    let latency = find(ExpectedWhat::ReadLatency).unwrap().value;
    assert!((latency - 100.0).abs() < 5.0, "{latency}");
    assert!(find(ExpectedWhat::RandomWrites).is_none());
    assert!(gives(&SceneExample::parse("").scene()).is_empty());
}

#[test]
fn shares_are_of_the_near_edge() {
    let rows = of(&disks(1));
    let (reads, latency) = (
        row(&rows, ExpectedWhat::RandomReads),
        row(&rows, ExpectedWhat::ReadLatency),
    );
    assert_eq!(reads.share(reads.low / 2.0), 0.5);
    assert_eq!(reads.share(reads.high), 1.0);
    assert_eq!(latency.share(latency.high * 4.0), 0.25);
    assert_eq!(latency.share(latency.low), 1.0);
}
