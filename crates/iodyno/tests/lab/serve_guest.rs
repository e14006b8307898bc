//! `serve` as it is installed: its unit under systemd, the address in a file of root's, and what listens without a right.

use crate::lab::persist::out;
use crate::support::{Dir, guest_with_iodyno};
use lab::{Bus, Disk, Guest, Machine};
use serde_json::{Value, json};
use std::path::Path;

/// Where the unit has the address.
const ADDRESS: &str = "/run/iodyno-serve/address";

/// Puts the binary and the unit where the packages put them, and starts it.
fn started(guest: &mut Guest) {
    let unit = "iodyno-serve.service";
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packages/serve");
    guest.put(&shipped.join(unit), unit).unwrap();
    out(guest, &format!("cp /mnt/lab/{unit} /etc/systemd/system/"));
    out(
        guest,
        "mv /run/iodyno /usr/bin/iodyno && systemctl daemon-reload && systemctl start iodyno-serve",
    );
}

/// The token of the address, once there is one that is not `old`.
fn token(guest: &mut Guest, old: &str) -> String {
    let wait = format!(
        "for i in $(seq 600); do token=$(sed -n 's/.*#token=//p' {ADDRESS} 2>/dev/null); \
         [ \"$token\" ] && [ \"$token\" != '{old}' ] && break; sleep 0.1; done; echo $token"
    );
    let token = out(guest, &wait);
    if token.len() != 64 {
        let log = guest.run("journalctl -u iodyno-serve --no-pager | tail -30", 60);
        panic!("no token: {}", log.unwrap().out);
    }
    token
}

