//! Options of the program fio that belong to no job.

/// Whether an option has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Argument {
    None,
    /// Only behind a `=`.
    Optional,
    Required,
}

/// What comes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// Without effect; why.
    Noted(&'static str),
    /// fio can, iodyno cannot.
    Other(&'static str),
    /// Names a section of the job file.
    Section,
    /// Nothing may be written.
    ReadOnly,
    /// It is a question.
    Asks,
}

/// One option of the program.
#[derive(Debug)]
pub(super) struct Switch {
    pub name: &'static str,
    pub letter: char,
    pub argument: Argument,
    pub act: Act,
}

const fn switch(name: &'static str, letter: char, argument: Argument, act: Act) -> Switch {
    Switch {
        name,
        letter,
        argument,
        act,
    }
}

use Act::{Asks, Noted, Other, ReadOnly, Section};
use Argument::{None, Optional, Required};

const RECORD: &str = "iodyno's record has the results: --json, or `iodyno show`";
const LIVE: &str = "iodyno shows its progress in its own way";
const REMOTE: &str = "work on other machines";
const TRIGGER: &str = "commands that are run in the middle of a job";

pub(super) static SWITCHES: &[Switch] = &[
    switch("output", 'o', Required, Noted(RECORD)),
    switch("latency-log", 'l', Required, Asks),
    switch("bandwidth-log", 'b', None, Noted(RECORD)),
    switch("minimal", 'm', None, Noted(RECORD)),
    switch("output-format", 'F', Required, Noted(RECORD)),
    switch("append-terse", 'f', Optional, Noted(RECORD)),
    switch("version", 'v', None, Asks),
    switch("help", 'h', None, Asks),
    switch("cmdhelp", 'c', Optional, Asks),
    switch("enghelp", 'i', Optional, Asks),
    switch("showcmd", 's', None, Asks),
    switch("readonly", 'r', None, ReadOnly),
    switch("eta", 'e', Required, Noted(LIVE)),
    switch("eta-interval", 'O', Required, Noted(LIVE)),
    switch("eta-newline", 'E', Required, Noted(LIVE)),
    switch(
        "debug",
        'd',
        Required,
        Noted("it is about fio's own messages"),
    ),
    switch("parse-only", 'P', None, Asks),
    switch("section", 'x', Required, Section),
    switch("inflate-log", 'X', Required, Asks),
    switch(
        "alloc-size",
        'a',
        Required,
        Noted("iodyno shares no memory between processes"),
    ),
    switch("profile", 'p', Required, Other("fio's built-in profiles")),
    switch(
        "warnings-fatal",
        'w',
        None,
        Noted("iodyno's notes do not stop a job"),
    ),
    switch("max-jobs", 'j', Required, Noted("iodyno has no such limit")),
    switch("terse-version", 'V', Required, Noted(RECORD)),
    switch("server", 'S', Optional, Asks),
    switch("daemonize", 'D', Required, Other(REMOTE)),
    switch("client", 'C', Required, Other(REMOTE)),
    switch("remote-config", 'R', Required, Other(REMOTE)),
    switch("cpuclock-test", 'T', None, Asks),
    switch("crctest", 'G', Optional, Asks),
    switch("memcpytest", 'M', Optional, Asks),
    switch(
        "idle-prof",
        'I',
        Required,
        Noted("the CPU's time stands beside every load"),
    ),
    switch("status-interval", 'L', Required, Noted(LIVE)),
    switch("trigger-file", 'W', Required, Other(TRIGGER)),
    switch("trigger-timeout", 'B', Required, Other(TRIGGER)),
    switch("trigger", 'H', Required, Other(TRIGGER)),
    switch("trigger-remote", 'J', Required, Other(TRIGGER)),
    switch(
        "aux-path",
        'K',
        Required,
        Noted("iodyno keeps its files in its own place"),
    ),
    switch("merge-blktrace-only", 'A', None, Asks),
];
