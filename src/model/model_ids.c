/* model_ids.c -- Reads the list of publishers' names. */
#include "model/model_ids.h"
#include <string.h>
#include "keys/datafile.h"

struct looking {
	const char *model, *id; /* one of them is NULL: it is looked for */
	char *found;
	int has_note;
};

/* A row with a note is of other weights than the publisher's own (quantized
 * by the engine); the name alone means the publisher's. */
static const char *take(void *user, uint64_t row, uint32_t n, char *const *cell)
{
	struct looking *l = user;
	enum { MODEL, ID, NOTE, N };
	if (n < N)
		return "not model,hf_id,note";
	if (row == 0 || l->found ||
	    (l->id ? *cell[NOTE] || strcasecmp(cell[ID], l->id)
		   : strcmp(cell[MODEL], l->model)))
		return NULL;
	l->found = strdup(cell[l->id ? MODEL : ID]);
	l->has_note = *cell[NOTE] != 0;
	return l->found ? NULL : out_of_memory;
}

int model_ids_of(char **id, const char *model, int *is_quantized,
		 struct problem *p)
{
	struct looking l = {.model = model};
	int rc = datafile_csv("model-ids", take, &l, p);
	*id = l.found;
	*is_quantized = l.has_note;
	return rc;
}

int model_ids_find(char **model, const char *id, struct problem *p)
{
	struct looking l = {.id = id};
	int rc = datafile_csv("model-ids", take, &l, p);
	*model = l.found;
	return rc;
}
