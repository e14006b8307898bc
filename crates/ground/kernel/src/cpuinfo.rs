//! `/proc/cpuinfo`: lines of `name<tab>: value`, a block for each CPU.
//!
//! x86 gives a CPU its maker's name (`model name`) and a list of flags. Arm64 gives numbers out of a register
//! (arch/arm64/kernel/cpuinfo.c of Linux 6.1), which stand for names in arch/arm64/include/asm/cputype.h.

/// Names of the cores that servers have, by the maker's number and the core's. What is not here keeps its numbers.
const ARM_CORES: &[(u32, u32, &str)] = &[
    (0x41, 0xd03, "Arm Cortex-A53"),
    (0x41, 0xd07, "Arm Cortex-A57"),
    (0x41, 0xd08, "Arm Cortex-A72"),
    (0x41, 0xd0b, "Arm Cortex-A76"),
    (0x41, 0xd0c, "Arm Neoverse-N1"),
    (0x41, 0xd40, "Arm Neoverse-V1"),
    (0x41, 0xd49, "Arm Neoverse-N2"),
    (0x41, 0xd4f, "Arm Neoverse-V2"),
    (0x41, 0xd84, "Arm Neoverse-V3"),
    (0x41, 0xd8e, "Arm Neoverse-N3"),
    (0x43, 0x0a1, "Cavium ThunderX"),
    (0x43, 0x0af, "Cavium ThunderX2"),
    (0x46, 0x001, "Fujitsu A64FX"),
    (0x48, 0xd01, "HiSilicon Kunpeng-920"),
    (0xc0, 0xac3, "Ampere-1"),
    (0xc0, 0xac4, "Ampere-1A"),
];

/// How many CPUs the text has.
pub fn count(text: &str) -> usize {
    values(text, "processor").count()
}

/// What the first CPU is called.
pub fn model(text: &str) -> Option<String> {
    if let Some(name) = values(text, "model name").next() {
        return Some(name.to_string()).filter(|name| !name.is_empty());
    }
    let number =
        |name| u32::from_str_radix(values(text, name).next()?.strip_prefix("0x")?, 16).ok();
    let (maker, part) = (number("CPU implementer")?, number("CPU part")?);
    let known = ARM_CORES
        .iter()
        .find(|core| (core.0, core.1) == (maker, part));
    Some(known.map_or_else(
        || format!("Arm core 0x{part:03x} of maker 0x{maker:02x}"),
        |core| core.2.to_string(),
    ))
}

/// The first CPU's flags; none where the architecture has no such line, as arm64.
pub fn flags(text: &str) -> Option<impl Iterator<Item = &str>> {
    Some(values(text, "flags").next()?.split_whitespace())
}

fn values<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = &'a str> {
    text.lines().filter_map(move |line| {
        let (found, value) = line.split_once(':')?;
        (found.trim_end() == name).then(|| value.trim())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pc_names_its_cpu_and_its_flags() {
        let text = "processor\t: 0\nmodel\t\t: 207\nmodel name\t: AMD EPYC: new\nflags\t\t: fpu hypervisor\n\
                    vmx flags\t: ept\nprocessor\t: 1\nmodel name\t: other\n";
        assert_eq!(count(text), 2);
        assert_eq!(model(text).as_deref(), Some("AMD EPYC: new"));
        let flags: Vec<&str> = flags(text).unwrap().collect();
        assert_eq!(flags, ["fpu", "hypervisor"]);
    }

    /// What Linux 6.1 prints on QEMU's neoverse-n1.
    #[test]
    fn arm64_has_numbers_that_stand_for_names() {
        let core = |part: &str| {
            format!(
                "processor\t: 0\nBogoMIPS\t: 125.00\nFeatures\t: fp asimd evtstrm aes\nCPU implementer\t: 0x41\n\
                 CPU architecture: 8\nCPU variant\t: 0x4\nCPU part\t: {part}\nCPU revision\t: 1\n\nprocessor\t: 1\n"
            )
        };
        let text = core("0xd0c");
        assert_eq!(count(&text), 2);
        assert_eq!(model(&text).as_deref(), Some("Arm Neoverse-N1"));
        assert!(flags(&text).is_none());
        let unknown = model(&core("0xfff"));
        assert_eq!(unknown.as_deref(), Some("Arm core 0xfff of maker 0x41"));
        for broken in ["", "0x", "d0c", "0xg", "0x41 0x41"] {
            assert_eq!(model(&core(broken)), None, "{broken:?}");
        }
    }

    #[test]
    fn a_text_without_cpus_has_no_name() {
        for text in ["", "processor", "model name\t: \n", "\n:\n"] {
            assert_eq!(model(text), None, "{text:?}");
            assert!(flags(text).is_none());
        }
    }
}
