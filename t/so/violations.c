/* A cost model that does one thing that it must not, in the phase that its
 * knobs say; or while it is loaded or unloaded, if its file is called
 * load_KIND.so or unload_KIND.so. */
#include <dlfcn.h>
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "stepcost/fail.h"
#include "stepcost/knob.h"
#include "violations_ends.h"

/* ---- output ---- */

static void puts_line(void)
{
	puts("{\"hello\": 1}");
}
static void writes(void)
{
	zero = (int)write(1, "hello\n", 6) * 0;
}
static void writes_ff(void)
{
	zero = (int)write(1, "\377", 1) * 0;
}
static void writes_much(void)
{
	static char block[1 << 16];
	memset(block, 'x', sizeof block);
	for (int i = 0; i < 2000; i++)
		zero = (int)write(1, block, sizeof block) * 0;
}
static void errs_much(void)
{
	static char block[1 << 16];
	memset(block, 'e', sizeof block);
	memcpy(block, "\033[31mred\n", 9);
	for (int i = 0; i < 200; i++)
		zero = (int)write(2, block, sizeof block) * 0;
}

/* ---- descriptors ---- */

static void close_all(void)
{
	for (int fd = 0; fd < 1024; fd++)
		close(fd);
}
static void close_3(void)
{
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
}
static void write_3(void)
{
	for (int fd = 3; fd < 1024; fd++)
		zero = (int)write(fd, "garbage\n", 8) * 0;
}
static void pwrite_3(void)
{
	for (int fd = 3; fd < 1024; fd++)
		zero = (int)pwrite(fd, "garbage\n", 8, 1 << 20) * 0;
}
static void truncate_3(void)
{
	for (int fd = 3; fd < 1024; fd++)
		zero = ftruncate(fd, 100000) * 0;
}
static void replace_3(void)
{
	int null = open("/dev/null", O_RDWR);
	for (int fd = 3; fd < 1024; fd++)
		if (fd != null && fcntl(fd, F_GETFD) >= 0)
			dup2(null, fd);
	close(null);
}
static void replace_output(void)
{
	zero = freopen("/dev/null", "w", stdout) == NULL;
}
static void replace_errors(void)
{
	int null = open("/dev/null", O_RDWR);
	dup2(null, 2);
	close(null);
}

/* ---- processes and threads ---- */

static void fork_returns(void)
{
	zero = fork() & 0;
}
static void fork_twice_returns(void)
{
	pid_t pid = fork();
	if (pid == 0 && fork() != 0)
		_exit(0);
}
static void fork_exits(void)
{
	if (fork() == 0)
		exit(0);
}
static void fork_waits(void)
{
	if (fork() == 0)
		for (;;)
			pause();
}
static void daemon_returns(void)
{
	zero = daemon(1, 1) & 0;
}
static void daemon_stays(void)
{
	if (fork() == 0) {
		setsid();
		if (fork() == 0)
			for (;;)
				pause();
		_exit(0);
	}
}
static void leaves_group(void)
{
	setpgid(0, getpgid(getppid()));
}
static void outlives(void)
{
	prctl(PR_SET_PDEATHSIG, 0);
}

static void *sleep_long(void *unused)
{
	nanosleep(&long_time, NULL);
	return unused;
}
static void *loop_long(void *unused)
{
	loops();
	return unused;
}
static void start(void *(*run)(void *))
{
	pthread_t id;
	if (pthread_create(&id, NULL, run, NULL) == 0)
		pthread_detach(id);
}
static void thread_sleeps(void)
{
	start(sleep_long);
}
static void thread_loops(void)
{
	start(loop_long);
}

/* ---- memory ---- */

__attribute__((noinline)) static int deeper(volatile char *above)
{
	volatile char here[4096];
	here[0] = above ? above[0] : 0;
	return zero == 12345 ? 0 : deeper(here) + here[0];
}
static void overflows(void)
{
	zero = deeper(NULL);
}
static void takes_all(void)
{
	for (char *p; (p = malloc(1 << 20)) != NULL;)
		memset(p, 1, 1 << 20);
	*nowhere = 1;
}
static void allocates_huge(void)
{
	*(volatile char *)malloc((size_t)1 << 45) = 1;
}
static void leaks(void)
{
	char *p = malloc(1 << 20);
	if (p)
		memset(p, 1, 1 << 20);
}

