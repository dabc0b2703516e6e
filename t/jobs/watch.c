/* The watch names each violation of a plugin with its place.  The first one
 * counts. */
#include "jobs/watch.h"
#include <fenv.h>
#include <pthread.h>
#include <sys/mman.h>
#include "in_child.h"

static struct job_status *status; /* both see it */
static struct watch w;

/* ---- deeds ---- */

static void nothing(void)
{
}
static void prints(void)
{
	printf("hello");
}
static void writes(void)
{
	(void)!write(STDOUT_FILENO, "hello\n", 6);
}
static void rounds(void)
{
	fesetround(FE_UPWARD);
}
static void moves(void)
{
	(void)!chdir("/");
}
static void sets(void)
{
	setenv("STEPCOST_TEST", "1", 1);
}
static void scribbles(void)
{
	memset((void *)status, 0x41, sizeof(struct job_status));
}
static void starts(void)
{
	if (fork() == 0)
		_exit(0);
}
static void *sleeps(void *user)
{
	pause();
	return user;
}
static void thread(void)
{
	pthread_t t;
	pthread_create(&t, NULL, sleeps, NULL);
}
static void *ends(void *user)
{
	return user;
}
static void joined_thread(void)
{
	pthread_t t;
	if (pthread_create(&t, NULL, ends, NULL) == 0)
		pthread_join(t, NULL);
}

/* ---- in a child ---- */

struct course {
	enum job_place place;
	void (*deed)(void);
	unsigned quiet_calls; /* of eval(), before                           */
	int does_io;
};

static void open_watch(int alone)
{
	struct problem p;
	if (watch_open(&w, status, alone, NULL, 0, &p) < 0)
		bail_out(p.text);
}

static void call(enum job_place place, void (*deed)(void))
{
	watch_enter(&w, place, "model");
	deed();
	watch_leave(&w);
}

static const char *verdict(void)
{
	return w.violation.code == EXIT_DONE     ? NULL
	       : w.violation.code == EXIT_PLUGIN ? w.violation.text
						 : "another code";
}

static const char *alone(void *user)
{
	const struct course *c = user;
	open_watch(1);
	if (c->does_io)
		watch_does_io(&w);
	for (unsigned i = 0; i < c->quiet_calls; i++)
		call(JOB_IN_EVAL, nothing);
	if (verdict())
		return "a quiet call is none";
	call(c->place, c->deed);
	return verdict();
}

static void seen(enum job_place place, void (*deed)(void), const char *want)
{
	struct course c = {.place = place, .deed = deed};
	is(in_child(alone, &c), want, "%s", want);
}

static void places(void)
{
	seen(JOB_IN_EVAL, nothing, "(nothing)");
	seen(JOB_IN_LOAD, moves,
	     "model: changed the working directory while loading");
	seen(JOB_IN_UNLOAD, moves,
	     "model: changed the working directory while unloading");
	seen(JOB_IN_CREATE, moves,
	     "model: create: changed the working directory");
	seen(JOB_IN_EVAL, moves, "model: eval: changed the working directory");
	seen(JOB_IN_KERNEL, moves,
	     "model: kernel: changed the working directory");
	seen(JOB_IN_DESTROY, moves,
	     "model: destroy: changed the working directory");
}

static void deeds(void)
{
	seen(JOB_IN_EVAL, prints, "model: eval: printed to standard output");
	seen(JOB_IN_EVAL, writes, "model: eval: printed to standard output");
	seen(JOB_IN_EVAL, rounds,
	     "model: eval: changed the floating-point modes");
	seen(JOB_IN_EVAL, sets, "model: eval: changed the environment");
	seen(JOB_IN_EVAL, scribbles,
	     "model: eval: wrote over memory of the host");
	seen(JOB_IN_EVAL, starts, "model: eval: started a process");
	seen(JOB_IN_EVAL, thread, "model: eval: left a thread running");
	seen(JOB_IN_CREATE, thread, "(nothing)");
	seen(JOB_IN_EVAL, joined_thread, "(nothing)");
	struct course c = {.place = JOB_IN_EVAL, .deed = starts, .does_io = 1};
	is(in_child(alone, &c), "(nothing)", "one that may start processes");
}

/* What costs no system call is seen at any call; what costs one is looked at
 * each time for the first thousand. */
