//! `tune --metric` on a loop device: what each meter reads, and that a verdict carries it.

use crate::support::{Iodyno, Loop, code, text};

#[test]
fn a_metric_that_the_load_does_not_have_is_refused_before_anything_is_touched() {
    let Some(disk) = Loop::in_memory(16) else {
        return;
    };
    let before = disk.settings();
    for metric in ["latency", "bandwidth"] {
        let words = [
            "tune",
            &disk.device,
            "--ioengine",
            "none",
            "--metric",
            metric,
        ];
        let output = Iodyno::new().run(&words);
        assert_eq!(code(&output), 2);
        let said = text(&output.stderr);
        assert!(
            said.contains(metric) && said.contains("device_bandwidth"),
            "{said}"
        );
    }
    assert_eq!(disk.settings(), before);
}
