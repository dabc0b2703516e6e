/* text.c -- Collects the bytes written to a stream in memory. */
#include "base/text.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/problem.h"

enum { FIRST = 128 }; /* bytes */

struct collected {
	char **text;
	size_t *size, n, cap; /* n: as in *size, which streams may share */
	int failed;
};

/* The write function of the stream: appends to the text, which grows. */
static ssize_t put(void *cookie, const char *bytes, size_t n)
{
	struct collected *m = cookie;
	size_t cap = m->cap;
	while (m->n + n >= cap)
		cap *= 2;
	char *more = cap == m->cap ? *m->text : realloc(*m->text, cap);
	if (!more) {
		problem_note_machine(ENOMEM);
		m->failed = 1;
		return 0;
	}
	memcpy(more + m->n, bytes, n);
	m->n += n;
	more[m->n] = '\0';
	*m->text = more;
	*m->size = m->n;
	m->cap = cap;
	return (ssize_t)n;
}

/* For ftell() alone. */
static int tell(void *cookie, off64_t *at, int whence)
{
	const struct collected *m = cookie;
	if (whence != SEEK_CUR || *at != 0)
		return -1;
	*at = (off64_t)m->n;
	return 0;
}

static int end(void *cookie)
{
	struct collected *m = cookie;
	int rc = m->failed ? EOF : 0;
	free(m);
	return rc;
}

FILE *text_open(char **text, size_t *size)
{
	struct collected *m = malloc(sizeof *m);
	*text = calloc(1, FIRST);
	*size = 0;
	FILE *f =
	    m && *text
		? fopencookie(m, "w",
			      (cookie_io_functions_t){
				  .write = put, .seek = tell, .close = end})
		: NULL;
	if (f) {
		*m = (struct collected){text, size, 0, FIRST, 0};
		return f;
	}
	problem_note_machine(ENOMEM);
	free(m);
	free(*text);
	*text = NULL;
	return NULL;
}

FILE *text_begin(struct text *t)
{
	return t->f = text_open(&t->s, &t->n);
}

char *text_end(struct text *t)
{
	if (!t->f || fclose(t->f) == 0)
		return t->f ? t->s : NULL;
	free(t->s);
	return NULL;
}
