//! What `--version` says of this binary: its version, the commit it was built from, and what is in it.

use std::sync::LazyLock;

/// The commit as `make build` names it, with `-dirty` where files were changed; empty in a build by cargo alone, or where git refuses the checkout.
pub const COMMIT: &str = match option_env!("IODYNO_COMMIT") {
    Some(commit) => commit,
    None => "",
};

static LINES: LazyLock<String> = LazyLock::new(|| {
    let commit = match COMMIT {
        "" => "not noted",
        commit => commit,
    };
    let linked = match cfg!(target_feature = "crt-static") {
        true => "statically linked",
        false => "dynamically linked",
    };
    let checked = match cfg!(debug_assertions) {
        true => ", debug build: loads are slower",
        false => "",
    };
    let engines: Vec<&str> = load::engines::ALL.iter().map(|engine| engine.id).collect();
    format!(
        "{version}\ncommit   {commit}\nbuild    {arch} Linux, {linked}{checked}\nengines  {engines}",
        version = env!("CARGO_PKG_VERSION"),
        arch = std::env::consts::ARCH,
        engines = engines.join(", "),
    )
});

/// The text behind the name of the program, in lines; the first is the version alone.
pub fn lines() -> &'static str {
    &LINES
}
