//! A pasted fio line or job file whose engine is rados or rbd: what of it names a part of a Ceph cluster.

use crate::exit::Failure;
use load::language::Parsed;
use model::ceph_target::{CephCluster, CephTarget, RbdImage};
use model::job::Section;

/// fio's engines that reach a cluster themselves.
const ENGINES: [&str; 2] = ["rados", "rbd"];
/// Their options that name where, and two that the load sets itself.
const OPTIONS: [&str; 7] = [
    "pool",
    "rbdname",
    "clientname",
    "clustername",
    "conf",
    "busy_poll",
    "touch_objects",
];

/// Takes the target out of a job, which fio is then left to run; none where the job is for files and devices.
///
/// # Errors
/// Where its sections name different targets, or one that is none.
pub fn take(parsed: &mut Parsed) -> Result<Option<CephTarget>, Failure> {
    let is_ceph = |section: &Section| ENGINES.contains(&section.job.ioengine.as_str());
    if !parsed.sections.iter().any(is_ceph) {
        return Ok(None);
    }
    let mut targets: Vec<CephTarget> = Vec::new();
    for section in &mut parsed.sections {
        if !is_ceph(section) {
            return Err(several());
        }
        let target = target(section)?;
        if !targets.contains(&target) {
            targets.push(target);
        }
        let engine = std::mem::replace(&mut section.job.ioengine, "fio".into());
        section.job.engine_options.insert("ioengine".into(), engine);
        section
            .given
            .retain(|(name, ..)| !OPTIONS.contains(&name.as_str()));
    }
    let is_taken = |option: &str| option == "ioengine" || OPTIONS.contains(&option);
    parsed.unsupported.retain(|one| !is_taken(&one.option));
    match targets.len() {
        1 => Ok(targets.pop()),
        _ => Err(several()),
    }
}

fn several() -> Failure {
    Failure::usage(
        "the sections of this job work on different targets, and a Ceph cluster is one of them.",
    )
    .hint("Choose those of one target with --section NAME.")
}

fn target(section: &Section) -> Result<CephTarget, Failure> {
    let given = |wanted: &str| {
        let found = section.given.iter().rev().find(|(name, ..)| name == wanted);
        found
            .map(|(_, value, _)| value.clone())
            .filter(|value| !value.is_empty())
    };
    let needed = |name: &str| {
        given(name).ok_or_else(|| {
            Failure::usage(format!(
                "section `{}`: ioengine={} needs {name}=.",
                section.name, section.job.ioengine
            ))
        })
    };
    let image = match section.job.ioengine.as_str() {
        "rbd" => Some(RbdImage {
            name: needed("rbdname")?,
            snapshot: None,
        }),
        _ => None,
    };
    let target = CephTarget {
        pool: needed("pool")?,
        namespace: None,
        image,
        cluster: CephCluster {
            conf: given("conf"),
            id: given("clientname").map(|name| name.trim_start_matches("client.").to_string()),
            name: given("clustername"),
        },
    };
    // What was typed in fio's words has the same rules as a name of our own.
    CephTarget::parse(&target.to_string()).map_err(|error| Failure::usage(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use load::language;

    fn taken(line: &str) -> (Parsed, Result<Option<CephTarget>, Failure>) {
        let words: Vec<String> = line.split(' ').map(str::to_string).collect();
        let mut parsed = language::from_words(&words).unwrap();
        let target = take(&mut parsed);
        (parsed, target)
    }

    #[test]
    fn a_pasted_line_names_its_target() {
        let line = "-ioengine=rbd -pool=vms -rbdname=web -clientname=admin -rw=randread -bs=4k -name=a -iodepth=8";
        let (parsed, target) = taken(line);
        assert_eq!(
            target.unwrap().unwrap().to_string(),
            "rbd://vms/web?id=admin"
        );
        assert_eq!(parsed.sections[0].job.effective_engine(), "rbd");
        assert!(parsed.unsupported.is_empty(), "{:?}", parsed.unsupported);
        let (_, target) =
            taken("-ioengine=rados -pool=bench -conf=/etc/ceph/b.conf -rw=write -bs=4m -name=a");
        assert_eq!(
            target.unwrap().unwrap().to_string(),
            "rados://bench?conf=/etc/ceph/b.conf"
        );
        let (_, target) = taken("-ioengine=libaio -rw=read -name=a");
        assert_eq!(target.unwrap(), None);
        let (_, target) = taken("-ioengine=rbd -pool=vms -rw=read -name=a");
        assert!(target.unwrap_err().message.contains("needs rbdname="));
    }
}
