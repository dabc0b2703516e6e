/* set.c -- Reads files of steps, and finds their deployments. */
#include "steps/set.h"
#include <stdlib.h>
#include <string.h>
#include "base/file/infile.h"
#include "base/text.h"
#include "keys/datafile.h"
#include "validate/measured/condition.h"
#include "validate/measured/launch.h"
#include "validate/measured/served.h"

/* The columns of a deployment, in the order of its name. */
static const enum step_column deployment_column[] = {
    STEP_GPU,
    STEP_MODEL,
    STEP_DTYPE,
    STEP_KV_CACHE_DTYPE,
    STEP_ENGINE,
    STEP_ENGINE_VERSION,
    STEP_TENSOR_PARALLEL,
    STEP_PIPELINE_PARALLEL,
    STEP_DATA_PARALLEL,
    STEP_EXPERT_PARALLEL,
    STEP_GPU_COUNT,
};
#define N_OF(array) (sizeof(array) / sizeof *(array))

/* ---- rows that are left out ---- */

static int leave_out(struct step_set *s, const char *why, int is_flag,
		     struct problem *p)
{
	size_t i = 0;
	while (i < s->n_left_out && strcmp(s->left_out[i].why, why))
		i++;
	if (i == s->n_left_out) {
		struct steps_left_out *more =
		    realloc(s->left_out, (i + 1) * sizeof *more);
		if (!more)
			return problem_no_memory(p);
		s->left_out = more;
		more[i] = (struct steps_left_out){strdup(why), is_flag, 0};
		if (!more[i].why)
			return problem_no_memory(p);
		s->n_left_out++;
	}
	s->left_out[i].n++;
	return 0;
}

/* Finds the first of the flags "A|B" that begins as an item of the list "C, D".
 * Returns 1 if there is one. */
static int find_flag(const char *flags, const char *list, char *flag,
		     size_t size)
{
	while (list && *list) {
		size_t n = strcspn(list, ", ");
		for (const char *f = flags; n && *f;) {
			size_t m = strcspn(f, "|");
			if (m >= n && !strncmp(f, list, n)) {
				snprintf(flag, size, "%.*s", (int)m, f);
				return 1;
			}
			f += m + (f[m] == '|');
		}
		list += n;
		list += strspn(list, ", ");
	}
	return 0;
}

/* ---- files ---- */

static int note(struct step_set *s, const char *text, struct problem *p)
{
	return names_add_new(&s->notes, text) < 0 ? problem_no_memory(p) : 0;
}

static int note_ignored(struct step_set *s, const struct step_file *f,
			struct problem *p)
{
	char list[300], text[600];
	if (!f->steps.ignored.n)
		return 0;
	snprintf(text, sizeof text, "%s: columns without a meaning here: %s",
		 f->path, names_join(&f->steps.ignored, list, sizeof list));
	return note(s, text, p);
}

static int keep_arm(struct step_set *s, struct step_file *f, const char *arm,
		    struct problem *p)
{
	char text[600];
	size_t others;
	if (steps_keep_arm(&f->steps, arm, &others) < 0)
		return problem_set(p, EXIT_USAGE,
				   "--steps-of %s: %s has no steps of this arm",
				   arm, f->path);
	if (!others || arm)
		return 0;
	snprintf(text, sizeof text,
		 "%s: steps of the first of %zu arms, %s; --steps-of chooses",
		 f->path, others + 1,
		 steps_cell(&f->steps, &f->steps.item[0], STEP_ARM));
	return note(s, text, p);
}

static int read_file(struct step_set *s, struct step_file *f, const char *path,
		     const struct ini *aliases,
		     const struct step_set_options *o, struct problem *p)
{
	f->path = datafile_shipped(path);
	if (!f->path)
		return problem_no_memory(p);
	FILE *in = infile_open(f->path, p);
	if (!in)
		return -1;
	int rc = steps_read(&f->steps, in, f->path, aliases, p);
	fclose(in);
	if (rc < 0)
		return -1;
	if (o->needs_time && f->steps.at[STEP_TIME] < 0)
		return problem_set(p, EXIT_INPUT,
				   "%s:1: no column time_us: these steps were "
				   "not measured; add the measured time of "
				   "each",
				   f->path);
	s->n_given += f->steps.n;
	return keep_arm(s, f, o->steps_of, p) < 0 ? -1 : note_ignored(s, f, p);
}

