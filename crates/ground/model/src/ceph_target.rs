//! What of a Ceph cluster is named as a target: `rados://POOL[/NAMESPACE]` and `rbd://POOL[/NAMESPACE]/IMAGE[@SNAPSHOT]`.
//!
//! Behind `?` stands how the cluster is reached, in the words of Ceph's own programs: `conf`, a file; `id`, the user
//! without `client.`; `cluster`, its name, by which `/etc/ceph/NAME.conf` is found:
//! `rados://bench?conf=/etc/ceph/backup.conf&id=bench`. What is not said is Ceph's default and that of its environment
//! (`CEPH_CONF`, `CEPH_ARGS`) for questions; a load says all of it (`host::ceph::cluster`).
//!
//! In a name, `%2F` stands for `/`, and so on for what has a meaning here. Only what Ceph's programs take as a name is
//! one: no control characters, and no `-` in front, which they would take for an option.

use crate::text::{clean_to, is_unsafe};
use serde::{Deserialize, Serialize};
use std::fmt::{self, Display};
use std::str::FromStr;

/// Longest name of a pool, a namespace, an image or a user, bytes.
const NAME_MAX: usize = 255;
/// Longest target, bytes; the file of the configuration has the most of it.
const TARGET_MAX: usize = 8 << 10;

/// A pool or an image of a Ceph cluster, and how that cluster is reached. As text, in records too, it is what a user types.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(with = "String"))]
#[serde(try_from = "String", into = "String")]
pub struct CephTarget {
    /// The pool.
    pub pool: String,
    /// The namespace in the pool; none for the one without a name.
    pub namespace: Option<String>,
    /// The image; none where the pool itself is the target.
    pub image: Option<RbdImage>,
    /// How the cluster is reached.
    pub cluster: CephCluster,
}

/// An image of RBD in a pool.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RbdImage {
    /// Its name.
    pub name: String,
    /// The snapshot of it that is meant, which nothing can write to.
    pub snapshot: Option<String>,
}

/// How a cluster is reached. What is none is left to Ceph's programs and their environment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CephCluster {
    /// Its configuration file (`--conf`).
    pub conf: Option<String>,
    /// The user without `client.` (`--id`).
    pub id: Option<String>,
    /// Its name (`--cluster`).
    pub name: Option<String>,
}

/// Why a text names no pool and no image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CephTargetError {
    /// The text, fit for a terminal.
    pub text: String,
    /// What is wrong with it.
    pub why: String,
    /// What to write instead.
    pub advice: &'static str,
}

impl Display for CephTargetError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}: {}. {}", self.text, self.why, self.advice)
    }
}

impl std::error::Error for CephTargetError {}

const POOL: &str = "rados://";
const IMAGE: &str = "rbd://";

impl CephTarget {
    /// Whether a target's text means Ceph, rightly written or not: it is no path then.
    pub fn is_meant(text: &str) -> bool {
        text.starts_with(POOL) || text.starts_with(IMAGE)
    }

    /// Reads a target.
    ///
    /// # Errors
    /// Says what is wrong and what to write.
    pub fn parse(text: &str) -> Result<CephTarget, CephTargetError> {
        read(text).map_err(|(why, advice)| CephTargetError {
            text: clean_to(text, 200),
            why,
            advice,
        })
    }

    /// The image's name as `rbd` takes it: `POOL/NAMESPACE/IMAGE@SNAPSHOT`; none for a pool.
    pub fn image_spec(&self) -> Option<String> {
        let image = self.image.as_ref()?;
        let namespace = self.namespace.iter().map(|name| format!("{name}/"));
        let namespace: String = namespace.collect();
        let snapshot = image.snapshot.iter().map(|name| format!("@{name}"));
        let snapshot: String = snapshot.collect();
        Some(format!("{}/{namespace}{}{snapshot}", self.pool, image.name))
    }

    /// The same target without how its cluster is reached: `rados://POOL`. Two of one text can be of different clusters.
    pub fn without_cluster(&self) -> CephTarget {
        CephTarget {
            cluster: CephCluster::default(),
            ..self.clone()
        }
    }
}

