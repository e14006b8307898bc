/* How long the threads of a load sleep, and where in the kernel.
 *
 *   sched_switch   a thread leaves its CPU: the sleep begins
 *   sched_wakeup   it is in a run queue again: the sleep is over
 *
 * Every sleep is timed. A stack costs some µs where the unwinder has to search, so those of a thread's first sleeps are
 * read, and later those of one in sixteen at random, which then stand for sixteen.
 *
 * The threads are found by their name, and by the process that they belong to as it knows itself: its number in its own
 * namespace of process numbers, and which namespace that is.
 */
#include "bpf.h"
#include "sleeps.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

/* Set before loading. */
const volatile u32 process = 0;
const volatile u32 process_namespace = 0;

/* iodyno-l, which the names of all threads of a load begin with, as a number of 8 bytes. */
#define NAME 0x6c2d6f6e79646f69ull

/* What is asleep (include/linux/sched.h): TASK_INTERRUPTIBLE and TASK_UNINTERRUPTIBLE. */
#define ASLEEP 3

/* PF_KTHREAD, seen to be this on 5.10, 6.1, 6.12 and 6.18. Most switches beside a disk are theirs: told without a call. */
#define OF_KERNEL 0x00200000

struct thread {
	u64 first, last; /* when it was first and last seen, on a clock of ns since the start */
	u64 slept;
	u64 sleeps;
	u64 asleep_since; /* 0 while it is awake */
	u32 stack, weight;
};

/* By the thread's number, that of the uppermost namespace. */
struct {
	__uint(type, MAP_HASH);
	__uint(max_entries, THREADS_MAX);
	__type(key, u32);
	__type(value, struct thread);
} threads SEC(".maps");

struct {
	__uint(type, MAP_STACK_TRACE);
	__uint(max_entries, STACKS_MAX);
	__type(key, u32);
	__uint(value_size, DEPTH_MAX * sizeof(u64));
} stacks SEC(".maps");

/* Time asleep by the stack's number, ns, with the weights. */
struct {
	__uint(type, MAP_PERCPU_ARRAY);
	__uint(max_entries, STACKS_MAX);
	__type(key, u32);
	__type(value, u64);
} places SEC(".maps");

INLINE int is_own(struct task_struct *task)
{
	struct pid *numbers = task->group_leader->thread_pid;
	struct upid number = {};
	u32 namespace = 0;

	/* Of the numbers that it has, one a level, the last is that of its own namespace. */
	bpf_probe_read_kernel(&number, sizeof(number),
			      (char *)numbers->numbers + numbers->level * sizeof(number));
	if ((u32)number.nr != process)
		return 0;
	bpf_probe_read_kernel(&namespace, sizeof(namespace), &number.ns->ns.inum);
	return namespace == process_namespace;
}

INLINE int is_of_load(struct task_struct *task)
{
	u64 name = 0;

	bpf_probe_read_kernel(&name, sizeof(name), task->comm);
	return name == NAME && is_own(task);
}

INLINE struct thread *find(struct task_struct *task)
{
	u32 key = task->pid;

	return bpf_map_lookup_elem(&threads, &key);
}

/* Who is known is of a load: names are looked at once a thread. */
INLINE struct thread *find_or_begin(struct task_struct *task, u64 now)
{
	struct thread *found = find(task), fresh = {};
	u32 key = task->pid;

	if (found || !is_of_load(task))
		return found;
	fresh.first = now;
	bpf_map_update_elem(&threads, &key, &fresh, 0);
	return bpf_map_lookup_elem(&threads, &key);
}

INLINE int left(void *context, struct task_struct *task, u64 state)
{
	struct thread *thread;
	u64 now;
	long stack;

	if (task->flags & OF_KERNEL)
		return 0;
	now = bpf_ktime_get_ns();
	thread = find_or_begin(task, now);
	if (!thread)
		return 0;
	thread->last = now;
	if (!(state & ASLEEP))
		return 0;
	thread->asleep_since = now;
	thread->stack = NO_STACK;
	thread->weight = thread->sleeps < EACH_UNTIL ? 1 : ONE_IN;
	if (thread->weight > 1 && bpf_get_prandom_u32() % ONE_IN)
		return 0;
	/* A stack whose place another one has is not read (-EEXIST). */
	stack = bpf_get_stackid(context, &stacks, 0);
	if (stack >= 0)
		thread->stack = stack;
	return 0;
}

INLINE int woken(struct task_struct *task)
{
	struct thread *thread;
	u64 now, slept, *place;
	u32 stack;

	if (task->flags & OF_KERNEL)
		return 0;
	thread = find(task);
	if (!thread || !thread->asleep_since)
		return 0;
	now = bpf_ktime_get_ns();
	slept = now - thread->asleep_since;
	thread->asleep_since = 0;
	thread->last = now;
	thread->slept += slept;
	thread->sleeps++;
	stack = thread->stack;
	if (stack == NO_STACK)
		return 0;
	place = bpf_map_lookup_elem(&places, &stack);
	if (place)
		*place += slept * thread->weight;
	return 0;
}

/* Since 5.18 the event has the state as an argument: a wake-up on another CPU may have changed the thread's meanwhile. */
SEC("tp_btf/sched_switch")
int sleeps_switch_state(u64 *context)
{
	return (u8)context[0] ? 0 : left(context, (struct task_struct *)context[1], context[3]);
}

SEC("tp_btf/sched_switch")
int sleeps_switch(u64 *context)
{
	struct task_struct *task = (struct task_struct *)context[1];
	struct task_struct___old *old = (struct task_struct___old *)task;
	u64 state;

	if ((u8)context[0])
		return 0;
	state = field_exists(old->state) ? (u64)old->state : task->__state;
	return left(context, task, state);
}

SEC("tp_btf/sched_wakeup")
int sleeps_wakeup(u64 *context)
{
	return woken((struct task_struct *)context[0]);
}
