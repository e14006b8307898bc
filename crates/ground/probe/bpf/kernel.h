/* The few fields of kernel structures that the programs read. Their offsets are those of the kernel the object is
 * loaded into: `preserve_access_index` makes the compiler record every access by name (CO-RE), so that neither the
 * order nor the other fields matter here. A name with three underscores stands for the same structure on an older
 * kernel.
 */
#ifndef IODYNO_KERNEL_H
#define IODYNO_KERNEL_H

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct gendisk {
	int major;
	int first_minor;
};

struct request_queue {
	struct gendisk *disk; /* since 5.15 */
};

struct block_device {
	struct gendisk *bd_disk;
};

struct bvec_iter {
	u32 bi_size;
};

struct bio {
	struct bio *bi_next;
	struct block_device *bi_bdev; /* since 5.12 */
	u32 bi_opf;
	u8 bi_status;
	struct bvec_iter bi_iter;
	void *bi_private;
};

struct blk_plug {
	u64 cur_ktime; /* since 6.9: the time is read once for a batch */
};

struct bio___old {
	struct gendisk *bi_disk; /* until 5.11 */
};

struct request {
	struct request_queue *q;
	u32 cmd_flags;
	u32 __data_len;
	struct bio *bio;
	struct bio *biotail;
	u64 start_time_ns;
	u64 io_start_time_ns;
	void *end_io;
};

struct request___old {
	struct gendisk *rq_disk; /* until 5.16 */
};

struct ns_common {
	u32 inum;
};

struct pid_namespace {
	struct ns_common ns;
};

struct upid {
	int nr;
	struct pid_namespace *ns;
};

struct pid {
	u32 level;
	struct upid numbers[1];
};

struct task_struct {
	u32 __state; /* since 5.14 */
	u32 flags;
	int pid;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	char comm[16];
};

struct task_struct___old {
	long state; /* until 5.13 */
};

#pragma clang attribute pop

enum req_flag_bits {
	__REQ_PREFLUSH = 18,
};

/* A blk_status_t, the same number since 4.13. */
enum { STATUS_AGAIN = 12 };

/* Operations (enum req_op); their numbers have not changed since 4.10. */
enum {
	OP_READ = 0,
	OP_WRITE = 1,
	OP_FLUSH = 2,
	OP_DISCARD = 3,
	OP_SECURE_ERASE = 5,
	OP_ZONE_FIRST = 10, /* zone management, both numberings; nothing that carries data is above */
	OP_DRIVER = 32, /* a driver's own commands */
};

#endif
