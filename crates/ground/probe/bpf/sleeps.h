/* What the programs that follow threads and their reader (src/sleeps.rs) share. */
#ifndef IODYNO_SLEEPS_H
#define IODYNO_SLEEPS_H

/* Threads that are followed; of one beyond that nothing is known. */
#define THREADS_MAX 4096
/* Different stacks that are kept, and how deep. */
#define STACKS_MAX 1024
#define DEPTH_MAX 24
/* Of each thread so many sleeps have their stack read, and one in so many after them. */
#define EACH_UNTIL 256
#define ONE_IN 16
/* No stack was read. */
#define NO_STACK 0xffffffff

#endif
