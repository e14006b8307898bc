//! Who set a setting to what it is, and who else would set it.

use crate::iopath::{KernelDefault, Owner, Setting};

/// Who gave a setting the value it has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SetBy<'a> {
    /// The last to act whose wish is the value.
    Owner(&'a Owner),
    /// Nobody: it is what the kernel gives.
    Kernel(&'a KernelDefault),
    /// Somebody by hand, or a program that left no file: it is neither the default nor anybody's wish.
    Hand,
    /// What the kernel would give is not known, and nobody asked for this value.
    Unknown,
}

impl Owner {
    /// Whether it surely acts: conditions that cannot be decided from outside make it a maybe.
    pub fn is_certain(&self) -> bool {
        !self.acts.starts_with("maybe")
    }

    /// Whether it wants this value.
    fn wants_value(&self, value: &str) -> bool {
        self.wants
            .as_deref()
            .is_some_and(|wants| is_same(wants, value))
    }
}

impl Setting {
    /// Who set it: the last in order that wants this value, a certain one before a maybe; else the kernel.
    pub fn set_by(&self) -> SetBy<'_> {
        let Some(value) = self.chosen() else {
            return SetBy::Unknown;
        };
        let agreeing = || {
            self.owners
                .iter()
                .rev()
                .filter(move |owner| owner.wants_value(value))
        };
        if let Some(owner) = agreeing().find(|owner| owner.is_certain()) {
            return SetBy::Owner(owner);
        }
        match (&self.default, agreeing().next()) {
            (Some(default), _) if is_same(&default.value, value) => SetBy::Kernel(default),
            (_, Some(owner)) => SetBy::Owner(owner),
            (Some(_), None) => SetBy::Hand,
            (None, None) => SetBy::Unknown,
        }
    }

    /// Those who would set it to another value than it has, in the order in which they act.
    pub fn dissenters(&self) -> Vec<&Owner> {
        let Some(value) = self.chosen() else {
            return Vec::new();
        };
        let dissents = |owner: &&Owner| {
            owner
                .wants
                .as_deref()
                .is_some_and(|wants| !is_same(wants, value))
        };
        self.owners.iter().filter(dissents).collect()
    }

    /// Whether several want different values for sure, so that the last word depends on who acts last.
    pub fn is_contested(&self) -> bool {
        let mut wants = self
            .owners
            .iter()
            .filter(|owner| owner.is_certain())
            .filter_map(|o| o.wants.as_deref());
        let first = wants.next();
        first.is_some_and(|first| wants.any(|other| !is_same(first, other)))
    }
}

/// Whether two texts are one value: numbers by value, words but for an alias that the kernel takes (`deadline` chooses
/// `mq-deadline`, block/mq-deadline.c) and for the ways to write yes and no.
pub fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.trim(), other.trim());
    let number = |text: &str| text.parse::<f64>().ok();
    if let (Some(one), Some(other)) = (number(one), number(other)) {
        return one == other;
    }
    let words = |text: &str| {
        text.split_whitespace()
            .map(str::to_string)
            .collect::<Vec<_>>()
    };
    let plain = |text: &str| match text {
        "deadline" => vec!["mq-deadline".to_string()],
        "Y" | "y" => vec!["1".to_string()],
        "N" | "n" => vec!["0".to_string()],
        text => words(text),
    };
    one == other || plain(one) == plain(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::Attribute;

    fn owner(kind: &str, wants: &str, acts: &str) -> Owner {
        Owner {
            kind: kind.into(),
            place: kind.into(),
            wants: Some(wants.into()),
            acts: acts.into(),
        }
    }

    fn setting(value: &str, default: Option<&str>, owners: Vec<Owner>) -> Setting {
        let mut setting = Setting::new("x", "/x", Attribute::Value(value.into()), true);
        setting.default = default.map(|value| KernelDefault {
            value: value.into(),
            because: String::new(),
        });
        setting.owners = owners;
        setting
    }

    #[test]
    fn the_last_that_agrees_owns_the_value() {
        let both = vec![
            owner("udev_rule", "64", "at boot"),
            owner("tuned", "64.0", "at boot"),
        ];
        let found = setting("64", Some("128"), both);
        assert!(matches!(found.set_by(), SetBy::Owner(owner) if owner.kind == "tuned"));
        assert!(!found.is_contested() && found.dissenters().is_empty());
    }

    #[test]
    fn a_maybe_owns_only_what_nothing_else_explains() {
        let maybe = || vec![owner("udev_rule", "128", "maybe when it appears")];
        assert!(matches!(
            setting("128", Some("128"), maybe()).set_by(),
            SetBy::Kernel(_)
        ));
        assert!(matches!(
            setting("128", Some("64"), maybe()).set_by(),
            SetBy::Owner(_)
        ));
        assert_eq!(setting("7", Some("64"), maybe()).set_by(), SetBy::Hand);
        assert_eq!(setting("7", None, maybe()).set_by(), SetBy::Unknown);
    }

    #[test]
    fn those_who_want_another_value_fight() {
        let two = vec![
            owner("udev_rule", "none", "at boot"),
            owner("tuned", "deadline", "at boot"),
        ];
        let found = setting("[mq-deadline] none", Some("none"), two);
        assert!(matches!(found.set_by(), SetBy::Owner(owner) if owner.kind == "tuned"));
        assert!(found.is_contested());
        assert_eq!(found.dissenters().len(), 1);
    }
}
