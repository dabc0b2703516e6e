/* Jobs in children: results, faults, limits, processes left behind. */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "jobs/guard.h"
#include "jobs/jobs.h"
#include "faults.h"
#include "sanitized.h"
#include "tap.h"

static const char *const says[N_FAULTS] = {
    "",
    "killed by SIGSEGV",
    "killed by SIGFPE",
    "killed by SIGABRT",
    "exit(0) in eval()",
    "no answer within 2 s in eval()",
    "memory limit of 0.25 GiB",
    "the stack overflowed",
    "wrote past the end",
    "killed by SIGSEGV",
    "printed to standard output",
    "printed to standard output",
    "changed the working directory",
    "closed descriptors",
    "total_us = nan",
    "floating-point modes",
    "killed by SIGSEGV",
    "started a process",
};

struct user {
	enum fault fault;
	uint64_t at;
};

static int32_t faulty_eval(void *inst, const sc_step *step, sc_result *out,
			   sc_error *err)
{
	const struct user *u = inst;
	(void)err;
	out->total_us = 1.5 * step->decode_ctx[0];
	if (step->step_index == u->at)
		do_wrong(u->fault, step, out);
	return SC_OK;
}

static void nothing(void *inst)
{
	(void)inst;
}

static const sc_plugin faulty = {.size = sizeof faulty,
				 .abi_major = SC_ABI_MAJOR,
				 .name = "faulty",
				 .destroy = nothing,
				 .eval = faulty_eval};

struct shared {
	double sum;
};

static int steps(struct job *j, struct cost *c, struct problem *p)
{
	struct shared *s = j->shared;
	uint32_t *decode_ctx = j->live;
	for (uint32_t i = 0; i < 100; i++) {
		for (uint32_t k = 0; k < 4; k++)
			decode_ctx[k] = k < 3 ? 64 + i : 7;
		sc_step step = {.size = sizeof step,
				.step_index = i,
				.n_decode = 4,
				.n_sampled = 4,
				.decode_ctx = decode_ctx};
		const sc_result *r = cost_eval(c, &step, p);
		if (!r)
			return -1;
		s->sum += r->total_us;
		fprintf(j->stream[0], "%u\n", i);
	}
	return 0;
}

static int simulate(struct job *j, struct problem *p)
{
	struct cost c = {.p = &faulty, .inst = j->user};
	struct guard g = {0};
	int rc = guard_install(&g, &c, j->watch, p);
	if (rc == 0)
		rc = steps(j, &c, p);
	cost_destroy(&c);
	guard_free(&g);
	return rc;
}

static int lines(FILE *f)
{
	int n = 0;
	for (int c; (c = getc(f)) != EOF;)
		n += c == '\n';
	return n;
}

static const struct jobs_options usual = {.at_once = 3,
					  .answer_limit_s = 2,
					  .memory_limit_gib = 0.25,
					  .shared_bytes = sizeof(struct shared),
					  .live_bytes = 4 * sizeof(uint32_t)};

static void try_all(void)
{
	struct problem p = {0};
	struct user user[N_FAULTS];
	struct job job[N_FAULTS] = {0};
	struct jobs a;
	for (int i = 0; i < N_FAULTS; i++) {
		enum fault f = i == GROW && !LIMITED ? SEGV : (enum fault)i;
		user[i] = (struct user){f, 17};
		job[i] = (struct job){
		    .name = "x", .user = &user[i], .wanted_streams = 1};
	}
	ok(jobs_run(&a, job, N_FAULTS, simulate, &usual, &p) == 0,
	   "all jobs are run: %s", p.text);
	const struct shared *good = job[NONE].shared;
	ok(!job[NONE].complaint && good->sum == 1.5 * (6400 + 4950),
	   "the good one is right");
	ok(lines(job[NONE].stream[0]) == 100, "and has written its stream");
	for (int i = 1; i < N_FAULTS; i++) {
		const char *c = job[i].complaint;
		/* One that writes over its own step has none to show. */
		const char *step = i == SCRIBBLE
				       ? "faulty"
				       : "at step 17; step,decode,prefill,"
					 "sampled: 17,81x3;7,,4";
		ok(c && (strstr(c, says[i]) || (i == GROW && !LIMITED)) &&
		       strstr(c, "faulty") && strstr(c, step) &&
		       job[i].problem->code == EXIT_PLUGIN,
		   "%s is named with its step", says[i]);
		printf("# %s\n", c ? c : "(none)");
	}
	jobs_free(&a);
}

