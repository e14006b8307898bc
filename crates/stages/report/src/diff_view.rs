//! Two paths side by side: what differs, the most likely reason first.

use super::command::command_lines;
use super::text::{Paint, clean, columns, width, wrap};
use model::difference::{Difference, Differences};
use model::units;

/// The answer, the differences that matter, and how many do not. With `all`, all of them.
pub fn lines(found: &Differences, weight_min: f64, all: bool, paint: Paint) -> Vec<String> {
    let matters = |one: &&Difference| one.weight >= weight_min;
    let shown: Vec<&Difference> = found
        .differences
        .iter()
        .filter(|one| all || matters(one))
        .collect();
    let hidden = found.differences.len() - shown.len();
    let mut lines = wrap(
        &head(found, found.differences.iter().filter(matters).count()),
        width(),
    );
    lines.push(format!("  there: {}", side(&found.a)));
    lines.push(format!("  here:  {}", side(&found.b)));
    for (index, one) in shown.iter().enumerate() {
        lines.push(String::new());
        lines.extend(difference(index + 1, one, paint));
    }
    lines.push(String::new());
    let hidden = match hidden {
        0 => String::new(),
        1 => "; 1 difference hardly matters (--all)".into(),
        count => format!("; {count} differences hardly matter (--all)"),
    };
    lines.push(format!(
        "The same on both: {} settings and facts{hidden}.",
        found.same
    ));
    lines
}

fn head(found: &Differences, count: usize) -> String {
    let job = found
        .job
        .as_ref()
        .map(|job| format!(" for {job}"))
        .unwrap_or_default();
    match (count, found.differences.first()) {
        (0, _) => format!("Nothing differs that is known to matter{job}."),
        (1, Some(first)) => format!(
            "One thing differs that can matter{job}: {} of {}.",
            clean(&first.name),
            clean(&first.place)
        ),
        (count, Some(first)) => format!(
            "{count} things differ that can matter{job}, {} of {} most likely.",
            clean(&first.name),
            clean(&first.place)
        ),
        (count, None) => format!("{count} things differ{job}."),
    }
}

fn side(side: &model::difference::DifferenceSide) -> String {
    let kernel = side
        .kernel
        .as_ref()
        .map(|kernel| format!(", kernel {}", clean(kernel)))
        .unwrap_or_default();
    let target = if side.name == side.target {
        String::new()
    } else {
        format!(", {}", clean(&side.target))
    };
    format!("{}{target}{kernel}", clean(&side.name))
}

fn difference(number: usize, one: &Difference, paint: Paint) -> Vec<String> {
    let [there, here] = values(one);
    let also = match one.also_in {
        0 => String::new(),
        1 => " and another member".into(),
        count => format!(" and {count} more members"),
    };
    let name = format!(
        "{:>2}  {} of {}{also}",
        number,
        clean(&one.name),
        clean(&one.place)
    );
    let change = format!("{there} there, {here} here");
    let mut lines = Vec::new();
    if columns(&name) + columns(&change) + 3 <= width() {
        lines.push(format!("{}   {change}", paint.strong(&name)));
    } else {
        lines.push(paint.strong(&name));
        lines.extend(indented(&change));
    }
    for text in [&one.why, &one.origin]
        .into_iter()
        .filter(|text| !text.is_empty())
    {
        let ended = if text.ends_with('.') {
            clean(text).into_owned()
        } else {
            format!("{}.", capital(&clean(text)))
        };
        lines.extend(indented(&ended));
    }
    if one.knob.is_some() {
        let command = clean(&one.experiment);
        lines.extend(command_lines("    prove it: ", &command, width(), 6));
    }
    lines
}

/// The two values for people. Numbers that round to the same words are told to the last digit.
fn values(one: &Difference) -> [String; 2] {
    let with = |told: &dyn Fn(&str) -> String| {
        [&one.a, &one.b].map(|value| value.as_deref().map_or("none".into(), told))
    };
    let short = with(&|text| with_unit(&one.name, text));
    if short[0] != short[1] || one.a == one.b {
        return short;
    }
    let unit = match one.name.rsplit(['_', ' ']).next() {
        Some("bytes") => " bytes",
        _ if one.name.ends_with("bytes_per_s") => " bytes/s",
        _ => "",
    };
    with(&|text| format!("{}{unit}", clean(text)))
}

