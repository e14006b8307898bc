/* What the programs and their reader (src/layout.rs) share: how devices, directions, layers and counters are numbered. */
#ifndef IODYNO_LAYERS_H
#define IODYNO_LAYERS_H

#define DEVICES_MAX 16
#define NO_SLOT 0xff
/* I/Os in flight that are followed at once: 16384 sets of 4, 64 bytes each; one for which its set is full is dropped and
 * counted. */
#define SET_BITS 14
#define WAYS 4
/* An I/O that began so long ago may give its place to another one, 100 s. */
#define STALE_NS 100000000000ull
/* Bios of one request that are looked at; a request may have as many segments as this. */
#define BIOS_MAX 256

enum direction { DIR_READ, DIR_WRITE, DIR_DISCARD, DIR_FLUSH, DIRECTIONS, DIR_NONE = 0xff };

/* Of the full strength; G2C and D2C are also those of the lite one. */
enum layer { Q2G, G2I, I2D, G2D, D2C, Q2C, G2C, LAYERS };

enum counter {
	QUEUED,      /* bios queued, or handed down to the device by one stacked on it */
	ISSUED,      /* requests sent to the driver */
	MERGED,      /* bios completed as a part of a request that another bio had got */
	SPLIT,       /* parts cut off a bio that was too large or unaligned */
	REQUEUED,    /* requests that went back from the driver */
	ERRORED,     /* requests and bios completed with an error */
	DROPPED,     /* I/Os not followed because the table was full or busy */
	AT_ATTACH,   /* completions of what was in flight before the programs were attached */
	UNMATCHED,   /* other completions without a known beginning */
	UNTIMED,     /* completions without the kernel's own time stamps (lite; iostats is off) */
	PARTIAL,     /* completions of only a part of a request */
	UNWALKED,    /* requests of more bios than are looked at */
	COMMANDS,    /* requests of drivers and zones, which are no I/O */
	BACKWARDS,   /* times that would have been negative */
	AGAIN,       /* bios that were not to wait and would have had to; who sent them sends them again */
	COUNTERS,
};

#endif
