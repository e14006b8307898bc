/* Times of block I/O by layer, as histograms in the kernel.
 *
 *   Q  block_bio_queue    a bio arrives at the device          G  block_getrq     it has got a request
 *   I  block_rq_insert    the request is in the scheduler      D  block_rq_issue  the driver has it
 *   C  block_rq_complete, block_bio_complete                   done
 *
 * The full strength follows every bio by its address from Q to C. The lite one looks at completions only, with the two
 * time stamps that the kernel itself keeps in a request. Nothing is lost without being counted: see enum counter.
 *
 * What the kernel does that shapes this code:
 * - request-based drivers end their bios without block_bio_complete, so Q2C is taken in block_rq_complete, bio by bio;
 *   bio-based ones (zram, dm, md) have no requests and only Q and block_bio_complete;
 * - a split makes a new bio for the front part, whose bi_private is the bio it was cut from; neither has a second Q;
 * - a flush sequence (a write with PREFLUSH or emulated FUA) completes the write's request twice: first the data, with
 *   the request's end_io still set, then all of it with no bytes; the flushes have a request of their own without bio;
 * - a bio handed down without being cloned (md raid0, NVMe multipath) has no second Q but a block_bio_remap;
 * - before 5.11 (and 5.10.137) the events have the queue as their first argument: programs that end in _q.
 */
#include "bpf.h"
#include "bucket.h"
#include "layers.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

/* Set before loading: the devices looked at, in the kernel's notation (major << 20 | minor). */
const volatile u32 devices[DEVICES_MAX] = {};
const volatile u32 device_count = 0;

/* A bio on its way; or, by its request's address, a flush of the flush machinery. A time of zero is not reached yet. */
struct entry {
	u64 key; /* made of the address; 0 where the entry is free */
	u64 queued, got, inserted, issued;
	u64 upper_queued; /* when the device above queued it, where it was handed down without being cloned */
	u8 slot, upper_slot, direction, upper_direction;
	u32 is_rest; /* stands under the request's address: a part of the request has been completed */
};

struct entries {
	struct entry ways[WAYS];
};

struct histogram {
	u64 counts[BUCKETS];
};

struct counters {
	u64 count[COUNTERS];
};

/* A table of sets rather than a hash map: no lock and no copy, which halves what following an I/O costs. An address may
 * stand in one of the ways of its set. Two CPUs that take the same free way at the same moment lose one of the two I/Os:
 * it is counted as unmatched when it completes.
 */
struct {
	__uint(type, MAP_ARRAY);
	__uint(max_entries, 1 << SET_BITS);
	__type(key, u32);
	__type(value, struct entries);
} tracked SEC(".maps");

/* By ((slot * DIRECTIONS) + direction) * LAYERS + layer; the loader sizes it for the devices there are. */
struct {
	__uint(type, MAP_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct histogram);
} histograms SEC(".maps");

struct {
	__uint(type, MAP_PERCPU_ARRAY);
	__uint(max_entries, DEVICES_MAX);
	__type(key, u32);
	__type(value, struct counters);
} counts SEC(".maps");

/* When the last program was attached; 0 until then. */
struct {
	__uint(type, MAP_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u64);
} attached SEC(".maps");

INLINE void count(u32 slot, enum counter what)
{
	struct counters *of_slot = bpf_map_lookup_elem(&counts, &slot);

	if (of_slot)
		of_slot->count[what]++;
}

INLINE void add_to(u32 slot, u32 key, u64 from, u64 to)
{
	struct histogram *histogram;
	u64 bucket;

	if (!from)
		return;
	if (to < from) {
		count(slot, BACKWARDS);
		return;
	}
	histogram = bpf_map_lookup_elem(&histograms, &key);
	bucket = bucket_of(to - from);
	/* The compiler must not know the bound: it would leave out the test that older verifiers want to see. */
	asm volatile("" : "+r"(bucket));
	if (histogram && bucket < BUCKETS)
		histogram->counts[bucket]++;
}

INLINE u32 key_of_histogram(u32 slot, u32 direction, enum layer layer)
{
	return (slot * DIRECTIONS + direction) * LAYERS + layer;
}

