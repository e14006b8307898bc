//! # fstab
//!
//! ## What it reads
//! The line of `/etc/fstab` for each mount of the path.
//!
//! ## What it claims
//! The options of the mount: the fact `options` of the file system. Which of them are in force is for the mount table to
//! say; options of fstab that are missing there were given after the mount, or the kernel refused them.
//!
//! ## When it acts
//! When the file system is mounted: at boot, unless `noauto` is among the options.
//!
//! ## Example
//! `/etc/fstab:3` wants `/srv` to be mounted with `noatime,discard`.
//!
//! ## Sources
//! - fstab(5), mount(8)

use crate::claims::{Claim, Claimant, On, Phase, Scene};

/// The claimant.
pub static CLAIMANT: Claimant = Claimant {
    id: "fstab",
    since: "0.1.0",
    reads: &["/etc/fstab"],
    claims,
};

fn claims(scene: &Scene<'_>) -> Vec<Claim> {
    let mounts = scene.path.root.walk().into_iter().filter_map(|layer| {
        let (options, place) = layer.fact("fstab").zip(layer.fact("fstab_place"))?;
        let by_hand = options.split(',').any(|option| option == "noauto");
        Some(Claim {
            on: On::Fact {
                layer: layer.name.clone(),
                name: "options",
            },
            phase: Phase::Mount,
            sequence: 0,
            place: place.to_string(),
            wants: Some(options.to_string()),
            acts: if by_hand {
                "when it is mounted by hand".into()
            } else {
                "when it is mounted at boot".into()
            },
        })
    });
    mounts.collect()
}

#[cfg(test)]
mod tests {
    use crate::tests::collect_on;

    #[test]
    fn the_options_of_a_mount_have_an_owner() {
        let path = collect_on(
            "path: /proc/self/mountinfo\nlines: 1\n1 1 0:9 / / rw - tmpfs t rw\npath: /x\ndirectory\n\
             path: /etc/fstab\nlines: 2\n# c\ntmpfs / tmpfs noatime,noauto 0 0\n",
            "/x",
        );
        let owner = &path.root.below[0].owners["options"][0];
        assert_eq!(
            (owner.place.as_str(), owner.acts.as_str()),
            ("/etc/fstab:2", "when it is mounted by hand")
        );
    }
}
