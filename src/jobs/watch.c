/* watch.c -- Checks, when a plugin's code returns, what it has done. */
#include "jobs/watch.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum {
	/* fills the captured output; no text begins with it */
	UNTOUCHED = 0xff,
	/* Glances cost system calls, which slow down the code after them.  Each
	 * of the first calls gets one; later the gap is a 64th of all calls so
	 * far. */
	FIRST_GLANCES = 1024,
	GLANCE_SHARE = 64,
	FIRST_LOOKS = 64, /* later at powers of two */
};

/* ---- opening ---- */

/* Sends the standard output of this process to memory of one page; a write
 * beyond that fails. */
static volatile unsigned char *capture_output(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fd = memfd_create("stdout", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	unsigned char *at = MAP_FAILED;
	if (fd >= 0 && ftruncate(fd, (off_t)page) == 0 &&
	    fcntl(fd, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK) == 0)
		at =
		    mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED || dup2(fd, STDOUT_FILENO) < 0)
		return NULL;
	close(fd);
	/* Unbuffered, so that the plugin's output arrives at once. */
	setvbuf(stdout, NULL, _IONBF, 0);
	*at = UNTOUCHED;
	return at;
}

/* Used if this process is not forked, or if the kernel cannot tell. */
static const uint64_t always = 1;

/* Makes a page that a forked copy of this process finds empty. */
static const volatile uint64_t *mark_original(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint64_t *at = mmap(NULL, page, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED || madvise(at, page, MADV_WIPEONFORK) < 0)
		return &always;
	*at = 1;
	mprotect(at, page, PROT_READ);
	return at;
}

int watch_open(struct watch *w, struct job_status *status, int alone,
	       const int *fd, unsigned n, struct problem *p)
{
	*w = (struct watch){.status = status,
			    .alone = alone,
			    .original = &always,
			    .fp_modes = process_fp_modes()};
	status_begin(status);
	if (alone) {
		w->printed = capture_output();
		if (!w->printed)
			return problem_of_file(p, "memory for output", errno);
		w->original = mark_original();
	}
	watch_take_stock(w, fd, n);
	return 0;
}

void watch_take_stock(struct watch *w, const int *fd, unsigned n)
{
	process_state_take(&w->before, fd, n);
	w->idle_threads = w->load_threads = w->before.n_threads;
}

void watch_close(struct watch *w)
{
	/* A process that runs one job frees this when it ends. */
	*w = (struct watch){0};
}

/* ---- violations ---- */

int watch_report_violation(struct watch *w, const char *what)
{
	enum job_place place = status_place(w->at);
	if (w->violation.code != EXIT_DONE)
		return -1;
	/* Other questions have nothing to do with it. */
	if (place != JOB_IN_EVAL)
		w->status->has_step = 0;
	if (place != JOB_IN_KERNEL)
		w->status->n_kernels = 0;
	const char *who = w->plugin ? w->plugin : "a plugin";
	if (place == JOB_IN_LOAD || place == JOB_IN_UNLOAD)
		return problem_set(&w->violation, EXIT_PLUGIN, "%s: %s%s", who,
				   what, status_place_text(place));
	return problem_set(&w->violation, EXIT_PLUGIN, "%s: %s: %s", who,
			   status_place_name(place), what);
}

/* Returns what is wrong with this process, by a quick check. */
static const char *glance(const struct watch *w)
{
	const char *what = process_state_glance(&w->before);
	/* A child may be on its way from the plugin to the host's code, as this
	 * process is. */
	if (!what && w->alone && !w->does_io && process_has_children())
		what = "started a process";
	return what;
}

/* A thread that was joined may need a moment to disappear. */
static int more_threads_than(unsigned n)
{
	static const struct timespec moment = {.tv_nsec = 1000000};
	for (int i = 0; i < 100; i++) {
		if (process_threads() <= n)
			return 0;
		nanosleep(&moment, NULL);
	}
	return 1;
}

/* A plugin that is loaded, or an instance, may have helper threads while it
 * exists. */
