//! What differs between two records besides their numbers, and whether they have the same setting.

use diagnose::difference::{WEIGHT_MIN, differences};
use model::comparison::SettingsDiffer;
use model::difference::DifferenceWhat;
use model::iopath::IoPath;
use model::kube::KubeStorage;
use model::record::Record;

/// Whether a record holds a path with settings: an import does not.
pub fn has_path(record: &Record) -> bool {
    record.imported().is_none() && !record.path.root.below.is_empty()
}

/// What differs in settings and facts of two records; none where one of them does not hold its path.
pub fn differ(
    subject: usize,
    base: (&str, &Record),
    other: (&str, &Record),
) -> Option<SettingsDiffer> {
    if !(has_path(base.1) && has_path(other.1)) {
        return None;
    }
    let found = differences(
        &base.1.path,
        &other.1.path,
        [base.0, other.0],
        Some(&other.1.job),
    );
    let differences = found
        .differences
        .into_iter()
        .filter(|one| one.weight >= WEIGHT_MIN)
        .collect();
    Some(SettingsDiffer {
        subject,
        differences,
        same: found.same,
    })
}

/// Whether two records were made on one device with one setting: the same machine, device and kernel, and no setting that
/// can matter differs.
pub fn is_same(a: &Record, b: &Record) -> bool {
    let device = |path: &IoPath| path.queue_device().map(|layer| layer.name.clone());
    has_path(a)
        && has_path(b)
        && a.provenance.hostname == b.provenance.hostname
        && a.provenance.kernel == b.provenance.kernel
        && storage(a) == storage(b)
        && device(&a.path).is_some()
        && device(&a.path) == device(&b.path)
        && !differences(&a.path, &b.path, ["a", "b"], Some(&b.job))
            .differences
            .iter()
            .any(|one| one.what == DifferenceWhat::Setting && one.weight >= WEIGHT_MIN)
}

/// What was loaded in a Kubernetes cluster: in a pod the paths of different volumes look alike.
fn storage(record: &Record) -> Option<(&str, &KubeStorage)> {
    let place = record.provenance.kube.as_ref()?;
    Some((&place.context, &place.storage))
}

/// Records of one setting each, in groups: indices.
pub fn groups(records: &[&Record]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (index, record) in records.iter().enumerate() {
        match groups
            .iter_mut()
            .find(|group| is_same(records[group[0]], record))
        {
            Some(group) => group.push(index),
            None => groups.push(vec![index]),
        }
    }
    groups
}
