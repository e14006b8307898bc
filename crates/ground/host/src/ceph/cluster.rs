//! Which cluster is meant. All programs that have a part in a load must reach the same one, and they look in different places:
//! Ceph's own read `CEPH_ARGS` and several files, fio's engines read only what they are given.

use super::{CephError, CephProgram, ask};
use crate::environment;
use model::ceph_target::CephCluster;
use model::text::{clean_to, is_unsafe};

/// How long the question for the cluster's id may take, ms.
const ID_MS: u64 = 20_000;
/// librados takes a text with one of these for the names of several files.
const BETWEEN_FILES: [char; 5] = [';', ',', '=', ' ', '\t'];

/// The same cluster with nothing left to the environment: its configuration file by its absolute path, which is the one that is
/// given, else `$CEPH_CONF`, else `/etc/ceph/NAME.conf`. Programs that are given one are started without `CEPH_ARGS`.
///
/// # Errors
/// [`CephError::NotCertain`] where `CEPH_ARGS` says something, or the file is not there.
pub fn explicit(cluster: &CephCluster) -> Result<CephCluster, CephError> {
    explicit_in(cluster, environment::variable).map_err(|why| CephError::NotCertain { why })
}

fn explicit_in(
    cluster: &CephCluster,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<CephCluster, String> {
    if let Some(words) = variable("CEPH_ARGS").filter(|words| !words.trim().is_empty()) {
        return Err(format!(
            "CEPH_ARGS is set (`{}`), which fio does not read, so that it could load another cluster than the one that was \
             asked. Say it behind the target (conf=FILE, id=USER, cluster=NAME) and unset CEPH_ARGS",
            clean_to(&words, 200)
        ));
    }
    let given = cluster.conf.clone().or_else(|| variable("CEPH_CONF"));
    let conf = given.unwrap_or_else(|| {
        let name = cluster.name.as_deref().unwrap_or("ceph");
        format!("/etc/ceph/{name}.conf")
    });
    let shown = clean_to(&conf, 200);
    let path = std::path::absolute(&conf).map_err(|error| format!("{shown}: {error}"))?;
    let conf = path.to_string_lossy().into_owned();
    if conf.contains(BETWEEN_FILES) || conf.chars().any(is_unsafe) {
        return Err(format!(
            "the name of the configuration file ({shown}) has a space, `,`, `;`, `=` or characters that cannot be shown. Give \
             it another name, and say it behind the target: conf=FILE"
        ));
    }
    if !path.is_file() {
        return Err(format!(
            "there is no configuration file {shown}. Say which one holds, behind the target: conf=FILE"
        ));
    }
    Ok(CephCluster {
        conf: Some(conf),
        ..cluster.clone()
    })
}

/// The id of the cluster that answers.
///
/// # Errors
/// Where none answers, or something that is no id.
pub fn fsid(cluster: &CephCluster) -> Result<String, CephError> {
    let answer = ask(CephProgram::Ceph, cluster, &["fsid"], ID_MS)?;
    let id = answer.trim();
    let is_digit = |byte: u8| byte.is_ascii_hexdigit() || byte == b'-';
    match id.len() == 36 && id.bytes().all(is_digit) {
        true => Ok(id.to_string()),
        false => Err(CephError::NotCertain {
            why: format!(
                "`ceph fsid` answers `{}`, which is no cluster's id",
                clean_to(id, 80)
            ),
        }),
    }
}

/// Makes certain that the cluster that answers is the one of this id: what is done in another one helps nobody.
///
/// # Errors
/// [`CephError::OtherCluster`] where it is another one; where none answers, why.
pub fn must_be(cluster: &CephCluster, wanted: &str) -> Result<(), CephError> {
    let found = fsid(cluster)?;
    match found == wanted {
        true => Ok(()),
        false => Err(CephError::OtherCluster {
            wanted: wanted.to_string(),
            found,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_the_one_that_is_given_then_that_of_the_environment() {
        let dir = crate::files::temporary_dir("ceph-cluster").unwrap();
        let file = |name: &str| {
            let path = dir.path().join(name);
            std::fs::write(&path, "[global]\n").unwrap();
            path.to_string_lossy().into_owned()
        };
        let (given, other) = (file("given.conf"), file("other.conf"));
        let of = |conf: Option<&str>, variables: &[(&str, &str)]| {
            let cluster = CephCluster {
                conf: conf.map(str::to_string),
                name: Some("no-such-cluster".into()),
                ..CephCluster::default()
            };
            let find = |name: &str| variables.iter().find(|(one, _)| *one == name);
            explicit_in(&cluster, |name| {
                find(name).map(|(_, value)| value.to_string())
            })
        };
        let conf = |found: Result<CephCluster, String>| found.unwrap().conf.unwrap();
        assert_eq!(conf(of(Some(&given), &[("CEPH_CONF", &other)])), given);
        assert_eq!(conf(of(None, &[("CEPH_CONF", &other)])), other);
        let error = of(None, &[]).unwrap_err();
        assert!(
            error.contains("no configuration file /etc/ceph/no-such-cluster.conf"),
            "{error}"
        );
        let both = format!("{given},{other}");
        assert!(of(Some(&both), &[]).is_err() && of(Some("/nowhere"), &[]).is_err());
    }

    #[test]
    fn what_only_some_programs_read_is_refused() {
        let variable = |name: &str| (name == "CEPH_ARGS").then(|| "--conf /other".to_string());
        let error = explicit_in(&CephCluster::default(), variable).unwrap_err();
        assert!(
            error.contains("CEPH_ARGS is set (`--conf /other`)") && error.contains("conf=FILE"),
            "{error}"
        );
    }
}
