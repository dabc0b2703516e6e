/* pool_worker.c -- Does tasks in a worker, and sends their results. */
#include "jobs/pool_worker.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include "jobs/failure_line.h"

static int put(int fd, const void *from, size_t n)
{
	for (const char *at = from; n;) {
		ssize_t got = write(fd, at, n);
		if (got < 0 && errno != EINTR)
			return -1;
		at += got > 0 ? got : 0;
		n -= got > 0 ? (size_t)got : 0;
	}
	return 0;
}

/* Reads a task.  Returns 1, or 0 if there are no more. */
static int get(int fd, void *to, size_t n)
{
	for (char *at = to; n;) {
		ssize_t got = read(fd, at, n);
		if (got == 0 || (got < 0 && errno != EINTR))
			return 0;
		at += got > 0 ? got : 0;
		n -= got > 0 ? (size_t)got : 0;
	}
	return 1;
}

void pool_do_task(const struct pool_options *o, struct pool_worker *w,
		  const void *task, void *result, struct problem *p,
		  char **says)
{
	const struct memory_range shared = {w->shared, o->shared_bytes};
	*p = (struct problem){0};
	*says = NULL;
	memset(result, 0, o->result_bytes);
	w->status->has_step = w->status->failed_step = 0;
	if (o->work(w, o->user, task, result, p) == 0 &&
	    w->watch->violation.code == EXIT_DONE && !problem_machine_failed())
		return;
	if (p->code == EXIT_DONE)
		problem_if_machine_failed(p);
	if (p->code == EXIT_DONE)
		problem_set(p, EXIT_USAGE, "failed without a reason");
	if (w->watch->violation.code != EXIT_DONE)
		*p = w->watch->violation;
	*says =
	    failure_line(NULL, p, w->status, &shared, w->watch->alone ? 1 : 0);
}

/* Results the task in s->spare.  Returns 1 if the worker may go on. */
static int result(const struct pool_start *s, struct pool_worker *w)
{
	void *data = pool_result_of(s->o, s->slot);
	struct problem p;
	char *says;
	pool_do_task(s->o, w, s->spare, data, &p, &says);
	struct pool_frame f = {POOL_MAGIC, (uint32_t)p.code,
			       says ? (uint32_t)strlen(says) : 0,
			       problem_machine_failed() != 0};
	int rc = put(s->results, &f, sizeof f);
	if (rc == 0)
		rc = put(s->results, data, s->o->result_bytes);
	if (rc == 0)
		rc = put(s->results, says, f.says);
	int error = errno;
	if (rc < 0 && p.code == EXIT_DONE && error == EBADF)
		problem_set(&p, EXIT_PLUGIN, "%s: closed a file of the host",
			    w->watch->plugin ? w->watch->plugin : "a plugin");
	else if (rc < 0 && p.code == EXIT_DONE)
		problem_set(&p, EXIT_USAGE, "sending a result: %s",
			    strerror(error));
	if (rc < 0)
		s->slot->unsent = p;
	free(says);
	return rc == 0 && p.code != EXIT_PLUGIN;
}

static void hide_others(const struct pool_start *s)
{
	char *slot = s->region;
	for (unsigned i = 0; i < s->n_slots; i++, slot += s->slot_bytes)
		if (slot != (char *)s->slot)
			munmap(slot, s->slot_bytes);
}

void pool_be_worker(void *user)
{
	const struct pool_start *s = user;
	struct watch watch;
	struct problem *p = &s->slot->unsent;
	struct pool_worker w = {.group = s->group,
				.status = &s->slot->status,
				.watch = &watch,
				.shared = s->slot->shared};
	hide_others(s);
	if (watch_open(&watch, w.status, 1, s->fd, 2, p) < 0)
		return;
	while (get(s->tasks, s->spare, s->o->task_bytes))
		if (!result(s, &w))
			break;
	if (s->o->on_exit)
		s->o->on_exit(&w, s->o->user);
	s->slot->done = 1;
}

int pool_open_pipes(int *ask, int *results, struct pool_start *s,
		    struct problem *p)
{
	int a[2], b[2];
	/* A socket, because send() to one without a reader can avoid
	 * SIGPIPE. */
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, a) < 0)
		return problem_set(p, EXIT_USAGE, "a socket: %s",
				   strerror(errno));
	if (pipe2(b, O_CLOEXEC) < 0) {
		problem_set(p, EXIT_USAGE, "a pipe: %s", strerror(errno));
		close(a[0]), close(a[1]);
		return -1;
	}
	*ask = a[1];
	*results = b[0];
	s->tasks = a[0];
	s->results = b[1];
	fcntl(*results, F_SETFL, O_NONBLOCK);
	return 0;
}
