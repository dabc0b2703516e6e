/* status.c -- Reads the status of a job, and checks it. */
#include "jobs/status.h"
#include <string.h>

void status_begin(struct job_status *s)
{
	status_move(s, 0, JOB_IN_HOST);
}

int status_is_sound(const struct job_status *s, uint64_t *at)
{
	*at = atomic_load(&s->at);
	return atomic_load(&s->check) == ~*at && (*at & 0xff) < N_JOB_PLACES;
}

enum job_place status_place(uint64_t at)
{
	return (enum job_place)(at & 0xff);
}

const char *status_plugin(const struct job_status *s)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_.";
	size_t n = strnlen(s->plugin, sizeof s->plugin);
	return n < sizeof s->plugin && strspn(s->plugin, letters) == n
		   ? s->plugin
		   : NULL;
}

const char *status_place_text(enum job_place place)
{
	static const char *const text[N_JOB_PLACES] = {
	    [JOB_IN_HOST] = "",
	    [JOB_IN_LOAD] = " while loading",
	    [JOB_IN_CREATE] = " in create()",
	    [JOB_IN_EVAL] = " in eval()",
	    [JOB_IN_KERNEL] = " in kernel()",
	    [JOB_IN_DESTROY] = " in destroy()",
	    [JOB_IN_UNLOAD] = " while unloading",
	};
	return text[place];
}

const char *status_place_name(enum job_place place)
{
	static const char *const name[N_JOB_PLACES] = {
	    [JOB_IN_HOST] = "at the end", [JOB_IN_LOAD] = "load",
	    [JOB_IN_CREATE] = "create",   [JOB_IN_EVAL] = "eval",
	    [JOB_IN_KERNEL] = "kernel",   [JOB_IN_DESTROY] = "destroy",
	    [JOB_IN_UNLOAD] = "unload",
	};
	return name[place];
}
