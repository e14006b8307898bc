//! Pools and images of Ceph clusters as targets: what is asked of the cluster before a load, what is made in it for one,
//! and how that goes again.

pub mod bench;
mod image;
mod json;
mod place;
mod pool;

pub use image::before_fio;
pub use place::{CephPlace, FIO_OBJECT_BYTES};
pub use pool::{PoolFacts, WantedRoom};

use super::engines::{fio, rados_bench};
use super::{Consent, LoadError, Prepared, check};
use host::Host;
use host::ceph::CephError;
use host::signals::Stop;
use model::ceph_target::CephTarget;
use model::failure::Exit;
use model::job::Job;
use std::path::Path;

/// How long a question to the cluster may take, ms: a monitor answers within some ms, and one that has just lost its
/// quorum within seconds.
pub const QUESTION_MS: u64 = 20_000;

/// What making a target ready may use besides the target and the job.
pub struct CephPreparing<'a> {
    /// The machine.
    pub host: &'a Host,
    /// Where what is made is written down.
    pub state_dir: &'a Path,
    /// What the user allowed.
    pub consent: &'a Consent,
    /// Whether to end.
    pub stop: &'a Stop,
    /// Gets what is about to be made, before it is.
    pub say: &'a mut dyn FnMut(String),
    /// Gets bytes written and bytes in all.
    pub progress: &'a mut dyn FnMut(u64, u64),
}

/// Makes a pool or an image ready for a job: the gates, the room, and the objects that the job needs. Nothing of others
/// is written: in a pool only objects of our own names, in an image what the user gave up.
///
/// # Errors
/// What is in the way, with what to do; what was made until then is removed or written down.
pub fn prepare(
    target: &CephTarget,
    job: &Job,
    with: &mut CephPreparing<'_>,
) -> Result<Prepared, LoadError> {
    let engine = check::job(job)?;
    let place = CephPlace::settled(target, with.host, with.state_dir)?;
    if target.image.is_some() {
        fio::needs_ceph_engine(job, "rbd", &place)?;
        let (bytes, notes) = image::judged(&place, job, with.consent)?;
        return Ok(Prepared::of_ceph(with.host, place, bytes, notes));
    }
    let facts = PoolFacts::of(&place)?;
    facts.refuse_full(&place)?;
    if engine.id == rados_bench::ENGINE.id {
        rados_bench::prepared(place, job, &facts, with)
    } else {
        fio::needs_ceph_engine(job, "rados", &place)?;
        fio::prepared(place, job, &facts, with)
    }
}

/// What to look at where a cluster does not answer.
pub const LOOK_AT: &str = "`ceph health detail` and `ceph osd stat` say what it waits for: monitors without a quorum, OSDs that are down or full";

/// Why a question or an order to the cluster failed, as an error of the load.
pub fn failed(place: &CephPlace, error: &CephError) -> LoadError {
    let (exit, advice) = match error {
        CephError::Missing { .. } => (Exit::Failed, "Install it (Debian: apt install ceph-common)"),
        error if error.is_no_answer() => (Exit::Failed, LOOK_AT),
        CephError::NotCertain { .. } => (Exit::Usage, "Nothing was written"),
        CephError::OtherCluster { .. } => (Exit::Refused, "Nothing was written"),
        error if error.is_permission() => (
            Exit::Rights,
            "Name a user who may, as id=USER behind the target, or give this one the rights: `ceph auth get client.USER` shows them",
        ),
        error if error.is_not_found() => (
            Exit::Usage,
            "`ceph osd pool ls` and `rbd ls POOL` show what is there",
        ),
        _ => (
            Exit::Failed,
            "Try the command by hand; conf=FILE and id=USER behind the target say how the cluster is reached",
        ),
    };
    place.error(error.to_string(), advice, exit)
}
