//! Where two values of a setting come from: a default of the kernel that moved, files that set them, or nobody known.

use super::align::Pair;
use model::difference::DifferenceSide;
use model::iopath::Setting;

/// What is known of it.
#[derive(Default)]
pub struct Origin {
    /// For people; empty where nothing is known.
    pub words: String,
    /// Both values are what their kernels give untouched settings.
    pub is_moved_default: bool,
}

/// Of a difference.
pub fn of(pair: &Pair<'_>, sides: &[DifferenceSide; 2]) -> Origin {
    let Some((a, b)) = pair.settings else {
        return Origin::default();
    };
    if is_default(a) && is_default(b) {
        return of_defaults((a, b), sides);
    }
    let words = match (source(a), source(b)) {
        (None, None) => String::new(),
        (a, b) => {
            let words = |source: Option<String>| source.unwrap_or_else(|| "nobody known".into());
            format!("set by {} there, by {} here", words(a), words(b))
        }
    };
    Origin {
        words,
        is_moved_default: false,
    }
}

/// Both values are what their kernels give. The default has moved where the kernels differ, and not only the devices.
fn of_defaults((a, b): (&Setting, &Setting), sides: &[DifferenceSide; 2]) -> Origin {
    let is_one_kernel = sides[0].kernel == sides[1].kernel;
    let is_moved_default = !(is_one_kernel || is_of_device(a) && is_of_device(b));
    let value = |setting: &Setting, side: &DifferenceSide, place: &str| {
        let place = match &side.kernel {
            _ if is_one_kernel => place.to_string(),
            kernel => format!("on {}", kernel.as_deref().unwrap_or("unknown")),
        };
        let value = setting.chosen().unwrap_or("none");
        format!("{value} {place}{}", because(setting))
    };
    let moved = match is_moved_default {
        true => ", which moved",
        false => "",
    };
    let words = format!(
        "both are the kernel's default{moved}: {}, {}",
        value(a, &sides[0], "there"),
        value(b, &sides[1], "here")
    );
    Origin {
        words,
        is_moved_default,
    }
}

/// Whether a default follows from the device alone: its reason names no version of a kernel or a distribution.
fn is_of_device(setting: &Setting) -> bool {
    let because = setting
        .default
        .as_ref()
        .map_or("", |one| one.because.as_str());
    let words: Vec<&str> = because.split_whitespace().collect();
    let is_version = |pair: &[&str]| {
        let is_release = matches!(pair[0], "kernel" | "kernels" | "before" | "since" | "RHEL");
        is_release && pair[1].starts_with(|first: char| first.is_ascii_digit())
    };
    !words.is_empty() && !words.windows(2).any(is_version)
}

fn is_default(setting: &Setting) -> bool {
    let default = setting
        .default
        .as_ref()
        .map(|default| default.value.as_str());
    default.is_some() && default == setting.chosen()
}

fn because(setting: &Setting) -> String {
    let because = setting
        .default
        .as_ref()
        .map(|default| default.because.as_str())
        .unwrap_or_default();
    if because.is_empty() {
        String::new()
    } else {
        format!(" ({because})")
    }
}

/// The last who wants the value that it has, else the kernel where it is the default.
fn source(setting: &Setting) -> Option<String> {
    let value = setting.chosen()?;
    let owner = setting
        .owners
        .iter()
        .rev()
        .find(|owner| owner.wants.as_deref() == Some(value));
    let by_default = || is_default(setting).then(|| "the kernel's default".to_string());
    owner.map(|owner| owner.place.clone()).or_else(by_default)
}
