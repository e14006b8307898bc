//! Swap areas in use: /proc/swaps (`swap_show` of mm/swapfile.c).

use crate::octal::unescaped;

/// The devices and files, as the table names them.
pub fn areas(text: &str) -> Vec<String> {
    // The first line names the columns. A space in a path is octal, so a space or a tab ends it.
    let paths = text
        .lines()
        .skip(1)
        .map(|line| line.split([' ', '\t']).next());
    paths
        .flatten()
        .filter(|path| !path.is_empty())
        .map(unescaped)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::octal::escaped;
    use proptest::prelude::*;

    const HEAD: &str = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n";

    #[test]
    fn devices_and_files() {
        let table = format!(
            "{HEAD}/dev/dm-1                               partition\t8388604\t\t0\t\t-2\n\
             /swap\\040file\\040(deleted)\tfile\t1024\t0\t-3\n"
        );
        assert_eq!(areas(&table), ["/dev/dm-1", "/swap file (deleted)"]);
        assert!(areas(HEAD).is_empty() && areas("").is_empty());
    }

    proptest! {
        #[test]
        fn any_path_is_found(path in "/\\PC{0,30}") {
            let table = format!("{HEAD}{} file 1 0 -2\n", escaped(&path));
            prop_assert_eq!(areas(&table), vec![path]);
        }

        #[test]
        fn any_text_is_bounded(text in any::<String>()) {
            prop_assert!(areas(&text).len() <= text.lines().count());
        }
    }
}
