//! All files that make a wish outlive a reboot: each value goes to the first way that can keep it.

use super::{Persist, PersistPlan, SettingWish, persist};
use host::Host;
use model::subject::Subject;

/// The files to write, or why some value cannot be kept: then none should be written, for half of what was proved
/// together is not what was proved.
///
/// # Errors
/// A line for each way that takes such a value and cannot keep it here.
pub fn plans(host: &Host, wish: &SettingWish) -> Result<Vec<PersistPlan>, Vec<String>> {
    let mut plans = Vec::new();
    let mut reasons = Vec::new();
    let mut is_kept = vec![false; wish.values().len()];
    for way in persist::ALL {
        let takes = |index: &usize| (way.takes)(wish.values()[*index].files.subject());
        let own: Vec<usize> = (0..is_kept.len())
            .filter(|&index| !is_kept[index])
            .filter(takes)
            .collect();
        if own.is_empty() {
            continue;
        }
        match plan(way, host, wish) {
            Ok(plan) => {
                own.into_iter().for_each(|index| is_kept[index] = true);
                plans.push(plan);
            }
            Err(why) => reasons.push(format!("{}: {why}", way.id)),
        }
    }
    for (value, _) in wish
        .values()
        .iter()
        .zip(&is_kept)
        .filter(|(_, is_kept)| !**is_kept)
    {
        let subject = value.files.subject();
        if !persist::ALL.iter().any(|way| (way.takes)(subject)) {
            reasons.push(match subject {
                Subject::Mount { point, .. } | Subject::FileSystem { point, .. } => format!(
                    "{}: iodyno does not edit /etc/fstab. Put `{}` among the options of {point} there, or into `Options=` \
                     of its mount unit",
                    value.knob.id,
                    value
                        .files
                        .fstab_word(value.knob.attribute, &value.value)
                        .unwrap_or_else(|| value.value.clone())
                ),
                Subject::HugePages => format!(
                    "{0}: it is no kernel parameter of /etc/sysctl.d. Put `transparent_hugepage=` on the kernel's command \
                     line for `enabled`, or a line `w {1} - - - - {2}` into a file of /etc/tmpfiles.d",
                    value.knob.id,
                    subject.path(value.knob.attribute),
                    value.value
                ),
                _ => format!(
                    "{}: there is no way to keep a setting of {subject}",
                    value.knob.id
                ),
            });
        }
    }
    if is_kept.iter().all(|is_kept| *is_kept) {
        Ok(plans)
    } else {
        Err(reasons)
    }
}

/// Why nothing outlives a reboot on a device of this name, if so.
pub(crate) fn made_anew(device: &str) -> Option<String> {
    let is_made_anew = ["loop", "zram", "ram"]
        .iter()
        .any(|kind| device.starts_with(kind));
    is_made_anew
        .then(|| format!("{device} is set up anew at each boot; set it where the device is set up"))
}

fn plan(way: &Persist, host: &Host, wish: &SettingWish) -> Result<PersistPlan, String> {
    (way.available)(host)?;
    (way.plan)(host, &wish.part(way.takes))
}
