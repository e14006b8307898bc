/* The bucket of a latency in fio's layout: the same function as `model::histogram::bucket_of`, which a test checks.
 * Values from 0 to 127 have a bucket each, then every power of two has 64.
 */
#ifndef IODYNO_BUCKET_H
#define IODYNO_BUCKET_H

#define BUCKETS (29 * 64)

/* The highest set bit by its place in a de Bruijn sequence: no branch, so that four inlined copies are one path for the
 * verifier, and no instruction for it is in BPF before its fourth version.
 */
static const unsigned char highest_bit[64] = {
	0, 47, 1, 56, 48, 27, 2, 60, 57, 49, 41, 37, 28, 16, 3, 61,
	54, 58, 35, 52, 50, 42, 21, 44, 38, 32, 29, 23, 17, 11, 4, 62,
	46, 55, 26, 59, 40, 36, 15, 53, 34, 51, 20, 43, 31, 22, 10, 45,
	25, 39, 14, 33, 19, 30, 9, 24, 13, 18, 8, 12, 7, 6, 5, 63,
};

static inline __attribute__((always_inline)) unsigned int bucket_of(unsigned long long latency_ns)
{
	unsigned long long ones = latency_ns;
	unsigned int shift, index;

	if (latency_ns < 128)
		return latency_ns;
	ones |= ones >> 1;
	ones |= ones >> 2;
	ones |= ones >> 4;
	ones |= ones >> 8;
	ones |= ones >> 16;
	ones |= ones >> 32;
	shift = highest_bit[ones * 0x03f79d71b4cb0a89ull >> 58] - 6;
	index = ((shift + 1) << 6) + (63 & (latency_ns >> (shift & 63)));
	return index < BUCKETS ? index : BUCKETS - 1;
}

#endif
