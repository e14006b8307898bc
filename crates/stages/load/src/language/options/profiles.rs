//! Options of fio's built-in profiles: fio takes them in any job and ignores them there, also where `threads` was meant to
//! be `thread`.

use super::{INT, Spec, ValueKind, noted};

const ACT: &str = "it is an option of fio's profile act, and fio ignores it in a job";
const TIOBENCH: &str = "it is an option of fio's profile tiobench, and fio ignores it in a job";

pub(super) static GROUP: &[Spec] = &[
    noted("device-names", "", ValueKind::Text, ACT),
    noted("load", "", INT, ACT),
    noted("test-duration", "", ValueKind::Time(1), ACT),
    noted("threads-per-queue", "", INT, ACT),
    noted("read-req-num-512-blocks", "", INT, ACT),
    noted("large-block-op-kbytes", "", INT, ACT),
    noted("prep", "", ValueKind::Set, ACT),
    noted("block", "", INT, TIOBENCH),
    noted("numruns", "", INT, TIOBENCH),
    noted("dir", "", ValueKind::Text, TIOBENCH),
    noted("threads", "", INT, TIOBENCH),
];
