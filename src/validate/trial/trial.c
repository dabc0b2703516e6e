/* trial.c -- Fills and frees a trial. */
#include <config.h>
#include "validate/trial/trial.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int trial_set(struct trial *t, const char *fmt, ...)
{
	char text[4200];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (t->n_settings == TRIAL_SETTINGS)
		return -1;
	t->setting[t->n_settings] = strdup(text);
	return t->setting[t->n_settings++] ? 0 : -1;
}

int trial_set_knob(struct trial *t, const char *knob, const char *value)
{
	if (t->n_knobs == TRIAL_SETTINGS ||
	    asprintf(&t->knob[t->n_knobs], "%s=%s", knob, value) < 0)
		return -1;
	t->n_knobs++;
	return 0;
}

struct planned_request *trial_add_requests(struct trial *t, uint64_t more)
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

void trial_free(struct trial *t)
{
	for (size_t k = 0; k < t->n_settings; k++)
		free(t->setting[k]);
	for (size_t k = 0; k < t->n_knobs; k++)
		free(t->knob[k]);
	free(t->row);
	free(t->first);
	free(t->request);
	*t = (struct trial){0};
}
