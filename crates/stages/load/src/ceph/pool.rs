//! What is asked of a pool before anything is written to it: whether it is there, whether it is full, and how much room
//! there is. A full OSD holds its clients for ever, so that is looked at before.

use super::{CephPlace, QUESTION_MS, failed, json};
use crate::LoadError;
use host::ceph::{CephProgram, ask};
use host::clock;
use model::failure::Exit;
use model::job::SCRATCH_BYTES;
use model::units;
use serde_json::Value;

/// What a pool says of itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PoolFacts {
    /// What can still be written to it before its OSDs are full or its quotas are used up: bytes of the user's, and objects
    /// where a quota bounds them. None where it is not known, as to a user of the cluster who may not see it.
    pub free: Option<(u64, Option<u64>)>,
    /// Whether the cluster answered and had no figures of the pool, however often it was asked.
    pub is_unlisted: bool,
    /// Why it takes no writes, or soon none, each a clause.
    pub full: Vec<String>,
    /// What could not be seen, for people.
    pub notes: Vec<String>,
}

/// What a load would write at the most.
#[derive(Clone, Copy, Debug)]
pub struct WantedRoom {
    /// Bytes of all objects.
    pub bytes: u64,
    /// Objects.
    pub objects: u64,
    /// Whether the user said how much.
    pub is_sized: bool,
}

/// What is written at the most to a pool of which nobody says how full it is, bytes.
const UNSEEN_MOST: u64 = SCRATCH_BYTES;

/// How long a pool may be unknown to the manager that its monitors know, ms: on a new cluster of Ceph 16 that took more than 10 s.
const REPORTED_MS: u64 = 30_000;
const AGAIN_MS: u64 = 1000;

/// Flags of the cluster that stop clients, and what they mean.
const CLUSTER_FLAGS: [(&str, &str); 3] = [
    (
        "full",
        "the cluster's flag `full` is set: no client may write",
    ),
    (
        "pausewr",
        "the cluster's flag `pausewr` is set: writes wait",
    ),
    ("pauserd", "the cluster's flag `pauserd` is set: reads wait"),
];

/// Flags of a pool, and what they mean.
const POOL_FLAGS: [(&str, &str); 4] = [
    ("full", "it is full: writes wait for ever"),
    ("full_quota", "its quota is used up: writes wait for ever"),
    (
        "backfillfull",
        "an OSD of it is too full to take another's data (backfillfull)",
    ),
    ("nearfull", "an OSD of it is nearly full (nearfull)"),
];

impl PoolFacts {
    /// Asks the cluster.
    ///
    /// # Errors
    /// When there is no such pool, or no answer. What this user may not ask is a note.
    pub fn of(place: &CephPlace) -> Result<PoolFacts, LoadError> {
        let mut facts = PoolFacts::default();
        let map = facts.asked(place, &["osd", "dump", "--format", "json"])?;
        let Some(map) = map else { return Ok(facts) };
        let pool = of_map(place, &map)?;
        facts.full = full_by(&map, pool);
        let figures = facts.figures(place)?;
        facts.free = figures.and_then(|figures| free(pool, &figures));
        Ok(facts)
    }

    /// What `ceph df` says of the pool. Of one that was made a moment ago it says nothing until the OSDs have reported to the
    /// manager, which they do every few seconds.
    fn figures(&mut self, place: &CephPlace) -> Result<Option<Value>, LoadError> {
        let name = Some(place.target.pool.as_str());
        let end_ns = clock::monotonic_ns() + REPORTED_MS * 1_000_000;
        loop {
            let Some(df) = self.asked(place, &["df", "--format", "json"])? else {
                return Ok(None);
            };
            let mut pools = json::items(&df, "pools").iter();
            let figures = pools.find(|pool| json_name(pool, "name") == name);
            self.is_unlisted = figures.is_none();
            if figures.is_some() || clock::monotonic_ns() > end_ns {
                return Ok(figures.cloned());
            }
            clock::sleep_ms(AGAIN_MS);
        }
    }

    /// The answer to a question; none where this user may not ask it, which is noted.
    fn asked(&mut self, place: &CephPlace, words: &[&str]) -> Result<Option<Value>, LoadError> {
        let answer = match ask(CephProgram::Ceph, &place.target.cluster, words, QUESTION_MS) {
            Ok(answer) => answer,
            Err(error) if error.is_permission() => {
                self.notes.push(format!(
                    "how full the cluster is was not seen: this user may not ask `ceph {}`",
                    words.join(" ")
                ));
                return Ok(None);
            }
            Err(error) => return Err(failed(place, &error)),
        };
        let document = json::document(&answer);
        document.map(Some).map_err(|why| {
            place.error(
                format!("`ceph {}`: {why}", words.join(" ")),
                "Try it by hand",
                Exit::Failed,
            )
        })
    }

