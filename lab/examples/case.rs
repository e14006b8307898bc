//! Builds cases in a guest and runs a shell script in each, for trying things out:
//! `cargo run -p lab --example case -- linear_lvm,bfq_on_nvme 'lsblk; df $TARGET' [FILE to have at /mnt/lab]…`, or with a binary
//! of iodyno at /mnt/lab: `'/mnt/lab/iodyno check $TARGET --all $OPTIONS'`.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "it shows what the script said"
)]

use lab::cases::{self, Case};
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (wanted, script) = arguments
        .next()
        .zip(arguments.next())
        .ok_or("say which cases and what is to be run")?;
    let files: Vec<String> = arguments.collect();
    let all = cases::all()?;
    let is_wanted = |name: &str| wanted == "all" || wanted.split(',').any(|one| one == name);
    for kind in cases::MACHINES {
        let cases: Vec<_> = all
            .iter()
            .filter(|case| case.machine == kind && is_wanted(&case.name))
            .collect();
        if !cases.is_empty() {
            run(kind, &cases, &script, &files)?;
        }
    }
    Ok(())
}

fn run(
    kind: &str,
    all: &[&Case],
    script: &str,
    files: &[String],
) -> Result<(), Box<dyn std::error::Error>> {
    let mut guest = cases::machine(kind).boot()?;
    for file in files {
        let name = Path::new(file)
            .file_name()
            .ok_or("a file has a name")?
            .to_string_lossy()
            .into_owned();
        guest.put(Path::new(file), &name)?;
    }
    let names = cases::prepare(&mut guest, kind)?;
    for case in all {
        let script = format!("OPTIONS='{}'\n{script}", case.options);
        let done = case.run(&mut guest, &names, &script, 400)?;
        println!("== {}: status {}\n{}", case.name, done.status, done.out);
        eprint!("{}", done.err);
    }
    Ok(())
}
