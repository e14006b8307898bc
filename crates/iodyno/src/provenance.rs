//! Where and with what a record is made.

use host::Host;
use model::record::Provenance;

/// Of this machine, now.
pub fn of(host: &Host) -> Provenance {
    let text = |path: &str| host.text(path).unwrap_or_default().trim().to_string();
    Provenance {
        iodyno: env!("CARGO_PKG_VERSION").to_string(),
        commit: crate::version::COMMIT.to_string(),
        hostname: text("/proc/sys/kernel/hostname"),
        kernel: text("/proc/sys/kernel/osrelease"),
        cpu: cpu(&text("/proc/cpuinfo")),
        clock: host::clock::FastClock::expected_name().to_string(),
        started_unix_ms: host::clock::unix_ms(),
        command: model::secret::command(&host::environment::arguments()),
        kube: None,
        rehearsed: host.rehearsed_on(),
    }
}

/// `2 × AMD EPYC`.
fn cpu(cpuinfo: &str) -> String {
    let model = kernel::cpuinfo::model(cpuinfo);
    format!(
        "{} × {}",
        kernel::cpuinfo::count(cpuinfo),
        model.as_deref().unwrap_or("unknown")
    )
}

#[cfg(test)]
mod tests {
    #[test]
    fn counts_the_cpus() {
        assert_eq!(
            super::cpu("processor\t: 0\nmodel name\t: AMD EPYC\nprocessor\t: 1\n"),
            "2 × AMD EPYC"
        );
        assert_eq!(super::cpu(""), "0 × unknown");
    }
}
