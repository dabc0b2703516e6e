/* flags.c -- Reads the flags of an engine. */
#include "report/recommend/flags.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "keys/datafile.h"

struct reading {
	struct flags *to;
	const char *engine;
};

static enum flag_kind kind_of(const char *type)
{
	return !strcmp(type, "true")      ? FLAG_TRUE
	       : !strcmp(type, "switch")  ? FLAG_SWITCH
	       : !strcmp(type, "file")    ? FLAG_FILE
	       : !strcmp(type, "command") ? FLAG_COMMAND
	       : !strcmp(type, "image")   ? FLAG_IMAGE
					  : FLAG_VALUE;
}

static enum flag_type type_of(const char *type)
{
	return !strcmp(type, "int")     ? FLAG_INT
	       : !strcmp(type, "float") ? FLAG_FLOAT
	       : !strcmp(type, "json")  ? FLAG_JSON
					: FLAG_TEXT;
}

/* The shell that runs a script must read these texts as words. */
static const char *not_a_flag(enum flag_kind kind, const char *text)
{
	const char *begin =
	    kind == FLAG_FILE || kind >= FLAG_COMMAND ? "" : "--";
	if (strncmp(text, begin, strlen(begin)) != 0)
		return "a flag begins with --";
	for (const char *s = text; *s; s++)
		if (!isalnum((unsigned char)*s) && !strchr("_-./", *s) &&
		    (*s != ' ' || kind != FLAG_COMMAND) &&
		    (*s != ':' || kind != FLAG_IMAGE))
			return "a flag has letters, digits and _-./ alone";
	return NULL;
}

enum { ENGINE, AS_OF, KEY, FLAG, TYPE, N_COLUMNS };

static const char *take_flag(void *user, uint64_t row, uint32_t n,
			     char *const *cell)
{
	struct reading *r = user;
	struct flags *f = r->to;
	if (n < N_COLUMNS)
		return "not engine,version,key,flag,type,...";
	if (row == 0 || strcmp(cell[ENGINE], r->engine) != 0)
		return NULL;
	enum flag_kind kind = kind_of(cell[TYPE]);
	const char *why = not_a_flag(kind, cell[FLAG]);
	if (why)
		return why;
	struct flag *more = realloc(f->item, (f->n + 1) * sizeof *more);
	if (!more)
		return out_of_memory;
	f->item = more;
	struct flag *x = &f->item[f->n++];
	*x = (struct flag){strdup(cell[KEY]), strdup(cell[FLAG]),
			   strdup(cell[AS_OF]), kind, type_of(cell[TYPE])};
	return x->key && x->flag && x->version ? NULL : out_of_memory;
}

int flags_read(struct flags *f, const char *engine, struct problem *p)
{
	struct reading r = {f, engine};
	return datafile_csv("launch", take_flag, &r, p);
}

void flags_free(struct flags *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->item[i].key), free(f->item[i].flag),
		    free(f->item[i].version);
	free(f->item);
	*f = (struct flags){0};
}

const struct flag *flag_of(const struct flags *f, const char *key)
{
	for (size_t i = 0; i < f->n; i++)
		if (!strcmp(f->item[i].key, key))
			return &f->item[i];
	return NULL;
}
