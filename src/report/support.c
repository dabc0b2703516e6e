/* support.c -- Writes support verdicts. */
#include <config.h>
#include "report/support.h"

void support_json(const struct support *s, struct jw *j)
{
	jw_flat_object(j, "support");
	jw_text(j, "verdict", support_name[s->verdict]);
	jw_text(j, "detail", *s->detail ? s->detail : NULL);
	jw_uint(j, "rows", s->n);
	jw_number(j, "mean_error", s->error);
	jw_end(j);
}

char *support_text(const struct support *s)
{
	char *text = NULL;
	size_t size;
	FILE *m = open_memstream(&text, &size);
	if (!m)
		return NULL;
	support_write(s, m);
	fclose(m);
	return text;
}
