//! Limits of an array's rebuild (Linux `drivers/md/md.c`, `sync_min_show`): `1000 (system)` follows the kernel's parameter, and
//! `5000 (local)` was written. The files take `system` or a number.

/// The files that print so, in an array's directory.
pub const FILES: [&str; 2] = ["sync_speed_max", "sync_speed_min"];

/// What would have to be written to have this again; a text of another form as it is.
pub fn as_written(text: &str) -> &str {
    match text.trim().split_once(' ') {
        Some((_, "(system)")) => "system",
        Some((number, "(local)")) => number,
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_what_the_file_takes() {
        assert_eq!(as_written("200000 (system)\n"), "system");
        assert_eq!(as_written("5000 (local)"), "5000");
        for text in ["5000", "system", "", "1 (else)"] {
            assert_eq!(as_written(text), text);
        }
    }
}