INLINE void add(u32 slot, u32 direction, enum layer layer, u64 from, u64 to)
{
	add_to(slot, key_of_histogram(slot, direction, layer), from, to);
}

/* Not static: the verifier looks at a global function once, not again on every path that leads to a call of it. A call
 * costs a tenth of an I/O's tracing, so only the rare ways go here.
 */
__attribute__((noinline)) int add_time(u32 slot, u32 key, u64 from, u64 to)
{
	add_to(slot, key, from, to);
	return 0;
}

INLINE u32 slot_of(const struct gendisk *disk)
{
	u32 device, i;

	if (!disk)
		return NO_SLOT;
	device = (u32)disk->major << 20 | (u32)disk->first_minor;
#pragma clang loop unroll(disable)
	for (i = 0; i < DEVICES_MAX; i++) {
		if (i >= device_count)
			break;
		if (devices[i] == device)
			return i;
	}
	return NO_SLOT;
}

INLINE u32 slot_of_bio(struct bio *bio)
{
	struct block_device *device;

	if (!bio)
		return NO_SLOT;
	if (!field_exists(bio->bi_bdev))
		return slot_of(((struct bio___old *)bio)->bi_disk);
	device = bio->bi_bdev;
	return device ? slot_of(device->bd_disk) : NO_SLOT;
}

INLINE u32 slot_of_request(struct request *rq)
{
	struct request___old *old = (struct request___old *)rq;
	struct request_queue *queue;

	if (field_exists(old->rq_disk))
		return slot_of(old->rq_disk);
	queue = rq->q;
	return queue ? slot_of(queue->disk) : NO_SLOT;
}

/* As in the kernel's own statistics, but with the flush apart: a flush is a bio without data that asks for one. */
INLINE u32 direction_of(u32 flags, u32 bytes)
{
	u32 op = flags & 0xff;

	if (op >= OP_ZONE_FIRST)
		return DIR_NONE;
	if (op == OP_FLUSH || (!bytes && (flags & (1u << enum_value(enum req_flag_bits, __REQ_PREFLUSH)))))
		return DIR_FLUSH;
	if (op == OP_DISCARD || op == OP_SECURE_ERASE)
		return DIR_DISCARD;
	return op & 1 ? DIR_WRITE : DIR_READ;
}

/* A pointer as a number to reckon with. The verifier allows no arithmetic on a pointer but the difference of two; the
 * other one is the same in all programs.
 */
INLINE u64 key_of(const void *address)
{
	return (u64)address - (u64)&device_count;
}

INLINE struct entries *set_of(u64 key)
{
	u32 set = key * 0x9e3779b97f4a7c15ull >> (64 - SET_BITS);

	return bpf_map_lookup_elem(&tracked, &set);
}

INLINE struct entry *find_key(u64 key)
{
	struct entries *set = set_of(key);
	u32 way;

	if (!set)
		return 0;
#pragma clang loop unroll(full)
	for (way = 0; way < WAYS; way++)
		if (set->ways[way].key == key)
			return &set->ways[way];
	return 0;
}

INLINE struct entry *find(const void *address)
{
	return address ? find_key(key_of(address)) : 0;
}

INLINE void forget(struct entry *entry)
{
	entry->key = 0;
}

/* An entry for this address, to be filled: one that is free, has the address from an I/O whose end was not seen, or has
 * been there for longer than any I/O takes.
 */
INLINE struct entry *keep(const void *address, u32 slot, u64 now)
{
	u64 key = key_of(address);
	struct entries *set = set_of(key);
	struct entry *entry;
	u32 way;

	if (!set)
		return 0;
#pragma clang loop unroll(full)
	for (way = 0; way < WAYS; way++) {
		entry = &set->ways[way];
		if (!entry->key || entry->key == key || now - entry->queued > STALE_NS) {
			entry->key = key;
			return entry;
		}
	}
	count(slot, DROPPED);
	return 0;
}

