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
    let kernel = |side: &DifferenceSide| side.kernel.clone().unwrap_or_else(|| "unknown".into());
    let (kernel_a, kernel_b) = (kernel(&sides[0]), kernel(&sides[1]));
    if is_default(a) && is_default(b) {
        let words = format!(
            "both are the kernel's default, which moved: {} on {kernel_a}{}, {} on {kernel_b}{}",
            a.chosen().unwrap_or("none"),
            because(a),
            b.chosen().unwrap_or("none"),
            because(b)
        );
        return Origin {
            words,
            is_moved_default: true,
        };
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
