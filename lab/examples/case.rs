//! Builds cases in a guest and runs a shell script in each, for trying things out:
//! `cargo run -p lab --example case -- linear_lvm,bfq_on_nvme 'lsblk; df $TARGET' [FILE to have at /mnt/lab]…`
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it shows what the script said")]

use lab::cases;
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (wanted, script) =
        arguments.next().zip(arguments.next()).ok_or("say which cases and what is to be run")?;
    let mut guest = cases::machine().boot()?;
    for file in arguments {
        let name = Path::new(&file).file_name().ok_or("a file has a name")?.to_string_lossy().into_owned();
        guest.put(Path::new(&file), &name)?;
    }
    let names = cases::prepare(&mut guest)?;
    for case in
        cases::all()?.iter().filter(|case| wanted == "all" || wanted.split(',').any(|one| one == case.name))
    {
        let done = case.run(&mut guest, &names, &script, 300)?;
        println!("== {}: status {}\n{}", case.name, done.status, done.out);
        eprint!("{}", done.err);
    }
    Ok(())
}
