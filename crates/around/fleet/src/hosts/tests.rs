//! Lists, files and inventories as people write them, and every text that nobody would.

use super::*;
use proptest::prelude::*;

fn names(found: &FoundHosts) -> Vec<String> {
    found.hosts.iter().map(|host| host.name.clone()).collect()
}

fn addresses(found: &FoundHosts) -> Vec<String> {
    let text = |host: &FleetHost| host.address.text();
    found.hosts.iter().map(text).collect()
}

#[test]
fn a_list_has_users_ports_addresses_and_ranges() {
    let found = of_list("db1, root@db2:2222,web[08:11],[fd00::1]:22,fd00::2,n[a:c],db1").unwrap();
    assert_eq!(
        addresses(&found),
        [
            "db1",
            "root@db2:2222",
            "web08",
            "web09",
            "web10",
            "web11",
            "[fd00::1]:22",
            "fd00::2",
            "na",
            "nb",
            "nc"
        ]
    );
    assert_eq!(found.notes, ["named more than once, and used once: db1"]);
    assert_eq!(found.hosts[1].address.user.as_deref(), Some("root"));
}

#[test]
fn what_is_no_host_is_said() {
    for (list, why) in [
        ("-oProxyCommand=x", "begins with `-`"),
        ("-l@db1", "begins with `-`"),
        ("db1:0", "no port"),
        ("db1:ssh", "no port"),
        ("a b", "has ` ` in it"),
        ("$(x)", "has `$` in it"),
        ("a\u{1b}b", "has `?` in it"),
        ("web[1:99999999]", "more than 10000 hosts"),
        ("web[0:999][0:999]", "more than 10000 hosts"),
        ("web[3:1]", "ends before it begins"),
        ("web[01:100]", "different width"),
        ("web[1:2:0]", "no stride"),
        ("n[00000000000000000001:00000000000000000002]", "too long"),
        (",", "no host in it"),
        ("@db", "is empty"),
    ] {
        let error = of_list(list).unwrap_err();
        assert_eq!(error.place, "--hosts", "{list}");
        assert!(error.what.contains(why), "{list}: {error}");
    }
}

#[test]
fn a_file_has_one_host_a_line() {
    let text = "# the databases\ndb1\n\n  root@db2:2222   # the spare one\ndb1\nweb[1:2]\n";
    let found = of_file("hosts", text, None).unwrap();
    assert_eq!(addresses(&found), ["db1", "root@db2:2222", "web1", "web2"]);
    assert_eq!(found.notes.len(), 1);
    let error = of_file("hosts", "db1\ndb2 db3\n", None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "hosts line 2: `db2 db3` is more than a host; one a line"
    );
    let error = of_file("hosts", "db1\n-x\n", None).unwrap_err();
    assert!(error.to_string().starts_with("hosts line 2: "), "{error}");
    assert!(of_file("hosts", "# none\n", None).is_err());
    let error = of_file("hosts", "db1\n", Some("web")).unwrap_err();
    assert!(error.what.contains("no groups"), "{error}");
}

const INI: &str = "\
jump ansible_host=10.0.0.1
[db]
db[1:2] ansible_user=\"admin\"  # two
[web]
web1 ansible_port=2222
web2
[site:children]
db
web
[web:vars]
ansible_user = www
ansible_ssh_private_key_file=~/.ssh/other
[all:vars]
ansible_port=22
";

#[test]
fn an_inventory_as_ini_has_groups_and_variables() {
    let found = of_file("hosts", INI, None).unwrap();
    assert_eq!(
        addresses(&found),
        [
            "10.0.0.1:22",
            "admin@db1:22",
            "admin@db2:22",
            "www@web1:2222",
            "www@web2:22"
        ]
    );
    assert_eq!(names(&found)[0], "jump");
    assert_eq!(found.notes.len(), 1, "{:?}", found.notes);
    assert!(found.notes[0].contains("ansible_ssh_private_key_file"));
    let site = of_file("hosts", INI, Some("site")).unwrap();
    assert_eq!(names(&site), ["db1", "db2", "web1", "web2"]);
    let web = of_file("hosts", INI, Some("web")).unwrap();
    assert_eq!(addresses(&web), ["www@web1:2222", "www@web2:22"]);
    let error = of_file("hosts", INI, Some("cache")).unwrap_err();
    assert!(error.what.contains("no group `cache`; it has"), "{error}");
}

#[test]
fn an_inventory_that_makes_no_sense_is_named_by_its_line() {
    for (text, place) in [
        ("[db]\ndb1 and more\n", "x.ini line 2"),
        ("[db\ndb1\n", "x.ini line 1"),
        ("[db:many]\n", "x.ini line 1"),
        ("[db]\n-x\n", "x.ini line 2"),
        ("[db]\ndb1 ansible_port=x\n", "x.ini line 2"),
        ("[a:children]\na\n", "x.ini"),
    ] {
        let error = of_file("x.ini", text, None).unwrap_err();
        assert_eq!(error.place, place, "{text}: {error}");
    }
}

