/* jobs/process_state.h -- what a process is like that plugins have no business
 * changing: its folder, its descriptors, its signals, timers and limits, its
 * environment and its locale.  Taken before a plugin is loaded, and compared
 * afterwards.  [the process's only thread] */
#ifndef SC_JOBS_PROCESS_STATE_H
#define SC_JOBS_PROCESS_STATE_H
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

struct process_state {
	/* The first three are 0, 1 and 2; nothing is ever written through the
	 * offsets of the others. */
	int fd[PROCESS_FILES];
	unsigned n_files;
	struct stat file[PROCESS_FILES];
	struct stat folder;
	mode_t mask; /* umask() */
	sigset_t blocked;
	struct sigaction action[PROCESS_SIGNALS + 1];
	stack_t stack;
	struct itimerval timer[3];
	int has_timers; /* further ones */
	struct rlimit limit[RLIM_NLIMITS];
	uint64_t environment;
	char radix[8], codeset[32];
	pid_t group, session;
	int death_signal;
	unsigned n_threads;
};

/* fd: further files of the host, at most PROCESS_FILES - 3. */
void process_state_take(struct process_state *s, const int *fd, unsigned n);
/* "changed the working directory"; NULL: nothing has changed.  The first looks
 * at what takes few system calls, the second at everything. */
const char *process_state_glance(const struct process_state *s);
const char *process_state_look(const struct process_state *s);
/* How many threads it has now. */
unsigned process_threads(void);
/* It has children, whatever they do. */
int process_has_children(void);

/* Rounding, flushing of subnormals, traps, precision.  The flags of past
 * exceptions are nobody's fault. */
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
#endif
