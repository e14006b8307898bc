//! The kernel's command line, as words.

/// Words that a boot loader adds by itself, and that differ between ways to boot the same.
const OF_THE_LOADER: [&str; 2] = ["BOOT_IMAGE=", "initrd="];
/// What follows is for init.
const FOR_INIT: &str = "--";

/// Why an argument cannot be put on a command line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArgumentError {
    /// It is not one word.
    #[error("`{0}` is not one argument of the kernel, such as nvme.poll_queues=4")]
    NotOne(String),
    /// It is there as it is asked for.
    #[error("this boot has {0} already; name a value that it does not have")]
    There(String),
    /// Its name stands there several times, so that which one it replaces is not clear.
    #[error(
        "the command line has {0} several times; only an argument that is there once can be replaced"
    )]
    Several(String),
    /// A quote is not closed, so that nothing can stand behind it.
    #[error("the command line of this boot has a quote that is not closed")]
    Open,
}

/// The words of a command line. Quotes hold a word with spaces together and stay in it, as the kernel reads it.
pub fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut is_quoted) = (String::new(), false);
    for c in line.chars() {
        is_quoted ^= c == '"';
        match c.is_whitespace() && !is_quoted {
            true if word.is_empty() => {}
            true => words.push(std::mem::take(&mut word)),
            false => word.push(c),
        }
    }
    words.extend(Some(word).filter(|word| !word.is_empty()));
    words
}

/// The command line without what a boot loader adds.
pub fn own(line: &str) -> String {
    let mut words = words(line);
    words.retain(|word| !OF_THE_LOADER.iter().any(|start| word.starts_with(start)));
    words.join(" ")
}

/// Whether two boots had the same arguments, whatever their order and their boot loader.
pub fn is_same(one: &str, other: &str) -> bool {
    let sorted = |line: &str| {
        let mut words = words(&own(line));
        words.sort_unstable();
        words
    };
    sorted(one) == sorted(other)
}

/// The command line with an argument in place of that of the same name, or behind the others.
///
/// # Errors
/// When the argument is not one word, is there already, or its name is there several times.
pub fn with(line: &str, argument: &str) -> Result<String, ArgumentError> {
    let is_one = words(argument).len() == 1
        && argument != FOR_INIT
        && !name(argument).is_empty()
        && argument.matches('"').count().is_multiple_of(2)
        && !argument.chars().any(char::is_control)
        && !argument.starts_with(char::is_whitespace)
        && !argument.ends_with(char::is_whitespace);
    if !is_one {
        return Err(ArgumentError::NotOne(argument.into()));
    }
    if !line.matches('"').count().is_multiple_of(2) {
        return Err(ArgumentError::Open);
    }
    let mut words = words(&own(line));
    let end = words.iter().position(|word| word == FOR_INIT);
    let end = end.unwrap_or(words.len());
    let same = |word: &String| name(word) == name(argument);
    let found: Vec<usize> = (0..end).filter(|at| same(&words[*at])).collect();
    match found[..] {
        [] => words.insert(end, argument.into()),
        [at] if words[at] == argument => return Err(ArgumentError::There(argument.into())),
        [at] => words[at] = argument.into(),
        _ => return Err(ArgumentError::Several(name(argument))),
    }
    Ok(words.join(" "))
}

/// The name of an argument. The kernel takes `-` and `_` for the same in it (`kernel/params.c`, `parameq`).
fn name(word: &str) -> String {
    let name = word.split('=').next().unwrap_or(word);
    name.replace('-', "_")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_argument_is_added_before_what_is_for_init_or_takes_the_place_of_its_like() {
        let line = "BOOT_IMAGE=/vmlinuz root=/dev/vda quiet nvme.poll-queues=2 -- single\n";
        let with = |argument: &str| with(line, argument);
        assert_eq!(
            with("mitigations=off").unwrap(),
            "root=/dev/vda quiet nvme.poll-queues=2 mitigations=off -- single"
        );
        assert_eq!(
            with("nvme.poll_queues=4").unwrap(),
            "root=/dev/vda quiet nvme.poll_queues=4 -- single"
        );
        assert_eq!(with("quiet"), Err(ArgumentError::There("quiet".into())));
        let module = r#"vfio.options="a b""#;
        assert!(with(module).unwrap().contains(module));
    }

    #[test]
    fn what_is_not_one_argument_is_refused() {
        for argument in ["", " ", "a b", "=4", "--", "x=\"a", "a=1\nb", " a", "a "] {
            let told = with("root=/dev/vda", argument);
            assert_eq!(told, Err(ArgumentError::NotOne(argument.into())));
        }
        let told = with("console=tty0 console=ttyS0", "console=hvc0");
        assert_eq!(told, Err(ArgumentError::Several("console".into())));
    }

    #[test]
    fn boots_are_the_same_whatever_the_loader_says() {
        assert!(is_same(
            "BOOT_IMAGE=/a quiet root=/dev/vda",
            "root=/dev/vda quiet initrd=/b"
        ));
        assert!(!is_same("quiet", "quiet splash"));
        assert!(!is_same("quiet quiet", "quiet"));
    }

    proptest! {
        #[test]
        fn what_is_put_on_a_line_is_there_once(line in "[a-z=_. \"-]{0,60}", argument in "[a-z][a-z_.]{0,8}=[a-z0-9]{1,4}") {
            if let Ok(changed) = with(&line, &argument) {
                let all = words(&changed);
                prop_assert_eq!(all.iter().filter(|word| **word == argument).count(), 1);
                prop_assert!(!is_same(&line, &changed));
                prop_assert_eq!(words(&changed).join(" "), changed);
            }
        }
    }
}
