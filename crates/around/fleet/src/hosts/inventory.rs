//! An inventory of Ansible, whichever form it was written in: groups of hosts, groups of groups, and the variables that say
//! where a host is.

use super::{FleetHost, FoundHosts, HostsError, address};
use model::text::clean_to;
use std::collections::{BTreeMap, BTreeSet};

/// Groups inside groups at most; deeper ones are a circle.
const DEPTH_MAX: usize = 32;

/// Looks at groups at most, so that groups in many groups cost no time without end; and names in all groups together.
const VISITS_MAX: usize = 100_000;
const MEMBERS_MAX: usize = 10 * super::HOSTS_MAX;

/// Variables of a host or a group.
pub type Variables = BTreeMap<String, String>;

/// Which variables say where a host is; the older names too.
const HOST: [&str; 2] = ["ansible_host", "ansible_ssh_host"];
const USER: [&str; 2] = ["ansible_user", "ansible_ssh_user"];
const PORT: [&str; 2] = ["ansible_port", "ansible_ssh_port"];

/// An inventory.
#[derive(Debug, Default)]
pub struct Inventory {
    /// Every host in its order, with its variables and the line that named it first.
    hosts: Vec<(String, Variables, usize)>,
    /// Where each stands in that order.
    places: BTreeMap<String, usize>,
    /// Names in all groups together.
    members: usize,
    groups: BTreeMap<String, InventoryGroup>,
    /// The groups in their order.
    order: Vec<String>,
}

/// A group.
#[derive(Debug, Default)]
pub struct InventoryGroup {
    /// Its hosts.
    pub hosts: Vec<String>,
    /// The groups in it.
    pub children: Vec<String>,
    /// What holds for all of them.
    pub variables: Variables,
}

impl Inventory {
    /// The group of a name, made where it is not there yet.
    pub fn group(&mut self, name: &str) -> &mut InventoryGroup {
        if !self.groups.contains_key(name) {
            self.order.push(name.into());
        }
        self.groups.entry(name.into()).or_default()
    }

    /// Adds a host to a group, or to one that is there variables.
    ///
    /// # Errors
    /// When there are too many.
    pub fn host(
        &mut self,
        group: &str,
        name: &str,
        variables: Variables,
        line: usize,
    ) -> Result<(), String> {
        self.members += 1;
        if self.members > MEMBERS_MAX {
            return Err(format!(
                "more than {MEMBERS_MAX} names in all groups together"
            ));
        }
        match self.places.get(name) {
            Some(place) => self.hosts[*place].1.extend(variables),
            None => {
                self.places.insert(name.into(), self.hosts.len());
                self.hosts.push((name.into(), variables, line));
            }
        }
        self.group(group).hosts.push(name.into());
        super::bounded(self.hosts.len())
    }

    /// Puts a group into another one, once.
    pub fn child(&mut self, group: &str, child: &str) {
        self.group(child);
        let children = &mut self.group(group).children;
        if !children.iter().any(|known| known == child) {
            children.push(child.into());
        }
    }

    /// The hosts of a group, or all of them.
    pub fn select(self, file: &str, group: Option<&str>) -> Result<FoundHosts, HostsError> {
        let whole = |what: String| HostsError {
            place: clean_to(file, 200),
            what,
        };
        if let Some(group) =
            group.filter(|group| *group != "all" && !self.groups.contains_key(*group))
        {
            let names: Vec<String> = self.order.iter().map(|name| clean_to(name, 40)).collect();
            let group = clean_to(group, 60);
            let has = names.join(", ");
            return Err(whole(format!("it has no group `{group}`; it has {has}")));
        }
        let mut of_groups = BTreeMap::new();
        let mut visits = 0;
        for top in self.tops() {
            self.resolve(top, (&Variables::new(), 0), &mut visits, &mut of_groups)
                .map_err(whole)?;
        }
        let members = match group {
            None | Some("all") => None,
            Some(group) => {
                let mut members = BTreeMap::new();
                self.resolve(group, (&Variables::new(), 0), &mut visits, &mut members)
                    .map_err(whole)?;
                Some(members.into_keys().collect::<BTreeSet<String>>())
            }
        };
        self.found(file, &of_groups, members.as_ref())
    }