/* A completion whose beginning nobody saw. */
INLINE void lost(u32 slot, u64 started_ns)
{
	u32 zero = 0;
	u64 *since = bpf_map_lookup_elem(&attached, &zero);

	count(slot, since && started_ns && (!*since || started_ns < *since) ? AT_ATTACH : UNMATCHED);
}

/* The entry of the bio that got this request. A bio merged in front of it is first in the chain and got none; where a
 * part of the request has been completed, the entry stands under the request's own address.
 */
INLINE struct entry *carrier(struct request *rq, struct entry *first)
{
	struct entry *other;

	if (first && first->got)
		return first;
	other = find(rq->biotail);
	if (other && other->got)
		return other;
	other = find(rq);
	return other ? other : first;
}

INLINE int on_queue(struct bio *bio)
{
	u32 slot = slot_of_bio(bio), direction;
	struct entry *entry;
	u64 now;

	if (slot == NO_SLOT)
		return 0;
	direction = direction_of(bio->bi_opf, bio->bi_iter.bi_size);
	if (direction == DIR_NONE) {
		count(slot, COMMANDS);
		return 0;
	}
	count(slot, QUEUED);
	now = bpf_ktime_get_ns();
	entry = keep(bio, slot, now);
	if (!entry)
		return 0;
	entry->queued = now;
	entry->got = entry->inserted = entry->issued = 0;
	entry->slot = slot;
	entry->upper_slot = NO_SLOT;
	entry->direction = direction;
	entry->is_rest = 0;
	return 0;
}

INLINE int on_getrq(struct bio *bio)
{
	struct entry *entry;

	if (slot_of_bio(bio) == NO_SLOT)
		return 0;
	entry = find(bio);
	if (entry)
		entry->got = bpf_ktime_get_ns();
	return 0;
}

INLINE void copy(struct entry *to, const struct entry *from)
{
	u64 key = to->key;

	*to = *from;
	to->key = key;
}

/* `bio` is the new front part. It has been queued when the whole was. A void pointer is a pointer to some kernels'
 * verifiers and a number to others', so the whole is read as the number that it is, and so is the part, from the
 * program's arguments: the one lies as far from the other as their keys do.
 */
INLINE int on_split(struct bio *bio, const u64 *argument)
{
	u32 slot = slot_of_bio(bio);
	struct entry *entry, *whole;
	u64 part_address = 0, whole_address = 0;

	if (slot == NO_SLOT)
		return 0;
	bpf_probe_read_kernel(&part_address, sizeof(part_address), argument);
	bpf_probe_read_kernel(&whole_address, sizeof(whole_address), &bio->bi_private);
	whole = find_key(key_of(bio) + (whole_address - part_address));
	/* Device mapper says so of the whole, when it goes on with the rest: its parts are the bios of the disks below. */
	if (!whole)
		return 0;
	count(slot, SPLIT);
	entry = keep(bio, slot, bpf_ktime_get_ns());
	if (!entry)
		return 0;
	copy(entry, whole);
	entry->got = entry->inserted = entry->issued = 0;
	return 0;
}

/* Only what was queued on a device above is of interest: a clone and a partition's bio have a Q of their own. */
INLINE int on_remap(struct bio *bio)
{
	u32 slot = slot_of_bio(bio);
	struct entry *entry;

	if (slot == NO_SLOT)
		return 0;
	entry = find(bio);
	if (!entry || entry->slot == slot)
		return 0;
	entry->upper_slot = entry->slot;
	entry->upper_direction = entry->direction;
	entry->upper_queued = entry->queued;
	entry->slot = slot;
	entry->queued = bpf_ktime_get_ns();
	count(slot, QUEUED);
	return 0;
}

INLINE int on_insert(struct request *rq)
{
	struct entry *entry;

	if (slot_of_request(rq) == NO_SLOT)
		return 0;
	entry = carrier(rq, find(rq->bio));
	/* A requeued request is inserted again; its time in the scheduler began the first time. */
	if (entry && !entry->inserted)
		entry->inserted = bpf_ktime_get_ns();
	return 0;
}

