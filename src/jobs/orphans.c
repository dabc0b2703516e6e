/* orphans.c -- Adopts and ends processes that a child left running. */
#include <config.h>
#include "jobs/orphans.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static void add(struct pids *l, pid_t pid)
{
	if (l->n == l->cap) {
		size_t cap = l->cap ? 2 * l->cap : 16;
		pid_t *p = realloc(l->pid, cap * sizeof *p);
		if (!p)
			return;
		l->pid = p;
		l->cap = cap;
	}
	l->pid[l->n++] = pid;
}

/* Our children now, zombies among them. */
static struct pids children(void)
{
	struct pids l = {0};
	FILE *f = fopen("/proc/thread-self/children", "re");
	int pid;
	while (f && fscanf(f, "%d", &pid) == 1)
		add(&l, pid);
	if (f)
		fclose(f);
	return l;
}

static int is_in(pid_t pid, const pid_t *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == pid)
			return 1;
	return 0;
}

void orphans_open(struct orphans *o)
{
	*o = (struct orphans){.before = children()};
	prctl(PR_GET_CHILD_SUBREAPER, &o->was_open);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}

/* Ending one may bring its own children here: until there are none. */
void orphans_end(const struct orphans *o, const pid_t *keep, size_t n)
{
	for (int found = 1; found;) {
		struct pids now = children();
		found = 0;
		for (size_t i = 0; i < now.n; i++) {
			pid_t pid = now.pid[i];
			if (is_in(pid, keep, n) ||
			    is_in(pid, o->before.pid, o->before.n))
				continue;
			kill(pid, SIGKILL);
			while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
				;
			found = 1;
		}
		free(now.pid);
	}
}

pid_t orphans_parent_of(pid_t pid)
{
	char path[64], line[512];
	int parent = 0;
	snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
	FILE *f = fopen(path, "re");
	size_t n = f ? fread(line, 1, sizeof line - 1, f) : 0;
	line[n] = '\0';
	/* Its name, in brackets, may be anything. */
	const char *name_end = strrchr(line, ')');
	if (!name_end || sscanf(name_end + 1, " %*c %d", &parent) != 1)
		parent = 0;
	if (f)
		fclose(f);
	return parent;
}

int orphans_are(const struct orphans *o, pid_t pid)
{
	struct pids now = children();
	int ours = is_in(pid, now.pid, now.n) &&
		   !is_in(pid, o->before.pid, o->before.n);
	free(now.pid);
	return ours;
}

void orphans_close(struct orphans *o)
{
	prctl(PR_SET_CHILD_SUBREAPER, o->was_open);
	free(o->before.pid);
	*o = (struct orphans){0};
}
