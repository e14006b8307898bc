//! fio on a pool or an image of a Ceph cluster: its engines rados and rbd reach the cluster themselves.

use super::{inner, program, unusable};
use crate::LoadError;
use crate::ceph::{
    CephPlace, CephPreparing, FIO_OBJECT_BYTES, LOOK_AT, PoolFacts, WantedRoom, failed,
};
use crate::prepare::Prepared;
use host::ceph::{CephProgram, ask, objects};
use host::{Child, Privileges, clock, spawn};
use model::change::SavedObjects;
use model::failure::Exit;
use model::job::{Job, SCRATCH_BYTES};
use model::units;
use std::path::Path;

/// fio's engines that work on a part of a Ceph cluster, which the target says.
pub const ENGINES: [&str; 2] = ["rados", "rbd"];

/// Largest object, bytes: OSDs refuse larger ones (`osd_max_object_size`).
const OBJECT_MAX_BYTES: u64 = 128 << 20;
/// Objects that are written at once when they are made.
const FILL_DEPTH: u32 = 16;
/// How long a first object may take to be written, ms.
const FIRST_MS: u64 = 30_000;
/// A cluster that writes fewer bytes a second is taken for one that hangs.
const FILL_BYTES_PER_S: u64 = 4 << 20;

/// How fio reaches a part of a cluster.
#[derive(Clone, Debug, Default)]
pub struct FioCeph {
    /// Its options for that.
    pub words: Vec<String>,
    /// Its environment, as `env` takes it.
    pub variables: Vec<String>,
    /// In a pool: what its objects' names begin with, how many there are, and their size, bytes.
    pub objects: Option<(String, u64, u64)>,
}

impl FioCeph {
    /// Of a place; `bytes` are those of all objects that were made in a pool.
    pub fn of(place: &CephPlace, job: &Job, bytes: u64) -> FioCeph {
        let cluster = &place.target.cluster;
        let mut words = vec![
            format!("--pool={}", place.target.pool),
            "--busy_poll=0".into(),
        ];
        // fio gives a cluster's name on with a whole user, so it needs one.
        let user = cluster
            .id
            .clone()
            .or(cluster.name.is_some().then(|| "admin".into()));
        words.extend(user.map(|user| format!("--clientname={user}")));
        words.extend(
            cluster
                .name
                .iter()
                .map(|name| format!("--clustername={name}")),
        );
        let conf = cluster.conf.as_ref();
        // The engine rbd has no option for the file, and librados takes it from here.
        let variables = conf
            .iter()
            .map(|conf| format!("CEPH_CONF={conf}"))
            .collect();
        let objects = match &place.target.image {
            Some(image) => {
                words.push(format!("--rbdname={}", image.name));
                None
            }
            None => {
                words.extend(conf.map(|conf| format!("--conf={conf}")));
                // They are made before; to touch them again would be no part of the job.
                words.push("--touch_objects=0".into());
                let each = object_bytes(job);
                Some((prefix(place), bytes.div_ceil(each), each))
            }
        };
        FioCeph {
            words,
            variables,
            objects,
        }
    }

    /// The program and its words: `env` gives it its environment and becomes it.
    pub fn command(&self, path: &str, words: Vec<String>) -> (String, Vec<String>) {
        if self.variables.is_empty() {
            return (path.into(), words);
        }
        let before = self.variables.iter().cloned().chain([path.to_string()]);
        ("env".into(), before.chain(words).collect())
    }

    /// The words of one section with all jobs.
    pub fn section(&self, job: &Job) -> Vec<String> {
        let mut all = vec!["--name=job0".to_string()];
        all.extend(self.words.iter().cloned());
        if let Some((prefix, count, each)) = &self.objects {
            let order = if job.rw.is_random() {
                "random"
            } else {
                "sequential"
            };
            all.push(format!("--filename_format={prefix}$filenum"));
            all.push(format!("--nrfiles={count}"));
            all.push(format!("--filesize={each}"));
            all.push(format!("--size={}", count * each));
            all.push(format!("--file_service_type={order}"));
            all.push(format!("--numjobs={}", job.numjobs));
        }
        all
    }
}

/// Refuses a job for fio that names the wrong one of its engines for a part of a cluster.
///
/// # Errors
/// With the one that fits.
pub fn needs_ceph_engine(job: &Job, wanted: &str, place: &CephPlace) -> Result<(), LoadError> {
    if job.ioengine != super::ENGINE.id {
        return Err(place.no_target(&format!(
            "{} works on files and devices. Leave --ioengine out: fio's engine {wanted} loads this",
            job.ioengine
        )));
    }
    match inner(job) == wanted {
        true => engine_is_there(job, wanted),
        false => Err(place.no_target(&format!(
            "fio's engine for it is {wanted}, and the job says {}",
            inner(job)
        ))),
    }
}