/* What a job sees does not depend on where it runs. */
static void try_in_process(void)
{
	struct problem p = {0};
	struct user good = {NONE, 0}, bad = {IS_NAN, 5};
	struct job job[] = {{.name = "a", .user = &good, .wanted_streams = 1},
			    {.name = "b", .user = &bad, .wanted_streams = 1}};
	struct jobs_options o = usual;
	struct jobs a;
	o.in_process = 1;
	ok(jobs_run(&a, job, 2, simulate, &o, &p) == 0, "in process");
	const struct shared *s = job[0].shared;
	ok(s->sum == 1.5 * (6400 + 4950), "the same sum");
	ok(job[1].complaint && strstr(job[1].complaint, "step 5; "),
	   "the same complaint");
	jobs_free(&a);
}

static int sleep_long(struct job *j, struct problem *p)
{
	fprintf(j->stream[0], "started\n");
	fflush(j->stream[0]);
	if (j->user)
		kill(getppid(), SIGTERM);
	while (!p->code)
		pause();
	return -1;
}

/* A child of ours that is none of the jobs. */
static pid_t send_soon(void)
{
	static const struct timespec soon = {.tv_nsec = 300000000};
	pid_t pid = fork();
	if (pid == 0) {
		nanosleep(&soon, NULL);
		kill(getppid(), SIGTERM);
		_exit(0);
	}
	return pid;
}

static int do_nothing(struct job *j, struct problem *q)
{
	(void)j, (void)q;
	return 0;
}

static void try_interrupt(void)
{
	struct problem p = {0};
	struct job job[] = {{.name = "a", .wanted_streams = 1}};
	struct job sender[] = {{.name = "b", .wanted_streams = 1, .user = &p}};
	struct jobs a;
	ok(jobs_run(&a, sender, 1, sleep_long, &usual, &p) == 0 &&
	       strstr(sender[0].complaint, "sent SIGTERM to the host"),
	   "SIGTERM from a job ends that job");
	jobs_free(&a);
	struct job unwanted = {.name = "c", .user = &p};
	ok(jobs_run(&a, &unwanted, 1, do_nothing, &usual, &p) == 0 &&
	       !unwanted.complaint,
	   "a job without streams");
	jobs_join(&a, 0, stdout);
	jobs_free(&a);
	pid_t outsider = send_soon();
	ok(jobs_run(&a, job, 1, sleep_long, &usual, &p) == -1 &&
	       a.interrupted == SIGTERM,
	   "SIGTERM ends the run");
	jobs_free(&a);
	waitpid(outsider, NULL, 0);
}

static int lack(struct job *j, struct problem *q)
{
	if (j->user)
		problem_note_machine(EMFILE);
	return problem_set(q, EXIT_INPUT, "refused");
}

/* A refusal is an answer; what a job could not open is none. */
static void try_machine(void)
{
	struct problem p = {0};
	struct job job[] = {{.name = "a"}, {.name = "b", .user = &p}};
	struct jobs a;
	ok(jobs_run(&a, job, 1, lack, &usual, &p) == 0 &&
	       jobs_if_machine_failed(&a, &p) == 0,
	   "a job that refuses");
	jobs_free(&a);
	ok(jobs_run(&a, job, 2, lack, &usual, &p) == 0 &&
	       jobs_if_machine_failed(&a, &p) == -1,
	   "and one that the machine failed");
	is(p.text, "arm b: refused", "its complaint");
	ok(p.code == EXIT_USAGE && !problem_machine_failed(),
	   "this process may go on");
	jobs_free(&a);
}

int main(void)
{
	try_all();
	try_machine();
	try_in_process();
	try_interrupt();
	ok(waitpid(-1, NULL, WNOHANG) < 0, "no child is left");
	return done();
}
