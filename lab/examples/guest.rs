//! Runs a shell script in a guest with one disk of each bus, for trying things out:
//! `cargo run -p lab --example guest -- 'lsblk' [FILE to have at /mnt/lab]...`
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "it shows what the script said"
)]

use lab::{Bus, Disk, Machine};
use std::path::Path;
use std::process::ExitCode;

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let script = arguments
        .next()
        .ok_or("say what is to be run in the guest")?;
    let buses = [
        Bus::Virtio,
        Bus::Nvme,
        Bus::Scsi,
        Bus::Sata,
        Bus::Usb,
        Bus::Uas,
    ];
    let machine = buses.iter().fold(Machine::new(), |machine, bus| {
        machine.disk(Disk::new(*bus, 64))
    });
    let mut guest = machine.boot()?;
    for file in arguments {
        let name = Path::new(&file)
            .file_name()
            .ok_or("a file has a name")?
            .to_string_lossy()
            .into_owned();
        guest.put(Path::new(&file), &name)?;
    }
    let done = guest.run(&script, 600)?;
    print!("{}", done.out);
    eprint!("{}", done.err);
    Ok(ExitCode::from(u8::try_from(done.status).unwrap_or(1)))
}
