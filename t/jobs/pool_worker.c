/* The worker's side of a pool: tasks in, results out. */
#include "jobs/pool_worker.h"
#include <sys/mman.h>
#include <sys/socket.h>
#include "in_child.h"

struct task {
	int n;
};
struct result {
	int square;
};
enum { FAILS = 7, SAYS_NOTHING = 8, BREAKS = 9 };

static int work(struct pool_worker *w, void *user, const void *task,
		void *result, struct problem *p)
{
	const struct task *q = task;
	struct result *a = result;
	(void)w, (void)user;
	a->square = q->n * q->n;
	if (q->n == FAILS)
		return problem_set(p, EXIT_INPUT, "seven is no number");
	if (q->n == BREAKS)
		return problem_set(p, EXIT_PLUGIN, "broken");
	return q->n == SAYS_NOTHING ? -1 : 0;
}

static int *left; /* shared with workers */
static void leave(struct pool_worker *w, void *user)
{
	(void)w, (void)user;
	++*left;
}

static const struct pool_options options = {
    .n_groups = 1,
    .task_bytes = sizeof(struct task),
    .result_bytes = sizeof(struct result),
    .work = work,
    .on_exit = leave,
};

static void a_task(void)
{
	struct job_status status = {.has_step = 1};
	struct watch watch = {.alone = 1};
	struct pool_worker w = {.status = &status, .watch = &watch};
	struct result a = {-1};
	struct problem p;
	char *says;
	pool_do_task(&options, &w, &(struct task){5}, &a, &p, &says);
	ok(a.square == 25 && p.code == EXIT_DONE && !says && !status.has_step,
	   "a task that succeeds has a result and no complaint");
	pool_do_task(&options, &w, &(struct task){FAILS}, &a, &p, &says);
	ok(p.code == EXIT_INPUT && says && strstr(says, "seven is no number"),
	   "one that fails has a complaint: %s", says ? says : "-");
	free(says);
	pool_do_task(&options, &w, &(struct task){SAYS_NOTHING}, &a, &p, &says);
	ok(p.code == EXIT_USAGE && says &&
	       strstr(says, "failed without a reason"),
	   "also one that gives no reason");
	free(says);
	problem_set(&watch.violation, EXIT_PLUGIN, "wrote somewhere");
	pool_do_task(&options, &w, &(struct task){5}, &a, &p, &says);
	ok(p.code == EXIT_PLUGIN && says && strstr(says, "wrote somewhere"),
	   "a violation spoils what succeeded");
	free(says);
}

/* A worker's results to the tasks, and what its slot has then. */
static ssize_t ask(const int *n, unsigned count, unsigned char *got,
		   size_t size, struct pool_slot *slot)
{
	struct task spare;
	struct pool_start s = {.o = &options, .spare = &spare, .slot = slot};
	int ends[2], results[2];
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0 || pipe(results) < 0)
		bail_out("pipes");
	for (unsigned i = 0; i < count; i++)
		if (write(ends[1], &(struct task){n[i]}, sizeof(struct task)) <
		    0)
			bail_out("write");
	shutdown(ends[1], SHUT_WR);
	s.tasks = s.fd[0] = ends[0];
	s.results = s.fd[1] = results[1];
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		close(ends[1]), close(results[0]);
		pool_be_worker(&s);
		_exit(0);
	}
	close(ends[0]), close(ends[1]), close(results[1]);
	size_t have = 0;
	for (ssize_t r; (r = read(results[0], got + have, size - have)) > 0;)
		have += (size_t)r;
	close(results[0]);
	return in_child_code(pid) == 0 ? (ssize_t)have : -1;
}

static void results(void)
{
	unsigned char got[4000];
	struct pool_slot *slot = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE,
				      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	left = mmap(NULL, sizeof *left, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (slot == MAP_FAILED || left == MAP_FAILED)
		bail_out("mmap");
	const size_t each = sizeof(struct pool_frame) + sizeof(struct result);
	ssize_t n = ask((int[]){3, 4}, 2, got, sizeof got, slot);
	struct pool_frame f;
	struct result a;
	ok(n == (ssize_t)(2 * each) && slot->done && *left == 1,
	   "two results, and it left when there was no more to do");
	memcpy(&f, got + each, sizeof f);
	memcpy(&a, got + each + sizeof f, sizeof a);
	ok(f.magic == POOL_MAGIC && f.code == EXIT_DONE && f.says == 0 &&
	       a.square == 16,
	   "in the order of the tasks");
	memset(slot, 0, sizeof *slot);
	n = ask((int[]){FAILS, 4}, 2, got, sizeof got, slot);
	memcpy(&f, got, sizeof f);
	ok(f.code == EXIT_INPUT && f.says > 0 &&
	       n == (ssize_t)(2 * each + f.says) && slot->done,
	   "a complaint follows its result, and it goes on");
	memset(slot, 0, sizeof *slot);
	n = ask((int[]){BREAKS, 4}, 2, got, sizeof got, slot);
	memcpy(&f, got, sizeof f);
	ok(f.code == EXIT_PLUGIN && n == (ssize_t)(each + f.says) && slot->done,
	   "after a plugin's failure it results no more");
}

int main(void)
{
	a_task();
	results();
	return done();
}
