//! What the user named: a path or a block device.

use super::{Below, CephClient, InventoryError, device};
use host::Host;
use host::files::FileKind;
use model::ceph_target::CephTarget;

/// A target, understood.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FoundTarget {
    /// Absolute path, links resolved.
    pub path: String,
    /// What it is, for people.
    pub title: String,
    /// Where its I/O path starts.
    pub below: Below,
    /// What the user should know about how the name was taken.
    pub note: Option<String>,
}

/// Understands `/dev/vda`, `vda`, `/srv`, `./file`. A bare name that is both a device and a file means the device.
pub(super) fn find(host: &Host, target: &str) -> Result<FoundTarget, InventoryError> {
    if CephTarget::is_meant(target) {
        let named = CephTarget::parse(target)?;
        let what = if named.image.is_some() {
            "image in a Ceph pool"
        } else {
            "Ceph pool"
        };
        return Ok(FoundTarget {
            path: named.to_string(),
            title: what.into(),
            below: Below::Ceph(CephClient::of_target(&named)),
            note: None,
        });
    }
    if !target.is_empty() && !target.contains('/') && device::directory(host, target).is_some() {
        let note = host.exists(target).then(|| {
            format!(
                "`{target}` is taken as the device; the file of that name here is `./{target}`."
            )
        });
        return Ok(FoundTarget {
            note,
            ..block_device(target)
        });
    }
    let missing = || not_found(host, target);
    // A captured machine rarely has device nodes and a container often lacks them: the name is in /sys all the same.
    if let Some(name) = target.strip_prefix("/dev/").map(device::kernel_name)
        && !host.exists(target)
        && device::directory(host, &name).is_some()
    {
        return Ok(block_device(&name));
    }
    let path = host.resolve(target).ok_or_else(missing)?;
    let not_storage = |what| {
        Err(InventoryError::NotStorage {
            target: target.to_string(),
            what,
        })
    };
    let title = match host.kind(&path).ok_or_else(missing)? {
        FileKind::Directory => "directory",
        FileKind::File => "file",
        FileKind::BlockDevice { major, minor } => {
            let devno = format!("{major}:{minor}");
            let name = host
                .block_name(&devno)
                .ok_or_else(|| InventoryError::NoDevice {
                    target: target.to_string(),
                    devno,
                })?;
            return Ok(FoundTarget {
                path,
                ..block_device(&name)
            });
        }
        FileKind::Other => return not_storage("a character device, a pipe or a socket"),
    };
    Ok(FoundTarget {
        below: Below::Path(path.clone()),
        path,
        title: title.into(),
        note: None,
    })
}

/// A closed directory on the way looks like nothing at the end of it; only the errno tells.
fn not_found(host: &Host, target: &str) -> InventoryError {
    let target_path = std::path::Path::new(target);
    let refused = |error: host::Error| error.is_permission();
    match host.is_live()
        && host::files::canonical(target_path)
            .err()
            .is_some_and(refused)
    {
        true => InventoryError::NoAccess {
            target: target.to_string(),
        },
        false => InventoryError::NotFound {
            target: target.to_string(),
        },
    }
}

fn block_device(name: &str) -> FoundTarget {
    FoundTarget {
        path: format!("/dev/{}", name.replace('!', "/")),
        title: "block device".into(),
        below: Below::Device(name.to_string()),
        note: None,
    }
}
