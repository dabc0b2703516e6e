/* process.c -- Starts an arm in a child process, and says how it ended. */
#include "arm/process.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include "arm/host.h"
#include "base/file/tempfile.h"
#include "jobs/failure_line.h"

static void *shown(const struct arm_process *a)
{
	return (char *)a->slot + a->shown_at;
}

static void be_arm(void *user)
{
	struct arm_process *a = user;
	struct watch watch;
	struct job j = {.name = a->name,
			.status = &a->slot->status,
			.live = shown(a),
			.watch = &watch};
	sc_host host = host_writing(a->said);
	struct problem *p = &a->slot->problem;
	if (watch_open(&watch, &a->slot->status, 1, &a->child_fd, 1, p) < 0)
		return;
	if (arm_run(&j, a->config, a->arm, &host, a->work, a, p) < 0 &&
	    p->code == EXIT_DONE)
		problem_set(p, EXIT_USAGE, "failed without a reason");
	a->slot->done = p->code == EXIT_DONE;
}

static int by_number(const void *a, const void *b)
{
	const int *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

int arm_process_start(struct arm_process *a, struct children *c,
		      struct child *k, struct problem *p)
{
	int fd[2], keep[4];
	unsigned n = 0;
	void *at = mmap(NULL, a->slot_bytes, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	a->name = a->config->arm[a->arm].name;
	a->fd = -1;
	if (at == MAP_FAILED)
		return problem_no_memory(p);
	a->slot = at;
	status_begin(&a->slot->status);
	a->said = tempfile_open();
	if (!a->said)
		return problem_set(p, EXIT_USAGE, "temporary file: %s",
				   strerror(errno));
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd) < 0)
		return problem_set(p, EXIT_USAGE, "socketpair: %s",
				   strerror(errno));
	a->fd = fd[0];
	keep[n++] = a->child_fd = fd[1];
	keep[n++] = fileno(a->said);
	for (int i = 0; i < 2; i++)
		if (a->keep[i])
			keep[n++] = a->keep[i];
	qsort(keep, n, sizeof *keep, by_number);
	*k = (struct child){.status = &a->slot->status,
			    .plugin = a->config->arm[a->arm].plugin,
			    .keep = keep,
			    .n_keep = n,
			    .user = a};
	int rc = child_start(c, k, be_arm, a, p);
	close(fd[1]);
	return rc;
}

void arm_process_remarks(const struct arm_process *a,
			 void (*to)(void *user, const char *line), void *user)
{
	char line[1200];
	rewind(a->said);
	while (fgets(line, sizeof line, a->said)) {
		line[strcspn(line, "\n")] = '\0';
		to(user, line);
	}
}

void arm_process_ended(void *user, struct child *k)
{
	struct arm_process *a = k->user;
	struct problem p = a->slot->problem;
	const struct memory_range range = {shown(a),
					   a->slot_bytes - a->shown_at};
	(void)user;
	a->is_dead = 1;
	if (k->clean && a->slot->done)
		return;
	if (!k->clean || p.code == EXIT_DONE)
		p = k->end;
	if (p.code == EXIT_DONE)
		problem_set(&p, EXIT_PLUGIN, "its process ended");
	a->code = p.code;
	a->failure = failure_line(a->name, &p, &a->slot->status, &range, 1);
}

void arm_process_close(struct arm_process *a, struct child *k)
{
	if (a->slot && a->fd >= 0)
		close(a->fd);
	if (a->slot)
		munmap(a->slot, a->slot_bytes);
	if (a->said)
		fclose(a->said);
	free(a->failure), free(k->said.text);
}
