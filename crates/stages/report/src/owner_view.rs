//! Who owns a setting, in a few words: what set it, and who would set it to something else.

use super::text::clean;
use model::iopath::{Owner, Setting};
use model::ownership::SetBy;

/// As many who want other values are named; of more only their number is said.
const DISSENTERS_MAX: usize = 2;

/// `[kernel default]`, `/etc/udev/rules.d/60-ra.rules:3`, `TuneD profile x, …; /etc/sysctl.d/9.conf:3 wants 5`, `by hand`.
/// None where neither a default nor anybody's wish is known.
pub fn owner_words(setting: &Setting) -> Option<String> {
    let set_by = match setting.set_by() {
        SetBy::Owner(owner) if owner.is_certain() => Some(place(owner)),
        SetBy::Owner(owner) => Some(format!("perhaps {}", place(owner))),
        SetBy::Kernel(_) => Some("[kernel default]".to_string()),
        SetBy::Hand => Some("by hand, or by a program that left no file".to_string()),
        SetBy::Unknown => None,
    };
    let others = dissent(setting);
    match (set_by, others) {
        (Some(set_by), Some(others)) => Some(format!("{set_by}; {others}")),
        (set_by, others) => set_by.or(others),
    }
}

/// Who would set it to another value than it has.
fn dissent(setting: &Setting) -> Option<String> {
    let others = setting.dissenters();
    let hidden = others.len().saturating_sub(DISSENTERS_MAX);
    let want = |owner: &&Owner| {
        let wants = clean(owner.wants.as_deref().unwrap_or_default());
        let modal = if owner.is_certain() {
            "wants"
        } else {
            "may want"
        };
        format!("{} {modal} {wants}", place(owner))
    };
    let mut said: Vec<String> = others.iter().take(DISSENTERS_MAX).map(want).collect();
    if hidden > 0 {
        said.push(format!("{hidden} more want other values"));
    }
    (!said.is_empty()).then(|| said.join("; "))
}

/// Why the default is what it is, where there is more than one: `kernel default: 128, twice the optimal I/O size`. None
/// where the value is the default or no default is known.
pub fn default_words(setting: &Setting) -> Option<String> {
    let default = setting
        .default
        .as_ref()
        .filter(|_| !matches!(setting.set_by(), SetBy::Kernel(_)))?;
    let reason = if default.because.is_empty() {
        String::new()
    } else {
        format!(" ({})", default.because)
    };
    Some(format!(
        "the kernel's default is {}{reason}",
        clean(&default.value)
    ))
}

/// Who sets what is no setting, such as interrupts or mount options: `irqbalance, every 10 s`.
pub fn fact_owner_words(owners: &[Owner]) -> Option<String> {
    let one = |owner: &Owner| format!("{}, {}", place(owner), clean(&owner.acts));
    (!owners.is_empty()).then(|| owners.iter().map(one).collect::<Vec<_>>().join("; "))
}

fn place(owner: &Owner) -> String {
    clean(&owner.place).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::change::Attribute;
    use model::iopath::KernelDefault;

    fn owner(place: &str, wants: &str, acts: &str) -> Owner {
        Owner {
            kind: "udev_rule".into(),
            place: place.into(),
            wants: Some(wants.into()),
            acts: acts.into(),
        }
    }

    #[test]
    fn the_owner_and_those_who_disagree_are_named() {
        let say = |default: Option<&str>, owners: Vec<Owner>| {
            let mut setting =
                Setting::new("read_ahead_kb", "/x", Attribute::Value("4096".into()), true);
            setting.default = default.map(|value| KernelDefault {
                value: value.into(),
                because: String::new(),
            });
            setting.owners = owners;
            owner_words(&setting)
        };
        assert_eq!(
            say(Some("4096"), vec![]).as_deref(),
            Some("[kernel default]")
        );
        assert_eq!(say(None, vec![]), None);
        assert_eq!(
            say(Some("128"), vec![]).as_deref(),
            Some("by hand, or by a program that left no file")
        );
        let rule = || owner("/etc/udev/rules.d/60-ra.rules:3", "4096", "when it appears");
        assert_eq!(
            say(Some("128"), vec![rule()]).as_deref(),
            Some("/etc/udev/rules.d/60-ra.rules:3")
        );
        let both = vec![owner("/etc/a:1", "5", "at boot"), rule()];
        assert_eq!(
            say(None, both).as_deref(),
            Some("/etc/udev/rules.d/60-ra.rules:3; /etc/a:1 wants 5")
        );
        let maybe = vec![owner("/etc/a:1", "4096", "maybe at boot")];
        assert_eq!(say(Some("128"), maybe).as_deref(), Some("perhaps /etc/a:1"));
        let many = (0..4)
            .map(|n| owner(&format!("f:{n}"), &n.to_string(), "at boot"))
            .collect();
        assert_eq!(
            say(None, many).as_deref(),
            Some("f:0 wants 0; f:1 wants 1; 2 more want other values")
        );
    }
}
