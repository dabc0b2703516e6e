/* checks_effects.c -- Checks that a plugin only computes: its calls, its
 * output, and the memory and descriptors that an instance leaves. */
#include "plugin/checks_effects.h"
#include <dirent.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdlib.h>
#include <sys/stat.h>
#include "jobs/guard.h"
#include "plugin/forbidden_calls.h"

struct escape {
	sigjmp_buf to;
	const char *function;
};

static void on_forbidden_call(void *user, const char *function)
{
	struct escape *e = user;
	e->function = function;
	siglongjmp(e->to, 1);
}

int check_computes_only(struct subject *s, struct problem *p)
{
	static struct escape e; /* must outlive the jump */
	/* After this, neither subject_destroy() nor unloading could call
	 * anything. */
	setenv("STEPCOST_NO_DLCLOSE", "1", 1);
	if (forbid_calls(s->plugin->dso, on_forbidden_call, &e, p) < 0)
		return -1;
	volatile int rc = 0;
	if (sigsetjmp(e.to, 1) == 0)
		for (size_t i = 0; rc >= 0 && i < s->steps->n; i++) {
			sc_result r;
			rc = subject_ask(s, &s->a, &s->steps->item[i].step, &r,
					 p);
		}
	s->a.p = NULL;
	if (e.function)
		return problem_set(p, EXIT_SAYS_NO, "eval() calls %s()",
				   e.function);
	return rc < 0 ? -1 : 0;
}

int check_leaves_alone(struct subject *s, struct problem *p)
{
	static struct guard g;
	int rc = 0;
	struct stat said = {0};
	if (guard_install(&g, &s->a, s->watch, p) < 0)
		return -1;
	for (size_t i = 0; rc >= 0 && i < s->steps->n; i++) {
		sc_result r;
		rc = subject_ask(s, &s->a, &s->steps->item[i].step, &r, p);
		if (s->watch->violation.code != EXIT_DONE)
			rc = -1;
		if (rc >= 0 && s->said >= 0 && fstat(s->said, &said) == 0 &&
		    said.st_size)
			rc = problem_set(p, EXIT_SAYS_NO,
					 "printed to standard error");
	}
	return rc < 0 ? -1 : 0;
}

static size_t open_files(void)
{
	DIR *d = opendir("/proc/self/fd");
	size_t n = 0;
	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

static int cycle(struct subject *s, int times, struct problem *p)
{
	for (int i = 0; i < times; i++) {
		struct cost c;
		if (subject_create(s, &c, p) < 0)
			return -1;
		subject_destroy(s, &c);
	}
	return 0;
}

int check_leaves_nothing(struct subject *s, struct problem *p)
{
	int slow = (s->plugin->p.capabilities & SC_CAP_DOES_IO) != 0;
	/* malloc() never uses less than this; anything less is kept by the
	 * allocator itself. */
	enum { TIMES = 40, LEAST_BYTES = 16, ROUNDS = 3 };
	size_t bytes, now, files;
	/* The first round fills the allocator's caches.  A later one may still
	 * move a few kilobytes into them, which a leak does in each. */
	for (int round = 0; round <= ROUNDS; round++) {
		bytes = mallinfo2().uordblks;
		files = open_files();
		if (cycle(s, slow ? 1 + (round > 0) : TIMES, p) < 0)
			return -1;
		now = mallinfo2().uordblks;
		if (round > 0 && open_files() > files)
			return problem_set(
			    p, EXIT_SAYS_NO,
			    "an instance leaves a descriptor open");
		if (round > 0 && (slow || now < bytes + TIMES * LEAST_BYTES))
			return 0;
	}
	return problem_set(p, EXIT_SAYS_NO,
			   "an instance leaves %zu bytes behind",
			   (now - bytes) / TIMES);
}