impl CephCluster {
    /// The words that each of Ceph's programs takes for it: `--conf FILE --id USER --cluster NAME`.
    pub fn words(&self) -> Vec<String> {
        let options = [
            ("--conf", &self.conf),
            ("--id", &self.id),
            ("--cluster", &self.name),
        ];
        let words = options
            .into_iter()
            .filter_map(|(option, value)| Some([option.to_string(), value.clone()?]));
        words.flatten().collect()
    }

    fn options(&self) -> impl Iterator<Item = (&'static str, &String)> {
        let all = [
            ("conf", &self.conf),
            ("id", &self.id),
            ("cluster", &self.name),
        ];
        all.into_iter()
            .filter_map(|(name, value)| Some((name, value.as_ref()?)))
    }
}

impl Display for CephTarget {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.image.is_some() { IMAGE } else { POOL };
        write!(to, "{scheme}{}", encoded(&self.pool, ""))?;
        if let Some(namespace) = &self.namespace {
            write!(to, "/{}", encoded(namespace, ""))?;
        }
        if let Some(image) = &self.image {
            write!(to, "/{}", encoded(&image.name, ""))?;
            if let Some(snapshot) = &image.snapshot {
                write!(to, "@{}", encoded(snapshot, ""))?;
            }
        }
        for (place, (name, value)) in self.cluster.options().enumerate() {
            let mark = if place == 0 { '?' } else { '&' };
            write!(to, "{mark}{name}={}", encoded(value, "/@"))?;
        }
        Ok(())
    }
}

impl FromStr for CephTarget {
    type Err = CephTargetError;

    fn from_str(text: &str) -> Result<CephTarget, CephTargetError> {
        CephTarget::parse(text)
    }
}

impl TryFrom<String> for CephTarget {
    type Error = CephTargetError;

    fn try_from(text: String) -> Result<CephTarget, CephTargetError> {
        CephTarget::parse(&text)
    }
}

impl From<CephTarget> for String {
    fn from(target: CephTarget) -> String {
        target.to_string()
    }
}

