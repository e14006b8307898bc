//! # A host of containers
//!
//! ## What it is for
//! A list of kernel parameters that a field report about slow file I/O in containers recommends for their hosts. One of
//! its nineteen settings acts on storage, `vm.dirty_ratio`; the others are limits of memory, files and network
//! connections.
//!
//! ## Settings
//! ```text
//! kernel.shmmax = 80 % of the memory
//! kernel.shmall = 80 % of the memory, in pages
//! kernel.shmmni = 4096
//! kernel.sem = 250 32000 100 128
//! kernel.core_uses_pid = 1
//! fs.file-max = no value given
//! net.ipv4.ip_local_port_range = 32768 65500
//! net.core.rmem_default = no value given
//! net.core.rmem_max = no value given
//! net.core.wmem_max = no value given
//! net.core.wmem_default = no value given
//! net.ipv4.tcp_timestamps = 0
//! net.ipv4.tcp_syn_retries = 2
//! net.ipv4.tcp_synack_retries = 1
//! net.ipv4.tcp_keepalive_time = 600
//! net.ipv4.tcp_keepalive_probes = 3
//! net.ipv4.tcp_fin_timeout = 10
//! net.ipv4.tcp_keepalive_intvl = 20
//! vm.dirty_ratio = 30 to 50
//! ```
//!
//! ## Known against it
//! Its limits of shared memory and semaphores are those of kernels before 3.16 and 3.19: newer ones have larger
//! defaults, and the list takes away. Timestamps of TCP should stay on. A larger `vm.dirty_ratio` makes buffered writes
//! of a test end sooner and no disk faster. It also names limits of processes and open files (nproc, nofile), which are
//! no kernel settings and are not compared.
//!
//! ## Example
//! ```console
//! $ iodyno check / --no-load --profile container-host -- -rw=write -bs=1m -direct=0
//! ```
//!
//! ## Sources
//! - A field report in Chinese, "disk performance tests and kernel parameters", 2025: haidsoft.com/172829.html

use crate::{Profile, Wanted};

/// The profile.
pub static PROFILE: Profile = Profile {
    id: "container_host",
    since: "0.1.0",
    summary: "what a field report recommends for hosts of containers",
    from: "a field report, haidsoft.com/172829.html",
    includes: None,
    settings: &[
        ("kernel.shmmax", Wanted::BytesOfMemory(80)),
        ("kernel.shmall", Wanted::PagesOfMemory(80)),
        ("kernel.shmmni", Wanted::Is("4096")),
        ("kernel.sem", Wanted::Is("250 32000 100 128")),
        ("kernel.core_uses_pid", Wanted::Is("1")),
        ("fs.file-max", Wanted::Unsaid),
        ("net.ipv4.ip_local_port_range", Wanted::Is("32768 65500")),
        ("net.core.rmem_default", Wanted::Unsaid),
        ("net.core.rmem_max", Wanted::Unsaid),
        ("net.core.wmem_max", Wanted::Unsaid),
        ("net.core.wmem_default", Wanted::Unsaid),
        ("net.ipv4.tcp_timestamps", Wanted::Is("0")),
        ("net.ipv4.tcp_syn_retries", Wanted::Is("2")),
        ("net.ipv4.tcp_synack_retries", Wanted::Is("1")),
        ("net.ipv4.tcp_keepalive_time", Wanted::Is("600")),
        ("net.ipv4.tcp_keepalive_probes", Wanted::Is("3")),
        ("net.ipv4.tcp_fin_timeout", Wanted::Is("10")),
        ("net.ipv4.tcp_keepalive_intvl", Wanted::Is("20")),
        ("vm.dirty_ratio", Wanted::Between(30, 50)),
    ],
};
