//! Ways to rights that are missing: commands that are pasted, and lines of a unit for systemd.

use super::answer::{Asked, RightAnswer, UserRights};
use super::verbs::{TargetUse, VerbRights};
use host::rights::{TargetKind, group_name};
use model::text::shell_word;
use serde::Serialize;

/// A way to what is missing.
#[derive(Serialize)]
pub struct Grant {
    /// For how long, or where: `once`, `to the binary`.
    pub way: &'static str,
    /// A command, or several lines of a unit.
    pub lines: Vec<String>,
    /// What else it means.
    pub means: &'static str,
}

impl Asked<'_> {
    /// Every way that suits who asks, the shortest first.
    pub(super) fn grants(&self, verb: &VerbRights, rights: &[RightAnswer]) -> Vec<Grant> {
        let command = self.command(verb);
        if self.is_root() {
            return self.container(rights).into_iter().collect();
        }
        if verb.root.is_some() {
            return vec![
                Grant::once(format!("sudo {command}"), ""),
                Grant::unit_of_root(rights),
            ];
        }
        let mut ways: Vec<Grant> = self.on_target(verb).into_iter().collect();
        ways.extend(self.by_capabilities(&command, rights));
        if rights
            .iter()
            .any(|one| !one.held && one.root_alone.is_some())
        {
            ways.push(Grant::once(format!("sudo {command}"), "all of it, as root"));
        }
        ways
    }

    /// The verb on the target that is asked about, or as it is called else.
    fn command(&self, verb: &VerbRights) -> String {
        let path = self.target.as_ref().map(|(path, _)| path.to_string_lossy());
        let words = match path.as_deref().map(shell_word) {
            Some(path) if verb.arguments.contains("TARGET") => {
                verb.arguments.replace("TARGET", &path)
            }
            Some(path) => path.into_owned(),
            None => verb.arguments.into(),
        };
        format!("iodyno {} {words}", verb.verb).trim_end().into()
    }

    /// Root that lacks capabilities is root of a container.
    fn container(&self, rights: &[RightAnswer]) -> Option<Grant> {
        let missing = each_once(rights.iter().flat_map(|one| &one.missing));
        let names: Vec<String> = missing.iter().map(|name| without_cap(name)).collect();
        (!names.is_empty()).then(|| Grant {
            way: "to the container",
            lines: vec![format!("--cap-add={}", names.join(","))],
            means: "an option of podman run and docker run; this root has been given less than all",
        })
    }

    /// Capabilities that make up for not being root.
    fn by_capabilities(&self, command: &str, rights: &[RightAnswer]) -> Vec<Grant> {
        let wanted = grantable(rights);
        if wanted.is_empty() {
            return Vec::new();
        }
        let added: Vec<String> = wanted
            .iter()
            .map(|name| format!("+{}", without_cap(name).to_lowercase()))
            .collect();
        let (added, all) = (added.join(","), wanted.join(","));
        let UserRights { uid, gid, .. } = self.user;
        let program = self.host.link("/proc/self/exe").unwrap_or_default();
        vec![
            Grant::once(
                format!(
                    "sudo setpriv --reuid={uid} --regid={gid} --init-groups --inh-caps={added} --ambient-caps={added} \
                     {command}"
                ),
                "as this user, with these capabilities and no other",
            ),
            Grant {
                way: "to the binary",
                lines: vec![format!("sudo setcap {all}=ep {}", shell_word(&program))],
                means: "everybody who may execute this file has them then",
            },
            Grant::unit_of_a_user(&wanted),
        ]
    }

    /// A way to the target itself, where it is closed to this user.
    fn on_target(&self, verb: &VerbRights) -> Option<Grant> {
        let (path, access) = self.target.as_ref()?;
        let name = path.to_string_lossy();
        match access.kind {
            _ if verb.target == TargetUse::Looks => None,
            TargetKind::Directory if !access.may_write && verb.target != TargetUse::Reads => {
                let inside = format!("{}/iodyno", name.trim_end_matches('/'));
                Some(Grant {
                    way: "on the target",
                    lines: vec![format!(
                        "sudo install --directory --owner={} {}",
                        self.user.uid,
                        shell_word(&inside)
                    )],
                    means: "a directory of this user's own; name it as the target",
                })
            }
            TargetKind::BlockDevice if !access.may_read => {
                let table = self.host.text("/etc/group").unwrap_or_default();
                let group = group_name(&table, access.group?)?;
                Some(Grant {
                    way: "on the target",
                    lines: vec![format!(
                        "sudo usermod --append --groups {} \"$(id -nu)\"",
                        shell_word(group)
                    )],
                    means: "from the next log-in on; members of this group may write to every such disk",
                })
            }
            _ => None,
        }
    }
}

impl Grant {
    fn once(command: String, means: &'static str) -> Grant {
        Grant {
            way: "once",
            lines: vec![command],
            means,
        }
    }

    /// Lines for a service of root: all that its verb can make use of, and nothing else of root's.
    fn unit_of_root(rights: &[RightAnswer]) -> Grant {
        let all = each_once(rights.iter().flat_map(|one| &one.capabilities));
        Grant {
            way: "in a unit",
            lines: vec![
                "[Service]".into(),
                format!("CapabilityBoundingSet={}", all.join(" ").to_uppercase()),
            ],
            means: "root without the rights that it does not need",
        }
    }

    /// Lines for a service of another user.
    fn unit_of_a_user(wanted: &[String]) -> Grant {
        let all = wanted.join(" ").to_uppercase();
        Grant {
            way: "in a unit",
            lines: vec![
                "[Service]".into(),
                format!("AmbientCapabilities={all}"),
                format!("CapabilityBoundingSet={all}"),
            ],
            means: "beside User= with a user of its own",
        }
    }
}

/// The capabilities of all rights that they give to a user, as far as they can be given here; none where the user has them. Those
/// that are held stand among them, since each way replaces what there was.
fn grantable(rights: &[RightAnswer]) -> Vec<String> {
    let by_them = rights.iter().filter(|one| one.root_alone.is_none());
    if !by_them
        .clone()
        .any(|one| one.barred.len() < one.missing.len())
    {
        return Vec::new();
    }
    let names = by_them.flat_map(|one| {
        let all = one.capabilities.iter();
        all.filter(|name| !one.barred.contains(name))
    });
    each_once(names)
}

fn each_once<'a>(names: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for name in names {
        if !found.contains(name) {
            found.push(name.clone());
        }
    }
    found
}

/// `BPF` of `cap_bpf`.
fn without_cap(name: &str) -> String {
    name.trim_start_matches("cap_").to_uppercase()
}