/// What is wrong, and what to write instead.
type Wrong = (String, &'static str);

const POOL_FORM: &str = "Write rados://POOL or rados://POOL/NAMESPACE";
const IMAGE_FORM: &str = "Write rbd://POOL/IMAGE or rbd://POOL/NAMESPACE/IMAGE";
const OPTION_FORM: &str =
    "Behind `?` stand conf=FILE, id=USER and cluster=NAME, with `&` between them";
const NAME_FORM: &str =
    "Write what has a meaning in a target as %2F (/), %3F (?), %40 (@), %26 (&) or %25 (%)";

fn read(text: &str) -> Result<CephTarget, Wrong> {
    if text.len() > TARGET_MAX {
        return Err(("it is too long for a target".into(), POOL_FORM));
    }
    let (text, options) = text.split_once('?').unwrap_or((text, ""));
    let cluster = cluster(options)?;
    let target = match (text.strip_prefix(POOL), text.strip_prefix(IMAGE)) {
        (Some(rest), _) => pool(rest)?,
        (_, Some(rest)) => image(rest)?,
        _ => return Err(("it is no target in a Ceph cluster".into(), POOL_FORM)),
    };
    Ok(CephTarget { cluster, ..target })
}

fn pool(rest: &str) -> Result<CephTarget, Wrong> {
    let parts: Vec<&str> = rest.split('/').collect();
    let (pool, namespace) = match parts[..] {
        [pool] => (pool, None),
        [pool, namespace] => (pool, Some(namespace)),
        _ => {
            return Err((
                "a pool has at most one namespace behind it".into(),
                POOL_FORM,
            ));
        }
    };
    Ok(CephTarget {
        pool: name("pool", pool, POOL_FORM)?,
        namespace: named("namespace", namespace, POOL_FORM)?,
        image: None,
        cluster: CephCluster::default(),
    })
}

fn image(rest: &str) -> Result<CephTarget, Wrong> {
    let parts: Vec<&str> = rest.split('/').collect();
    let (pool, namespace, image) = match parts[..] {
        [pool, image] => (pool, None, image),
        [pool, namespace, image] => (pool, Some(namespace), image),
        [_] => return Err(("it names a pool and no image".into(), IMAGE_FORM)),
        _ => return Err(("it has more parts than an image's name".into(), IMAGE_FORM)),
    };
    let (image, snapshot) = match image.split_once('@') {
        Some((image, snapshot)) => (image, Some(snapshot)),
        None => (image, None),
    };
    Ok(CephTarget {
        pool: name("pool", pool, IMAGE_FORM)?,
        namespace: named("namespace", namespace, IMAGE_FORM)?,
        image: Some(RbdImage {
            name: name("image", image, IMAGE_FORM)?,
            snapshot: named("snapshot", snapshot, IMAGE_FORM)?,
        }),
        cluster: CephCluster::default(),
    })
}

fn cluster(options: &str) -> Result<CephCluster, Wrong> {
    let mut cluster = CephCluster::default();
    for option in options.split('&').filter(|option| !option.is_empty()) {
        let (key, value) = option.split_once('=').unwrap_or((option, ""));
        let place = match key {
            "conf" => &mut cluster.conf,
            "id" => &mut cluster.id,
            "cluster" => &mut cluster.name,
            other => {
                let why = format!("`{}` is no option of a cluster", clean_to(other, 60));
                return Err((why, OPTION_FORM));
            }
        };
        if place.is_some() {
            return Err((format!("{key} is there twice"), OPTION_FORM));
        }
        *place = Some(name(key, value, OPTION_FORM)?);
    }
    // Ceph's own spelling of a user has the kind in front, which `--id` leaves out.
    if let Some(id) = &mut cluster.id
        && let Some(rest) = id.strip_prefix("client.").filter(|rest| !rest.is_empty())
    {
        *id = rest.to_string();
    }
    Ok(cluster)
}

fn named(what: &str, text: Option<&str>, form: &'static str) -> Result<Option<String>, Wrong> {
    text.map(|text| name(what, text, form)).transpose()
}

/// A name as a program can be given it.
fn name(what: &str, text: &str, form: &'static str) -> Result<String, Wrong> {
    let most = if what == "conf" { 4096 } else { NAME_MAX };
    let plain = decoded(text).ok_or_else(|| {
        let why =
            format!("the {what} has a `%` that no two hexadecimal digits follow, or no UTF-8");
        (why, NAME_FORM)
    })?;
    let why = match plain.as_str() {
        "" => format!("the {what} has no name"),
        plain if plain.len() > most => format!("the {what} has a name of over {most} bytes"),
        plain if plain.starts_with('-') => {
            format!("the {what} begins with `-`, which Ceph's programs take for an option")
        }
        plain if plain.chars().any(is_unsafe) => {
            format!("the {what} has characters that cannot be shown")
        }
        // `rbd` and fio take the parts of an image's name by these signs, and have no other way to say one.
        plain if what != "conf" && plain.contains(['/', '@']) && form == IMAGE_FORM => {
            format!("the {what} has `/` or `@` in its name, which rbd takes for the end of it")
        }
        _ => return Ok(plain),
    };
    Err((why, form))
}

/// Text with `%2F` and the like read.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, behind @ ..] = rest {
        rest = behind;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let digits = rest.get(..2)?;
        let digit = |byte: u8| char::from(byte).to_digit(16);
        bytes.push((digit(digits[0])? * 16 + digit(digits[1])?) as u8);
        rest = &rest[2..];
    }
    String::from_utf8(bytes).ok()
}

