//! The gates before an image is written: what is on it, what hangs on it, and who has it open. What is not told counts as there.

use super::{CephPlace, QUESTION_MS, failed, json};
use crate::{Consent, LoadError};
use host::ceph::{CephProgram, ask};
use model::failure::Exit;
use model::job::Job;
use model::units;
use serde_json::Value;
use std::sync::{Mutex, PoisonError};

/// How long the question for an image's data may take, ms: without an object map rbd looks for every object of it.
const DATA_MS: u64 = 60_000;

/// Judges an image for a job: its size, bytes, and what a reader of the result has to know.
///
/// # Errors
/// When it is not there; when it is to be written and somebody has it open, or it holds something that nobody gave up.
pub fn judged(
    place: &CephPlace,
    job: &Job,
    consent: &Consent,
) -> Result<(u64, Vec<String>), LoadError> {
    let target = &place.target;
    if target.namespace.is_some() {
        return Err(place.no_target(
            "fio's engine rbd knows no namespaces. Take an image of the pool itself, or map this one (`rbd map`) and load the block device",
        ));
    }
    if target
        .image
        .as_ref()
        .is_some_and(|image| image.snapshot.is_some())
    {
        return Err(place.no_target(
            "fio's engine rbd opens images and no snapshots. Take the image, or map the snapshot (`rbd map`) and load the block device",
        ));
    }
    let info = asked(place, &["info"], QUESTION_MS)?;
    let bytes = json::number(&info, &["size"]).filter(|bytes| *bytes > 0.0);
    let bytes = bytes.ok_or_else(|| place.no_target("`rbd info` tells no size of it"))? as u64;
    let mut notes = Vec::new();
    if job.rw.changes() {
        let holds = holds(place, &info)?;
        // Last, since what came before takes its time.
        refuse_use(place, in_use(place)?)?;
        if !consent.destroy_data {
            refuse(place, holds)?;
        } else if !holds.is_empty() {
            notes.push(format!(
                "written in spite of what it held, as --destroy-data says: {}",
                holds.join("; ")
            ));
        }
    }
    if job.rw.writes() && job.fsync == 0 {
        notes.push(
            "librbd answers writes from its own memory (rbd_cache) until that is full or a flush comes: --fsync 1 measures the cluster"
                .into(),
        );
    }
    if job.rw.reads() {
        notes.push(
            "parts of an image that were never written are answered without reading any object"
                .into(),
        );
    }
    Ok((bytes, notes))
}

/// Who had the image open before the first fio of this process opened it: afterwards its own are among them.
static BEFORE_FIO: Mutex<Option<Vec<String>>> = Mutex::new(None);

/// Looks once more directly before fio opens the image, which a job that only reads does for those that write beside it.
///
/// # Errors
/// When the job writes and somebody has it open, or that is not known.
pub fn before_fio(place: &CephPlace, job: &Job) -> Result<(), LoadError> {
    let mut before = BEFORE_FIO.lock().unwrap_or_else(PoisonError::into_inner);
    let found = match &*before {
        Some(found) => found.clone(),
        None => match in_use(place) {
            Ok(found) => before.insert(found).clone(),
            Err(error) if job.rw.changes() => return Err(error),
            Err(_) => return Ok(()),
        },
    };
    match job.rw.changes() {
        true => refuse_use(place, found),
        false => Ok(()),
    }
}

/// Who uses it, each a clause.
fn in_use(place: &CephPlace) -> Result<Vec<String>, LoadError> {
    let mapped = of_machine(place, &["showmapped", "--format", "json"])?;
    let mut all = mapped_as(place, &mapped);
    let status = asked(place, &["status"], QUESTION_MS)?;
    let watchers = watchers(&status);
    all.extend(watchers.ok_or_else(|| not_told(place, "status", "who has it open"))?);
    Ok(all)
}

/// Nothing allows to write beneath somebody who has the image open: a mounted file system breaks.
fn refuse_use(place: &CephPlace, users: Vec<String>) -> Result<(), LoadError> {
    match users.is_empty() {
        true => Ok(()),
        false => Err(place.error(
            users.join("; "),
            "Nothing was written. End what uses it (`rbd status`, `rbd showmapped`), or take an image of your own",
            Exit::Refused,
        )),
    }
}

fn not_told(place: &CephPlace, verb: &str, what: &str) -> LoadError {
    place.error(
        format!("`rbd {verb} --format json` does not tell {what}"),
        "Nothing was written. Try it by hand",
        Exit::Failed,
    )
}