/* What this process shares with others. */
static void for_shared(void (*then)(char *from, size_t n))
{
	char line[512];
	FILE *f = fopen("/proc/self/maps", "re");
	while (f && fgets(line, sizeof line, f)) {
		unsigned long from, to;
		char mode[8];
		if (sscanf(line, "%lx-%lx %7s", &from, &to, mode) == 3 &&
		    mode[1] == 'w' && mode[3] == 's')
			then((char *)from, to - from);
	}
	if (f)
		fclose(f);
}
static void fill_a(char *from, size_t n)
{
	memset(from, 'A', n);
}
static void fill_0(char *from, size_t n)
{
	memset(from, 0, n);
}
static void fill_1(char *from, size_t n)
{
	for (size_t i = 0; i + 4 <= n; i += 4)
		memcpy(from + i, &(int){1}, 4);
}
static void unmap(char *from, size_t n)
{
	munmap(from, n);
}
static void remap(char *from, size_t n)
{
	mmap(from, n, PROT_READ | PROT_WRITE,
	     MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}
static void scribbles_a(void)
{
	for_shared(fill_a);
}
static void scribbles_0(void)
{
	for_shared(fill_0);
}
static void scribbles_1(void)
{
	for_shared(fill_1);
}
static void unmaps(void)
{
	for_shared(unmap);
}
static void remaps(void)
{
	for_shared(remap);
}
static void scribbles_and_loops(void)
{
	scribbles_0(), loops();
}
static void scribbles_and_exits(void)
{
	scribbles_a(), _exit(0);
}
static void scribbles_and_faults(void)
{
	scribbles_1(), segv();
}
static void *scribble_late(void *unused)
{
	for (;;) {
		usleep(1000);
		for_shared(fill_a);
	}
	return unused;
}
static void thread_scribbles(void)
{
	start(scribble_late);
}

/* ---- floating point ---- */

static void rounds_up(void)
{
	fesetround(FE_UPWARD);
}
static void traps(void)
{
	feenableexcept(FE_INVALID | FE_DIVBYZERO);
}
static void flushes(void)
{
#ifdef __SSE2__
	__builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
#else
	rounds_up();
#endif
}
static void less_precise(void)
{
#ifdef __x86_64__
	uint16_t cw;
	__asm__ volatile("fnstcw %0" : "=m"(cw));
	cw = (uint16_t)(cw & ~0x300);
	__asm__ volatile("fldcw %0" : : "m"(cw));
#else
	rounds_up();
#endif
}

/* ---- handlers, timers, limits ---- */

static void on_signal(int sig)
{
	(void)sig;
}
static void handles(void)
{
	signal(SIGSEGV, on_signal);
}
static void ignores(void)
{
	signal(SIGTERM, SIG_IGN);
}
static void blocks(void)
{
	sigset_t all;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
}
static void other_stack(void)
{
	static char here[1 << 16];
	stack_t s = {.ss_sp = here, .ss_size = sizeof here};
	sigaltstack(&s, NULL);
}
static void alarms(void)
{
	alarm(1000);
}
static void alarms_at_once(void)
{
	alarm(1), loops();
}
static void sets_timer(void)
{
	struct itimerval t = {.it_value.tv_sec = 1000};
	setitimer(ITIMER_PROF, &t, NULL);
}
static void creates_timer(void)
{
	timer_t t;
	struct itimerspec in = {.it_value.tv_sec = 1000};
	timer_create(CLOCK_MONOTONIC, NULL, &t);
	timer_settime(t, 0, &in, NULL);
}
static void no_files(void)
{
	setrlimit(RLIMIT_NOFILE, &(struct rlimit){0, 0});
}
static void no_bytes(void)
{
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){0, 0});
}
static void less_cpu(void)
{
	setrlimit(RLIMIT_CPU, &(struct rlimit){1000, 2000});
}

/* ---- what else a process has ---- */

static void moves(void)
{
	zero = chdir("/") * 0;
}
static void moves_up(void)
{
	zero = chdir("..") * 0;
}
static void masks(void)
{
	umask(0777);
}
static void sets_variable(void)
{
	setenv("LD_PRELOAD", "x.so", 1);
}
static void no_environment(void)
{
	clearenv();
}
static void other_locale(void)
{
	if (!setlocale(LC_ALL, "C.UTF-8"))
		setlocale(LC_ALL, "");
}
static void opens(void)
{
	zero = open("/dev/null", O_RDONLY) & 0;
}
static void at_the_end(void)
{
	puts("bye");
}
static void says_bye(void)
{
	atexit(at_the_end);
}

/* ---- the list ---- */

/* clang-format off */
#define KINDS(K) \
	K(segv) K(fpe) K(ill) K(bus) K(kill_self) K(term_self) K(pipe_self) \
	K(stop_self) K(kill_group) K(term_host) K(quit_host) K(usr1_host) \
	K(segv_host) K(tstp_host) K(child_term_host) K(reaped_term_host) \
	K(exits) K(exits_now) K(exits_4) K(exits_quickly) K(aborts) \
	K(thread_exits) K(task_exits) K(becomes_true) K(loops) K(sleeps) \
	K(deaf_and_loops) K(reads_input) K(puts_line) K(writes) K(writes_ff) \
	K(writes_much) K(errs_much) K(close_all) K(close_3) K(write_3) \
	K(pwrite_3) K(truncate_3) K(replace_3) K(replace_output) \
	K(replace_errors) K(fork_returns) K(fork_twice_returns) K(fork_exits) \
	K(fork_waits) K(daemon_returns) K(daemon_stays) K(leaves_group) \
	K(outlives) K(thread_sleeps) K(thread_loops) K(thread_scribbles) \
	K(overflows) K(takes_all) K(allocates_huge) K(leaks) K(scribbles_a) \
	K(scribbles_0) K(scribbles_1) K(unmaps) K(remaps) \
	K(scribbles_and_loops) K(scribbles_and_exits) K(scribbles_and_faults) \
	K(rounds_up) K(traps) K(flushes) K(less_precise) K(handles) K(ignores) \
	K(blocks) K(other_stack) K(alarms) K(alarms_at_once) K(sets_timer) \
	K(creates_timer) K(no_files) K(no_bytes) K(less_cpu) K(moves) \
	K(moves_up) K(masks) K(sets_variable) K(no_environment) \
	K(other_locale) K(opens) K(says_bye)