/// Text in which everything that has a meaning in a target, but what is let through, is written as `%` and two digits.
fn encoded(text: &str, let_through: &str) -> String {
    let mut written = String::with_capacity(text.len());
    for letter in text.chars() {
        let has_meaning = "%/?&@#".contains(letter) || letter.is_whitespace();
        if has_meaning && !let_through.contains(letter) {
            let mut bytes = [0; 4];
            for byte in letter.encode_utf8(&mut bytes).bytes() {
                written.push_str(&format!("%{byte:02X}"));
            }
        } else {
            written.push(letter);
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parsed(text: &str) -> CephTarget {
        CephTarget::parse(text).unwrap()
    }

    #[test]
    fn pools_and_images_are_read() {
        let pool = parsed("rados://bench");
        assert_eq!(
            (pool.pool.as_str(), &pool.namespace, &pool.image),
            ("bench", &None, &None)
        );
        assert_eq!(
            parsed("rados://bench/tenant").namespace.as_deref(),
            Some("tenant")
        );
        let image = parsed("rbd://vms/disk@before?conf=/etc/ceph/b.conf&id=client.bench");
        assert_eq!(image.image_spec().as_deref(), Some("vms/disk@before"));
        assert_eq!(
            image.cluster.words(),
            ["--conf", "/etc/ceph/b.conf", "--id", "bench"]
        );
        assert_eq!(
            image.to_string(),
            "rbd://vms/disk@before?conf=/etc/ceph/b.conf&id=bench"
        );
        assert_eq!(image.without_cluster().to_string(), "rbd://vms/disk@before");
        let inside = parsed("rbd://vms/tenant/disk?cluster=backup");
        assert_eq!(inside.image_spec().as_deref(), Some("vms/tenant/disk"));
        assert_eq!(inside.cluster.words(), ["--cluster", "backup"]);
    }

    #[test]
    fn what_has_a_meaning_is_written_by_its_digits() {
        let pool = parsed("rados://a%2Fb%3fc%25");
        assert_eq!(pool.pool, "a/b?c%");
        assert_eq!(pool.to_string(), "rados://a%2Fb%3Fc%25");
        assert_eq!(parsed("rados://größe").to_string(), "rados://größe");
    }

    #[test]
    fn what_is_wrong_is_said() {
        let cases = [
            ("rados://", "the pool has no name. Write rados://POOL"),
            ("rados://a/b/c", "at most one namespace"),
            ("rados://a/", "the namespace has no name"),
            ("rbd://vms", "names a pool and no image"),
            ("rbd://vms/", "the image has no name"),
            ("rbd://vms/a/b/c", "more parts than an image"),
            ("rbd://vms/a@", "the snapshot has no name"),
            ("rbd://vms/a%40b", "has `/` or `@` in its name"),
            ("rados://-p", "take for an option"),
            ("rados://a%0Ab", "cannot be shown"),
            ("rados://a%ff", "no UTF-8"),
            ("rados://a%2", "two hexadecimal digits"),
            ("rados://a?user=b", "`user` is no option of a cluster"),
            ("rados://a?id=b&id=c", "id is there twice"),
            ("rados://a?conf=", "the conf has no name"),
            ("/srv", "it is no target in a Ceph cluster"),
        ];
        for (text, said) in cases {
            let error = CephTarget::parse(text).unwrap_err().to_string();
            assert!(error.contains(said), "{text}: {error}");
            assert!(error.starts_with(text), "{error}");
        }
        let long = format!("rados://{}", "a".repeat(300));
        let error = CephTarget::parse(&long).unwrap_err().to_string();
        assert!(error.contains("over 255 bytes"), "{error}");
    }

    fn any_name() -> impl Strategy<Value = String> {
        let shown = |name: &String| !name.starts_with('-') && !name.chars().any(is_unsafe);
        "[^/@]{1,40}".prop_filter("a name", shown)
    }

    proptest! {
        #[test]
        fn what_is_printed_is_read_back(
            pool in any_name(), namespace in proptest::option::of(any_name()),
            image in proptest::option::of((any_name(), proptest::option::of(any_name()))),
            conf in proptest::option::of("/[a-z?&%@ /]{1,30}"), id in proptest::option::of("[a-z@/.]{1,20}"),
        ) {
            let image = image.map(|(name, snapshot)| RbdImage { name, snapshot });
            let id = id.filter(|id| !id.starts_with("client."));
            let cluster = CephCluster { conf, id, name: None };
            let target = CephTarget { pool, namespace, image, cluster };
            prop_assert_eq!(&CephTarget::parse(&target.to_string()).unwrap(), &target);
            let json = serde_json::to_string(&target).unwrap();
            prop_assert_eq!(serde_json::from_str::<CephTarget>(&json).unwrap(), target);
        }

        #[test]
        fn any_text_is_read_or_refused(text in "(rados|rbd)://.{0,60}") {
            if let Ok(target) = CephTarget::parse(&text) {
                prop_assert_eq!(CephTarget::parse(&target.to_string()), Ok(target));
            }
        }
    }
}
