//! Exports of wishes on a captured machine, with hostile words too.

use super::*;
use crate::fixture::wish;
use host::Archive;
use model::change::Attribute;

fn host() -> Host {
    let mut archive = Archive::default();
    archive.insert("/sys/block/sda/dev", Attribute::Value("8:0".into()));
    archive.insert(
        "/run/udev/data/b8:0",
        Attribute::Value("E:ID_SERIAL=INTEL_1".into()),
    );
    archive.insert_directory("/proc/irq/24/nvme0q1");
    archive.insert_directory("/etc/sysctl.d");
    archive.insert("/usr/bin/udevadm", Attribute::Value(String::new()));
    Host::from_archive(archive)
}

fn made(
    values: &[(&str, &str)],
    claims: &[&str],
    form: ExportForm,
) -> Result<ExportedText, String> {
    let claims: Vec<String> = claims.iter().map(|claim| claim.to_string()).collect();
    export(&host(), &wish("sda", values), &claims, form)
}

const ALL: [ExportForm; 3] = [ExportForm::Ansible, ExportForm::Tuned, ExportForm::Shell];

#[test]
fn each_form_names_record_and_proof_and_holds_every_value() {
    let values = [
        ("scheduler", "none"),
        ("nr_requests", "64"),
        ("dirty_background_bytes", "67108864"),
    ];
    for form in ALL {
        let text = made(&values, &["none is better than bfq: +12 %"], form)
            .unwrap()
            .text;
        for said in [
            "record 7",
            "Proof: none is better than bfq: +12 %",
            "none",
            "nr_requests",
            "67108864",
        ] {
            assert!(text.contains(said), "{form:?}: {said}\n{text}");
        }
    }
    let profile = made(&values, &[], ExportForm::Tuned).unwrap().text;
    assert!(profile.ends_with(
        "\n[disk]\ndevices=sda\nelevator=none\n\n[sysctl]\nvm.dirty_background_bytes=67108864\n\n\
         [sysfs]\n/sys/block/sda/queue/nr_requests=64\n"
    ), "{profile}");
}

#[test]
fn what_a_form_cannot_say_is_said() {
    let values = [("atime", "noatime"), ("nomerges", "2")];
    for form in ALL {
        let made = made(&values, &[], form).unwrap();
        assert!(made.missing[0].contains("/etc/fstab"), "{:?}", made.missing);
        assert!(
            made.text.contains("# atime=noatime is not in it"),
            "{}",
            made.text
        );
    }
    let alone = made(&[("smp_affinity_list", "2")], &[], ExportForm::Tuned);
    assert!(alone.unwrap_err().contains("no plugin"));
    assert!(
        made(&[("smp_affinity_list", "2")], &[], ExportForm::Shell)
            .unwrap()
            .text
            .contains("/proc/irq/*/nvme0q1;")
    );
}

/// Words of a record that would be a command, a task or a section of their own.
#[test]
fn a_hostile_record_is_no_more_than_a_comment() {
    let hostile = "better\n[script]\nscript=/tmp/x\n- name: x\n$(reboot) `id` {{ lookup('pipe','id') }} '; rm -rf / #";
    for form in ALL {
        let text = made(&[("nomerges", "2")], &[hostile], form).unwrap().text;
        let odd = text
            .lines()
            .filter(|line| line.contains("reboot") || line.contains("script=/tmp"));
        assert!(
            odd.clone().count() > 0 && odd.clone().all(|line| line.starts_with("# Proof: ")),
            "{text}"
        );
        for value in ["2'; reboot #", "$(id)", "{{ x }}", "2\n[script]", "a b", ""] {
            assert!(made(&[("nomerges", value)], &[], form).is_err(), "{value}");
        }
        for device in ["sda;reboot", "../x", "a\nb", ""] {
            let bad = export(&host(), &wish(device, &[("nomerges", "2")]), &[], form);
            assert!(bad.unwrap_err().contains("no name of a device"), "{device}");
        }
    }
}

#[test]
fn the_script_finds_the_disk_by_its_serial_and_saves_what_a_switch_resets() {
    let script = made(&[("scheduler", "none")], &[], ExportForm::Shell)
        .unwrap()
        .text;
    assert!(script.contains("E:ID_SERIAL=INTEL_1"), "{script}");
    assert!(
        script.contains("note \"/sys/block/$disk/queue/nr_requests\""),
        "{script}"
    );
}
