//! fio's engines, and the options that each of them has alone.

use super::{INT, Spec, ValueKind, WIDE, noted, other};

const PRIVATE: &str = "an option of an engine that fio alone has";
const OWN: &str = "iodyno's engine decides this by itself";

/// Options by the engines that have them.
pub(super) static GROUPS: &[(&[&str], &[Spec])] = &[
    (
        &["cpuio"],
        &[
            other("cpuload", INT, "0", PRIVATE),
            other("cpumode", ValueKind::Word(&["noop", "qsort"]), "", PRIVATE),
            other("cpuchunks", INT, "0", PRIVATE),
            other("exit_on_io_done", ValueKind::Bool, "0", PRIVATE),
        ],
    ),
    (
        &["dfs"],
        &[
            other("pool", ValueKind::Text, "", PRIVATE),
            other("cont", ValueKind::Text, "", PRIVATE),
            other("chunk_size", WIDE, "", PRIVATE),
            other("object_class", ValueKind::Text, "", PRIVATE),
            other("svcl", ValueKind::Text, "", PRIVATE),
        ],
    ),
    (
        &["e4defrag"],
        &[
            other("donorname", ValueKind::Text, "", PRIVATE),
            other("inplace", ValueKind::Number(0, 1), "0", PRIVATE),
        ],
    ),
    (
        &["exec"],
        &[
            other("program", ValueKind::Text, "", PRIVATE),
            other("arguments", ValueKind::Text, "", PRIVATE),
            other("grace_time", INT, "0", PRIVATE),
            other("std_redirect", ValueKind::Bool, "0", PRIVATE),
        ],
    ),
    (
        &["filecreate", "filestat", "filedelete"],
        &[other(
            "stat_type",
            ValueKind::Word(&["stat", "lstat", "statx"]),
            "",
            PRIVATE,
        )],
    ),
    (
        &["gfapi", "gfapi_async"],
        &[
            other("volume", ValueKind::Text, "", PRIVATE),
            other("brick", ValueKind::Text, "", PRIVATE),
            other("single-instance", ValueKind::Bool, "0", PRIVATE),
        ],
    ),
    (
        &["http"],
        &[
            other(
                "https",
                ValueKind::Word(&["off", "on", "insecure"]),
                "",
                PRIVATE,
            ),
            other("http_host", ValueKind::Text, "", PRIVATE),
            other("http_user", ValueKind::Text, "", PRIVATE),
            other("http_pass", ValueKind::Text, "", PRIVATE),
            other("http_s3_key", ValueKind::Text, "", PRIVATE),
            other("http_s3_keyid", ValueKind::Text, "", PRIVATE),
            other("http_swift_auth_token", ValueKind::Text, "", PRIVATE),
            other("http_s3_region", ValueKind::Text, "", PRIVATE),
            other("http_s3_sse_customer_key", ValueKind::Text, "", PRIVATE),
            other(
                "http_s3_sse_customer_algorithm",
                ValueKind::Text,
                "",
                PRIVATE,
            ),
            other("http_s3_storage_class", ValueKind::Text, "", PRIVATE),
            other(
                "http_mode",
                ValueKind::Word(&["webdav", "s3", "swift"]),
                "",
                PRIVATE,
            ),
            other("http_verbose", INT, "0", PRIVATE),
        ],
    ),
    (
        &["io_uring", "io_uring_cmd"],
        &[
            other("hipri", ValueKind::Set, "0", "polled completions"),
            other(
                "cmdprio_percentage",
                ValueKind::Number(0, 100),
                "0",
                PRIVATE,
            ),
            other("cmdprio_class", ValueKind::Number(1, 3), "0", PRIVATE),
            other("cmdprio", ValueKind::Number(0, 7), "0", PRIVATE),
            other("cmdprio_bssplit", ValueKind::Text, "", PRIVATE),
            noted("fixedbufs", "", ValueKind::Set, OWN),
            noted("registerfiles", "", ValueKind::Set, OWN),
            other(
                "sqthread_poll",
                ValueKind::Set,
                "0",
                "a kernel thread that polls for submissions",
            ),
            noted("sqthread_poll_cpu", "", INT, OWN),
            noted("nonvectored", "", INT, OWN),
            other("uncached", INT, "0", "uncached buffered I/O"),
            other(
                "nowait",
                ValueKind::Bool,
                "0",
                "refusing to wait for a request",
            ),
            other(
                "force_async",
                INT,
                "0",
                "handing every request to the kernel's workers",
            ),
            other("cmd_type", ValueKind::Word(&["nvme"]), "", PRIVATE),
        ],
    ),
    (
        &["libaio"],
        &[
            noted("userspace_reap", "", ValueKind::Set, OWN),
            other(
                "cmdprio_percentage",
                ValueKind::Number(0, 100),
                "0",
                PRIVATE,
            ),
            other("cmdprio_class", ValueKind::Number(1, 3), "0", PRIVATE),
            other("cmdprio", ValueKind::Number(0, 7), "0", PRIVATE),
            other("cmdprio_bssplit", ValueKind::Text, "", PRIVATE),
            other(
                "nowait",
                ValueKind::Bool,
                "0",
                "refusing to wait for a request",
            ),
        ],
    ),
    (
        &["libcufile"],
        &[
            other("gpu_dev_ids", ValueKind::Text, "", PRIVATE),
            other(
                "cuda_io",
                ValueKind::Word(&["cufile", "posix"]),
                "",
                PRIVATE,
            ),
        ],
    ),
    (
        &["libhdfs"],
        &[
            other("namenode", ValueKind::Text, "", PRIVATE),
            other("hostname", ValueKind::Text, "", PRIVATE),
            other("port", ValueKind::Number(1, 65535), "0", PRIVATE),
            other("hdfsdirectory", ValueKind::Text, "", PRIVATE),
            Spec {
                alias: "chunck_size",
                ..other("chunk_size", INT, "0", PRIVATE)
            },
            other("single_instance", ValueKind::Bool, "0", PRIVATE),
            other("hdfs_use_direct", ValueKind::Bool, "0", PRIVATE),
        ],
    ),
    (
        &["libiscsi"],
        &[other("initiator", ValueKind::Text, "", PRIVATE)],
    ),
    (
        &[
            "librpma_apm_client",
            "librpma_apm_server",
            "librpma_gpspm_client",
            "librpma_gpspm_server",
        ],
        &[
            other("serverip", ValueKind::Text, "", PRIVATE),
            other("port", ValueKind::Text, "", PRIVATE),
            other("direct_write_to_pmem", ValueKind::Bool, "0", PRIVATE),
            other("busy_wait_polling", ValueKind::Bool, "0", PRIVATE),
        ],
    ),
    (&["mmap"], &[other("thp", INT, "0", PRIVATE)]),
    (
        &["mtd"],
        &[other("skip_bad", ValueKind::Bool, "0", PRIVATE)],
    ),
    (&["nbd"], &[other("uri", ValueKind::Text, "", PRIVATE)]),
    (
        &["netsplice", "net"],
        &[
            other("hostname", ValueKind::Text, "", PRIVATE),
            other("port", ValueKind::Number(1, 65535), "0", PRIVATE),
            Spec {
                alias: "proto",
                ..other(
                    "protocol",
                    ValueKind::Word(&["tcp", "tcpv6", "udp", "udpv6", "unix"]),
                    "",
                    PRIVATE,
                )
            },
            other("nodelay", ValueKind::Bool, "0", PRIVATE),
            other("listen", ValueKind::Set, "0", PRIVATE),
            other("pingpong", ValueKind::Set, "0", PRIVATE),
            other("interface", ValueKind::Text, "", PRIVATE),
            other("ttl", INT, "0", PRIVATE),
            other("window_size", INT, "0", PRIVATE),
            other("mss", INT, "0", PRIVATE),
        ],
    ),
    (&["nfs"], &[other("nfs_url", ValueKind::Text, "", PRIVATE)]),
    (
        &["rados"],
        &[
            other("clustername", ValueKind::Text, "", PRIVATE),
            other("pool", ValueKind::Text, "", PRIVATE),
            other("clientname", ValueKind::Text, "", PRIVATE),
            other("conf", ValueKind::Text, "", PRIVATE),
            other("busy_poll", ValueKind::Bool, "0", PRIVATE),
            other("touch_objects", ValueKind::Bool, "0", PRIVATE),
        ],
    ),
    (
        &["rbd"],
        &[
            other("rbdname", ValueKind::Text, "", PRIVATE),
            other("pool", ValueKind::Text, "", PRIVATE),
            other("clientname", ValueKind::Text, "", PRIVATE),
            other("busy_poll", ValueKind::Bool, "0", PRIVATE),
        ],
    ),
    (
        &["rdma"],
        &[
            other("hostname", ValueKind::Text, "", PRIVATE),
            other("bindname", ValueKind::Text, "", PRIVATE),
            other("port", ValueKind::Number(1, 65535), "0", PRIVATE),
            Spec {
                alias: "proto",
                ..other(
                    "verb",
                    ValueKind::Word(&["write", "read", "send", "recv"]),
                    "",
                    PRIVATE,
                )
            },
        ],
    ),
    (
        &["sg"],
        &[
            other("readfua", ValueKind::Bool, "0", PRIVATE),
            other("writefua", ValueKind::Bool, "0", PRIVATE),
            other(
                "sg_write_mode",
                ValueKind::Word(&[
                    "write",
                    "write_and_verify",
                    "verify",
                    "write_same",
                    "same",
                    "write_same_ndob",
                    "verify_bytchk_00",
                    "verify_bytchk_01",
                    "verify_bytchk_11",
                    "write_stream",
                ]),
                "",
                PRIVATE,
            ),
            other("stream_id", INT, "0", PRIVATE),
        ],
    ),
    (
        &["pvsync2"],
        &[
            other("hipri", ValueKind::Set, "0", "polled completions"),
            other("hipri_percentage", ValueKind::Number(0, 100), "0", PRIVATE),
            other("uncached", INT, "0", "uncached buffered I/O"),
            other(
                "nowait",
                ValueKind::Bool,
                "0",
                "refusing to wait for a request",
            ),
        ],
    ),
    (
        &["xnvme"],
        &[
            other("hipri", ValueKind::Set, "0", "polled completions"),
            other(
                "sqthread_poll",
                ValueKind::Set,
                "0",
                "a kernel thread that polls for submissions",
            ),
            other("xnvme_be", ValueKind::Text, "", PRIVATE),
            other("xnvme_async", ValueKind::Text, "", PRIVATE),
            other("xnvme_sync", ValueKind::Text, "", PRIVATE),
            other("xnvme_admin", ValueKind::Text, "", PRIVATE),
            other("xnvme_dev_nsid", INT, "0", PRIVATE),
            other("xnvme_iovec", ValueKind::Set, "0", PRIVATE),
        ],
    ),
];

