//! `run rados://POOL` and `run rbd://POOL/IMAGE`: the same measurement on a part of a Ceph cluster.

use super::args::RunArgs;
use super::lint::Lint;
use super::targets::Targets;
use super::{Judged, dry, measure, study_of};
use crate::commands::job_args::{JobArgs, Workload};
use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::live::LiveLine;
use host::ceph::cluster;
use host::signals::Stop;
use load::CephPreparing;
use model::ceph_target::CephTarget;
use model::iopath::{IoPath, Layer, LayerKind};
use model::job::Job;
use std::path::Path;
use store::Store;

/// The part of a Ceph cluster that a target names; none for a path.
///
/// # Errors
/// What is wrong with the name.
pub fn named(target: Option<&Path>) -> Result<Option<CephTarget>, Failure> {
    let Some(text) = target
        .and_then(Path::to_str)
        .filter(|text| CephTarget::is_meant(text))
    else {
        return Ok(None);
    };
    let parsed = CephTarget::parse(text);
    parsed.map(Some).map_err(|error| {
        let message = error.to_string();
        Failure::usage(message).on(error.text).why(error.why)
    })
}

/// The engine for a load in iodyno's own words on such a target: rados bench where a pool is the target and nothing else was
/// asked for.
pub fn usual_engine(target: Option<&CephTarget>, job: &JobArgs) -> &'static str {
    match target {
        Some(CephTarget { image: None, .. }) if job.engine == "native" => {
            load::engines::rados_bench::ENGINE.id
        }
        _ => "io_uring",
    }
}

/// Loads a part of a cluster, measures, keeps and says what was found.
pub fn run(
    args: &RunArgs,
    context: &Context,
    mut workload: Workload,
    target: &CephTarget,
) -> Result<Exit, Failure> {
    if args.strict || args.corrected {
        return Err(Failure::usage(format!(
            "{target}: --strict and --corrected need the lint, which judges jobs on paths only."
        ))
        .hint("Leave them out: the job is run as it is written."));
    }
    if args.study.precondition {
        return Err(Failure::usage(format!(
            "{target}: --precondition writes a device twice before it is measured, and a cluster is none."
        ))
        .hint("Leave it out."));
    }
    let named = args
        .job
        .ioengine
        .as_deref()
        .is_some_and(|name| name != "fio");
    for section in &mut workload.sections {
        let is_given = section.given.iter().any(|(name, ..)| name == "ioengine");
        fit(&mut section.job, target, is_given || named);
    }
    if study_of(args, &workload)?.is_some() {
        return Err(Failure::usage(format!(
            "{target}: series of loads (--sweep, --find-max, --interference, --steady) are made on paths only."
        ))
        .hint("Give one load, and compare the records: iodyno compare"));
    }
    let path = path_of(target);
    if args.dry_run {
        let mut lint = Lint::of(&workload.sections, (context, &path), None);
        lint.findings.clear();
        return dry::told(&workload.sections, None, &lint, &path, context);
    }
    let store = Store::open(&context.state_dir)?;
    let stop = context.stop_on_signals()?;
    let targets = prepare(args, context, &workload, target, &stop)?;
    let judged = Judged {
        path: &path,
        // The rules judge paths of disks.
        judge: Box::new(|_| Vec::new()),
    };
    measure(
        args,
        context,
        &store,
        &workload,
        (targets, Default::default()),
        &stop,
        judged,
    )
}

/// Has fio's engine for this target make a load that nobody wanted from another.
fn fit(job: &mut Job, target: &CephTarget, is_chosen: bool) {
    // There is no page cache of the kernel's above a cluster's library, whatever the job says.
    job.direct = true;
    let wanted = if target.image.is_some() {
        "rbd"
    } else {
        "rados"
    };
    let is_bench = job.ioengine == load::engines::rados_bench::ENGINE.id;
    if is_chosen || is_bench || matches!(job.effective_engine(), "rados" | "rbd") {
        return;
    }
    job.ioengine = load::engines::fio::ENGINE.id.into();
    job.engine_options.insert("ioengine".into(), wanted.into());
}

