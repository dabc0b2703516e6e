/* jobs/process_state.h -- the state of a process that plugins must not change:
 * its folder, its descriptors, its signals, timers and limits, its environment
 * and its locale.  It is recorded before a plugin is loaded and compared
 * afterwards. [the process's only thread] */
#pragma once
#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#ifdef __SSE2__
#include <xmmintrin.h>
#else
#include <fenv.h>
#endif

enum { PROCESS_FILES = 11, PROCESS_SIGNALS = 64 };

/* What a signal does; a struct sigaction is six times as large. */
struct signal_action {
	void (*handler)(int);
	int flags;
};

struct process_state {
	/* The first three are 0, 1 and 2.  The host never writes through the
	 * file offsets of the others. */
	int fd[PROCESS_FILES];
	unsigned n_files;
	struct stat file[PROCESS_FILES];
	struct stat folder;
	mode_t mask; /* umask() */
	sigset_t blocked;
	struct signal_action action[PROCESS_SIGNALS + 1];
	stack_t stack;
	struct itimerval timer[3];
	int has_timers; /* created by timer_create() */
	struct rlimit limit[RLIM_NLIMITS];
	uint64_t environment;
	char radix[8], codeset[32];
	pid_t group, session;
	int death_signal;
	unsigned n_threads;
};

/* fd: further files of the host, at most PROCESS_FILES - 3. */
void process_state_take(struct process_state *s, const int *fd, unsigned n);
/* Return the change, "changed the working directory", or NULL if nothing
 * changed.  The first checks what takes few system calls, the second checks
 * everything. */
const char *process_state_glance(const struct process_state *s);
const char *process_state_look(const struct process_state *s);
/* Returns the current number of threads. */
unsigned process_threads(void);
/* Returns 1 if the process has children, running or not. */
int process_has_children(void);

/* Returns rounding, flushing of subnormals, traps and precision; the flags of
 * past exceptions do not count. */
static inline uint32_t process_fp_modes(void)
{
#if defined(__SSE2__) && defined(__x86_64__)
	uint16_t x87;
	__asm__ volatile("fnstcw %0" : "=m"(x87));
	return (_mm_getcsr() & ~UINT32_C(0x3f)) | (uint32_t)x87 << 16;
#elif defined(__SSE2__)
	return _mm_getcsr() & ~UINT32_C(0x3f);
#else
	return (uint32_t)fegetround();
#endif
}
