/* What of the BPF helpers and the map notation the programs use; libbpf's headers would be a dependency for this. */
#ifndef IODYNO_BPF_H
#define IODYNO_BPF_H

#include "kernel.h"

#define SEC(name) __attribute__((section(name), used))
#define INLINE static inline __attribute__((always_inline))

/* Maps are described by the types of a struct's fields (BTF-defined maps). */
#define __uint(name, value) int(*name)[value]
#define __type(name, value) typeof(value) *name

enum { MAP_HASH = 1, MAP_ARRAY = 2, MAP_PERCPU_ARRAY = 6, MAP_STACK_TRACE = 7 };

static void *(*const bpf_map_lookup_elem)(void *map, const void *key) = (void *)1;
static long (*const bpf_map_update_elem)(void *map, const void *key, const void *value, u64 flags) = (void *)2;
static u64 (*const bpf_ktime_get_ns)(void) = (void *)5;
static u32 (*const bpf_get_prandom_u32)(void) = (void *)7;
static long (*const bpf_get_stackid)(void *context, void *map, u64 flags) = (void *)27;
static long (*const bpf_probe_read_kernel)(void *to, u32 bytes, const void *from) = (void *)113;

/* Whether the running kernel's structure has the field. */
#define field_exists(field) __builtin_preserve_field_info(field, 2)
/* The running kernel's value of an enumerator. */
#define enum_value(type, value) __builtin_preserve_enum_value(*(typeof(type) *)value, 1)

#endif
