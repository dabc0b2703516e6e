/* Makes one chosen call of a kind fail, in the process that loads this by
 * LD_PRELOAD or in one of its children: t/lib/inject.py.
 *	INJECT_KIND=memory	which calls; a row of kinds[]
 *	INJECT_AT=17		the 17th of them (from 0); nothing: none
 *	INJECT_STEP=2		and then each second; nothing: that one alone
 *	INJECT_ERROR=28		errno; -1: half of the bytes are moved
 *	INJECT_SHOW=1		writes to standard error what led to it
 *	INJECT_TALLY=FILE	a struct tally, which all processes share
 *	INJECT_FRAMES=4		calls that the same 4 functions of the program
 *				lead to have one digest; nothing: the same 14,
 *				those of libraries too
 * Allocations are caught by their names.  System calls are caught by the kernel
 * (seccomp), because the C library makes its own without a name that can be
 * replaced; therefore the program must not execute another one. */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { MOST = 1 << 18, FRAMES = 96, NEAREST = 14 };

struct tally {
	_Atomic uint64_t calls, failed;
	/* Of each call, if none is chosen: a digest of the functions that led
	 * to it. */
	uint64_t from[MOST];
};

static struct tally *tally;
static int64_t at = -1, step, error, show, frames;
static _Thread_local int busy;

/* ---- where code lies ---- */

struct code {
	uintptr_t from, to;
};
/* The loader takes half of the bytes of a file for a file that is cut off. */
static struct code loader, program;

static int is_in(const struct code *x, const void *place)
{
	return (uintptr_t)place >= x->from && (uintptr_t)place < x->to;
}

/* The program has no name. */
static int find_code(struct dl_phdr_info *is, size_t size, void *user)
{
	(void)size, (void)user;
	const char *slash = strrchr(is->dlpi_name, '/');
	struct code *x = !*is->dlpi_name                         ? &program
			 : slash && !strncmp(slash + 1, "ld", 2) ? &loader
								 : NULL;
	for (int i = 0; x && i < is->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &is->dlpi_phdr[i];
		if (h->p_type != PT_LOAD || !(h->p_flags & PF_X))
			continue;
		x->from = is->dlpi_addr + h->p_vaddr;
		x->to = x->from + h->p_memsz;
	}
	return program.to && loader.to;
}

/* ---- choosing ---- */

static uint64_t digest_of(void *const *frame, int n)
{
	uint64_t h = 14695981039346656037u;
	int64_t used = 0;
	for (int i = 0; i < n && used < (frames ? frames : NEAREST); i++) {
		if (frames && !is_in(&program, frame[i]))
			continue;
		h = (h ^ (uintptr_t)frame[i]) * 1099511628211u;
		used++;
	}
	return h;
}

/* Counts a call.  Returns 1 if it is to fail. */
static int is_chosen(void)
{
	if (!tally || busy)
		return 0;
	uint64_t k = atomic_fetch_add(&tally->calls, 1);
	if (at < 0 && k < MOST) {
		void *frame[FRAMES];
		busy = 1;
		int n = backtrace(frame, FRAMES);
		busy = 0;
		tally->from[k] = digest_of(frame, n);
	}
	int64_t since = (int64_t)k - at;
	int yes =
	    at >= 0 && (step ? since >= 0 && since % step == 0 : since == 0);
	if (yes) {
		atomic_fetch_add(&tally->failed, 1);
		void *frame[FRAMES];
		busy = 1;
		if (show)
			backtrace_symbols_fd(frame, backtrace(frame, FRAMES),
					     STDERR_FILENO);
		busy = 0;
	}
	return yes;
}

/* ---- allocations ---- */

static int memory; /* 1: allocations are the kind */

static int no_memory(void)
{
	if (!memory || !is_chosen())
		return 0;
	errno = ENOMEM;
	return 1;
}

/* The next library's function: the C library's, or a sanitizer's. */
#define NEXT(type, name, ...)                                                  \
	static type (*next)(__VA_ARGS__);                                      \
	if (!next) {                                                           \
		void *found = dlsym(RTLD_NEXT, name);                          \
		memcpy(&next, &found, sizeof next);                            \
	}

void *malloc(size_t n)
{
	NEXT(void *, "malloc", size_t)
	return no_memory() ? NULL : next(n);
}