/* clang-format on */

static void none(void)
{
}
static void (*const does[])(void) = {none,
#define K(name) name,
				     KINDS(K)
#undef K
};
static const char *const kinds[] = {"none",
#define K(name) #name,
				    KINDS(K)
#undef K
					NULL};
static const char *const phases[] = {"create",  "eval",    "kernel",
				     "destroy", "refusal", NULL};
enum { IN_CREATE, IN_EVAL, IN_KERNEL, IN_DESTROY, IN_REFUSAL };

/* ---- the plugin ---- */

struct knobs {
	int64_t kind, phase, at_step;
};
static const sc_knob *const knobs[] = {
    SC_CHOICE(struct knobs, kind, "none", kinds, "What it does wrong."),
    SC_CHOICE(struct knobs, phase, "eval", phases, "When."),
    SC_INT(struct knobs, at_step, "5", 0, 1e9, "1", "At this step."),
};

static void maybe(const struct knobs *k, int phase)
{
	if (k->phase == phase)
		does[k->kind]();
}

static int32_t create(void **inst, const sc_setup *setup, const void *block,
		      sc_error *err)
{
	struct knobs *k = malloc(sizeof *k);
	(void)setup;
	if (!k)
		return SC_ENOMEM;
	memcpy(k, block, sizeof *k);
	maybe(k, IN_CREATE);
	if (k->phase == IN_REFUSAL) {
		maybe(k, IN_REFUSAL);
		free(k);
		return sc_fail(err, SC_EUNSUP, "not this model");
	}
	*inst = k;
	return SC_OK;
}

static void destroy(void *inst)
{
	struct knobs k = *(struct knobs *)inst;
	free(inst);
	maybe(&k, IN_DESTROY);
}

static int32_t eval(void *inst, const sc_step *step, sc_result *out,
		    sc_error *err)
{
	const struct knobs *k = inst;
	(void)err;
	out->total_us = 100 + step->n_decode;
	for (uint32_t i = 0; i < step->n_prefill; i++)
		out->total_us += step->prefill_new[i];
	if (step->step_index == (uint64_t)k->at_step)
		maybe(k, IN_EVAL);
	return SC_OK;
}

static int32_t kernel(void *inst, const sc_kernel *kernel,
		      sc_kernel_result *out, sc_error *err)
{
	(void)err;
	out->latency_us = 1 + 1e-3 * (double)kernel->m;
	maybe(inst, IN_KERNEL);
	return SC_OK;
}

static const sc_plugin plugin = {
    .size = sizeof plugin,
    .abi_major = SC_ABI_MAJOR,
    .abi_minor = SC_ABI_MINOR,
    .version = "1",
    .summary = "does one thing that it must not",
    .n_knobs = sizeof knobs / sizeof *knobs,
    .knob = knobs,
    .knob_block = sizeof(struct knobs),
    .create = create,
    .destroy = destroy,
    .eval = eval,
    .kernel = kernel,
};

/* Its own file's, without the ending. */
static const char *own_name(void)
{
	static char name[64];
	Dl_info self;
	const char *slash = NULL;
	if (dladdr((const void *)(uintptr_t)&own_name, &self))
		slash = strrchr(self.dli_fname, '/');
	snprintf(name, sizeof name, "%s", slash ? slash + 1 : "violations.so");
	name[strlen(name) - 3] = '\0';
	return name;
}

static void maybe_by_name(const char *prefix)
{
	const char *name = own_name();
	size_t n = strlen(prefix);
	for (size_t i = 0; !strncmp(name, prefix, n) && kinds[i]; i++)
		if (!strcmp(name + n, kinds[i]))
			does[i]();
}
__attribute__((constructor)) static void at_load(void)
{
	maybe_by_name("load_");
}
__attribute__((destructor)) static void at_unload(void)
{
	maybe_by_name("unload_");
}

SC_EXPORT const sc_plugin *stepcost_plugin(uint32_t major, uint32_t minor)
{
	static sc_plugin here;
	(void)minor;
	here = plugin;
	here.name = own_name();
	return major == SC_ABI_MAJOR ? &here : NULL;
}