    /// Refuses a pool that is full or nearly so: writes to it could hang, ours and everybody's.
    ///
    /// # Errors
    /// With all reasons.
    pub fn refuse_full(&self, place: &CephPlace) -> Result<(), LoadError> {
        if self.full.is_empty() {
            return Ok(());
        }
        Err(place.error(
            self.full.join("; "),
            "Nothing was written. Make room first: `ceph health detail` and `ceph osd df` say where",
            Exit::Refused,
        ))
    }

    /// How much a load may write at the most, bytes and objects: half of the room, so that nobody else's writes meet a full
    /// OSD or a quota.
    pub fn most(&self) -> Option<(u64, Option<u64>)> {
        let (bytes, objects) = self.free?;
        Some((bytes / 2, objects.map(|objects| objects / 2)))
    }

    /// Refuses to write more than there is room for.
    ///
    /// # Errors
    /// With both sizes.
    pub fn room(&self, place: &CephPlace, wanted: WantedRoom) -> Result<(), LoadError> {
        let size = |bytes: u64| units::bytes(bytes as f64);
        let refused = |why: String, advice: String| Err(place.error(why, advice, Exit::Refused));
        let Some((most, most_objects)) = self.most() else {
            return match wanted.is_sized && wanted.bytes <= UNSEEN_MOST {
                true => Ok(()),
                false => refused(self.unknown(wanted), self.way_out()),
            };
        };
        if wanted.bytes > most {
            return refused(
                format!(
                    "the load would write {}, and of the {} that the pool can still take (MAX AVAIL of `ceph df`, and its quota) at \
                     most half is used",
                    size(wanted.bytes),
                    size(self.free.unwrap_or_default().0)
                ),
                format!(
                    "Ask for less: --size {}",
                    units::size_word(most >> 20 << 20)
                ),
            );
        }
        match most_objects.filter(|most| wanted.objects > *most) {
            None => Ok(()),
            Some(most) => refused(
                format!(
                    "the load would write {} objects, and of those that the pool's quota still allows at most half ({most}) is used",
                    wanted.objects
                ),
                "Ask for less by --size, or for larger blocks by --bs".into(),
            ),
        }
    }

    /// Why it is not known how much room there is, and what would be written all the same.
    fn unknown(&self, wanted: WantedRoom) -> String {
        let why = match self.is_unlisted {
            true => format!(
                ": `ceph df` has not listed it for {}",
                units::span_ms(REPORTED_MS)
            ),
            false => String::new(),
        };
        let size = units::bytes(wanted.bytes as f64);
        format!("how full the pool is is not known{why}, and the load would write {size}")
    }

    fn way_out(&self) -> String {
        let say = format!(
            "Say how much may be written, at most {} with what is in flight: --size 512m",
            units::bytes(UNSEEN_MOST as f64)
        );
        match self.is_unlisted {
            true => format!(
                "Try again once `ceph df` lists the pool, as it does a moment after it was made. Or: {say}"
            ),
            false => format!("{say}. Or name a user who may ask `ceph df` and `ceph osd dump`"),
        }
    }
}

/// The pool in the map of the OSDs.
fn of_map<'a>(place: &CephPlace, map: &'a Value) -> Result<&'a Value, LoadError> {
    let pools = json::items(map, "pools");
    let is_ours = |pool: &&Value| json_name(pool, "pool_name") == Some(place.target.pool.as_str());
    pools.iter().find(is_ours).ok_or_else(|| {
        let names = pools
            .iter()
            .filter_map(|pool| json::text(pool, &["pool_name"]));
        let names: Vec<String> = names.take(20).collect();
        place.no_target(&format!(
            "the cluster has no such pool; it has: {}",
            names.join(", ")
        ))
    })
}

/// What can still be written, by what the map says of the pool's quotas and `ceph df` of what is in it. A member that is
/// missing leaves it unknown.
fn free(pool: &Value, figures: &Value) -> Option<(u64, Option<u64>)> {
    let of_pool = |name: &str| json::number(pool, &[name]);
    let of_stats = |name: &str| json::number(figures, &["stats", name]);
    let mut bytes = of_stats("max_avail")?;
    let most_bytes = of_pool("quota_max_bytes")?;
    if most_bytes > 0.0 {
        // Up to Ceph 13 it had another name.
        let stored = of_stats("stored").or(of_stats("bytes_used"))?;
        bytes = bytes.min((most_bytes - stored).max(0.0));
    }
    let most_objects = of_pool("quota_max_objects")?;
    let objects = match most_objects > 0.0 {
        true => Some((most_objects - of_stats("objects")?).max(0.0) as u64),
        false => None,
    };
    Some((bytes as u64, objects))
}