static void late(void)
{
	struct course c = {
	    .place = JOB_IN_EVAL, .deed = writes, .quiet_calls = 100000};
	is(in_child(alone, &c), "model: eval: printed to standard output",
	   "at call 100001 too");
	c = (struct course){
	    .place = JOB_IN_EVAL, .deed = moves, .quiet_calls = 1000};
	is(in_child(alone, &c), "model: eval: changed the working directory",
	   "at call 1001");
	c = (struct course){
	    .place = JOB_IN_EVAL, .deed = sets, .quiet_calls = 4096};
	is(in_child(alone, &c), "model: eval: changed the environment",
	   "at a power of two all is looked at");
}

static const char *twice(void *user)
{
	(void)user;
	open_watch(1);
	call(JOB_IN_EVAL, prints);
	call(JOB_IN_CREATE, rounds);
	watch_report_violation(&w, "was late");
	return watch_leave(&w) < 0 ? verdict() : "it was well";
}

static const char *restored(void *user)
{
	uint64_t at;
	(void)user;
	open_watch(1);
	call(JOB_IN_EVAL, scribbles);
	return !status_is_sound(status, &at) ? "not sound"
					     : status_plugin(status);
}

static const char *looks_away(void *user)
{
	(void)user;
	open_watch(1);
	w.looks_away = 1;
	call(JOB_IN_EVAL, prints);
	return verdict();
}

/* A copy that the plugin has made ends where it would come back. */
static const char *copied(void *user)
{
	(void)user;
	open_watch(1);
	watch_does_io(&w);
	watch_enter(&w, JOB_IN_EVAL, "model");
	pid_t pid = fork();
	watch_leave(&w);
	if (pid == 0)
		_exit(7);
	return in_child_code(pid) == 0 ? "ended" : "came back";
}

static const char *blamed(void *user)
{
	status->has_step = 1, status->n_kernels = 3;
	(void)user;
	open_watch(1);
	status->has_step = 1, status->n_kernels = 3;
	watch_enter(&w, JOB_IN_CREATE, "model");
	watch_report_violation(&w, "was late");
	return status->has_step || status->n_kernels ? "a step is to blame"
						     : verdict();
}

static void first_counts(void)
{
	is(in_child(twice, NULL), "model: eval: printed to standard output",
	   "the first violation counts");
	is(in_child(restored, NULL), "model", "a status is put right again");
	is(in_child(looks_away, NULL), "(nothing)", "who looks away");
	is(in_child(copied, NULL), "ended", "a copy of the process");
	is(in_child(blamed, NULL), "model: create: was late",
	   "create() has no step to blame");
}

static const char *looked(void *user)
{
	void (*const *deed)(void) = user;
	open_watch(1);
	call(JOB_IN_CREATE, nothing);
	(*deed)();
	return watch_look(&w) < 0 ? verdict() : NULL;
}

static const char *finished(void *user)
{
	void (*const *deed)(void) = user;
	open_watch(1);
	watch_does_io(&w);
	call(JOB_IN_CREATE, *deed);
	call(JOB_IN_DESTROY, nothing);
	return watch_finish(&w) < 0 ? verdict() : NULL;
}

static void at_the_end(void)
{
	void (*deed)(void) = sets;
	is(in_child(looked, &deed),
	   "model: at the end: changed the environment", "between calls");
	deed = nothing;
	is(in_child(finished, &deed), "(nothing)", "all is as it was");
	deed = starts;
	is(in_child(finished, &deed),
	   "model: at the end: left a process behind", "a process is left");
	deed = thread;
	is(in_child(finished, &deed), "model: destroy: left a thread running",
	   "a thread is left");
}

/* Not alone: standard output is the host's. */
static const char *beside_others(void *user)
{
	(void)user;
	open_watch(0);
	call(JOB_IN_EVAL, starts);
	if (verdict())
		return verdict();
	call(JOB_IN_EVAL, rounds);
	return w.printed ? "output is taken" : verdict();
}

int main(void)
{
	status = mmap(NULL, sizeof *status, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (status == MAP_FAILED)
		bail_out("mmap");
	places();
	deeds();
	late();
	first_counts();
	at_the_end();
	is(in_child(beside_others, NULL),
	   "model: eval: changed the floating-point modes",
	   "a process that is not alone");
	uint64_t at;
	ok(status_is_sound(status, &at) && status_place(at) == JOB_IN_HOST,
	   "the last call has come back");
	return done();
}
