//! `--persist`: who else sets the same is found before anything is written; files of somebody else's change only where that
//! was asked for, and come back byte for byte.

use crate::drift::TheirFile;
use crate::mounts::Mounted;
use crate::support::{Iodyno, Loop, code, text};
use std::path::Path;
use std::process::{Command, Output};

const OWN: &str = "/etc/sysctl.d/99-iodyno-set.conf";
const LATER: &str = "/etc/sysctl.d/zz-iodyno-set.conf";

#[test]
fn a_file_that_sorts_later_is_found_before_anything_is_written() {
    let Some(disk) = Loop::in_memory(16) else {
        return;
    };
    if !Path::new("/etc/sysctl.d").exists() {
        skip::missing("root", "nothing reads /etc/sysctl.d here");
        return;
    }
    let (iodyno, theirs) = (Iodyno::new(), "/etc/sysctl.d/99-zz-theirs.conf");
    let _theirs = TheirFile::new(theirs, "# theirs\nvm.swappiness = 7\n");
    let now = std::fs::read_to_string("/proc/sys/vm/swappiness").unwrap();
    let setting = format!("swappiness={}", now.trim());
    let set = |more: &[&str]| {
        let words = ["set", &setting, &disk.device, "--persist"];
        iodyno.run(&[&words[..], more].concat())
    };
    let refused = set(&[]);
    let said = text(&refused.stderr);
    assert_eq!(code(&refused), 4, "{said}");
    assert!(
        said.contains(&format!(
            "{theirs}:2 sets swappiness of the kernel to 7, at boot"
        )),
        "{said}"
    );
    assert!(
        said.contains("--outrank") && said.contains("--despite-owners"),
        "{said}"
    );
    assert!(!Path::new(OWN).exists(), "nothing was written");
    iodyno.assert_nothing_is_changed();

    let done = set(&["--outrank"]);
    assert_eq!(code(&done), 0, "{}", text(&done.stderr));
    assert!(
        text(&done.stdout).contains(&format!("Acts before this: {theirs}:2")),
        "{}",
        text(&done.stdout)
    );
    let written = std::fs::read_to_string(LATER).unwrap();
    assert!(
        written.contains("nobody has proved")
            && written.ends_with(&format!("vm.swappiness = {now}")),
        "{written}"
    );
    std::fs::write(LATER, "# edited\n").unwrap();
    let status = text(&iodyno.run(&["status"]).stdout);
    assert!(
        status.contains(&format!(
            "{LATER}  drift: set as iodyno wrote it, is edited"
        )),
        "{status}"
    );
    std::fs::write(LATER, written).unwrap();
    assert_eq!(code(&iodyno.run(&["undo"])), 0);
    assert!(!Path::new(LATER).exists());

    let meant = set(&["--despite-owners"]);
    assert_eq!(code(&meant), 0, "{}", text(&meant.stderr));
    assert!(text(&meant.stdout).contains("Has the last word all the same"));
    assert!(Path::new(OWN).exists());
    assert_eq!(code(&iodyno.run(&["undo"])), 0);
    assert!(!Path::new(OWN).exists());
}

/// Runs a script in a mount namespace whose /etc is a copy.
fn with_etc_of_its_own(iodyno: &Iodyno, mounted: &Mounted, script: &str) -> Output {
    let etc = iodyno.state.path().join("etc");
    let head = "set -e; cp -a /etc \"$ETC\"; mount --bind \"$ETC\" /etc; \
                printf '# mine\\nLABEL=x / ext4 defaults 0 1\\n%s\\t%s\\text4\\trelatime,nofail\\t0 2' \"$DEVICE\" \"$POINT\" >/etc/fstab; \
                chmod 640 /etc/fstab; chown 0:4 /etc/fstab; cp -a /etc/fstab /etc/fstab.was;\n";
    Command::new("unshare")
        .args([
            "-m",
            "--propagation",
            "private",
            "sh",
            "-c",
            &format!("{head}{script}"),
        ])
        .env("ETC", &etc)
        .env("DEVICE", &mounted.disk.device)
        .env("POINT", mounted.point())
        .env("IODYNO", env!("CARGO_BIN_EXE_iodyno"))
        .env("IODYNO_STATE_DIR", iodyno.state.path().join("state"))
        .env("NO_COLOR", "1")
        .output()
        .unwrap()
}

#[test]
fn fstab_changes_only_where_that_was_asked_for_and_comes_back() {
    let Some(mounted) = Mounted::new(16) else {
        return;
    };
    let iodyno = Iodyno::new();
    let done = with_etc_of_its_own(
        &iodyno,
        &mounted,
        "same() { cmp /etc/fstab /etc/fstab.was; [ \"$(stat -c '%a %u %g' /etc/fstab)\" = '640 0 4' ]; }\n\
         \"$IODYNO\" set atime=noatime \"$POINT\" --persist --dry-run\n\
         \"$IODYNO\" set atime=noatime \"$POINT\" --persist && exit 9\n\
         same\n\
         \"$IODYNO\" set atime=noatime \"$POINT\" --persist --write-proposal\n\
         tail -n1 /etc/fstab; echo\n\
         findmnt --verify --tab-file /etc/fstab >/etc/verified 2>&1 || ! grep 'parse error' /etc/verified\n\
         [ \"$(stat -c '%a %u %g' /etc/fstab)\" = '640 0 4' ]\n\
         \"$IODYNO\" undo\n\
         same\n\
         for after in 2 5 8 11 14 17 20 25 30 40; do\n\
             \"$IODYNO\" set atime=noatime \"$POINT\" --persist --write-proposal >/dev/null 2>&1 & id=$!\n\
             sleep 0.0$after; kill -9 $id 2>/dev/null || :; wait $id 2>/dev/null || :\n\
             \"$IODYNO\" undo --all >/dev/null 2>&1 || { echo kill $after; \"$IODYNO\" undo --all; exit 1; }\n\
             same; [ ! -e /etc/fstab.iodyno-new ]\n\
         done\n\
         printf 'broken line\\n' >>/etc/fstab; cp /etc/fstab /etc/fstab.was\n\
         \"$IODYNO\" set atime=noatime \"$POINT\" --persist --write-proposal && exit 9\n\
         cmp /etc/fstab /etc/fstab.was; echo END\n",
    );
    let (out, err) = (text(&done.stdout), text(&done.stderr));
    assert_eq!(code(&done), 0, "{out}\n{err}");
    let line = format!(
        "{}\t{}\text4\tnofail,noatime\t0 2",
        mounted.disk.device,
        mounted.point()
    );
    for said in [
        format!(
            "-{}\t{}\text4\trelatime,nofail\t0 2",
            mounted.disk.device,
            mounted.point()
        ),
        format!("+{line}"),
        format!("\n{line}\n"),
        "END".into(),
    ] {
        assert!(out.contains(&said), "{said}: {out}\n{err}");
    }
    assert!(
        err.contains("--write-proposal") && err.contains("no line that mount could read"),
        "{err}"
    );
}