/// What speaks against writing but for its use, each a clause.
fn holds(place: &CephPlace, info: &Value) -> Result<Vec<String>, LoadError> {
    let mut all = Vec::new();
    if let Some(parent) = parent(info) {
        all.push(format!(
            "it is a clone of {parent} and shows that one's data"
        ));
    }
    let children = asked(place, &["children", "--all"], QUESTION_MS)?;
    let children = children
        .as_array()
        .ok_or_else(|| not_told(place, "children", "its clones"))?;
    all.extend(clones(children));
    match asked(place, &["du"], DATA_MS) {
        Ok(du) => all.extend(data(&du)),
        // What cannot be found out in time counts as there.
        Err(LoadError::Ceph {
            why,
            exit: Exit::Failed,
            ..
        }) if why.contains("no answer") => {
            all.push("how much data is on it was not found out in time".into());
        }
        Err(error) => return Err(error),
    }
    Ok(all)
}

fn refuse(place: &CephPlace, holds: Vec<String>) -> Result<(), LoadError> {
    match holds.is_empty() {
        true => Ok(()),
        false => Err(place.error(
            format!("a write job destroys what is on the image, and {}", holds.join("; ")),
            "Nothing was written. Take an image of your own, or add --destroy-data when all of it may be lost",
            Exit::Refused,
        )),
    }
}

/// Whoever has it open: a client that maps or uses it watches its header. None where it is not told. Older versions give an
/// object, newer ones an array.
fn watchers(status: &Value) -> Option<Vec<String>> {
    let watchers: Vec<&Value> = match status.get("watchers")? {
        Value::Array(all) => all.iter().collect(),
        Value::Object(all) => all.values().collect(),
        _ => return None,
    };
    let one = |watcher: &Value| {
        let address =
            json::text(watcher, &["address"]).unwrap_or_else(|| "an unknown address".into());
        let client = json::number(watcher, &["client"]);
        let client =
            client.map_or_else(String::new, |id| format!("client.{} at ", units::whole(id)));
        format!("it is open elsewhere (watcher {client}{address})")
    };
    Some(watchers.into_iter().map(one).collect())
}

/// Devices of this machine that are this image. Older versions give an object by number, newer ones an array.
fn mapped_as(place: &CephPlace, mapped: &Value) -> Vec<String> {
    let image = place.target.image.as_ref().map(|image| image.name.as_str());
    let all: Vec<&Value> = match mapped {
        Value::Array(all) => all.iter().collect(),
        Value::Object(all) => all.values().collect(),
        _ => Vec::new(),
    };
    let text = |one: &Value, name: &str| one.get(name).and_then(Value::as_str).map(str::to_string);
    let is_it = |one: &&Value| {
        text(one, "pool").as_deref() == Some(place.target.pool.as_str())
            && text(one, "name").as_deref() == image
    };
    let named = all.into_iter().filter(is_it).map(|one| {
        let device = json::text(one, &["device"]).unwrap_or_else(|| "a device".into());
        format!("it is mapped here as {device}")
    });
    named.collect()
}

fn parent(info: &Value) -> Option<String> {
    let parent = info.get("parent")?;
    let part = |name| json::text(parent, &[name]).unwrap_or_default();
    Some(format!(
        "{}/{}@{}",
        part("pool"),
        part("image"),
        part("snapshot")
    ))
}

fn clones(all: &[Value]) -> Option<String> {
    let name = |child: &Value| {
        let part = |name| json::text(child, &[name]).unwrap_or_default();
        format!("{}/{}", part("pool"), part("image"))
    };
    let names: Vec<String> = all.iter().take(5).map(name).collect();
    (!names.is_empty()).then(|| format!("it has clones ({})", names.join(", ")))
}

fn data(du: &Value) -> Option<String> {
    let used = json::items(du, "images").iter();
    let used: Option<Vec<f64>> = used
        .map(|image| json::number(image, &["used_size"]))
        .collect();
    let Some(used) = used.filter(|used| !used.is_empty()) else {
        return Some("`rbd du` does not tell how much data is on it".into());
    };
    let bytes: f64 = used.iter().sum();
    (bytes > 0.0).then(|| format!("it holds data ({} by `rbd du`)", units::bytes(bytes)))
}