/// Refuses fio's engines for Ceph on a path.
///
/// # Errors
/// With what to name instead.
pub fn refuse_ceph(job: &Job, path: &Path) -> Result<(), LoadError> {
    let is_ceph = job.ioengine == super::ENGINE.id && ENGINES.contains(&inner(job));
    match is_ceph {
        false => Ok(()),
        true => Err(LoadError::NoTarget {
            target: model::text::shown(path),
            why: format!(
                "fio's engine {} works on a Ceph cluster: name rados://POOL or rbd://POOL/IMAGE",
                inner(job)
            ),
        }),
    }
}

/// Some fio are built without them, and some distributions have them in packages of their own.
fn engine_is_there(job: &Job, wanted: &str) -> Result<(), LoadError> {
    let path = job
        .engine_options
        .get("fio_path")
        .map_or("fio", String::as_str);
    let (_, version) = program::version(path)?;
    let help = spawn::run(path, &[&format!("--enghelp={wanted}")])?;
    match help.status == Some(0) && help.stdout.contains("pool") {
        true => Ok(()),
        false => Err(unusable(format!(
            "{version} has no engine {wanted}. Install a fio that has (Debian's and Fedora's have; some have it in a package \
             fio-engine-{wanted}), or name one with --engine-option fio_path=…{}",
            if wanted == "rados" {
                ", or use rados bench (leave --engine fio out)"
            } else {
                ""
            }
        ))),
    }
}

fn prefix(place: &CephPlace) -> String {
    format!("{}.", place.name)
}

fn object_bytes(job: &Job) -> u64 {
    FIO_OBJECT_BYTES.max(job.max_bs())
}

/// Makes a pool ready: its objects, written in full, since a first write would measure their making as well.
///
/// # Errors
/// What is in the way; what was made until then is removed or written down.
pub fn prepared(
    place: CephPlace,
    job: &Job,
    facts: &PoolFacts,
    with: &mut CephPreparing<'_>,
) -> Result<Prepared, LoadError> {
    refuse_on_pool(&place, job)?;
    let wanted = if job.size == 0 {
        SCRATCH_BYTES
    } else {
        job.size
    };
    let each = object_bytes(job);
    let count = wanted.div_ceil(each);
    let bytes = count * each;
    let wanted = WantedRoom {
        bytes,
        objects: count,
        is_sized: job.size > 0,
    };
    facts.room(&place, wanted)?;
    let note = format!(
        "{count} objects of {} ({}) are written in the pool {} first, named {}0 and on, and removed at the end",
        units::bytes(each as f64),
        units::bytes(bytes as f64),
        model::text::clean(&place.target.pool),
        prefix(&place)
    );
    (with.say)(note.clone());
    fill(&place, job, (count, bytes), with)?;
    let mut notes = facts.notes.clone();
    notes.push(note);
    Ok(Prepared::of_ceph(with.host, place, bytes, notes))
}

fn refuse_on_pool(place: &CephPlace, job: &Job) -> Result<(), LoadError> {
    if place.target.namespace.is_some() {
        return Err(place.no_target(
            "fio's engine rados knows no namespaces. Name the pool alone, or use rados bench (leave --engine fio out)",
        ));
    }
    let usage = |what: String, why: &str, advice: &str| Err(LoadError::usage(what, why, advice));
    if job.max_bs() > OBJECT_MAX_BYTES {
        let why = "OSDs take no object larger than 128 MiB";
        return usage(
            format!("--bs={}", job.max_bs()),
            why,
            "Ask for smaller blocks",
        );
    }
    if job.offset > 0 || job.offset_increment > 0 || job.size_percent > 0 {
        let why = "the objects are made for the load, so there is nothing to leave out or to take a share of";
        return usage(
            "offset or a share as size".into(),
            why,
            "Give --size in bytes",
        );
    }
    Ok(())
}

/// Has fio itself write the objects.
fn fill(
    place: &CephPlace,
    job: &Job,
    (count, bytes): (u64, u64),
    with: &mut CephPreparing<'_>,
) -> Result<(), LoadError> {
    let saved = SavedObjects {
        target: place.target.clone(),
        fsid: place.fsid.clone(),
        namespace: None,
        prefix: prefix(place),
        most: count,
        gap: FILL_DEPTH,
        also: Vec::new(),
    };
    place.write_down(saved.clone())?;
    // fio waits for ever where an OSD does not answer, and says nothing while it writes.
    let first = format!("{}0", prefix(place));
    let words = ["--pool", &place.target.pool, "create", &first];
    let created = ask(CephProgram::Rados, &place.target.cluster, &words, FIRST_MS);
    created.map_err(|error| failed(place, &error))?;
    let ceph = FioCeph::of(place, job, bytes);
    let path = job
        .engine_options
        .get("fio_path")
        .map_or("fio", String::as_str);
    let sequential = Job {
        rw: model::job::Rw::Write,
        numjobs: 1,
        ..job.clone()
    };
    let how = [
        "--ioengine=rados",
        "--rw=write",
        "--thread",
        "--eta=never",
        "--output-format=terse",
    ];
    let mut words: Vec<String> = how.map(str::to_string).to_vec();
    words.extend([
        format!("--bs={}", object_bytes(job)),
        format!("--iodepth={FILL_DEPTH}"),
    ]);
    words.extend(ceph.section(&sequential));
    let (program, words) = ceph.command(path, words);
    let child = Child::start(&program, &words, Privileges::Generate)?;
    wait(child, place, bytes, with)?;
    let last = format!("{}{}", prefix(place), count - 1);
    match objects::is_there(&saved, &last).map_err(|error| failed(place, &error))? {
        true => {
            place.wrote(count);
            Ok(())
        }
        false => Err(place.error(
            format!(
                "fio wrote its objects, and {last} is not in the pool: fio reaches another cluster"
            ),
            "Name the cluster's configuration file behind the target: conf=FILE",
            Exit::Refused,
        )),
    }
}

