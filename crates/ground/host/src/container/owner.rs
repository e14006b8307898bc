//! Whose a container is, and what is its own to write: whoever runs it decides what stands below its root, and so where each of
//! its paths leads.

use rustix::fs::{RawMode, Stat};

/// The user that a container's first process runs as, as this machine sees it, and the users and groups that it can be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Owner {
    user: u32,
    groups: Vec<u32>,
    users: Map,
    all_groups: Map,
}

/// Which numbers of this machine a user namespace has (user_namespaces(7)).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Map(Vec<(u32, u32, u32)>);

impl Map {
    /// Of `/proc/PID/uid_map` or `gid_map`: first number inside, first number here, how many.
    fn parse(text: &str) -> Map {
        let line = |line: &str| {
            let mut fields = line.split_whitespace().map(str::parse);
            let mut next = || fields.next()?.ok();
            Some((next()?, next()?, next()?))
        };
        Map(text.lines().filter_map(line).collect())
    }

    fn has(&self, number: u32) -> bool {
        let is_in = |(_, here, count): &(u32, u32, u32)| {
            number.checked_sub(*here).is_some_and(|at| at < *count)
        };
        self.0.iter().any(is_in)
    }

    /// The number here of the namespace's root.
    fn root(&self) -> Option<u32> {
        self.0
            .iter()
            .find(|(inside, ..)| *inside == 0)
            .map(|(_, here, _)| *here)
    }
}

impl Owner {
    /// Of the texts of `/proc/PID/status`, `uid_map` and `gid_map`.
    pub fn parse(status: &str, users: &str, groups: &str) -> Option<Owner> {
        let numbers = |name: &str| -> Vec<u32> {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            let fields = line.unwrap_or_default().split_whitespace();
            fields.filter_map(|field| field.parse().ok()).collect()
        };
        // Real, effective, saved, of files.
        let effective = |name: &str| numbers(name).get(1).copied();
        let own: Vec<u32> = effective("Gid:")
            .into_iter()
            .chain(numbers("Groups:"))
            .collect();
        Some(Owner {
            user: effective("Uid:")?,
            groups: own,
            users: Map::parse(users),
            all_groups: Map::parse(groups),
        })
    }

    /// Whether it is root of its user namespace, which may be any user there.
    fn is_root(&self) -> bool {
        self.users.root() == Some(self.user)
    }

    /// Whether it could write this object itself, by the object's owner, group and mode.
    pub fn may_write(&self, object: &Stat) -> bool {
        const GROUP_WRITES: RawMode = 0o020;
        const ALL_WRITE: RawMode = 0o002;
        let allows = |bit: RawMode| object.st_mode & bit != 0;
        let is_owner = match self.is_root() {
            true => self.users.has(object.st_uid),
            false => object.st_uid == self.user,
        };
        let is_in_group = match self.is_root() {
            true => self.all_groups.has(object.st_gid),
            false => self.groups.contains(&object.st_gid),
        };
        is_owner || (is_in_group && allows(GROUP_WRITES)) || allows(ALL_WRITE)
    }

    /// Whether a link of this user leads where the container wants: root's of this machine, its own root's, and its own.
    pub fn may_lead(&self, user: u32) -> bool {
        crate::walk::is_trusted(user) || Some(user) == self.users.root() || user == self.user
    }

    /// The user, in words.
    pub fn words(&self) -> String {
        match self.users.root() {
            Some(0) | None => format!("the user {}", self.user),
            Some(root) => format!("the user {}, whose root is the user {root} here", self.user),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = "         0          0 4294967295\n";

    fn owner(user: u32, group: u32, users: &str) -> Owner {
        let status = format!(
            "Name:\tsh\nUid:\t{user}\t{user}\t{user}\t{user}\nGid:\t{group}\t{group}\t{group}\t{group}\nGroups:\t7 2000 \n"
        );
        Owner::parse(&status, users, users).unwrap()
    }

    fn object(user: u32, group: u32, mode: RawMode) -> Stat {
        let mut stat = rustix::fs::stat("/").unwrap();
        (stat.st_uid, stat.st_gid, stat.st_mode) = (user, group, 0o100_000 | mode);
        stat
    }

    #[test]
    fn a_container_writes_what_its_first_process_could() {
        let root = owner(0, 0, WHOLE);
        assert!(root.may_write(&object(0, 0, 0o600)) && root.may_write(&object(999, 999, 0o600)));
        // A user namespace of a range, and one of a user alone: `unshare -Ur`.
        let range = owner(100_000, 100_000, "0 100000 65536\n");
        let alone = owner(65_534, 65_534, "0 65534 1\n");
        for namespace in [&range, &alone] {
            assert!(!namespace.may_write(&object(0, 0, 0o664)));
            assert!(namespace.may_write(&object(0, 0, 0o666)));
        }
        assert!(range.may_write(&object(100_999, 0, 0o600)));
        assert!(!range.may_write(&object(165_536, 0, 0o600)));
        assert!(alone.may_write(&object(65_534, 0, 0o400)));
        // One that is not root, as a pod with a group for its volumes.
        let user = owner(1000, 1000, WHOLE);
        assert!(user.may_write(&object(1000, 0, 0o600)) && !user.may_write(&object(0, 0, 0o664)));
        assert!(
            user.may_write(&object(0, 2000, 0o775)) && !user.may_write(&object(0, 2000, 0o755))
        );
    }

    #[test]
    fn a_link_of_a_stranger_leads_nowhere() {
        let root = owner(0, 0, WHOLE);
        assert!(root.may_lead(0) && !root.may_lead(65_534));
        let range = owner(100_999, 0, "0 100000 65536\n");
        assert!(
            [0, 100_000, 100_999]
                .iter()
                .all(|user| range.may_lead(*user))
        );
        assert!(!range.may_lead(100_001) && !range.may_lead(1000));
        assert!(range.words().contains("100999") && range.words().contains("user 100000"));
    }

    #[test]
    fn what_is_no_map_maps_nothing() {
        let odd = owner(0, 0, "0 0\nx y z\n");
        assert!(!odd.may_write(&object(0, 5, 0o600)) || odd.user == 0);
        assert!(Owner::parse("Name:\tx\n", WHOLE, WHOLE).is_none());
    }
}
