//! fio's engines, and the options that each of them has alone.

use super::{INT, Kind, Spec, WIDE, noted, other};

const PRIVATE: &str = "an option of an engine that fio alone has";
const OWN: &str = "iodyno's engine decides this by itself";

/// Options by the engines that have them.
pub(super) static GROUPS: &[(&[&str], &[Spec])] = &[
    (
        &["cpuio"],
        &[
            other("cpuload", INT, "0", PRIVATE),
            other("cpumode", Kind::Word(&["noop", "qsort"]), "", PRIVATE),
            other("cpuchunks", INT, "0", PRIVATE),
            other("exit_on_io_done", Kind::Bool, "0", PRIVATE),
        ],
    ),
    (
        &["dfs"],
        &[
            other("pool", Kind::Text, "", PRIVATE),
            other("cont", Kind::Text, "", PRIVATE),
            other("chunk_size", WIDE, "", PRIVATE),
            other("object_class", Kind::Text, "", PRIVATE),
            other("svcl", Kind::Text, "", PRIVATE),
        ],
    ),
    (
        &["e4defrag"],
        &[
            other("donorname", Kind::Text, "", PRIVATE),
            other("inplace", Kind::Number(0, 1), "0", PRIVATE),
        ],
    ),
    (
        &["exec"],
        &[
            other("program", Kind::Text, "", PRIVATE),
            other("arguments", Kind::Text, "", PRIVATE),
            other("grace_time", INT, "0", PRIVATE),
            other("std_redirect", Kind::Bool, "0", PRIVATE),
        ],
    ),
    (
        &["filecreate", "filestat", "filedelete"],
        &[other(
            "stat_type",
            Kind::Word(&["stat", "lstat", "statx"]),
            "",
            PRIVATE,
        )],
    ),
    (
        &["gfapi", "gfapi_async"],
        &[
            other("volume", Kind::Text, "", PRIVATE),
            other("brick", Kind::Text, "", PRIVATE),
            other("single-instance", Kind::Bool, "0", PRIVATE),
        ],
    ),
    (
        &["http"],
        &[
            other("https", Kind::Word(&["off", "on", "insecure"]), "", PRIVATE),
            other("http_host", Kind::Text, "", PRIVATE),
            other("http_user", Kind::Text, "", PRIVATE),
            other("http_pass", Kind::Text, "", PRIVATE),
            other("http_s3_key", Kind::Text, "", PRIVATE),
            other("http_s3_keyid", Kind::Text, "", PRIVATE),
            other("http_swift_auth_token", Kind::Text, "", PRIVATE),
            other("http_s3_region", Kind::Text, "", PRIVATE),
            other("http_s3_sse_customer_key", Kind::Text, "", PRIVATE),
            other("http_s3_sse_customer_algorithm", Kind::Text, "", PRIVATE),
            other("http_s3_storage_class", Kind::Text, "", PRIVATE),
            other(
                "http_mode",
                Kind::Word(&["webdav", "s3", "swift"]),
                "",
                PRIVATE,
            ),
            other("http_verbose", INT, "0", PRIVATE),
        ],
    ),
    (
        &["io_uring", "io_uring_cmd"],
        &[
            other("hipri", Kind::Set, "0", "polled completions"),
            other("cmdprio_percentage", Kind::Number(0, 100), "0", PRIVATE),
            other("cmdprio_class", Kind::Number(1, 3), "0", PRIVATE),
            other("cmdprio", Kind::Number(0, 7), "0", PRIVATE),
            other("cmdprio_bssplit", Kind::Text, "", PRIVATE),
            noted("fixedbufs", "", Kind::Set, OWN),
            noted("registerfiles", "", Kind::Set, OWN),
            other(
                "sqthread_poll",
                Kind::Set,
                "0",
                "a kernel thread that polls for submissions",
            ),
            noted("sqthread_poll_cpu", "", INT, OWN),
            noted("nonvectored", "", INT, OWN),
            other("uncached", INT, "0", "uncached buffered I/O"),
            other("nowait", Kind::Bool, "0", "refusing to wait for a request"),
            other(
                "force_async",
                INT,
                "0",
                "handing every request to the kernel's workers",
            ),
            other("cmd_type", Kind::Word(&["nvme"]), "", PRIVATE),
        ],
    ),
    (
        &["libaio"],
        &[
            noted("userspace_reap", "", Kind::Set, OWN),
            other("cmdprio_percentage", Kind::Number(0, 100), "0", PRIVATE),
            other("cmdprio_class", Kind::Number(1, 3), "0", PRIVATE),
            other("cmdprio", Kind::Number(0, 7), "0", PRIVATE),
            other("cmdprio_bssplit", Kind::Text, "", PRIVATE),
            other("nowait", Kind::Bool, "0", "refusing to wait for a request"),
        ],
    ),
    (
        &["libcufile"],
        &[
            other("gpu_dev_ids", Kind::Text, "", PRIVATE),
            other("cuda_io", Kind::Word(&["cufile", "posix"]), "", PRIVATE),
        ],
    ),
    (
        &["libhdfs"],
        &[
            other("namenode", Kind::Text, "", PRIVATE),
            other("hostname", Kind::Text, "", PRIVATE),
            other("port", Kind::Number(1, 65535), "0", PRIVATE),
            other("hdfsdirectory", Kind::Text, "", PRIVATE),
            Spec {
                alias: "chunck_size",
                ..other("chunk_size", INT, "0", PRIVATE)
            },
            other("single_instance", Kind::Bool, "0", PRIVATE),
            other("hdfs_use_direct", Kind::Bool, "0", PRIVATE),
        ],
    ),
    (
        &["libiscsi"],
        &[other("initiator", Kind::Text, "", PRIVATE)],
    ),
    (
        &[
            "librpma_apm_client",
            "librpma_apm_server",
            "librpma_gpspm_client",
            "librpma_gpspm_server",
        ],
        &[
            other("serverip", Kind::Text, "", PRIVATE),
            other("port", Kind::Text, "", PRIVATE),
            other("direct_write_to_pmem", Kind::Bool, "0", PRIVATE),
            other("busy_wait_polling", Kind::Bool, "0", PRIVATE),
        ],
    ),
    (&["mmap"], &[other("thp", INT, "0", PRIVATE)]),
    (&["mtd"], &[other("skip_bad", Kind::Bool, "0", PRIVATE)]),
    (&["nbd"], &[other("uri", Kind::Text, "", PRIVATE)]),
    (
        &["netsplice", "net"],
        &[
            other("hostname", Kind::Text, "", PRIVATE),
            other("port", Kind::Number(1, 65535), "0", PRIVATE),
            Spec {
                alias: "proto",
                ..other(
                    "protocol",
                    Kind::Word(&["tcp", "tcpv6", "udp", "udpv6", "unix"]),
                    "",
                    PRIVATE,
                )
            },
            other("nodelay", Kind::Bool, "0", PRIVATE),
            other("listen", Kind::Set, "0", PRIVATE),
            other("pingpong", Kind::Set, "0", PRIVATE),
            other("interface", Kind::Text, "", PRIVATE),
            other("ttl", INT, "0", PRIVATE),
            other("window_size", INT, "0", PRIVATE),
            other("mss", INT, "0", PRIVATE),
        ],
    ),
    (&["nfs"], &[other("nfs_url", Kind::Text, "", PRIVATE)]),
    (
        &["rados"],
        &[
            other("clustername", Kind::Text, "", PRIVATE),
            other("pool", Kind::Text, "", PRIVATE),
            other("clientname", Kind::Text, "", PRIVATE),
            other("conf", Kind::Text, "", PRIVATE),
            other("busy_poll", Kind::Bool, "0", PRIVATE),
            other("touch_objects", Kind::Bool, "0", PRIVATE),
        ],
    ),
    (
        &["rbd"],
        &[
            other("rbdname", Kind::Text, "", PRIVATE),
            other("pool", Kind::Text, "", PRIVATE),
            other("clientname", Kind::Text, "", PRIVATE),
            other("busy_poll", Kind::Bool, "0", PRIVATE),
        ],
    ),
    (
        &["rdma"],
        &[
            other("hostname", Kind::Text, "", PRIVATE),
            other("bindname", Kind::Text, "", PRIVATE),
            other("port", Kind::Number(1, 65535), "0", PRIVATE),
            Spec {
                alias: "proto",
                ..other(
                    "verb",
                    Kind::Word(&["write", "read", "send", "recv"]),
                    "",
                    PRIVATE,
                )
            },
        ],
    ),
    (
        &["sg"],
        &[
            other("readfua", Kind::Bool, "0", PRIVATE),
            other("writefua", Kind::Bool, "0", PRIVATE),
            other(
                "sg_write_mode",
                Kind::Word(&[
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
            other("hipri", Kind::Set, "0", "polled completions"),
            other("hipri_percentage", Kind::Number(0, 100), "0", PRIVATE),
            other("uncached", INT, "0", "uncached buffered I/O"),
            other("nowait", Kind::Bool, "0", "refusing to wait for a request"),
        ],
    ),
    (
        &["xnvme"],
        &[
            other("hipri", Kind::Set, "0", "polled completions"),
            other(
                "sqthread_poll",
                Kind::Set,
                "0",
                "a kernel thread that polls for submissions",
            ),
            other("xnvme_be", Kind::Text, "", PRIVATE),
            other("xnvme_async", Kind::Text, "", PRIVATE),
            other("xnvme_sync", Kind::Text, "", PRIVATE),
            other("xnvme_admin", Kind::Text, "", PRIVATE),
            other("xnvme_dev_nsid", INT, "0", PRIVATE),
            other("xnvme_iovec", Kind::Set, "0", PRIVATE),
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
