/* no_memory.h -- memory that runs out: each allocation of a use fails once, in
 * turn.  For a test in t/ROOM/alone/, because these functions are those of the
 * whole program. */
#ifndef T_NO_MEMORY_H
#define T_NO_MEMORY_H
#include <dlfcn.h>
#include <errno.h>
#include "base/problem.h"
#include "tap.h"

static long n_asked, refuse_at = -1;

/* Counts an allocation.  Returns 1 if it is to fail. */
static int is_refused(void)
{
	if (refuse_at < 0 || n_asked++ != refuse_at)
		return 0;
	errno = ENOMEM;
	return 1;
}

/* The library's own function behind the one of this file. */
#define NEXT(name)                                                             \
	static __typeof__(&name) next;                                         \
	if (!next) {                                                           \
		void *found = dlsym(RTLD_NEXT, #name);                         \
		memcpy(&next, &found, sizeof next);                            \
	}

void *malloc(size_t n)
{
	NEXT(malloc)
	return is_refused() ? NULL : next(n);
}

void *calloc(size_t n, size_t size)
{
	NEXT(calloc)
	return is_refused() ? NULL : next(n, size);
}

void *realloc(void *old, size_t n)
{
	NEXT(realloc)
	return is_refused() ? NULL : next(old, n);
}

/* use() returns its result as text, or the message of its failure.  With any
 * allocation refused it says that memory is out, or can do without. */
static void refuse_each(const char *what, const char *(*use)(const char *of),
			const char *of)
{
	static char want[4000];
	long n_said = 0, n_wrong = 0;
	snprintf(want, sizeof want, "%s", use(of));
	for (long at = 0;; at++) {
		n_asked = 0;
		refuse_at = at;
		const char *got = use(of);
		refuse_at = -1;
		if (n_asked <= at)
			break;
		int says = strstr(got, out_of_memory) != NULL ||
			   strstr(got, strerror(ENOMEM)) != NULL;
		n_said += says;
		if (says || !strcmp(got, want))
			continue;
		if (!n_wrong++)
			printf("# allocation %ld is refused\n#  got: %s\n"
			       "# want: %s\n",
			       at, got, want);
	}
	ok(n_wrong == 0 && n_said > 0, "%s: %ld failures are reported", what,
	   n_said);
}
#endif