/* ---- deployments ---- */

static const char *cell_of(const struct step_row *r, size_t k)
{
	return steps_cell(&r->file->steps, r->given, deployment_column[k]);
}

static int is_same(const struct step_row *a, const struct step_row *b)
{
	for (size_t k = 0; k < N_OF(deployment_column); k++)
		if (strcmp(cell_of(a, k), cell_of(b, k)) != 0)
			return 0;
	return 1;
}

/* Returns "gpu/model/…" without the empty cells; NULL: memory is out. */
static char *name_of(const struct step_row *r)
{
	struct text t;
	FILE *f = text_begin(&t);
	const char *before = "";
	if (!f)
		return NULL;
	for (size_t k = 0; k < N_OF(deployment_column); k++) {
		if (!*cell_of(r, k))
			continue;
		fprintf(f, "%s%s", before, cell_of(r, k));
		before = "/";
	}
	if (!*before)
		fputs("as configured", f);
	return text_end(&t);
}

/* Notes the sentence if the model or the GPU is not known. */
static int find_unknown(struct step_deployment *d, const struct ini *aliases,
			struct problem *p)
{
	const struct measured_row *as = &d->as.row[0];
	for (int k = 0; k < N_SERVED && !d->unknown; k++) {
		const char *id = served_id(as, (enum served)k);
		char *config = served_config(as, (enum served)k, aliases);
		if (id && !config &&
		    asprintf(&d->unknown, "no %s is known as %s",
			     served_name[k], id) < 0) {
			d->unknown = NULL;
			return problem_no_memory(p);
		}
		free(config);
	}
	return 0;
}

/* Describes a deployment as a measured run, from the cells of its first row. */
static int describe(struct step_deployment *d, const struct step_row *r,
		    const struct ini *aliases, struct problem *p)
{
	d->name = name_of(r);
	if (!d->name || measured_add_file(&d->as, r->file->path, p) < 0)
		return problem_no_memory(p);
	struct measured_row *as = measured_add(&d->as, p);
	if (!as)
		return -1;
	as->line = r->given->line;
	for (size_t k = 0; k < N_OF(deployment_column); k++) {
		const char *column = step_column_name[deployment_column[k]];
		const char *why =
		    measured_put(as, condition_column(column), cell_of(r, k));
		if (why) {
			char text[200];
			snprintf(text, sizeof text, "%s: %s %.80s", column, why,
				 cell_of(r, k));
			return problem_at(p, r->file->path, r->given->line,
					  text);
		}
	}
	return launch_find(as, aliases, p) < 0 ? -1
					       : find_unknown(d, aliases, p);
}

/* Finds the deployment of a row, or adds it.  Returns 0, or -1 with *p filled
 * in. */
static int find_deployment(struct step_set *s, struct step_row *r,
			   const struct ini *aliases, struct problem *p)
{
	for (size_t d = 0; d < s->n_deployments; d++)
		if (is_same(&s->deployment[d].first, r)) {
			r->deployment = d;
			return 0;
		}
	struct step_deployment *more =
	    realloc(s->deployment, (s->n_deployments + 1) * sizeof *more);
	if (!more)
		return problem_no_memory(p);
	s->deployment = more;
	r->deployment = s->n_deployments++;
	more[r->deployment] = (struct step_deployment){.first = *r};
	return describe(&more[r->deployment], r, aliases, p);
}

static int add_to_deployment(struct step_deployment *d, size_t row,
			     struct problem *p)
{
	if ((d->n & (d->n - 1)) == 0) { /* full at 0 and powers of two */
		size_t cap = d->n ? 2 * d->n : 1;
		size_t *more = realloc(d->row, cap * sizeof *more);
		if (!more)
			return problem_no_memory(p);
		d->row = more;
	}
	d->row[d->n++] = row;
	return 0;
}

/* ---- rows ---- */

