//! Weights of groups on a disk: who acts on them, and giving them.

use super::ground::LimitedDevice;
use super::groups::LimitGroup;
use crate::exit::Failure;
use kernel::device_settings::{DeviceSetting, forms};
use kernel::devno::Devno;
use model::limit::WeightsBy;

/// Gives a group a weight for the device, to everyone that could act on it; says who does.
///
/// # Errors
/// For want of rights, and where the weight is out of the kernel's range.
pub fn give(
    group: &LimitGroup,
    device: &LimitedDevice,
    weight: u32,
) -> Result<Option<WeightsBy>, Failure> {
    let each = [
        ("bfq_weight", WeightsBy::Bfq),
        ("io_weight", WeightsBy::IoCost),
    ];
    let mut by = None;
    for (name, who) in each {
        let is_taken = write(group, device, &forms(name), weight)?;
        if is_taken && by.is_none() && (who != WeightsBy::IoCost || group.has_cost(device)) {
            by = Some(who);
        }
    }
    Ok(by)
}

/// Whether the kernel took it in one of the forms. bfq refuses a weight while the device has another scheduler, io.cost while
/// it never was on (EOPNOTSUPP).
fn write(
    group: &LimitGroup,
    device: &LimitedDevice,
    forms: &[DeviceSetting],
    weight: u32,
) -> Result<bool, Failure> {
    let Some(number) = Devno::parse(&device.number) else {
        return Ok(false);
    };
    for form in forms {
        let line = form.line(number, &weight.to_string());
        match group.write_file(form.file(), &line) {
            Ok(()) => return Ok(true),
            Err(error) if error.is_unsupported() => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(false)
}