/// A number with the unit that its name says.
fn with_unit(name: &str, text: &str) -> String {
    let unit = name.rsplit(['_', ' ']).next().unwrap_or_default();
    match (text.parse::<f64>(), unit) {
        (Ok(bytes), "bytes") => units::bytes(bytes),
        (Ok(bytes), "s") if name.ends_with("bytes_per_s") => units::bytes_per_s(bytes),
        (Ok(_), "kb") => format!("{text} KiB"),
        (Ok(_), "usec" | "us") => format!("{text} µs"),
        _ => clean(text).into_owned(),
    }
}

fn capital(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(characters).collect()
    })
}

fn indented(text: &str) -> Vec<String> {
    wrap(text, width() - 4)
        .into_iter()
        .map(|line| format!("    {line}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::difference::{DifferenceSide, DifferenceWhat};

    fn found(differences: Vec<Difference>) -> Differences {
        let side = |name: &str| DifferenceSide {
            name: name.into(),
            target: "/srv".into(),
            kernel: Some("6.1".into()),
        };
        Differences {
            schema: String::new(),
            a: side("good.host"),
            b: side("/srv"),
            job: None,
            differences,
            same: 61,
        }
    }

    fn one(name: &str, weight: f64) -> Difference {
        Difference {
            place: "sd\x1ba".into(),
            name: name.into(),
            what: DifferenceWhat::Setting,
            a: Some("128".into()),
            b: None,
            weight,
            why: "It decides how much a buffered read fetches.".into(),
            origin: "set by nobody known there, by /etc/udev/rules.d/60-ra.rules:3 here".into(),
            knob: Some(name.into()),
            experiment: "sudo iodyno tune /srv --knob read_ahead_kb=4096,128".into(),
            also_in: 2,
        }
    }

    #[test]
    fn the_first_line_answers_and_the_rest_can_be_copied() {
        let lines = lines(
            &found(vec![one("read_ahead_kb", 0.9), one("x", 0.1)]),
            0.2,
            false,
            Paint::Plain,
        );
        assert_eq!(
            lines,
            [
                "One thing differs that can matter: read_ahead_kb of sd\u{1b}a."
                    .replace('\u{1b}', "?")
                    .as_str(),
                "  there: good.host, /srv, kernel 6.1",
                "  here:  /srv, kernel 6.1",
                "",
                " 1  read_ahead_kb of sd?a and 2 more members   128 KiB there, none here",
                "    It decides how much a buffered read fetches.",
                "    Set by nobody known there, by /etc/udev/rules.d/60-ra.rules:3 here.",
                "    prove it: sudo iodyno tune /srv --knob read_ahead_kb=4096,128",
                "",
                "The same on both: 61 settings and facts; 1 difference hardly matters (--all).",
            ]
        );
    }

    #[test]
    fn a_long_command_goes_on_in_the_next_line_for_a_shell_too() {
        let mut long = one("read_ahead_kb", 0.9);
        let load =
            "-rw=read -direct=0 -bs=128k -ioengine=io_uring -iodepth=16 -numjobs=4 -size=10g";
        long.experiment = format!("sudo iodyno tune /srv --knob read_ahead_kb=4096,128 -- {load}");
        let told = |one: &Difference| lines(&found(vec![one.clone()]), 0.2, false, Paint::Plain);
        let told_long = told(&long);
        let at = told_long
            .iter()
            .position(|line| line.contains("prove it: "))
            .unwrap();
        let command: Vec<&str> = told_long[at..]
            .iter()
            .map(String::as_str)
            .take_while(|line| !line.is_empty())
            .collect();
        assert!(
            command.len() > 1 && command.iter().all(|line| line.len() <= 80),
            "{command:#?}"
        );
        let pasted = command.join("\n").replace("\\\n", "");
        let words: Vec<&str> = pasted.split_whitespace().skip(2).collect();
        assert_eq!(words.join(" "), long.experiment);
        long.experiment.push_str(" '-name=a b'");
        let is_whole = |line: &String| line.contains(" '-name=a b'");
        assert!(
            told(&long).iter().any(is_whole),
            "a break in quotes is a part of the word"
        );
    }

    #[test]
    fn numbers_that_round_to_the_same_are_told_to_the_last_digit() {
        let mut bytes = one("size_bytes", 0.9);
        (bytes.a, bytes.b) = (Some("480103981056".into()), Some("480103982080".into()));
        bytes.also_in = 0;
        let told = lines(&found(vec![bytes]), 0.2, false, Paint::Plain).join("\n");
        assert!(
            told.contains("480103981056 bytes there, 480103982080 bytes here"),
            "{told}"
        );
    }

    #[test]
    fn nothing_is_an_answer() {
        let lines = lines(&found(Vec::new()), 0.2, false, Paint::Plain);
        assert_eq!(lines[0], "Nothing differs that is known to matter.");
    }
}
