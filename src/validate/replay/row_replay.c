/* row_replay.c -- Fills and frees a trial. */
#include "validate/replay/row_replay.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int row_replay_set(struct row_replay *t, const char *fmt, ...)
{
	char text[4200];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (t->n_settings == ROW_REPLAY_SETTINGS)
		return -1;
	t->setting[t->n_settings] = strdup(text);
	return t->setting[t->n_settings++] ? 0 : -1;
}

int row_replay_set_knob(struct row_replay *t, const char *knob,
			const char *value)
{
	if (t->n_knobs == ROW_REPLAY_SETTINGS ||
	    asprintf(&t->knob[t->n_knobs], "%s=%s", knob, value) < 0)
		return -1;
	t->n_knobs++;
	return 0;
}

struct planned_request *row_replay_add_requests(struct row_replay *t,
						uint64_t more)
{
	struct planned_request *r =
	    realloc(t->request, (t->n + more + 1) * sizeof *r);
	if (!r)
		return NULL;
	t->request = r;
	r += t->n;
	memset(r, 0, more * sizeof *r);
	t->n += more;
	return r;
}

void row_replay_free(struct row_replay *t)
{
	for (size_t k = 0; k < t->n_settings; k++)
		free(t->setting[k]);
	for (size_t k = 0; k < t->n_knobs; k++)
		free(t->knob[k]);
	free(t->row);
	free(t->first);
	free(t->request);
	*t = (struct row_replay){0};
}