void *calloc(size_t n, size_t size)
{
	NEXT(void *, "calloc", size_t, size_t)
	return no_memory() ? NULL : next(n, size);
}

void *realloc(void *old, size_t n)
{
	NEXT(void *, "realloc", void *, size_t)
	return no_memory() ? NULL : next(old, n);
}

void *reallocarray(void *old, size_t n, size_t size)
{
	NEXT(void *, "reallocarray", void *, size_t, size_t)
	return no_memory() ? NULL : next(old, n, size);
}

void *aligned_alloc(size_t to, size_t n)
{
	NEXT(void *, "aligned_alloc", size_t, size_t)
	return no_memory() ? NULL : next(to, n);
}

int posix_memalign(void **p, size_t to, size_t n)
{
	NEXT(int, "posix_memalign", void **, size_t, size_t)
	return no_memory() ? ENOMEM : next(p, to, n);
}

/* A sanitizer's own would not call malloc(). */
char *strndup(const char *s, size_t most)
{
	size_t n = strnlen(s, most);
	char *copy = malloc(n + 1);
	if (copy) {
		memcpy(copy, s, n);
		copy[n] = 0;
	}
	return copy;
}

char *strdup(const char *s)
{
	return strndup(s, strlen(s));
}

void *mmap(void *where, size_t n, int protection, int flags, int fd, off_t from)
{
	NEXT(void *, "mmap", void *, size_t, int, int, int, off_t)
	return no_memory() ? MAP_FAILED
			   : next(where, n, protection, flags, fd, from);
}

/* ---- system calls ---- */

#ifdef __x86_64__
#define ARCH AUDIT_ARCH_X86_64
#else
#define ARCH 0
#endif

#ifndef SYS_open
#define SYS_open -1
#endif
#ifndef SYS_rename
#define SYS_rename -1
#endif
#ifndef SYS_pipe
#define SYS_pipe -1
#endif

enum { MOST_CALLS = 8 };
static const struct {
	const char *name;
	long call[MOST_CALLS]; /* ends with 0, or is full */
} kinds[] = {
    {"write", {SYS_write + 1, SYS_pwrite64 + 1, SYS_writev + 1}},
    {"read", {SYS_read + 1, SYS_pread64 + 1}},
    {"open", {SYS_open + 1, SYS_openat + 1, SYS_memfd_create + 1}},
    {"sync", {SYS_fsync + 1, SYS_fdatasync + 1}},
    {"rename", {SYS_rename + 1, SYS_renameat + 1, SYS_linkat + 1}},
    {"fork", {SYS_clone + 1}},
    {"wait",
     {SYS_wait4 + 1, SYS_waitid + 1, SYS_ppoll + 1, SYS_poll + 1,
      SYS_clock_nanosleep + 1}},
    {"pipe",
     {SYS_pipe + 1, SYS_pipe2 + 1, SYS_socketpair + 1, SYS_signalfd4 + 1}},
};

/* The one place from which the kernel lets such calls pass. */
long inject_pass(long nr, const long *a);
extern const char inject_passed[];
#ifdef __x86_64__
__asm__(".globl inject_pass, inject_passed\n"
	".hidden inject_pass, inject_passed\n"
	"inject_pass:\n"
	"	mov %rdi, %rax\n"
	"	mov %rsi, %r11\n"
	"	mov (%r11), %rdi\n"
	"	mov 8(%r11), %rsi\n"
	"	mov 16(%r11), %rdx\n"
	"	mov 24(%r11), %r10\n"
	"	mov 32(%r11), %r8\n"
	"	mov 40(%r11), %r9\n"
	"	syscall\n"
	"inject_passed:\n"
	"	ret\n");

static int moves_bytes(long nr)
{
	return nr == SYS_write || nr == SYS_pwrite64 || nr == SYS_read ||
	       nr == SYS_pread64;
}

static void caught(int sig, siginfo_t *info, void *context)
{
	ucontext_t *c = context;
	greg_t *r = c->uc_mcontext.gregs;
	long a[] = {r[REG_RDI], r[REG_RSI], r[REG_RDX],
		    r[REG_R10], r[REG_R8],  r[REG_R9]};
	int before = errno;
	(void)sig;
	if ((error < 0 && is_in(&loader, info->si_call_addr)) || !is_chosen())
		r[REG_RAX] = inject_pass(info->si_syscall, a);
	else if (error >= 0)
		r[REG_RAX] = -error;
	else {
		if (moves_bytes(info->si_syscall))
			a[2] = (a[2] + 1) / 2;
		r[REG_RAX] = inject_pass(info->si_syscall, a);
	}
	errno = before;
}

