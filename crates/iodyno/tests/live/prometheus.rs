//! A counter that a real Prometheus collects from a service is what a tune is judged by.

use crate::live::verdicts::judged;
use crate::support::{Dir, Iodyno, Loop, code, text, until};
use serde_json::Value;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Reads 1 MiB past the page cache for each look-up, and tells how many it has done.
const SERVICE: &str = r##"
import http.server, mmap, os, random, sys, threading
disk = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)
size, buffer, done = os.lseek(disk, 0, os.SEEK_END), mmap.mmap(-1, 1 << 20), 0
class Metrics(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("content-type", "text/plain; version=0.0.4")
        self.end_headers()
        told = f"# TYPE lookups_total counter\nlookups_total {done}\n# TYPE depth gauge\ndepth 1\n"
        self.wfile.write(told.encode())
    def log_message(self, *words): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), Metrics)
threading.Thread(target=server.serve_forever, daemon=True).start()
while True:
    os.preadv(disk, [buffer], random.randrange(size >> 20) << 20)
    done += 1
"##;

/// A process that ends with the test, also when that fails.
struct Beside(Child);

impl Drop for Beside {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn started(command: &mut Command) -> Option<Beside> {
    let quiet = command.stdout(Stdio::null()).stderr(Stdio::null());
    quiet.spawn().ok().map(Beside)
}

/// A port that nobody listened on a moment ago.
fn port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

/// A service on a disk and a Prometheus that scrapes it every second; with the latter's address.
fn watched(disk: &Loop, dir: &Path) -> Option<([Beside; 2], String)> {
    let service = dir.join("service.py");
    std::fs::write(&service, SERVICE).unwrap();
    let its_port = port().to_string();
    let mut python = Command::new("python3");
    let python = started(python.arg(&service).args([disk.device.as_str(), &its_port]));
    let config = dir.join("prometheus.yml");
    let scrape = format!(
        "global: {{scrape_interval: 1s}}\nscrape_configs: [{{job_name: service, static_configs: [{{targets: ['127.0.0.1:{its_port}']}}]}}]\n"
    );
    std::fs::write(&config, scrape).unwrap();
    let address = format!("127.0.0.1:{}", port());
    let mut prometheus = Command::new("prometheus");
    let prometheus = prometheus
        .arg(format!("--config.file={}", config.display()))
        .arg(format!(
            "--storage.tsdb.path={}",
            dir.join("data").display()
        ))
        .arg(format!("--web.listen-address={address}"));
    let both = python.zip(started(prometheus));
    let Some((python, prometheus)) = both else {
        skip::missing("prometheus", "python3 or prometheus is not installed");
        return None;
    };
    let url = format!("http://{address}");
    let samples = format!("{url}/api/v1/query?query=lookups_total[1m]");
    until("samples of the service", || {
        let asked = Command::new("curl").args(["-s", "-g", &samples]).output();
        text(&asked.unwrap().stdout).matches("],[").count() >= 2
    });
    Some(([python, prometheus], url))
}

#[test]
#[ignore = "live"]
fn a_counter_of_prometheus_finds_a_planted_setting() {
    let Some(disk) = Loop::in_memory(64) else {
        return;
    };
    let dir = Dir::new("prometheus");
    let Some((_watched, url)) = watched(&disk, dir.path()) else {
        return;
    };
    disk.set("max_sectors_kb", "4");
    let before = disk.settings();
    let iodyno = Iodyno::new();
    let tune = |query: &str| {
        let by = ["--metric", "prometheus", "--prometheus", &url];
        let asked = ["--query", query, "--budget", "8m"];
        let mut words = vec!["tune", &disk.device, "--ioengine", "none"];
        words.extend(by);
        words.extend(asked);
        words.extend(["--knob", "max_sectors_kb=1280"]);
        iodyno.json(&words)
    };
    for (query, why) in [
        ("rate(lookups_total[1m])", "without rate()"),
        ("depth", "is a gauge, which counts nothing"),
        ("no_such_total", "fewer than two samples"),
    ] {
        let (_, output) = tune(query);
        let said = text(&output.stderr);
        assert!(code(&output) == 5 && said.contains(why), "{said}");
    }
    let (tuned, output) = tune("lookups_total{job=\"service\"}");
    assert!([0, 6].contains(&code(&output)), "{}", text(&output.stderr));
    let trial = &tuned["record"]["trials"][0];
    let (outcome, figures) = judged(trial, "1280");
    skip::measured(outcome, figures);
    let verdict = &trial["verdict"];
    assert_eq!(verdict["metric"]["name"], "lookups_total");
    assert_eq!(disk.settings(), before);
}

/// A file that is shipped for Prometheus and Grafana.
fn shipped(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../packages/monitoring")
        .join(name)
}

/// A Prometheus with the shipped rules that collects from a `watch` of this machine; with its address.
fn collected(iodyno: &Iodyno, dir: &Path) -> Option<([Beside; 2], String)> {
    let its_port = port().to_string();
    let mut watch = iodyno.command(&["watch", "--prometheus", &its_port]);
    let watch = started(&mut watch)?;
    let config = dir.join("prometheus.yml");
    let scrape = format!(
        "global: {{scrape_interval: 1s, evaluation_interval: 1s}}\nrule_files: ['{}']\n\
         scrape_configs: [{{job_name: iodyno, static_configs: [{{targets: ['127.0.0.1:{its_port}']}}]}}]\n",
        shipped("rules.yml").display()
    );
    std::fs::write(&config, scrape).unwrap();
    let address = format!("127.0.0.1:{}", port());
    let mut prometheus = Command::new("prometheus");
    prometheus
        .arg(format!("--config.file={}", config.display()))
        .arg(format!(
            "--storage.tsdb.path={}",
            dir.join("data").display()
        ))
        .arg(format!("--web.listen-address={address}"));
    let Some(prometheus) = started(&mut prometheus) else {
        skip::missing("prometheus", "prometheus is not installed");
        return None;
    };
    Some(([watch, prometheus], format!("http://{address}")))
}

/// What Prometheus answers to a query.
fn asked(url: &str, query: &str) -> Value {
    let query = format!("query={query}");
    let url = format!("{url}/api/v1/query");
    let output = Command::new("curl")
        .args(["-s", "--data-urlencode", &query, &url])
        .output();
    serde_json::from_slice(&output.unwrap().stdout).unwrap_or_default()
}

/// The queries of the dashboard, with what Grafana puts in place of its variables.
fn queries() -> Vec<String> {
    let dashboard = std::fs::read_to_string(shipped("dashboard.json")).unwrap();
    let dashboard: Value = serde_json::from_str(&dashboard).unwrap();
    let panels = dashboard["panels"].as_array().unwrap().iter();
    let targets = panels.flat_map(|panel| panel["targets"].as_array().unwrap());
    let with_values = |query: &str| {
        let query = query.replace("$__rate_interval", "10s");
        ["$device", "$instance", "$direction"]
            .iter()
            .fold(query, |query, name| query.replace(name, ".*"))
    };
    targets
        .map(|target| with_values(target["expr"].as_str().unwrap()))
        .collect()
}

#[test]
#[ignore = "live"]
fn every_query_of_the_dashboard_and_every_rule_runs() {
    let (iodyno, dir) = (Iodyno::new(), Dir::new("dashboard"));
    let Some((_beside, url)) = collected(&iodyno, dir.path()) else {
        return;
    };
    let has_data = |query: &str| {
        asked(&url, query)["data"]["result"]
            .as_array()
            .is_some_and(|series| !series.is_empty())
    };
    until("rates of the disks", || {
        has_data("rate(iodyno_disk_read_ios_total[10s])")
    });
    for query in queries() {
        let answer = asked(&url, &query);
        assert_eq!(answer["status"], "success", "{query}: {answer}");
        // Every metric that it names is one that watch serves: groups and layers are not there on every machine.
        let metric = query.split("iodyno_").nth(1).unwrap();
        let metric = metric
            .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .next()
            .unwrap();
        let may_be_absent = ["cgroup", "layer", "pressure", "irq"].iter();
        assert!(
            has_data(&format!("iodyno_{metric}"))
                || may_be_absent.clone().any(|name| metric.starts_with(name)),
            "{query}: nothing is called iodyno_{metric}"
        );
    }
    let rules = Command::new("curl")
        .args(["-s", &format!("{url}/api/v1/rules")])
        .output();
    let rules: Value = serde_json::from_slice(&rules.unwrap().stdout).unwrap();
    let groups = rules["data"]["groups"].as_array().unwrap().iter();
    let rules: Vec<&Value> = groups
        .flat_map(|group| group["rules"].as_array().unwrap())
        .collect();
    assert!(rules.len() > 5, "{rules:#?}");
    for rule in rules {
        assert_ne!(rule["health"], "err", "{rule:#?}");
    }
}

#[test]
#[ignore = "live"]
fn alerts_fire_for_what_they_name_and_for_nothing_else() {
    let tests = shipped("rules.test.yml");
    let Ok(output) = Command::new("promtool")
        .args(["test", "rules"])
        .arg(&tests)
        .output()
    else {
        return skip::missing("prometheus", "promtool is not installed");
    };
    assert!(output.status.success(), "{}", text(&output.stdout));
}