fn prepare(
    args: &RunArgs,
    context: &Context,
    workload: &Workload,
    target: &CephTarget,
    stop: &Stop,
) -> Result<Targets, Failure> {
    let line = LiveLine::new();
    let mut prepared = Vec::new();
    for section in &workload.sections {
        let mut with = CephPreparing {
            host: &context.host,
            state_dir: &context.state_dir,
            consent: &args.job.consent(),
            stop,
            say: &mut |note| context.out.note(note),
            progress: &mut |done, total| line.layout(done, total),
        };
        prepared.push(load::prepare_ceph(target, &section.job, &mut with)?);
        line.clear();
    }
    Ok(Targets::each(prepared))
}

/// What is known of the target without looking into the cluster: which pool, which image, and of which cluster.
fn path_of(target: &CephTarget) -> IoPath {
    let mut layer = Layer::new(LayerKind::Unbacked, target.without_cluster().to_string());
    let mut fact = |name: &str, value: &str| {
        layer
            .facts
            .insert(name.into(), model::text::clean_to(value, 200));
    };
    fact(
        "fstype",
        if target.image.is_some() {
            "rbd"
        } else {
            "rados"
        },
    );
    fact("pool", &target.pool);
    if let Some(namespace) = &target.namespace {
        fact("namespace", namespace);
    }
    if let Some(image) = &target.image {
        fact("image", &image.name);
    }
    // The same cluster as the load's, whatever the environment says.
    let id = cluster::explicit(&target.cluster).and_then(|cluster| cluster::fsid(&cluster));
    let mut notes = Vec::new();
    let cluster = match id {
        Ok(id) => {
            fact("cluster_id", id.trim());
            format!("Ceph cluster {}", model::text::clean_to(id.trim(), 80))
        }
        Err(error) => {
            notes.push(format!("which cluster it is: {error}"));
            "Ceph cluster".into()
        }
    };
    layer.title = match &target.image {
        Some(image) => format!(
            "image {} in pool {} of the {cluster}",
            image.name, target.pool
        ),
        None => format!("pool {} of the {cluster}", target.pool),
    };
    let mut root = Layer::new(LayerKind::Target, target.to_string());
    root.title = "a part of a Ceph cluster".into();
    root.below.push(layer);
    IoPath {
        schema: "iodyno.path/1".into(),
        target: target.to_string(),
        root,
        machine: None,
        log: Vec::new(),
        notes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use load::defaults;

    #[test]
    fn a_load_that_chose_no_engine_gets_the_one_of_its_target() {
        let fitted = |target: &str, ioengine: &str, is_chosen| {
            let mut job = defaults::of(ioengine);
            fit(&mut job, &CephTarget::parse(target).unwrap(), is_chosen);
            (job.ioengine.clone(), job.effective_engine().to_string())
        };
        let both = |a: &str, b: &str| (a.to_string(), b.to_string());
        assert_eq!(
            fitted("rados://a", "rados_bench", false),
            both("rados_bench", "rados_bench")
        );
        assert_eq!(fitted("rados://a", "io_uring", false), both("fio", "rados"));
        assert_eq!(fitted("rbd://a/b", "io_uring", false), both("fio", "rbd"));
        assert_eq!(
            fitted("rbd://a/b", "libaio", true),
            both("libaio", "libaio")
        );
    }

    #[test]
    fn a_wrong_name_is_a_mistake_of_usage_and_a_path_is_none() {
        let error = named(Some(Path::new("rbd://vms"))).unwrap_err();
        assert_eq!(error.exit, Exit::Usage);
        assert!(
            error.message.contains("rbd://POOL/IMAGE"),
            "{}",
            error.message
        );
        assert!(
            named(Some(Path::new("/srv"))).unwrap().is_none() && named(None).unwrap().is_none()
        );
    }
}