/// A request by bash alone, and its whole answer.
fn ask(guest: &mut Guest, head: &str, body: &str) -> String {
    let (host, length) = ("127.0.0.1:7979", body.len());
    let dir = Dir::new("request");
    let request = dir.path().join("request");
    let text = format!(
        "{head}\r\nHost: {host}\r\nOrigin: http://{host}\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    std::fs::write(&request, text).unwrap();
    guest.put(&request, "request").unwrap();
    out(
        guest,
        "bash -c 'exec 3<>/dev/tcp/127.0.0.1/7979; cat /mnt/lab/request >&3; cat <&3'",
    )
}

/// Its cookie and the token of changes, as lines of a request.
fn log_in(guest: &mut Guest, token: &str) -> String {
    let body = json!({"token": token}).to_string();
    let answer = ask(guest, "POST /api/v1/login HTTP/1.1", &body);
    assert!(answer.contains("200 OK"), "{answer}");
    let between = |from: &str, to: &str| {
        let (_, rest) = answer.split_once(from).unwrap();
        rest.split(to).next().unwrap().to_string()
    };
    let (cookie, csrf) = (between("set-cookie: ", ";"), between("\"csrf\":\"", "\""));
    format!("Cookie: {cookie}\r\nX-CSRF-Token: {csrf}")
}

#[test]
#[ignore = "lab"]
fn a_server_of_a_guest_listens_without_a_right_and_keeps_its_address_out_of_the_log() {
    let machine = Machine::new().disk(Disk::new(Bus::Nvme, 1024)).systemd();
    let Some((mut guest, _turn)) = guest_with_iodyno(machine) else {
        return;
    };
    let guest = &mut guest;
    started(guest);
    let first = token(guest, "");
    assert!(out(guest, &format!("stat -c '%a %U' {ADDRESS}")).starts_with("600 root"));
    assert!(out(guest, "stat -c %a /var/lib/iodyno").starts_with("700"));
    let listens = "pgrep -f 'serve-door$'";
    let user = out(guest, &format!("ps -o uid= -p $({listens})"));
    let user: u32 = user.trim().parse().unwrap();
    assert!((61_184..=65_519).contains(&user), "{user}");
    let rights = format!(
        "grep -E 'Cap(Eff|Prm|Bnd|Amb)' /proc/$({listens})/status; ls /proc/$({listens})/root/ | wc -l"
    );
    let rights = out(guest, &rights);
    assert_eq!(rights.matches("0000000000000000").count(), 4, "{rights}");
    assert!(rights.trim_end().ends_with('0'), "{rights}");
    let known = log_in(guest, &first);
    let machine = "GET /api/v1/machine?target=disk-nvme0n1 HTTP/1.1";
    let machine = ask(guest, &format!("{machine}\r\n{known}"), "");
    assert!(
        machine.contains("200 OK") && machine.contains("\"nvme0n1\""),
        "{machine}"
    );
    let undo = "POST /api/v1/changes/undo HTTP/1.1";
    let undo = ask(guest, &format!("{undo}\r\n{known}"), "{}");
    assert!(
        undo.contains("403 Forbidden") && undo.contains("--read-only"),
        "{undo}"
    );
    // A new address, told by the signal of its comment.
    out(
        guest,
        "systemctl kill --kill-who=main --signal=USR1 iodyno-serve",
    );
    let second = token(guest, &first);
    let log = out(guest, "journalctl -u iodyno-serve --no-pager");
    assert!(log.contains(ADDRESS), "{log}");
    assert!(!log.contains(&first) && !log.contains(&second), "{log}");
    // What listens is killed: the unit is up again by itself, with another address.
    out(guest, &format!("kill -9 $({listens})"));
    let third = token(guest, &second);
    assert_ne!(third, second);
    measures_where_it_may(guest);
    let stopped = "systemctl stop iodyno-serve; systemctl show -p Result --value iodyno-serve; \
                   pgrep -f iodyno | wc -l; ls /run/iodyno-serve 2>&1; true";
    let stopped = out(guest, stopped);
    assert!(stopped.starts_with("success\n0\n"), "{stopped}");
    assert!(stopped.contains("No such file"), "{stopped}");
}

/// With the settings of the unit's own comment it loads the directory and changes settings of its disk, and puts them back.
fn measures_where_it_may(guest: &mut Guest) {
    let comment = "mkdir -p /etc/systemd/system/iodyno-serve.service.d && \
                   sed -n 's/^#   //p' /mnt/lab/iodyno-serve.service >/etc/systemd/system/iodyno-serve.service.d/own.conf && \
                   cat /etc/systemd/system/iodyno-serve.service.d/own.conf";
    let comment = out(guest, comment);
    assert!(
        comment.starts_with("[Service]\n") && comment.lines().count() == 5,
        "{comment}"
    );
    out(
        guest,
        "mkfs.ext4 -q /dev/nvme0n1 && mount /dev/nvme0n1 /srv && echo none >/sys/block/nvme0n1/queue/scheduler",
    );
    let before = token(guest, "");
    out(
        guest,
        "systemctl daemon-reload && systemctl restart iodyno-serve",
    );
    let token = token(guest, &before);
    let known = log_in(guest, &token);
    let targets = ask(
        guest,
        &format!("GET /api/v1/targets HTTP/1.1\r\n{known}"),
        "",
    );
    let targets: Value = serde_json::from_str(targets.split("\r\n\r\n").nth(1).unwrap()).unwrap();
    let mut targets = targets["targets"].as_array().unwrap().iter();
    let srv = targets.find(|target| target["path"] == "/srv").unwrap()["key"].clone();
    let options = json!({"budget_s": 60, "size": "32m", "knobs": ["scheduler"]});
    let wanted = json!({"verb": "tune", "target": srv, "options": options}).to_string();
    let started = ask(
        guest,
        &format!("POST /api/v1/jobs HTTP/1.1\r\n{known}"),
        &wanted,
    );
    assert!(started.contains("200 OK"), "{started}");
    let ended = (0..600).find_map(|_| {
        let job = ask(
            guest,
            &format!("GET /api/v1/jobs/1 HTTP/1.1\r\n{known}"),
            "",
        );
        let job: Value = serde_json::from_str(job.split("\r\n\r\n").nth(1).unwrap()).unwrap();
        std::thread::sleep(std::time::Duration::from_secs(1));
        (!job["ended_unix_ms"].is_null()).then_some(job)
    });
    let ended = ended.expect("the tune ends");
    assert_eq!(ended["everything_back"], true, "{}", ended["outcome"]);
    assert!(ended["record"].is_i64(), "{}", ended["outcome"]);
    assert!(out(guest, "cat /sys/block/nvme0n1/queue/scheduler").contains("[none]"));
}