/// All engines that some fio has.
const ENGINES: &[&str] = &[
    "binject",
    "cpp_null",
    "cpuio",
    "dev-dax",
    "dfs",
    "e4defrag",
    "exec",
    "external",
    "falloc",
    "filecreate",
    "filedelete",
    "filestat",
    "ftruncate",
    "gfapi",
    "guasi",
    "libblkio",
    "solarisaio",
    "windowsaio",
    "gfapi_async",
    "http",
    "ime_aio",
    "ime_psync",
    "ime_psyncv",
    "io_uring",
    "io_uring_cmd",
    "libaio",
    "libcufile",
    "libhdfs",
    "libiscsi",
    "libpmem",
    "librpma_apm_client",
    "librpma_apm_server",
    "librpma_gpspm_client",
    "librpma_gpspm_server",
    "libzbc",
    "mmap",
    "mtd",
    "nbd",
    "net",
    "netsplice",
    "nfs",
    "null",
    "pmemblk",
    "posixaio",
    "psync",
    "pvsync",
    "pvsync2",
    "rados",
    "rbd",
    "rdma",
    "sg",
    "splice",
    "sync",
    "vsync",
    "xnvme",
];

/// Whether some fio has this engine.
pub(in super::super) fn is_fios(name: &str) -> bool {
    let plain = name.split(':').next().unwrap_or(name);
    ENGINES.contains(&plain)
}

/// The names of fio's engines.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    ENGINES.iter().copied()
}