static int left_thread(const struct watch *w)
{
	switch (status_place(w->at)) {
	case JOB_IN_EVAL:
	case JOB_IN_KERNEL:
		return more_threads_than(w->idle_threads);
	case JOB_IN_DESTROY:
		return !w->n_created && more_threads_than(w->load_threads);
	case JOB_IN_UNLOAD:
		return !w->n_loaded && more_threads_than(w->before.n_threads);
	default:
		return 0;
	}
}

/* Output that was printed moved the end of the file. */
static const char *look(const struct watch *w)
{
	const char *what = glance(w);
	if (!what && w->printed && lseek(STDOUT_FILENO, 0, SEEK_CUR) != 0)
		what = "printed to standard output";
	if (!what)
		what = process_state_look(&w->before);
	if (!what && w->alone && left_thread(w))
		what = "left a thread running";
	return what;
}

static int is_power_of_two(uint64_t n)
{
	return (n & (n - 1)) == 0;
}

static int is_early(uint64_t n)
{
	return n < FIRST_LOOKS || is_power_of_two(n);
}

/* Looks for damage by the plugin after some calls only, ever more rarely: a
 * look after each call would cost more than the call. */
static const char *seldom(struct watch *w)
{
	uint64_t n = w->n_left++;
	enum job_place place = status_place(w->at);
	/* Callers that create many instances check each one when it was
	 * used. */
	if (place == JOB_IN_CREATE)
		return is_early(w->n_creates++) ? look(w) : glance(w);
	if ((place != JOB_IN_EVAL && place != JOB_IN_KERNEL) || is_early(n))
		return look(w);
	if (n < w->next_glance)
		return NULL;
	w->next_glance = n < FIRST_GLANCES ? n + 1 : n + n / GLANCE_SHARE;
	return glance(w);
}

/* Rewrites the status after it was overwritten. */
static const char *restore(struct watch *w)
{
	snprintf(w->status->plugin, sizeof w->status->plugin, "%s",
		 w->plugin ? w->plugin : "");
	return "wrote over memory of the host";
}

/* ---- at the border ---- */

void watch_enter(struct watch *w, enum job_place place, const char *plugin)
{
	if (plugin != w->plugin) {
		w->plugin = plugin;
		snprintf(w->status->plugin, sizeof w->status->plugin, "%s",
			 plugin);
	}
	w->at = status_move(w->status, w->at, place);
}

/* Notes that the plugin came back from loading or from create(): the threads
 * that there are now are its own, and no violation. */
static void admit_threads(struct watch *w, enum job_place place)
{
	unsigned now = process_threads();
	w->n_loaded += place == JOB_IN_LOAD;
	w->n_created += place == JOB_IN_CREATE;
	if (place == JOB_IN_LOAD && now > w->idle_threads)
		w->load_threads += now - w->idle_threads;
	w->idle_threads = now;
}

int watch_leave(struct watch *w)
{
	const char *what = NULL;
	enum job_place place = status_place(w->at);
	/* This is a copy of the process that the plugin made; it must not run
	 * our code. */
	if (!*w->original)
		_exit(0);
	w->n_created -= place == JOB_IN_DESTROY;
	w->n_loaded -= place == JOB_IN_UNLOAD;
	if (!status_is(w->status, w->at))
		what = restore(w);
	else if (w->looks_away)
		what = NULL;
	else if (process_fp_modes() != w->fp_modes)
		what = "changed the floating-point modes";
	else if (w->printed && *w->printed != UNTOUCHED)
		what = "printed to standard output";
	else
		what = seldom(w);
	if (what)
		watch_report_violation(w, what);
	if (place == JOB_IN_LOAD || place == JOB_IN_CREATE)
		admit_threads(w, place);
	w->at = status_move(w->status, w->at, JOB_IN_HOST);
	return w->violation.code ? -1 : 0;
}

void watch_does_io(struct watch *w)
{
	w->does_io = 1;
}

/* ---- at the end ---- */

int watch_look(struct watch *w)
{
	const char *what = look(w);
	if (what)
		watch_report_violation(w, what);
	return w->violation.code ? -1 : 0;
}

int watch_finish(struct watch *w)
{
	if (watch_look(w) == 0 && w->alone) {
		if (more_threads_than(w->before.n_threads))
			watch_report_violation(w, "left a thread running");
		else if (process_has_children())
			watch_report_violation(w, "left a process behind");
	}
	return w->violation.code ? -1 : 0;
}
