//! Ranges in names, as Ansible writes them: `web[01:10]`, `db-[a:f]`, `n[0:8:2]`. Both ends belong to it.

use model::text::clean_to;

/// Digits of an end at most; as many as a number of 64 bits has.
const DIGITS_MAX: usize = 19;

/// The names that a pattern stands for, `most` of them at the most. A word without a range is itself.
pub fn expanded(pattern: &str, most: usize) -> Result<Vec<String>, String> {
    let mut names = vec![String::new()];
    let mut rest = pattern;
    while let Some((before, inner, behind)) = next(rest) {
        let steps = steps(inner, most).map_err(|why| {
            let shown = clean_to(pattern, 60);
            format!("`{shown}`: [{}] {why}", clean_to(inner, 30))
        })?;
        if names.len().saturating_mul(steps.len()) > most {
            let shown = clean_to(pattern, 60);
            return Err(format!("`{shown}` stands for more than {most} hosts"));
        }
        names = names
            .iter()
            .flat_map(|name| {
                steps
                    .iter()
                    .map(move |step| format!("{name}{before}{step}"))
            })
            .collect();
        rest = behind;
    }
    names.iter_mut().for_each(|name| name.push_str(rest));
    Ok(names)
}

/// Whether a word has a range in it; `[web:children]` is the head of a section.
pub fn is_range(word: &str) -> bool {
    next(word).is_some_and(|(before, inner, _)| {
        let is_end = |end: &str| end.parse::<u64>().is_ok() || letter(end).is_some();
        !before.is_empty() || inner.split(':').take(2).all(is_end)
    })
}

/// What stands before the next range, in it and behind it. `[fd00::1]` is an address and no range.
fn next(text: &str) -> Option<(&str, &str, &str)> {
    let open = text.find('[')?;
    let close = open + text[open..].find(']')?;
    let inner = &text[open + 1..close];
    let is_range = matches!(inner.split(':').count(), 2 | 3)
        && !inner.starts_with(':')
        && !inner.contains("::")
        && inner.chars().all(|c| c.is_ascii_alphanumeric() || c == ':')
        && inner.contains(':');
    is_range.then(|| (&text[..open], inner, &text[close + 1..]))
}

fn steps(inner: &str, most: usize) -> Result<Vec<String>, String> {
    let parts: Vec<&str> = inner.split(':').collect();
    let stride = match parts.get(2) {
        None => 1,
        Some(text) => text
            .parse::<usize>()
            .ok()
            .filter(|stride| *stride > 0)
            .ok_or("has no stride of 1 or more")?,
    };
    let (first, last) = (parts[0], parts[1]);
    if first.len() > DIGITS_MAX || last.len() > DIGITS_MAX {
        return Err("has an end that is too long".into());
    }
    let (from, to, name): (u64, u64, Box<dyn Fn(u64) -> String>) =
        match (letter(first), letter(last)) {
            (Some(from), Some(to)) => (
                from.into(),
                to.into(),
                Box::new(|at| char::from(at as u8).to_string()),
            ),
            _ => {
                let number = |text: &str| text.parse::<u64>().ok();
                let ends = number(first).zip(number(last));
                let (from, to) = ends.ok_or("is no range of numbers or of letters")?;
                let is_padded = first.len() > 1 && first.starts_with('0');
                let width = if is_padded { first.len() } else { 0 };
                if is_padded && last.len() != width {
                    return Err("has ends of different width".into());
                }
                (from, to, Box::new(move |at| format!("{at:0width$}")))
            }
        };
    if from > to {
        return Err("ends before it begins".into());
    }
    if (to - from) / stride as u64 >= most as u64 {
        return Err(format!("stands for more than {most} hosts"));
    }
    Ok((from..=to).step_by(stride).map(name).collect())
}

fn letter(text: &str) -> Option<u8> {
    match text.as_bytes() {
        [letter] if letter.is_ascii_alphabetic() => Some(*letter),
        _ => None,
    }
}
