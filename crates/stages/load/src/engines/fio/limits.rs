//! What fio is not asked to do: the gates look at the job's direction and target, and these reach past them.

use crate::LoadError;

/// fio's engines that read and write blocks of the files they are given, and do nothing else.
const ENGINES: [&str; 9] = [
    "psync", "sync", "vsync", "pvsync", "pvsync2", "libaio", "io_uring", "posixaio", "mmap",
];

const FILES: &str = "it has fio work on other files than those that passed the gates";
const MAKES: &str =
    "it makes, removes or extends files, and those of the job are made ready before fio starts";
const PROGRAMS: &str = "it runs a program";
const MACHINE: &str = "it changes the machine around the job, and nothing would put it back";
const RANGE: &str = "it moves the range that was made ready for the job";
const SECTIONS: &str = "it ties sections together, and each section is a fio of its own";

const CLUSTER: &str =
    "the target says which cluster, pool and image: rados://POOL?conf=FILE&id=USER";

/// Options of fio's that are not handed on, and why.
const OPTIONS: [(&str, &str); 41] = [
    (
        "rw",
        "it trims and writes, and the gates know a job of reads or writes or trims only",
    ),
    ("filename_format", FILES),
    ("opendir", FILES),
    ("read_iolog", FILES),
    ("read_iolog_chunked", FILES),
    ("replay_no_stall", FILES),
    ("replay_redirect", FILES),
    ("replay_scale", FILES),
    ("replay_align", FILES),
    ("replay_time_scale", FILES),
    ("replay_skip", FILES),
    ("merge_blktrace_file", FILES),
    ("merge_blktrace_scalars", FILES),
    ("merge_blktrace_iters", FILES),
    ("profile", FILES),
    (
        "allow_mounted_write",
        "no job writes to a mounted device here",
    ),
    ("write_iolog", MAKES),
    ("unlink_each_loop", MAKES),
    ("create_on_open", MAKES),
    ("create_only", MAKES),
    ("allow_file_create", MAKES),
    ("file_append", MAKES),
    ("fill_device", MAKES),
    ("filesize", MAKES),
    ("exec_prerun", PROGRAMS),
    ("exec_postrun", PROGRAMS),
    ("ioscheduler", MACHINE),
    ("cgroup", MACHINE),
    (
        "uid",
        "another user cannot open what passed the gates; start iodyno as that user",
    ),
    (
        "gid",
        "another group cannot open what passed the gates; start iodyno in that group",
    ),
    ("size", RANGE),
    ("offset", RANGE),
    ("offset_increment", RANGE),
    (
        "startdelay",
        "iodyno waits before it starts fio; give one number",
    ),
    ("flow", SECTIONS),
    ("pool", CLUSTER),
    ("rbdname", CLUSTER),
    ("clientname", CLUSTER),
    ("clustername", CLUSTER),
    ("conf", CLUSTER),
    ("touch_objects", MAKES),
];

/// Whether fio may use this engine.
pub fn engine(name: &str) -> Result<(), LoadError> {
    // Whether the target fits those of Ceph is looked at when it is made ready.
    if ENGINES.contains(&name) || super::ceph::ENGINES.contains(&name) {
        return Ok(());
    }
    Err(LoadError::usage(
        format!("ioengine={name} of fio"),
        "iodyno lets fio use engines only that read and write blocks, because its gates know what those do",
        format!("Use {}", ENGINES.join(", ")),
    ))
}

/// Whether fio may be handed this option.
pub fn option(name: &str, value: &str) -> Result<(), LoadError> {
    // fio writes the content of the file that a pattern names in quotes.
    let names_file = name.ends_with("_pattern") && value.contains('\'');
    let refused = OPTIONS
        .iter()
        .find(|(refused, _)| *refused == name)
        .map(|(_, why)| *why);
    match refused.or(names_file.then_some(FILES)) {
        None => Ok(()),
        Some(why) => Err(LoadError::usage(
            format!("{name}={value} with --engine fio"),
            why,
            "Leave it out, or run fio itself",
        )),
    }
}

#[cfg(test)]
mod tests {
    use crate::engines::fio::check;
    use model::job::Job;

    fn with(ioengine: &str, handed_on: &[(&str, &str)]) -> Result<(), String> {
        let handed_on = handed_on
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_string()));
        let job = Job {
            ioengine: "fio".into(),
            engine_options: [("ioengine".to_string(), ioengine.to_string())].into(),
            handed_on: handed_on.collect(),
            ..Job::default()
        };
        check(&job).map_err(|error| error.to_string())
    }

    #[test]
    fn engines_that_change_what_a_reader_may_not_are_refused_by_name() {
        for name in ["psync", "libaio", "io_uring", "posixaio", "mmap", "stream"] {
            assert_eq!(with(name, &[]), Ok(()), "{name}");
        }
        for name in [
            "falloc",
            "ftruncate",
            "filedelete",
            "exec",
            "null",
            "sg",
            "external:/x.so",
            "fio",
            "",
        ] {
            let error = with(name, &[]).unwrap_err();
            assert!(
                error.contains("psync, sync") && error.contains("posixaio, mmap"),
                "{error}"
            );
        }
    }

    #[test]
    fn options_that_reach_past_the_gates_are_refused_and_others_are_not() {
        assert_eq!(
            with("psync", &[("zonemode", "strided"), ("verify", "md5")]),
            Ok(())
        );
        for (name, value) in [
            ("rw", "trimwrite"),
            ("read_iolog", "/x"),
            ("exec_prerun", "rm /x"),
            ("buffer_pattern", "'/x'"),
        ] {
            let error = with("psync", &[("nice", "5"), (name, value)]).unwrap_err();
            assert!(
                error.contains(&format!("{name}={value} with --engine fio")),
                "{error}"
            );
        }
    }
}