INLINE int on_issue(struct request *rq)
{
	u32 slot = slot_of_request(rq);
	struct entry *entry;
	u64 now;

	if (slot == NO_SLOT)
		return 0;
	count(slot, ISSUED);
	entry = carrier(rq, find(rq->bio));
	now = bpf_ktime_get_ns();
	if (!entry && !rq->bio && (rq->cmd_flags & 0xff) == OP_FLUSH) {
		entry = keep(rq, slot, now);
		if (entry)
			entry->queued = now;
	}
	if (entry)
		entry->issued = now;
	return 0;
}

/* Back from the driver: the next issue is the one that counts. */
INLINE int on_requeue(struct request *rq)
{
	u32 slot = slot_of_request(rq);
	struct entry *entry;

	if (slot == NO_SLOT)
		return 0;
	count(slot, REQUEUED);
	entry = carrier(rq, find(rq->bio));
	if (entry)
		entry->issued = 0;
	return 0;
}

/* What was queued on the device above ends with what it was handed down as. */
INLINE void bio_gone(struct entry *entry, u64 now)
{
	u32 upper = entry->upper_slot;

	if (upper != NO_SLOT)
		add_time(upper, key_of_histogram(upper, entry->upper_direction, Q2C), entry->upper_queued, now);
	forget(entry);
}

INLINE void bio_done(struct entry *entry, u64 now)
{
	u32 slot = entry->slot;

	add_time(slot, key_of_histogram(slot, entry->direction, Q2C), entry->queued, now);
	bio_gone(entry, now);
}

INLINE void request_done(const struct entry *times, u64 now)
{
	u32 slot = times->slot, direction = times->direction;

	add(slot, direction, Q2G, times->got ? times->queued : 0, times->got);
	if (!times->issued)
		return;
	if (times->inserted) {
		add(slot, direction, G2I, times->got, times->inserted);
		add(slot, direction, I2D, times->inserted, times->issued);
	} else {
		add(slot, direction, G2D, times->got, times->issued);
	}
	add(slot, direction, D2C, times->issued, now);
}

INLINE int flush_done(struct request *rq, u32 slot, u64 now)
{
	struct entry *entry = find(rq);

	if (!entry) {
		lost(slot, rq->io_start_time_ns);
		return 0;
	}
	add(slot, DIR_FLUSH, D2C, entry->issued, now);
	forget(entry);
	return 0;
}

SEC("tp_btf/block_rq_complete") int full_rq_complete(u64 *ctx)
{
	struct request *rq = (void *)ctx[0];
	u32 bytes = ctx[2], slot = slot_of_request(rq), op, size, i;
	struct entry *entry, *first, *rest;
	struct bio *bio, *next;
	u64 now;

	if (slot == NO_SLOT)
		return 0;
	now = bpf_ktime_get_ns();
	if ((u8)ctx[1])
		count(slot, ERRORED);
	op = rq->cmd_flags & 0xff;
	if (op >= OP_ZONE_FIRST) {
		count(slot, COMMANDS);
		return 0;
	}
	bio = rq->bio;
	if (!bio && op == OP_FLUSH)
		return flush_done(rq, slot, now);
	first = find(bio);
	entry = carrier(rq, first);
	if (!entry) {
		lost(slot, rq->start_time_ns);
	} else if (bytes < rq->__data_len) {
		count(slot, PARTIAL);
		rest = entry->is_rest ? entry : keep(rq, slot, now);
		if (rest) {
			copy(rest, entry);
			rest->is_rest = 1;
		}
	} else {
		request_done(entry, now);
		if (entry->is_rest)
			forget(entry);
		else
			entry->got = entry->issued = 0;
	}
	/* The data of a flush sequence: the bio ends with the sequence, not here. */
	if (rq->end_io)
		return 0;
	if (!bio || bio->bi_iter.bi_size > bytes)
		return 0;
	if (first) {
		add(slot, first->direction, Q2C, first->queued, now);
		bio_gone(first, now);
	}
	bytes -= bio->bi_iter.bi_size;
	bio = bio->bi_next;
#pragma clang loop unroll(disable)
	for (i = 1; i < BIOS_MAX && bio; i++) {
		size = bio->bi_iter.bi_size;
		if (size > bytes)
			return 0;
		bytes -= size;
		next = bio->bi_next;
		entry = find(bio);
		if (entry) {
			count(slot, MERGED);
			bio_done(entry, now);
		}
		bio = next;
	}
	if (bio)
		count(slot, UNWALKED);
	return 0;
}