#[test]
fn groups_in_many_groups_and_names_without_end_are_refused() {
    let mut deep = String::from("[a0:children]\n");
    for at in 0..30 {
        deep.push_str(&format!(
            "b{0}\nc{0}\n[b{0}:children]\na{1}\n[c{0}:children]\na{1}\n[a{1}:children]\n",
            at,
            at + 1
        ));
    }
    deep.push_str("[a30]\nh\n");
    let error = of_file("x.ini", &deep, None).unwrap_err();
    assert!(
        error.what.contains("in groups") || error.what.contains("too deep"),
        "{error}"
    );
    let many = "[a]\nn[0:9999]\n".to_string() + &"[b]\nn[0:9999]\n".repeat(20);
    let error = of_file("x.ini", &many, None).unwrap_err();
    assert!(error.what.contains("names in all groups"), "{error}");
}

const YAML: &str = "\
---
# the site
all:
  vars:
    ansible_port: 22
  hosts:
    jump:
      ansible_host: 10.0.0.1
  children:
    db:
      hosts:
        db[1:2]:
          ansible_user: 'admin'
    web:
      vars:
        ansible_user: www
        packages:
          - nginx
          - php
      hosts:
        web1: {ansible_port: 1}
        web2:
";

#[test]
fn an_inventory_as_yaml_says_the_same() {
    let error = of_file("hosts.yml", YAML, None).unwrap_err();
    assert_eq!(error.place, "hosts.yml line 21", "{error}");
    let text = YAML.replace(
        "web1: {ansible_port: 1}",
        "web1:\n          ansible_port: 2222",
    );
    let found = of_file("hosts.yml", &text, None).unwrap();
    assert_eq!(
        addresses(&found),
        [
            "10.0.0.1:22",
            "admin@db1:22",
            "admin@db2:22",
            "www@web1:2222",
            "www@web2:22"
        ]
    );
    let web = of_file("hosts.yml", &text, Some("web")).unwrap();
    assert_eq!(names(&web), ["web1", "web2"]);
}

#[test]
fn yaml_that_is_not_read_is_named_by_its_line() {
    for (text, line) in [
        ("all:\n  hosts:\n    - db1\n", 2),
        ("all:\n  hosts:\n\tdb1:\n", 3),
        ("all: &anchor\n  hosts:\n", 1),
        ("all:\n    hosts:\n      a:\n   children:\n", 4),
        ("all:\n  members:\n    a:\n", 2),
        ("all:\n  hosts:\n    a b\n", 3),
    ] {
        let error = of_file("x.yml", text, None).unwrap_err();
        assert_eq!(error.place, format!("x.yml line {line}"), "{text}: {error}");
    }
}

proptest! {
    #[test]
    fn no_text_is_a_panic_and_every_host_can_be_handed_on(
        text in "([a-z]{0,4}[\\[\\]:@#=\"' \\-\t0-9{}&]{0,4}[\n]{0,2} {0,4}){0,12}",
        name in prop::sample::select(vec!["x", "x.ini", "x.yml"]),
    ) {
        if let Ok(found) = of_file(name, &text, None) {
            for host in &found.hosts {
                prop_assert!(!host.address.host.starts_with('-'));
                prop_assert!(!host.address.host.contains(char::is_whitespace));
                prop_assert!(host.address.user.as_ref().is_none_or(|user| !user.starts_with('-')));
            }
            prop_assert!(!found.hosts.is_empty() && found.hosts.len() <= HOSTS_MAX);
        }
    }

    #[test]
    fn an_address_survives_its_text(
        user in prop::option::of("[a-z_][a-z0-9_]{0,8}"),
        host in "[a-z][a-z0-9.\\-]{0,12}|fd00::[0-9a-f]{1,4}",
        port in prop::option::of(1u16..),
    ) {
        let address = HostAddress { host, user, port };
        prop_assert_eq!(address::parse(&address.text()), Ok(address));
    }

    #[test]
    fn a_range_has_all_its_names(from in 0u64..500, count in 0u64..200, width in 1usize..5) {
        let to = from + count;
        let (first, last) = (format!("{from:0width$}"), format!("{to:0width$}"));
        prop_assume!(first.len() == last.len() || !first.starts_with('0') || first.len() == 1);
        let names = range::expanded(&format!("web[{first}:{last}]"), 1000).unwrap();
        prop_assert_eq!(names.len() as u64, count + 1);
        prop_assert_eq!(&names[0], &format!("web{first}"));
        prop_assert_eq!(names.last().unwrap(), &format!("web{last}"));
    }
}