/// A question on the image.
fn asked(place: &CephPlace, verb: &[&str], deadline_ms: u64) -> Result<Value, LoadError> {
    let spec = place.target.image_spec().unwrap_or_default();
    let words: Vec<&str> = verb
        .iter()
        .copied()
        .chain(["--format", "json", &spec])
        .collect();
    answered(place, &words, deadline_ms)
}

/// A question on this machine, which needs no cluster. A machine without the kernel's part of RBD has mapped nothing.
fn of_machine(place: &CephPlace, words: &[&str]) -> Result<Value, LoadError> {
    match ask(CephProgram::Rbd, &place.target.cluster, words, QUESTION_MS) {
        Err(error) if error.said().is_some() => Ok(Value::Null),
        Err(error) => Err(failed(place, &error)),
        // Nothing to tell is told by nothing in some versions.
        Ok(answer) if answer.trim().is_empty() => Ok(Value::Null),
        Ok(answer) => read(place, words, &answer),
    }
}

fn answered(place: &CephPlace, words: &[&str], deadline_ms: u64) -> Result<Value, LoadError> {
    let answer = ask(CephProgram::Rbd, &place.target.cluster, words, deadline_ms);
    read(
        place,
        words,
        &answer.map_err(|error| failed(place, &error))?,
    )
}

fn read(place: &CephPlace, words: &[&str], answer: &str) -> Result<Value, LoadError> {
    let command = words.join(" ");
    json::document(answer).map_err(|why| {
        place.error(
            format!("`rbd {command}`: {why}"),
            "Try it by hand",
            Exit::Failed,
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use host::Host;
    use model::ceph_target::CephTarget;

    fn value(text: &str) -> Value {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn who_has_it_open_and_what_hangs_on_it_is_named() {
        let status =
            value(r#"{"watchers":[{"address":"10.0.0.7:0/383975700","client":4200,"cookie":1}]}"#);
        let open = ["it is open elsewhere (watcher client.4200 at 10.0.0.7:0/383975700)"];
        assert_eq!(watchers(&status).unwrap(), open);
        let older = value(
            r#"{"watchers":{"watcher":{"address":"10.0.0.7:0/383975700","client":4200,"cookie":1}}}"#,
        );
        assert_eq!(watchers(&older).unwrap(), open);
        let none = watchers(&value(r#"{"watchers":[]}"#));
        assert!(none.unwrap().is_empty());
        for untold in ["{}", "null", r#"{"watchers":null}"#, "[]"] {
            assert_eq!(watchers(&value(untold)), None, "{untold}");
        }
        let children = value(r#"[{"pool":"vms","pool_namespace":"","image":"web"}]"#);
        let children = children.as_array().unwrap();
        assert_eq!(clones(children).unwrap(), "it has clones (vms/web)");
        assert_eq!(clones(&[]), None);
        let info = value(r#"{"size":1,"parent":{"pool":"vms","image":"base","snapshot":"s1"}}"#);
        assert_eq!(parent(&info).unwrap(), "vms/base@s1");
        let du = value(
            r#"{"images":[{"name":"img","provisioned_size":67108864,"used_size":"8388608"}]}"#,
        );
        assert_eq!(data(&du).unwrap(), "it holds data (8.00 MiB by `rbd du`)");
        assert_eq!(data(&value(r#"{"images":[{"used_size":0}]}"#)), None);
        for untold in [
            "{}",
            "null",
            r#"{"images":[]}"#,
            r#"{"images":[{"used_size":0},{}]}"#,
        ] {
            let said = data(&value(untold)).unwrap();
            assert!(said.contains("does not tell"), "{untold}");
        }
    }

    #[test]
    fn a_device_of_this_machine_is_found_in_both_forms() {
        let target = CephTarget::parse("rbd://vms/web").unwrap();
        let place =
            CephPlace::new(&target, &Host::live(), std::path::Path::new("/nowhere")).unwrap();
        let one = r#"{"id":"0","pool":"vms","namespace":"","name":"web","snap":"-","device":"/dev/rbd0"}"#;
        let said = ["it is mapped here as /dev/rbd0"];
        assert_eq!(mapped_as(&place, &value(&format!("[{one}]"))), said);
        assert_eq!(mapped_as(&place, &value(&format!("{{\"0\":{one}}}"))), said);
        let other = one.replace("web", "db");
        assert!(mapped_as(&place, &value(&format!("[{other}]"))).is_empty());
    }
}