/// The clauses on how full it is, out of the map of the OSDs.
fn full_by(map: &Value, pool: &Value) -> Vec<String> {
    let flags = |value: &Value, name: &str| json::text(value, &[name]).unwrap_or_default();
    let is_set = |flags: &str, flag: &str| flags.split(',').any(|it| it.trim() == flag);
    let (of_cluster, of_pool) = (flags(map, "flags"), flags(pool, "flags_names"));
    let cluster = CLUSTER_FLAGS
        .iter()
        .filter(|(flag, _)| is_set(&of_cluster, flag));
    let pool = POOL_FLAGS.iter().filter(|(flag, _)| is_set(&of_pool, flag));
    cluster
        .chain(pool)
        .map(|(_, why)| (*why).to_string())
        .collect()
}

fn json_name<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name)?.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;
    use host::Host;
    use model::ceph_target::CephTarget;

    fn place() -> CephPlace {
        let target = CephTarget::parse("rados://bench").unwrap();
        CephPlace::new(&target, &Host::live(), std::path::Path::new("/nowhere")).unwrap()
    }

    fn map(flags: &str, pool: &str, of_pool: &str) -> Value {
        let text = format!(
            "{{\"flags\":\"{flags}\",\"pools\":[{{\"pool_name\":\"{pool}\",\"flags_names\":\"{of_pool}\"}}]}}"
        );
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn a_pool_that_takes_no_writes_is_named_with_its_reason() {
        let full = |flags, of_pool| {
            let map = map(flags, "bench", of_pool);
            full_by(&map, of_map(&place(), &map).unwrap())
        };
        assert!(full("sortbitwise,purged_snapdirs", "hashpspool").is_empty());
        assert!(full("full,sortbitwise", "hashpspool")[0].contains("no client may write"));
        let both = full("sortbitwise", "hashpspool,nearfull,full");
        assert_eq!(both.len(), 2, "{both:?}");
        let facts = PoolFacts {
            full: both,
            ..PoolFacts::default()
        };
        let error = facts.refuse_full(&place()).unwrap_err();
        assert_eq!(error.exit(), Exit::Refused);
        assert!(error.to_string().contains("nearfull"), "{error}");
    }

    #[test]
    fn a_pool_that_is_not_there_is_told_with_those_that_are() {
        let error = of_map(&place(), &map("", "vms", "")).unwrap_err();
        assert!(
            error.to_string().contains("no such pool; it has: vms"),
            "{error}"
        );
        assert_eq!(error.exit(), Exit::Usage);
    }

    fn value(text: &str) -> Value {
        serde_json::from_str(text).unwrap()
    }

    fn wanted(bytes: u64, objects: u64) -> WantedRoom {
        WantedRoom {
            bytes,
            objects,
            is_sized: true,
        }
    }

    #[test]
    fn half_of_the_room_is_left_to_others() {
        let facts = PoolFacts {
            free: Some((8 << 30, Some(100))),
            ..PoolFacts::default()
        };
        assert!(facts.room(&place(), wanted(4 << 30, 50)).is_ok());
        let refused = |wanted| facts.room(&place(), wanted).unwrap_err().to_string();
        let error = refused(wanted(5 << 30, 1));
        assert!(
            error.contains("5.00 GiB") && error.contains("--size 4g"),
            "{error}"
        );
        let error = refused(wanted(1, 51));
        assert!(
            error.contains("51 objects") && error.contains("half (50)"),
            "{error}"
        );
    }

    #[test]
    fn of_a_pool_that_nobody_may_see_little_is_written_and_only_as_it_was_said() {
        let facts = PoolFacts::default();
        assert!(facts.room(&place(), wanted(1 << 30, 1)).is_ok());
        let unsaid = WantedRoom {
            is_sized: false,
            ..wanted(1 << 20, 1)
        };
        for wanted in [unsaid, wanted((1 << 30) + 1, 1)] {
            let error = facts.room(&place(), wanted).unwrap_err();
            assert_eq!(error.exit(), Exit::Refused);
            assert!(error.to_string().contains("is not known"), "{error}");
        }
    }

    #[test]
    fn quotas_bound_what_is_free() {
        let pool = |bytes: u64, objects: u64| {
            value(&format!(
                "{{\"quota_max_bytes\":{bytes},\"quota_max_objects\":{objects}}}"
            ))
        };
        let df = value(r#"{"stats":{"stored":300,"objects":7,"max_avail":1000}}"#);
        assert_eq!(free(&pool(0, 0), &df), Some((1000, None)));
        assert_eq!(free(&pool(800, 10), &df), Some((500, Some(3))));
        assert_eq!(free(&pool(200, 5), &df), Some((0, Some(0))), "used up");
        assert_eq!(free(&value("{}"), &df), None);
        let bare = value(r#"{"stats":{"max_avail":1000}}"#);
        assert_eq!(
            (free(&pool(800, 0), &bare), free(&pool(0, 5), &bare)),
            (None, None)
        );
        assert_eq!(free(&pool(0, 0), &value("{}")), None);
    }
}
