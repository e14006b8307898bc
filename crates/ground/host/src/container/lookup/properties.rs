//! Whatever links a tree has, its walk ends where the kernel's own would below the same root, and follows no stranger's link.

use super::*;
use crate::files::temporary_dir;
use proptest::prelude::*;
use rustix::fs::{AtFlags, Uid};
use std::ffi::OsStr;

/// Neither root nor the user of any container here.
const STRANGER: u32 = 65_534;

/// What a container can make below its root.
#[derive(Clone, Debug)]
enum Node {
    Directory,
    File,
    Link { to: String, is_strangers: bool },
}

/// Few names, so that paths and links meet what is there.
fn name() -> impl Strategy<Value = String> {
    "[a-d]"
}

fn path() -> impl Strategy<Value = String> {
    let part = prop_oneof![5 => name(), 2 => Just("..".to_string())];
    prop::collection::vec(part, 1..6).prop_map(|parts| parts.join("/"))
}

fn node() -> impl Strategy<Value = Node> {
    let to = (path(), any::<bool>());
    let to = to.prop_map(|(path, is_absolute)| {
        if is_absolute {
            format!("/{path}")
        } else {
            path
        }
    });
    let link = (to, prop::bool::weighted(0.2));
    prop_oneof![
        3 => Just(Node::Directory),
        1 => Just(Node::File),
        4 => link.prop_map(|(to, is_strangers)| Node::Link { to, is_strangers }),
    ]
}

/// Makes what can be made of it below the root, over no link: one could lead to the machine's own root. Gives the strangers' links.
fn make(root: BorrowedFd<'_>, nodes: &[(Vec<String>, Node)]) -> Vec<PathBuf> {
    let mut strangers = Vec::new();
    for (names, node) in nodes {
        let path: PathBuf = names.iter().collect();
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            continue;
        };
        let Ok(parent) = step(root, parent, OFlags::DIRECTORY) else {
            continue;
        };
        let mode = Mode::from_raw_mode(0o700);
        let made = match node {
            Node::Directory => rustix::fs::mkdirat(&parent, name, mode),
            Node::File => rustix::fs::mknodat(&parent, name, FileType::RegularFile, mode, 0),
            Node::Link { to, .. } => rustix::fs::symlinkat(to, &parent, name),
        };
        let is_strangers = matches!(
            node,
            Node::Link {
                is_strangers: true,
                ..
            }
        );
        if made.is_ok() && is_strangers && give(&parent, name).is_ok() {
            strangers.push(path);
        }
    }
    strangers
}

/// Takes root's right: without it all links are our own.
fn give(parent: &OwnedFd, name: &OsStr) -> Result<(), Errno> {
    let stranger = Some(Uid::from_raw(STRANGER));
    rustix::fs::chownat(parent, name, stranger, None, AtFlags::SYMLINK_NOFOLLOW)
}

/// Where the kernel ends, which follows every link.
fn kernel(root: BorrowedFd<'_>, path: &str) -> Result<(u64, u64), Errno> {
    let resolve = ResolveFlags::IN_ROOT | ResolveFlags::NO_MAGICLINKS;
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    loop {
        match rustix::fs::openat2(root, path, flags, Mode::empty(), resolve) {
            // Something is renamed or mounted somewhere on the machine.
            Err(Errno::AGAIN) => {}
            opened => return identity(&opened?),
        }
    }
}

fn identity(object: &OwnedFd) -> Result<(u64, u64), Errno> {
    let stat = rustix::fs::fstat(object)?;
    Ok((stat.st_dev, stat.st_ino))
}

proptest! {
    #[test]
    fn a_walk_ends_where_the_kernel_would_and_follows_no_strangers_link(
        nodes in prop::collection::vec((prop::collection::vec(name(), 1..4), node()), 1..24),
        paths in prop::collection::vec(path(), 1..12),
    ) {
        let dir = temporary_dir("lookup").unwrap();
        let root = dir.path().join("root");
        std::fs::create_dir(&root).unwrap();
        // What `..` would reach above it.
        for name in ["a", "b"] {
            std::fs::create_dir(dir.path().join(name)).unwrap();
        }
        let us = rustix::process::geteuid().as_raw();
        let status = format!("Uid:\t{us}\t{us}\t{us}\t{us}\nGid:\t0\t0\t0\t0\n");
        let owner = Owner::parse(&status, "0 0 4294967295\n", "0 0 4294967295\n").unwrap();
        let opened = rustix::fs::open(&root, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).unwrap();
        let strangers = make(opened.as_fd(), &nodes);
        let mut ended = Vec::new();
        for path in &paths {
            let path = format!("/{path}");
            match open(opened.as_fd(), &path, &owner) {
                Ok(object) => {
                    let object = identity(&object).unwrap();
                    prop_assert_eq!(kernel(opened.as_fd(), &path), Ok(object), "{}", path);
                    ended.push((path, object));
                }
                Err(Lost::Failed(error)) => {
                    prop_assert_eq!(kernel(opened.as_fd(), &path), Err(error), "{}", path);
                }
                Err(Lost::Link { path: link, user }) => {
                    prop_assert_eq!(user, STRANGER);
                    prop_assert!(!strangers.is_empty(), "{}: {}", path, link.display());
                }
                Err(Lost::Exchanged) => prop_assert!(false, "{}: nobody exchanged anything", path),
            }
        }
        for link in strangers {
            // Where it was made no link leads on the way.
            std::fs::remove_file(root.join(link)).unwrap();
        }
        for (path, object) in ended {
            prop_assert_eq!(kernel(opened.as_fd(), &path), Ok(object), "{} led over a stranger's link", path);
        }
    }
}