    /// Groups that are in no other one; `all` first, so that every other has the last word.
    fn tops(&self) -> Vec<&str> {
        let children: BTreeSet<&str> = self
            .groups
            .values()
            .flat_map(|group| group.children.iter().map(String::as_str))
            .collect();
        let mut tops: Vec<&str> = self.order.iter().map(String::as_str).collect();
        tops.retain(|name| !children.contains(name) || *name == "all");
        tops.sort_by_key(|name| *name != "all");
        tops
    }

    /// Variables of each host below a group, inner groups after outer ones.
    fn resolve(
        &self,
        name: &str,
        (outer, depth): (&Variables, usize),
        visits: &mut usize,
        into: &mut BTreeMap<String, Variables>,
    ) -> Result<(), String> {
        *visits += 1 + self.groups.get(name).map_or(0, |group| group.hosts.len());
        if *visits > VISITS_MAX {
            return Err("too many groups in groups".into());
        }
        if depth > DEPTH_MAX {
            let name = clean_to(name, 60);
            return Err(format!("the group `{name}` is inside itself, or too deep"));
        }
        let Some(group) = self.groups.get(name) else {
            return Ok(());
        };
        let mut variables = outer.clone();
        variables.extend(group.variables.clone());
        for host in &group.hosts {
            let known = into.entry(host.clone()).or_default();
            known.extend(variables.clone());
        }
        for child in &group.children {
            self.resolve(child, (&variables, depth + 1), visits, into)?;
        }
        Ok(())
    }

    fn found(
        &self,
        file: &str,
        of_groups: &BTreeMap<String, Variables>,
        members: Option<&BTreeSet<String>>,
    ) -> Result<FoundHosts, HostsError> {
        let mut found = FoundHosts::default();
        let mut not_used = BTreeSet::new();
        let all = self.groups.get("all").map(|all| all.variables.clone());
        for (name, own, line) in &self.hosts {
            if members.is_some_and(|members| !members.contains(name)) {
                continue;
            }
            let mut variables = all.clone().unwrap_or_default();
            variables.extend(of_groups.get(name).cloned().unwrap_or_default());
            variables.extend(own.clone());
            let host =
                fleet_host(name, &variables).map_err(|what| HostsError::new(file, *line, what))?;
            not_used.extend(connects(&variables));
            found.hosts.push(host);
        }
        if !not_used.is_empty() {
            let names: Vec<String> = not_used.iter().map(|name| clean_to(name, 60)).collect();
            found.notes.push(format!(
                "of the inventory only host, user and port are used; say in ~/.ssh/config what these say: {}",
                names.join(", ")
            ));
        }
        Ok(found)
    }
}

/// Variables that say how to connect and are not used.
fn connects(variables: &Variables) -> impl Iterator<Item = String> {
    let used = [HOST, USER, PORT].concat();
    let names = variables.keys().filter(|name| name.starts_with("ansible_"));
    let names = names.filter(|name| {
        let says_how = ["ssh", "connection", "become", "private_key"];
        says_how.iter().any(|word| name.contains(word)) && !used.contains(&name.as_str())
    });
    names.cloned().collect::<Vec<_>>().into_iter()
}

fn fleet_host(name: &str, variables: &Variables) -> Result<FleetHost, String> {
    let value = |names: [&str; 2]| names.into_iter().find_map(|name| variables.get(name));
    let mut address = address::parse(value(HOST).map_or(name, String::as_str))?;
    if let Some(user) = value(USER) {
        address::word(user, "@\\").map_err(|why| format!("ansible_user {why}"))?;
        address.user = Some(user.clone());
    }
    if let Some(port) = value(PORT) {
        address.port = Some(address::port(port)?);
    }
    let name = name.to_string();
    Ok(FleetHost { name, address })
}