/* The signal of a caught call must not be blocked. */
static int set_mask(int how, const sigset_t *set, sigset_t *old,
		    const char *name)
{
	sigset_t less;
	int (*next)(int, const sigset_t *, sigset_t *);
	void *found = dlsym(RTLD_NEXT, name);
	memcpy(&next, &found, sizeof next);
	if (set) {
		less = *set;
		if (how != SIG_UNBLOCK)
			sigdelset(&less, SIGSYS);
	}
	return next(how, set ? &less : NULL, old);
}

int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	return set_mask(how, set, old, "sigprocmask");
}

int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	return set_mask(how, set, old, "pthread_sigmask");
}

#define LOAD(field)                                                            \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define GIVE(what) BPF_STMT(BPF_RET | BPF_K, what)
/* Goes on over n statements if the loaded value is not k. */
#define IF(k, n) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(k), 0, n)

/* A thread shares the memory of who makes it: no such clone() is caught. */
static int catch_calls(const long *call)
{
	uintptr_t from = (uintptr_t)inject_passed;
	struct sock_filter code[3 * MOST_CALLS + 12] = {
	    LOAD(arch),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0),
	    GIVE(SECCOMP_RET_ALLOW),
	    LOAD(instruction_pointer),
	    IF(from, 3),
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		     offsetof(struct seccomp_data, instruction_pointer) + 4),
	    IF(from >> 32, 1),
	    GIVE(SECCOMP_RET_ALLOW),
	    LOAD(nr),
	};
	size_t n = 9;
	for (int i = 0; i < MOST_CALLS && call[i]; i++) {
		int is_clone = call[i] - 1 == SYS_clone;
		code[n++] =
		    (struct sock_filter)IF(call[i] - 1, is_clone ? 4 : 1);
		if (is_clone) {
			code[n++] = (struct sock_filter)LOAD(args[0]);
			code[n++] = (struct sock_filter)BPF_JUMP(
			    BPF_JMP | BPF_JSET | BPF_K, 0x100, 0, 1);
			code[n++] = (struct sock_filter)GIVE(SECCOMP_RET_ALLOW);
		}
		code[n++] = (struct sock_filter)GIVE(SECCOMP_RET_TRAP);
	}
	code[n++] = (struct sock_filter)GIVE(SECCOMP_RET_ALLOW);
	struct sigaction action = {.sa_sigaction = caught,
				   .sa_flags = SA_SIGINFO | SA_NODEFER};
	const struct sock_fprog filter = {(unsigned short)n, code};
	return sigaction(SIGSYS, &action, NULL) == 0 &&
	       prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}
#else
static int catch_calls(const long *call)
{
	(void)call;
	return 0;
}
#endif

/* ---- beginning and end ---- */

static int64_t number(const char *name, int64_t without)
{
	const char *text = getenv(name);
	return text && *text ? atoll(text) : without;
}

__attribute__((constructor)) static void begin(void)
{
	const char *kind = getenv("INJECT_KIND"),
		   *file = getenv("INJECT_TALLY");
	int fd = kind && file ? open(file, O_RDWR | O_CLOEXEC) : -1;
	if (fd < 0)
		return;
	void *shared = mmap(NULL, sizeof *tally, PROT_READ | PROT_WRITE,
			    MAP_SHARED, fd, 0);
	close(fd);
	at = number("INJECT_AT", -1);
	step = number("INJECT_STEP", 0);
	error = number("INJECT_ERROR", 0);
	show = number("INJECT_SHOW", 0);
	frames = number("INJECT_FRAMES", 0);
	memory = !strcmp(kind, "memory");
	void *frame[1];
	backtrace(frame, 1); /* loads what it needs */
	dl_iterate_phdr(find_code, NULL);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!strcmp(kind, kinds[i].name) && !catch_calls(kinds[i].call))
			_exit(77);
	if (shared != MAP_FAILED)
		tally = shared;
}

/* What a sanitizer does at the end is none of the program's calls. */
__attribute__((destructor)) static void end(void)
{
	tally = NULL;
}
