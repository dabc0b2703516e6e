/* orphans.c -- Adopts and ends processes that a child left running. */
#include "jobs/orphans.h"
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include "base/grow.h"

static void add(struct pids *l, pid_t pid)
{
	if (!MAKE_ROOM(l->pid, l->n, l->cap))
		return;
	l->pid[l->n++] = pid;
}

/* Lists our current children, zombies included. */
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

/* Ending one may make its own children ours, so repeats until there are
 * none. */
void orphans_end(struct orphans *o, const pid_t *keep, size_t n)
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
			add(&o->gone, pid);
			found = 1;
		}
		free(now.pid);
	}
}

/* Scans /proc/PID/stat from the state of the process on.  Returns how many
 * values were read. */
__attribute__((format(scanf, 2, 3))) static int
scan_stat(pid_t pid, const char *format, ...)
{
	char path[64], line[512];
	snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
	FILE *f = fopen(path, "re");
	size_t n = f ? fread(line, 1, sizeof line - 1, f) : 0;
	line[n] = '\0';
	if (f)
		fclose(f);
	/* The name in brackets may contain anything. */
	const char *name_end = strrchr(line, ')');
	va_list values;
	va_start(values, format);
	int read = name_end ? vsscanf(name_end + 1, format, values) : 0;
	va_end(values);
	return read;
}

pid_t orphans_parent_of(pid_t pid)
{
	int parent;
	return scan_stat(pid, " %*c %d", &parent) == 1 ? parent : 0;
}

int orphans_had_children(pid_t pid)
{
	/* Every process that runs has page faults, and this field adds up those
	 * of the children that were collected. */
	unsigned long faults;
	return scan_stat(pid, " %*c %*d %*d %*d %*d %*d %*u %*u %lu",
			 &faults) == 1 &&
	       faults > 0;
}

int orphans_are(const struct orphans *o, pid_t pid)
{
	struct pids now = children();
	int ours = is_in(pid, o->gone.pid, o->gone.n) ||
		   (is_in(pid, now.pid, now.n) &&
		    !is_in(pid, o->before.pid, o->before.n));
	free(now.pid);
	return ours;
}

void orphans_add_gone(struct orphans *o, pid_t pid)
{
	add(&o->gone, pid);
}

void orphans_forget_gone(struct orphans *o)
{
	o->gone.n = 0;
}

void orphans_close(struct orphans *o)
{
	prctl(PR_SET_CHILD_SUBREAPER, o->was_open);
	free(o->before.pid);
	free(o->gone.pid);
	*o = (struct orphans){0};
}