fn wait(
    mut child: Child,
    place: &CephPlace,
    bytes: u64,
    with: &mut CephPreparing<'_>,
) -> Result<(), LoadError> {
    let most_ms = FIRST_MS + bytes * 1000 / FILL_BYTES_PER_S;
    let end_ns = clock::monotonic_ns() + most_ms * 1_000_000;
    (with.progress)(0, bytes);
    while !child.has_ended() {
        if with.stop.is_asked() {
            return Err(LoadError::Stopped {
                target: model::text::shown(&place.path),
                signal: with.stop.signal_name(),
            });
        }
        if clock::monotonic_ns() > end_ns {
            let why = format!(
                "fio did not write its objects ({}) within {} s: the cluster is slower than 4 MiB/s or stopped answering",
                units::bytes(bytes as f64),
                most_ms / 1000
            );
            return Err(place.error(why, LOOK_AT, Exit::Failed));
        }
        clock::sleep_ms(20);
    }
    let (stdout, stderr) = child.printed();
    match child.status() {
        Some(0) => Ok(()),
        _ => Err(place.error(
            format!(
                "fio could not write its objects{}",
                program::after(&said(&stderr, &stdout))
            ),
            LOOK_AT,
            Exit::Failed,
        )),
    }
}

/// Engines of fio say what failed on either output.
fn said(stderr: &str, stdout: &str) -> String {
    let lines = stderr
        .lines()
        .chain(stdout.lines().filter(|line| line.contains("failed")));
    lines
        .map(|line| model::text::clean_to(line, 200))
        .collect::<Vec<_>>()
        .join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use host::Host;
    use model::ceph_target::CephTarget;

    fn place(target: &str) -> CephPlace {
        let target = CephTarget::parse(target).unwrap();
        CephPlace::new(&target, &Host::live(), Path::new("/nowhere")).unwrap()
    }

    #[test]
    fn a_pool_and_an_image_are_said_in_fios_words() {
        let job = Job::default();
        let pool = place("rados://bench?conf=/etc/ceph/b.conf&id=load");
        let ceph = FioCeph::of(&pool, &job, 64 << 20);
        let line = ceph.section(&job).join(" ");
        let name = &pool.name;
        assert_eq!(
            line,
            format!(
                "--name=job0 --pool=bench --busy_poll=0 --clientname=load --conf=/etc/ceph/b.conf --touch_objects=0 \
                 --filename_format={name}.$filenum --nrfiles=16 --filesize=4194304 --size=67108864 \
                 --file_service_type=random --numjobs=1"
            )
        );
        let image = place("rbd://vms/web?conf=/etc/ceph/b.conf");
        let ceph = FioCeph::of(&image, &job, 0);
        assert_eq!(
            ceph.section(&job).join(" "),
            "--name=job0 --pool=vms --busy_poll=0 --rbdname=web"
        );
        let (program, words) = ceph.command("fio", vec!["--readonly".into()]);
        assert_eq!(
            (program.as_str(), words.join(" ").as_str()),
            ("env", "CEPH_CONF=/etc/ceph/b.conf fio --readonly")
        );
    }

    #[test]
    fn what_does_not_fit_is_said() {
        let job = |inner: &str| Job {
            ioengine: "fio".into(),
            engine_options: [("ioengine".to_string(), inner.to_string())].into(),
            ..Job::default()
        };
        let error = refuse_ceph(&job("rbd"), Path::new("/srv"))
            .unwrap_err()
            .to_string();
        assert!(error.contains("rbd://POOL/IMAGE"), "{error}");
        assert!(refuse_ceph(&job("libaio"), Path::new("/srv")).is_ok());
        let error = needs_ceph_engine(&job("libaio"), "rbd", &place("rbd://vms/web")).unwrap_err();
        assert!(error.to_string().contains("the job says libaio"), "{error}");
        let error = refuse_on_pool(&place("rados://bench/mine"), &job("rados")).unwrap_err();
        assert!(error.to_string().contains("knows no namespaces"), "{error}");
        let missing = Job {
            engine_options: [
                ("ioengine".to_string(), "rados".to_string()),
                ("fio_path".to_string(), "/nowhere/fio".to_string()),
            ]
            .into(),
            ..job("rados")
        };
        let error = needs_ceph_engine(&missing, "rados", &place("rados://bench")).unwrap_err();
        assert!(error.to_string().contains("/nowhere/fio"), "{error}");
    }
}