static int take_row(struct step_set *s, const struct step_file *f,
		    const struct given_step *g, const struct ini *aliases,
		    const struct step_set_options *o, struct problem *p)
{
	char text[300];
	struct step_row r = {.file = f, .given = g};
	const char *list =
	    aliases ? ini_get(aliases, "flags", "leave_out") : NULL;
	if (!o->all_flags && find_flag(steps_cell(&f->steps, g, STEP_FLAGS),
				       list, text, sizeof text))
		return leave_out(s, text, 1, p);
	if (g->unformed)
		return leave_out(s, g->unformed, 0, p);
	if (find_deployment(s, &r, aliases, p) < 0)
		return -1;
	struct step_deployment *d = &s->deployment[r.deployment];
	if (d->unknown)
		return leave_out(s, d->unknown, 0, p);
	s->row[s->n] = r;
	return add_to_deployment(d, s->n++, p);
}

static void free_deployment(struct step_deployment *d)
{
	free(d->name);
	free(d->row);
	free(d->unknown);
	measured_free(&d->as);
}

static int by_name(const void *a, const void *b)
{
	const struct step_deployment *x = a, *y = b;
	int order = strcmp(x->name, y->name);
	return order ? order
		     : (x->row[0] > y->row[0]) - (x->row[0] < y->row[0]);
}

/* Drops deployments without rows, and sorts the others. */
static void sort_deployments(struct step_set *s)
{
	size_t n = 0;
	for (size_t i = 0; i < s->n_deployments; i++) {
		if (s->deployment[i].n)
			s->deployment[n++] = s->deployment[i];
		else
			free_deployment(&s->deployment[i]);
	}
	s->n_deployments = n;
	if (n)
		qsort(s->deployment, n, sizeof *s->deployment, by_name);
	for (size_t d = 0; d < n; d++)
		for (size_t i = 0; i < s->deployment[d].n; i++)
			s->row[s->deployment[d].row[i]].deployment = d;
}

static int none_left(const struct step_set *s, struct problem *p)
{
	char why[400] = "it has no rows";
	size_t at = 0;
	for (size_t i = 0; i < s->n_left_out && at < sizeof why; i++)
		at += (size_t)snprintf(why + at, sizeof why - at,
				       "%s%zu rows: %s", at ? "; " : "",
				       s->left_out[i].n, s->left_out[i].why);
	return problem_set(p, EXIT_INPUT, "%s: no step can be used: %s",
			   s->file[0].path, why);
}

int step_set_read(struct step_set *s, const char *const *path, size_t n,
		  const struct ini *aliases, const struct step_set_options *o,
		  struct problem *p)
{
	*s = (struct step_set){.file = calloc(n + 1, sizeof *s->file)};
	if (!s->file)
		return problem_no_memory(p);
	for (; s->n_files < n; s->n_files++)
		if (read_file(s, &s->file[s->n_files], path[s->n_files],
			      aliases, o, p) < 0) {
			s->n_files++;
			return -1;
		}
	s->row = calloc(s->n_given + 1, sizeof *s->row);
	if (!s->row)
		return problem_no_memory(p);
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < s->file[k].steps.n; i++)
			if (take_row(s, &s->file[k], &s->file[k].steps.item[i],
				     aliases, o, p) < 0)
				return -1;
	sort_deployments(s);
	return s->n || !o->needs_time ? 0 : none_left(s, p);
}

void step_set_free(struct step_set *s)
{
	for (size_t i = 0; i < s->n_files; i++) {
		free(s->file[i].path);
		steps_free(&s->file[i].steps);
	}
	for (size_t i = 0; i < s->n_deployments; i++)
		free_deployment(&s->deployment[i]);
	for (size_t i = 0; i < s->n_left_out; i++)
		free(s->left_out[i].why);
	free(s->file);
	free(s->row);
	free(s->deployment);
	free(s->left_out);
	names_free(&s->notes);
	*s = (struct step_set){0};
}

size_t step_set_most(const struct step_set *s)
{
	size_t most = 0;
	for (size_t d = 0; d < s->n_deployments; d++)
		most = s->deployment[d].n > most ? s->deployment[d].n : most;
	return most;
}
