//! Captures a busy guest, for the tests of the sensors: `cargo run -p lab --example capture -- CAPTURE_HOST DIRECTORY`.
//! `lab/capture` runs it for every kernel; CAPTURE_HOST is the program of that name among the examples of `inventory`.
#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "it says what it wrote, and writes it"
)]

use lab::{Bus, Disk, Machine};
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [program, directory] = &arguments[..] else {
        return Err("which program, and to which directory".into());
    };
    let disks = [
        Disk::new(Bus::Nvme, 192).queues(2),
        Disk::new(Bus::Sata, 64).rotational(),
        Disk::new(Bus::Virtio, 96).queues(2),
        Disk::new(Bus::Virtio, 96),
    ];
    let machine = disks.into_iter().fold(Machine::new(), Machine::disk);
    let name = format!("linux_{}", machine.kernel().replace('.', "_"));
    let about = format!(
        "Captured by lab/capture in a guest with Linux {}: NVMe under dm under ext4 under loop, SATA, md, zram.",
        machine.kernel()
    );
    let mut guest = machine.boot()?;
    let paths: Vec<String> = (0..4)
        .map(|number| guest.disk(number))
        .collect::<Result<_, _>>()?;
    guest.put(Path::new(program), "capture_host")?;
    guest.put_bytes(include_bytes!("busy_stack"), "busy_stack")?;
    let done = guest.run(
        &format!(
            "bash /mnt/lab/busy_stack {} {name} '{about}'",
            paths.join(" ")
        ),
        600,
    )?;
    for end in ["host", "later"] {
        let file = format!("{name}.{end}");
        let text = guest
            .get(&file)
            .map_err(|_| format!("status {}: {}{}", done.status, done.out, done.err))?;
        std::fs::write(Path::new(directory).join(&file), &text)?;
        println!("{directory}/{file}: {} bytes", text.len());
    }
    Ok(())
}
