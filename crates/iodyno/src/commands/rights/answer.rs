//! What `iodyno rights` answers, as a document: for each verb what it can make use of, and what of that this process has.

use super::grants::Grant;
use super::verbs::{TargetUse, VerbRights};
use host::Host;
use host::right::{self, HeldRight};
use host::rights::{TargetAccess, TargetKind};
use model::text::shown;
use serde::Serialize;
use std::path::Path;

/// `iodyno.rights/1`.
#[derive(Serialize)]
pub struct RightsDocument {
    /// Its name and version.
    pub schema: &'static str,
    /// Who asks.
    pub user: UserRights,
    /// Of each verb that was asked for.
    pub verbs: Vec<VerbAnswer>,
}

/// Who this process is for the kernel.
#[derive(Serialize)]
pub struct UserRights {
    /// Effective user.
    pub uid: u32,
    /// Effective group.
    pub gid: u32,
    /// Effective capabilities.
    pub capabilities: Vec<String>,
    /// Release of the kernel.
    pub kernel: String,
}

/// What of a verb this process can do.
#[derive(Serialize)]
pub struct VerbAnswer {
    /// The verb.
    pub verb: &'static str,
    /// Whether it does its work, if less of it than with all of `rights`.
    pub works: bool,
    /// Why not.
    pub why: Option<String>,
    /// What it can make use of.
    pub rights: Vec<RightAnswer>,
    /// Ways to what is missing, the shortest first.
    pub grants: Vec<Grant>,
}

/// One thing that a verb can make use of.
#[derive(Serialize)]
pub struct RightAnswer {
    /// Which.
    pub id: &'static str,
    /// What it gives.
    pub gives: &'static str,
    /// By which capabilities, on this kernel.
    pub capabilities: Vec<String>,
    /// Those of them that this process lacks.
    pub missing: Vec<String>,
    /// Those of the missing that no program of this container can be given.
    pub barred: Vec<String>,
    /// Whether this process has it.
    pub held: bool,
    /// Why capabilities alone do not give it.
    pub root_alone: Option<&'static str>,
}

/// What is asked about.
pub struct Asked<'a> {
    /// The machine.
    pub host: &'a Host,
    /// Who asks.
    pub user: &'a UserRights,
    /// On which target.
    pub target: Option<(&'a Path, TargetAccess)>,
}

/// Who this process is.
pub fn user(host: &Host) -> host::Result<UserRights> {
    let (uid, gid) = host::rights::own_ids();
    let kernel = host.text("/proc/sys/kernel/osrelease");
    Ok(UserRights {
        uid,
        gid,
        capabilities: right::own()?,
        kernel: kernel.unwrap_or_default().trim().to_string(),
    })
}

impl Asked<'_> {
    /// The answer for a verb.
    pub fn verb(&self, verb: &'static VerbRights) -> host::Result<VerbAnswer> {
        let rights: Vec<RightAnswer> = right::held(verb.privileges, self.host)?
            .into_iter()
            .map(|one| self.right(one))
            .collect();
        let why = self.why_not(verb);
        Ok(VerbAnswer {
            verb: verb.verb,
            works: why.is_none(),
            why,
            grants: self.grants(verb, &rights),
            rights,
        })
    }

    pub(super) fn is_root(&self) -> bool {
        self.user.uid == 0
    }

    fn right(&self, one: HeldRight) -> RightAnswer {
        let root_alone = one.right.is_roots_alone();
        RightAnswer {
            id: one.right.id(),
            gives: one.right.gives(),
            held: one.missing.is_empty() && (root_alone.is_none() || self.is_root()),
            capabilities: one.capabilities,
            missing: one.missing,
            barred: one.barred,
            root_alone,
        }
    }

    /// Why the verb would end without having done anything.
    fn why_not(&self, verb: &VerbRights) -> Option<String> {
        if let Some(why) = verb.root.filter(|_| !self.is_root()) {
            return Some(format!("it needs root: {why}"));
        }
        let (path, access) = self.target.as_ref()?;
        let path = shown(path);
        match (verb.target, access.kind) {
            (TargetUse::Looks, _) => None,
            _ if !access.may_read => Some(format!("{path} may not be read by this user")),
            (TargetUse::MakesScratch, TargetKind::Directory) if !access.may_write => Some(format!(
                "no scratch file can be made in {path} by this user"
            )),
            _ => None,
        }
    }
}
