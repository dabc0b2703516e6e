/* Tasks in workers: each has one result, whatever workers do. */
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "jobs/guard.h"
#include "jobs/pool.h"
#include "faults.h"
#include "sanitized.h"
#include "tap.h"

enum { TASKS = 200, GROUPS = 3, MAX = GROUPS * TASKS };

struct task {
	unsigned group, task;
};
struct result {
	char begun[8];
	unsigned square;
	int pid;
};

/* Group 0 is sound.  Group 1 crashes, hangs or leaves at some tasks.  Group 2
 * depends on what it did before, which must not be seen. */
struct trial {
	unsigned next[GROUPS], most_apart;
	unsigned results[GROUPS][TASKS]; /* how many a task has had          */
	int code[GROUPS][TASKS];
	char says[GROUPS][TASKS][200];
	unsigned square[GROUPS][TASKS];
	char begun[GROUPS][TASKS][8];
	unsigned moments;
	int refuse_at; /* on_done() fails there; 0: nowhere */
	int *left;     /* shared: workers that left                          */
};

static int32_t faulty_eval(void *inst, const sc_step *step, sc_result *out,
			   sc_error *err)
{
	enum fault *f = inst;
	(void)err;
	out->total_us = 1;
	do_wrong(*f, step, out);
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

static enum fault fault_of(const struct task *q, const struct pool_worker *w)
{
	const int *done_before = w->own;
	if (q->group == 1)
		return q->task == 3    ? SEGV
		       : q->task == 50 ? EXIT
		       : q->task == 51 ? HANG
		       : q->task == 60 ? IS_NAN
		       : q->task == 61 ? CLOSE
				       : NONE;
	return q->group == 2 && *done_before > 5 ? SEGV : NONE;
}

static int work(struct pool_worker *w, void *user, const void *task,
		void *result, struct problem *p)
{
	const struct task *q = task;
	struct result *a = result;
	uint32_t *ctx = w->shared;
	(void)user;
	if (!w->own)
		w->own = calloc(1, sizeof(int));
	enum fault f = fault_of(q, w);
	struct cost c = {.p = &faulty, .inst = &f};
	struct guard g = {0};
	strcpy(a->begun, "yes");
	a->pid = getpid();
	if (q->group == 0 && q->task == 7)
		return problem_set(p, EXIT_USAGE, "not possible");
	if (guard_install(&g, &c, w->watch, p) < 0)
		return -1;
	*ctx = 64 + q->task;
	sc_step step = {.size = sizeof step,
			.step_index = q->task,
			.n_decode = 1,
			.n_sampled = 1,
			.decode_ctx = ctx};
	int rc = cost_eval(&c, &step, p) ? 0 : -1;
	cost_destroy(&c);
	guard_free(&g);
	++*(int *)w->own;
	a->square = q->task * q->task;
	return rc;
}

static void leave(struct pool_worker *w, void *user)
{
	const struct trial *t = user;
	__atomic_add_fetch(t->left, 1, __ATOMIC_SEQ_CST);
	free(w->own);
}

static int next(void *user, unsigned group, void *task, struct problem *p)
{
	struct trial *t = user;
	(void)p;
	if (t->next[group] == TASKS)
		return 0;
	*(struct task *)task = (struct task){group, t->next[group]++};
	for (unsigned i = 0; i < GROUPS; i++)
		if (t->next[group] > t->next[i] &&
		    t->next[group] - t->next[i] > t->most_apart)
			t->most_apart = t->next[group] - t->next[i];
	return 1;
}

static int over(void *user, unsigned group, const void *task,
		const struct pool_result *a, struct problem *p)
{
	struct trial *t = user;
	const struct task *q = task;
	const struct result *data = a->data;
	if (t->refuse_at && q->task == (unsigned)t->refuse_at)
		return problem_set(p, EXIT_USAGE, "no room");
	t->results[group][q->task]++;
	t->code[group][q->task] = a->code;
	t->square[group][q->task] = data->square;
	snprintf(t->says[group][q->task], sizeof t->says[0][0], "%s", a->says);
	snprintf(t->begun[group][q->task], sizeof t->begun[0][0], "%.7s",
		 data->begun);
	return 0;
}

static int moment(void *user, struct problem *p)
{
	(void)p;
	((struct trial *)user)->moments++;
	return 0;
}

static const struct pool_options usual = {
    .n_groups = GROUPS,
    .at_once = 2,
    .answer_limit_s = 0.3,
    .shared_bytes = 64,
    .task_bytes = sizeof(struct task),
    .result_bytes = sizeof(struct result),
    .work = work,
    .on_exit = leave,
    .next_task = next,
    .on_done = over,
    .on_tick = moment,
};

static void check(const struct trial *t, const char *how)
{
	unsigned once = 0, right = 0, well = 0;
	for (unsigned g = 0; g < GROUPS; g++)
		for (unsigned i = 0; i < TASKS; i++) {
			once += t->results[g][i] == 1;
			well += t->code[g][i] == EXIT_DONE;
			right += t->square[g][i] == i * i;
		}
	ok(once == MAX, "%s: every task has one result", how);
	ok(well == MAX - 6 && right >= MAX - 6, "%s: and all but six went well",
	   how);
	printf("# %u once, %u well, %u right\n", once, well, right);
}

static void check_faults(const struct trial *t, const char *how)
{
	is(t->says[0][7], "not possible", "%s: one is not possible", how);
	ok(strstr(t->says[1][3], "killed by SIGSEGV") &&
	       strstr(t->says[1][3],
		      "at step 3; step,decode,prefill,sampled: 3,67,,1"),
	   "%s: one crashed, at its step", how);
	printf("# %s\n", t->says[1][3]);
	ok(strstr(t->says[1][50], "exit(0) in eval()"), "%s: one left", how);
	ok(strstr(t->says[1][51], "no answer within 0.3 s"), "%s: one hung",
	   how);
	ok(strstr(t->says[1][60], "total_us = nan"), "%s: one answered nan",
	   how);
	ok(strstr(t->says[1][61], "closed descriptors of the host"),
	   "%s: one closed what was not its own", how);
	is(t->begun[1][51], "yes", "%s: what it had said stays", how);
}

static void try_it(unsigned at_once)
{
	static struct trial t;
	struct problem p = {0};
	struct pool_options o = usual;
	int interrupted;
	char how[40];
	memset(&t, 0, sizeof t);
	t.left = mmap(NULL, sizeof *t.left, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	snprintf(how, sizeof how, "%u at once", at_once);
	o.at_once = at_once;
	o.user = &t;
	ok(pool_run(&o, &interrupted, &p) == 0, "%s: it runs: %s", how, p.text);
	check(&t, how);
	check_faults(&t, how);
	ok(t.most_apart < TASKS, "%s: the groups go on side by side (%u)", how,
	   t.most_apart);
	ok(*t.left >= 3, "%s: workers leave in order", how);
	ok(t.moments > 0, "%s: on_tick() was called", how);
	munmap(t.left, sizeof *t.left);
}

static void try_refusal(void)
{
	static struct trial t;
	struct problem p = {0};
	struct pool_options o = usual;
	int interrupted, left = 0;
	t.refuse_at = 40;
	t.left = &left;
	o.user = &t;
	ok(pool_run(&o, &interrupted, &p) == -1 && !strcmp(p.text, "no room"),
	   "what on_done() refuses ends it all");
}

static int kill_parent(struct pool_worker *w, void *user, const void *task,
		       void *result, struct problem *p)
{
	const struct task *q = task;
	(void)w, (void)user, (void)result, (void)p;
	if (q->task == 20)
		kill(getppid(), SIGTERM);
	return 0;
}

static int interrupt_at_last(void *user, struct problem *p)
{
	struct trial *t = user;
	(void)p;
	if (++t->moments == 3)
		kill(getpid(), SIGINT);
	return 0;
}

static void try_signals(void)
{
	static struct trial t, u;
	struct problem p = {0};
	struct pool_options o = usual;
	int interrupted, n = 0;
	o.on_exit = NULL;
	o.n_groups = 1;
	o.work = kill_parent;
	o.user = &t;
	ok(pool_run(&o, &interrupted, &p) == 0, "SIGTERM from a worker");
	for (unsigned i = 0; i < TASKS; i++)
		n += t.results[0][i] == 1 && t.code[0][i] != EXIT_USAGE;
	ok(n == TASKS, "does not end the others' tasks");
	o.on_tick = interrupt_at_last;
	o.user = &u;
	ok(pool_run(&o, &interrupted, &p) == -1 && interrupted == SIGINT,
	   "SIGINT from elsewhere ends it all");
}

static int sound(struct pool_worker *w, void *user, const void *task,
		 void *result, struct problem *p)
{
	const struct task *q = task;
	struct result *a = result;
	(void)w, (void)user;
	a->square = q->task * q->task;
	return q->task == 9 ? problem_set(p, EXIT_PLUGIN, "not this one") : 0;
}

static void try_in_process(void)
{
	static struct trial t;
	struct problem p = {0};
	struct pool_options o = usual;
	int interrupted, n = 0;
	o.in_process = 1;
	o.work = sound;
	o.on_exit = NULL;
	o.user = &t;
	ok(pool_run(&o, &interrupted, &p) == 0, "in process");
	for (unsigned g = 0; g < GROUPS; g++)
		for (unsigned i = 0; i < TASKS; i++)
			n += t.results[g][i] == 1 && t.square[g][i] == i * i;
	ok(n == MAX, "in process: every task has one result");
	is(t.says[2][9], "not this one", "in process: a failure is told");
}

/* Both directions are full while neither side reads, unless few are sent. */
enum { LARGE_BYTES = 3000, LARGE_TASKS = 3000 };

static int next_large(void *user, unsigned group, void *task, struct problem *p)
{
	unsigned *n = user;
	(void)group, (void)p;
	memset(task, 1, LARGE_BYTES);
	return n[0] < LARGE_TASKS ? (int)++n[0] > 0 : 0;
}

static int work_large(struct pool_worker *w, void *user, const void *task,
		      void *result, struct problem *p)
{
	(void)w, (void)user, (void)p;
	memcpy(result, task, LARGE_BYTES);
	return 0;
}

static int over_large(void *user, unsigned group, const void *task,
		      const struct pool_result *a, struct problem *p)
{
	unsigned *n = user;
	(void)group, (void)p;
	n[1] += !memcmp(task, a->data, LARGE_BYTES);
	return 0;
}

static void try_large(void)
{
	unsigned n[2] = {0, 0};
	struct problem p = {0};
	int interrupted;
	const struct pool_options o = {.n_groups = 1,
				       .at_once = 2,
				       .task_bytes = LARGE_BYTES,
				       .result_bytes = LARGE_BYTES,
				       .work = work_large,
				       .next_task = next_large,
				       .on_done = over_large,
				       .user = n};
	int status = 1;
	pid_t pid = fork();
	if (pid == 0) { /* it would wait for ever, and for no signal */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(pool_run(&o, &interrupted, &p) < 0 ||
		      n[1] != LARGE_TASKS);
	}
	alarm(60);
	ok(waitpid(pid, &status, 0) == pid && status == 0,
	   "quick tasks with long tasks and results");
	alarm(0);
}

int main(void)
{
	try_it(1);
	try_it(2);
	try_it(7);
	try_refusal();
	try_signals();
	try_in_process();
	try_large();
	ok(waitpid(-1, NULL, WNOHANG) < 0, "no child is left");
	return done();
}
