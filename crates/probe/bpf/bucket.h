/* The bucket of a latency in fio's layout: the same function as `model::histogram::bucket_of`, which a test checks.
 * Values from 0 to 127 have a bucket each, then every power of two has 64.
 */
#ifndef IODYNO_BUCKET_H
#define IODYNO_BUCKET_H

#define BUCKETS (29 * 64)

static inline __attribute__((always_inline)) unsigned int bucket_of(unsigned long long latency_ns)
{
	unsigned long long rest = latency_ns;
	unsigned int top = 0, shift, index;

	if (latency_ns < 128)
		return latency_ns;
	/* The highest set bit by halving: BPF has no instruction for it before its fourth version. */
	if (rest >> 32) { top += 32; rest >>= 32; }
	if (rest >> 16) { top += 16; rest >>= 16; }
	if (rest >> 8) { top += 8; rest >>= 8; }
	if (rest >> 4) { top += 4; rest >>= 4; }
	if (rest >> 2) { top += 2; rest >>= 2; }
	top += rest >> 1;
	shift = top - 6;
	index = ((shift + 1) << 6) + (63 & (latency_ns >> (shift & 63)));
	return index < BUCKETS ? index : BUCKETS - 1;
}

#endif
