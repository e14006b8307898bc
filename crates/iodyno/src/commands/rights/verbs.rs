//! What each verb needs: the one declaration a verb, of which `iodyno rights` makes its answers.

use host::Privileges;

/// A verb, and what it makes use of.
#[derive(Debug)]
pub struct VerbRights {
    /// Its word.
    pub verb: &'static str,
    /// What it can make use of beyond what every user may.
    pub privileges: Privileges,
    /// Why nobody but root can do it; none where every user can.
    pub root: Option<&'static str>,
    /// What it does with a target.
    pub target: TargetUse,
    /// Its arguments in a command that is printed; a target that was named stands for `TARGET`, or for all of them.
    pub arguments: &'static str,
}

/// What a verb does with the target that it is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetUse {
    /// It looks at its path, or has none.
    Looks,
    /// It reads what is there.
    Reads,
    /// It makes scratch in a directory where it may, and reads else.
    MayMakeScratch,
    /// It makes scratch in a directory, or has nothing to do there.
    MakesScratch,
}

const SETTINGS: Option<&str> = Some("settings of the kernel belong to root");

/// Every verb, those that need the most first.
pub static VERBS: &[VerbRights] = &[
    verb("tune", Privileges::Load, SETTINGS).on(TargetUse::MakesScratch),
    verb("apply", Privileges::Load, SETTINGS).with("RECORD"),
    verb("set", Privileges::Load, SETTINGS).with("KNOB=VALUE TARGET"),
    verb("undo", Privileges::Load, SETTINGS),
    verb(
        "limit",
        Privileges::Load,
        Some("control groups are made by root"),
    )
    .on(TargetUse::MakesScratch),
    verb(
        "loop",
        Privileges::Load,
        Some("loop devices are set up and mounted by root"),
    )
    .with("create FILE --size SIZE"),
    verb(
        "boots",
        Privileges::Load,
        Some("a step of its plan boots the machine"),
    )
    .with("DIRECTORY --measure"),
    verb("run", Privileges::Load, None).on(TargetUse::MakesScratch),
    verb("check", Privileges::Load, None).on(TargetUse::MayMakeScratch),
    verb("guard", Privileges::Load, None).on(TargetUse::MayMakeScratch),
    verb("dataset", Privileges::Load, None).on(TargetUse::Reads),
    // Each verb that it starts has what that verb needs.
    verb("serve", Privileges::Load, None),
    verb("watch", Privileges::Watch, None),
    verb("inspect", Privileges::Inspect, None),
    verb("diff", Privileges::Inspect, None),
    verb("status", Privileges::Inspect, None),
    verb("explain", Privileges::Inspect, None),
    verb("cloud", Privileges::Inspect, None),
    verb("list", Privileges::Own, None),
    verb("show", Privileges::Own, None),
    verb("tag", Privileges::Own, None),
    verb("note", Privileges::Own, None),
    verb("delete", Privileges::Own, None),
    verb("export", Privileges::Own, None),
    verb("merge", Privileges::Own, None),
    verb("store", Privileges::Own, None),
    verb("report", Privileges::Own, None),
    verb("compare", Privileges::Own, None),
    verb("history", Privileges::Own, None),
    verb("import", Privileges::Own, None),
    verb("judge", Privileges::Own, None),
    verb("catalogue", Privileges::Own, None),
    verb("completions", Privileges::Own, None),
    // What is measured and changed elsewhere takes rights there: on the hosts, and in the cluster.
    verb("fleet", Privileges::Own, None),
    verb("k8s", Privileges::Own, None),
    verb("rights", Privileges::Own, None),
];

const fn verb(
    verb: &'static str,
    privileges: Privileges,
    root: Option<&'static str>,
) -> VerbRights {
    VerbRights {
        verb,
        privileges,
        root,
        target: TargetUse::Looks,
        arguments: "",
    }
}

impl VerbRights {
    const fn on(mut self, target: TargetUse) -> VerbRights {
        self.target = target;
        self.with(".")
    }

    const fn with(mut self, arguments: &'static str) -> VerbRights {
        self.arguments = arguments;
        self
    }
}

/// The declaration of a verb.
pub fn of(verb: &str) -> Option<&'static VerbRights> {
    VERBS.iter().find(|one| one.verb == verb)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;
    use clap::CommandFactory;

    #[test]
    fn every_verb_says_what_it_needs_and_no_other_does() {
        let command = Cli::command();
        let shown = command.get_subcommands().filter(|one| !one.is_hide_set());
        let mut words: Vec<&str> = shown.map(clap::Command::get_name).collect();
        let mut declared: Vec<&str> = VERBS.iter().map(|one| one.verb).collect();
        words.sort_unstable();
        declared.sort_unstable();
        assert_eq!(declared, words);
    }
}