/* (queue, bio): drivers without requests, and bios that ended before they had one. */
SEC("tp_btf/block_bio_complete") int full_bio_complete(u64 *ctx)
{
	struct bio *bio = (void *)ctx[1];
	u32 slot = slot_of_bio(bio);
	struct entry *entry;

	if (slot == NO_SLOT)
		return 0;
	entry = find(bio);
	/* io_uring tries without waiting first: that try is over at once, and would make the times too short. */
	if (bio->bi_status == STATUS_AGAIN) {
		count(slot, AGAIN);
		if (entry) {
			if (entry->upper_slot != NO_SLOT)
				count(entry->upper_slot, AGAIN);
			forget(entry);
		}
		return 0;
	}
	if (bio->bi_status)
		count(slot, ERRORED);
	if (entry)
		bio_done(entry, bpf_ktime_get_ns());
	else
		count(slot, UNMATCHED);
	return 0;
}

/* Of one I/O the kernel keeps when it got its request and, where wbt or another policy asks for it, when it was
 * issued. Since 6.9 it reads the clock once for a batch, and an issue has the time at which the batch began: all that
 * an I/O spends before the driver would be counted as the device's. D2C is absent then rather than wrong.
 */
SEC("tp_btf/block_rq_complete") int lite_rq_complete(u64 *ctx)
{
	struct request *rq = (void *)ctx[0];
	u32 bytes = ctx[2], slot = slot_of_request(rq), op, direction;
	u64 now, got, issued;

	if (slot == NO_SLOT)
		return 0;
	if ((u8)ctx[1])
		count(slot, ERRORED);
	op = rq->cmd_flags & 0xff;
	if (op >= OP_ZONE_FIRST) {
		count(slot, COMMANDS);
		return 0;
	}
	if (bytes < rq->__data_len) {
		count(slot, PARTIAL);
		return 0;
	}
	now = bpf_ktime_get_ns();
	got = rq->start_time_ns;
	issued = rq->io_start_time_ns;
	direction = direction_of(op, bytes);
	/* The request of a bare flush is never issued itself. */
	if (direction == DIR_WRITE && !bytes && !issued)
		direction = DIR_FLUSH;
	/* At its end a flush sequence completes what was issued and completed before. */
	if ((bytes || op == OP_FLUSH) && !field_exists(((struct blk_plug *)0)->cur_ktime))
		add(slot, direction, D2C, issued, now);
	if (rq->end_io)
		return 0;
	if (!got && rq->bio)
		count(slot, UNTIMED);
	add(slot, direction, G2C, got, now);
	return 0;
}

/* Does nothing: what the kernel says of its cost is the cost of measuring. */
SEC("tp_btf/block_rq_issue") int nothing(u64 *ctx)
{
	return 0;
}

#define BOTH(name, event, type) \
	SEC("tp_btf/" event) int full_##name(u64 *ctx) { return on_##name((type *)ctx[0]); } \
	SEC("tp_btf/" event) int full_##name##_q(u64 *ctx) { return on_##name((type *)ctx[1]); }

BOTH(queue, "block_bio_queue", struct bio)
BOTH(getrq, "block_getrq", struct bio)
BOTH(remap, "block_bio_remap", struct bio)
BOTH(insert, "block_rq_insert", struct request)
BOTH(issue, "block_rq_issue", struct request)
BOTH(requeue, "block_rq_requeue", struct request)

SEC("tp_btf/block_split") int full_split(u64 *ctx)
{
	return on_split((struct bio *)ctx[0], &ctx[0]);
}

SEC("tp_btf/block_split") int full_split_q(u64 *ctx)
{
	return on_split((struct bio *)ctx[1], &ctx[1]);
}
