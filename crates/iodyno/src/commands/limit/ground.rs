//! What a measurement of limits stands on: the device, the files and groups that were made, and the journal that names
//! them, so that they go whatever happens.

use super::groups::GroupHierarchies;
use super::program::GivenFile;
use super::{LimitArgs, fill, program};
use crate::context::Context;
use crate::exit::{Exit, Failure};
use host::group::Group;
use host::signals::Stop;
use host::tree::{self, Tree};
use host::{Journal, Target, clock, files::FileKind, scratch};
use model::change::SavedGroup;
use model::iopath::LayerKind;
use model::text::clean;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The device that limits are on.
#[derive(Clone, Debug)]
pub struct LimitedDevice {
    /// Kernel name.
    pub name: String,
    /// `major:minor`.
    pub number: String,
}

/// Everything that was made.
#[derive(Debug)]
pub struct Ground {
    /// The device below the directory.
    pub device: LimitedDevice,
    /// The file system of the directory.
    pub fstype: Option<String>,
    /// Where groups are.
    pub hierarchies: GroupHierarchies,
    free_bytes: u64,
    tree: Tree,
    journal: Option<Journal>,
    groups: Vec<Arc<Group>>,
}

/// A group is busy for a moment after its last process has ended.
const PATIENCE_MS: u64 = 2000;

impl Ground {
    /// Looks at the directory and makes a place for files in it.
    pub fn prepare(args: &LimitArgs, context: &Context) -> Result<Ground, Failure> {
        let (host, name) = (&context.host, args.target.to_string_lossy());
        let target = Target::open(&args.target)?;
        if target.kind() != FileKind::Directory {
            return Err(Failure::usage(format!(
                "{} is no directory: limits are measured through files that are made for it",
                clean(&name)
            )));
        }
        let path = inventory::collect(host, &name)?;
        let device = path.queue_device().map(|layer| layer.name.clone());
        let device = device.ok_or_else(|| {
            Failure::new(
                Exit::Failed,
                format!(
                    "there is no block device below {}, so no limit on I/O acts there",
                    clean(&name)
                ),
            )
        })?;
        let identity = host.device_identity(&device).ok_or_else(|| {
            Failure::new(Exit::Failed, format!("{device} has no device number here"))
        })?;
        let layers = path.root.walk();
        let of_files = layers
            .iter()
            .rfind(|layer| layer.kind == LayerKind::FileSystem);
        let space = target.space();
        let free = |space: host::Space| {
            let reserve = scratch::reserve_bytes(space.total_bytes);
            space.free_bytes.saturating_sub(reserve)
        };
        let hierarchies = GroupHierarchies::find(host)?;
        let purpose = format!("limit {}", clean(&name));
        let mut journal = Journal::begin_for_files(host, &context.state_dir, &purpose)?;
        let saved = tree::plan(&target)?;
        journal.add_tree(&saved)?;
        let made = Tree::create(&target, &saved);
        let tree = match made {
            Ok(tree) => tree,
            Err(error) => {
                journal.close()?;
                return Err(error.into());
            }
        };
        Ok(Ground {
            device: LimitedDevice {
                name: device,
                number: identity.number,
            },
            fstype: of_files.and_then(|layer| layer.fact("fstype").map(str::to_string)),
            hierarchies,
            free_bytes: space.map_or(0, free),
            tree,
            journal: Some(journal),
            groups: Vec::new(),
        })
    }

    /// Makes a planned group, after it is written down.
    pub fn make_group(&mut self, saved: &SavedGroup) -> Result<Arc<Group>, Failure> {
        if let Some(journal) = &mut self.journal {
            journal.add_group(saved)?;
        }
        let made = Group::create(saved).map_err(Failure::from);
        let group = made.map_err(|failure| match failure.exit {
            Exit::Rights => failure.hint("Control groups are made by root: run it with sudo."),
            _ => failure,
        })?;
        let group = Arc::new(group);
        self.groups.push(group.clone());
        Ok(group)
    }

    /// Makes a file of this size, or one that a quarter of the free space allows, with all of it on the device and none in
    /// the page cache: in the groups whose entrances are given, or as one of nobody's. Gives its path and size.
    pub fn make_file(
        &self,
        index: usize,
        bytes: u64,
        entrances: Vec<OwnedFd>,
        stop: &Stop,
    ) -> Result<(PathBuf, u64), Failure> {
        let bytes = bytes.min(self.free_bytes / 4) / fill::BLOCK * fill::BLOCK;
        if bytes == 0 {
            return Err(Failure::new(
                Exit::Refused,
                "there is no room for a file of 4 MiB beside what is left to others",
            ));
        }
        let name = name(index);
        let path = self.tree.path().join(&name);
        let _ = self.tree.unlink(&name);
        let made = self.tree.create_file(&name);
        let made = made.map_err(|error| self.tree.error("create", &name, error))?;
        match entrances.is_empty() {
            true => fill::write(made.into(), bytes, &path)?,
            false => program::fill(made.into(), bytes, entrances, stop)?,
        }
        let file = self.tree.open_file(&name);
        file.and_then(|file| file.drop_cache())
            .map_err(|error| self.tree.error("open", &name, error))?;
        Ok((path, bytes))
    }

    /// A file that was made, open, by its path.
    pub fn given<'a>(&self, path: &'a Path) -> Result<GivenFile<'a>, Failure> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let opened = self.tree.open_file(&name);
        let opened = opened.map_err(|error| self.tree.error("open", &name, error))?;
        Ok(GivenFile {
            path,
            opened: opened.into(),
        })
    }

    /// Begins to write back the dirty pages of a file, from outside of the groups; ends with that.
    pub fn write_back(&self, index: usize) -> Result<std::thread::JoinHandle<()>, Failure> {
        let name = name(index);
        let file = self.tree.open_file(&name);
        let file = file.map_err(|error| self.tree.error("open", &name, error))?;
        let thread = std::thread::Builder::new().name("write-back".into());
        let spawned = thread.spawn(move || {
            // Where it fails, nothing is written back, and that is what is told.
            let _ = file.sync();
        });
        spawned
            .map_err(|error| Failure::new(Exit::Failed, format!("cannot start a thread: {error}")))
    }

    /// Removes everything that was made, then the journal.
    pub fn remove(&mut self) -> Result<(), Failure> {
        for group in self.groups.drain(..) {
            let end_ns = clock::monotonic_ns() + PATIENCE_MS * 1_000_000;
            while let Err(error) = group.remove() {
                if clock::monotonic_ns() > end_ns {
                    return Err(error.into());
                }
                clock::sleep_ms(10);
            }
        }
        let Some(journal) = self.journal.take() else {
            return Ok(());
        };
        self.tree.remove()?;
        Ok(journal.close()?)
    }
}

/// A name of a tree's file.
fn name(index: usize) -> String {
    format!("f{index}")
}

impl Drop for Ground {
    fn drop(&mut self) {
        // What stays is in the journal, and the next command says so.
        let _ = self.remove();
    }
}
