/* kernels.c -- Reads a CSV of single kernels. */
#include "cost/kernels.h"
#include <stdlib.h>
#include <string.h>
#include "base/csv.h"
#include "base/grow.h"
#include "stepcost/format.h"

struct reader {
	struct kernels *s;
	int at[KERNEL_COLUMNS]; /* place of a column in the file; -1: absent */
	char why[600];
};

/* odd: the column that is not known or comes twice; NULL: op is missing. */
static const char *say_columns(struct reader *r, const char *odd)
{
	size_t n =
	    odd ? (size_t)snprintf(r->why, sizeof r->why,
				   "column '%.40s' is not known, or is "
				   "there twice; ",
				   odd)
		: (size_t)snprintf(r->why, sizeof r->why, "no column op; ");
	for (int c = 0; c < KERNEL_COLUMNS; c++)
		n += (size_t)snprintf(r->why + n, sizeof r->why - n, "%s%s",
				      c ? "," : "columns are ",
				      kernel_column[c].name);
	snprintf(r->why + n, sizeof r->why - n, ", each once");
	return r->why;
}

static const char *on_header(struct reader *r, uint32_t n, char *const *cell)
{
	for (int c = 0; c < KERNEL_COLUMNS; c++)
		r->at[c] = -1;
	for (uint32_t i = 0; i < n; i++) {
		int c = 0;
		while (c < KERNEL_COLUMNS &&
		       strcmp(kernel_column[c].name, cell[i]))
			c++;
		if (c == KERNEL_COLUMNS || r->at[c] >= 0)
			return say_columns(r, cell[i]);
		r->at[c] = (int)i;
		r->s->columns |= KERNEL_BIT(c);
	}
	return r->at[KERNEL_OP] < 0 ? say_columns(r, NULL) : NULL;
}

static const char *fault(struct reader *r, int column, const char *what)
{
	snprintf(r->why, sizeof r->why, "%s %s", kernel_column[column].name,
		 what);
	return r->why;
}

/* Reads a whole number of up to 2^53, the largest that doubles hold exactly. */
static int whole(const char *s, uint64_t *v)
{
	char *end;
	if (*s < '0' || *s > '9')
		return -1;
	*v = strtoull(s, &end, 10);
	return *end || *v > 1ull << 53 ? -1 : 0;
}

static const char *read_size(struct reader *r, enum kernel_column c,
			     const char *cell, sc_kernel *k)
{
	uint64_t v;
	if (whole(cell, &v) < 0 || (v == 0 && !kernel_column[c].may_be_0) ||
	    kernel_set_size(k, c, v) < 0)
		return fault(r, (int)c, "is not a whole number above 0");
	return NULL;
}

/* Reads a number format as tables spell it; an empty cell: not given. */
static const char *read_format(struct reader *r, enum kernel_column c,
			       const char *cell, sc_kernel *k)
{
	char known[256];
	const struct sc_format *f = sc_format_find(cell);
	if (!f) {
		snprintf(r->why, sizeof r->why, "%s is none of %s",
			 kernel_column[c].name,
			 sc_format_names(known, sizeof known));
		return r->why;
	}
	if (c == KERNEL_KV_DTYPE) {
		k->kv_format = f->code;
	} else if (c == KERNEL_GEMM_DTYPE) {
		k->gemm_dtype = f->name;
	} else {
		k->format = f->code;
		k->dtype = f->name;
	}
	return NULL;
}

static void set_word(enum kernel_column c, const char *cell, sc_kernel *k)
{
	if (c == KERNEL_KIND)
		k->kind = cell;
	else if (c == KERNEL_MODE)
		k->mode = cell;
	else if (c == KERNEL_MODEL)
		k->model = cell;
	else
		k->routing = cell;
}

static const char *read_cell(struct reader *r, enum kernel_column c,
			     const char *cell, sc_kernel *k)
{
	if (kernel_column[c].holds == KERNEL_SIZE)
		return read_size(r, c, cell, k);
	if (kernel_column[c].holds == KERNEL_FORMAT)
		return read_format(r, c, cell, k);
	set_word(c, cell, k);
	return NULL;
}

static const char *read_cells(struct reader *r, const struct kernel_op *o,
			      char *const *cell, sc_kernel *k)
{
	const uint64_t any = KERNEL_BIT(KERNEL_OP) | KERNEL_BIT(KERNEL_DTYPE);
	const char *why = NULL;
	for (int c = KERNEL_DTYPE; !why && c < KERNEL_COLUMNS; c++) {
		if (!*cell[c] && (o->needs & KERNEL_BIT(c)))
			return fault(r, c, "is needed");
		if (!*cell[c])
			continue;
		if (!((o->needs | o->may | any) & KERNEL_BIT(c)))
			return fault(r, c,
				     "is no size of this op: leave it empty");
		why = read_cell(r, (enum kernel_column)c, cell[c], k);
	}
	return why;
}

/* Reads the cells of a row into *k.  Returns NULL, or why the row is refused.
 */
static const char *parse(struct reader *r, char *const *cell, sc_kernel *k)
{
	char names[KERNEL_NAMES];
	const struct kernel_op *op = kernel_op_find(cell[KERNEL_OP]);
	*k = (sc_kernel){.size = sizeof *k,
			 .op = op ? op->op : 0,
			 .linear_kind = op ? op->linear : 0,
			 .format = SC_BF16,
			 .ranks = 1,
			 .batch = 1};
	if (!op) {
		snprintf(r->why, sizeof r->why, "op is %s",
			 kernel_op_names(names));
		return r->why;
	}
	if (op->op == SC_OP_MOE)
		k->tp = k->ep = 1;
	const char *why = read_cells(r, op, cell, k);
	if (!why && !k->gemm_dtype && op->may & KERNEL_BIT(KERNEL_GEMM_DTYPE))
		k->gemm_dtype = k->dtype;
	return why;
}

static void free_point(struct kernel_row *p)
{
	for (int c = 0; c < KERNEL_COLUMNS; c++)
		free(p->cell[c]);
}

/* Appends a row.  Returns NULL, or why it is refused. */
static const char *add(struct reader *r, const char *const *cell)
{
	struct kernels *s = r->s;
	if (!MAKE_ROOM(s->item, s->n, s->cap))
		return out_of_memory;
	struct kernel_row p = {0};
	int copied = 1;
	for (int c = 0; c < KERNEL_COLUMNS; c++) {
		p.cell[c] = strdup(cell[c]);
		copied &= p.cell[c] != NULL;
	}
	const char *why = copied ? parse(r, p.cell, &p.kernel) : out_of_memory;
	if (why)
		free_point(&p);
	else
		s->item[s->n++] = p;
	return why;
}

static const char *on_kernel_row(void *user, uint64_t row, uint32_t n,
				 char *const *cell)
{
	struct reader *r = user;
	const char *at[KERNEL_COLUMNS];
	if (row == 0)
		return on_header(r, n, cell);
	for (int c = 0; c < KERNEL_COLUMNS; c++)
		at[c] = r->at[c] < 0 ? "" : cell[r->at[c]];
	return add(r, at);
}

int kernels_add(struct kernels *s, const char *const cell[KERNEL_COLUMNS],
		struct problem *p)
{
	struct reader r = {.s = s};
	const char *why = add(&r, cell);
	for (int c = 0; !why && c < KERNEL_COLUMNS; c++)
		s->columns |= (uint64_t)(*cell[c] != '\0') << c;
	if (why == out_of_memory)
		return problem_no_memory(p);
	return why ? problem_set(p, EXIT_INPUT, "%s", why) : 0;
}

int kernels_read(struct kernels *s, FILE *f, const char *origin,
		 struct problem *p)
{
	struct reader r = {.s = s};
	*s = (struct kernels){0};
	if (csv_read(f, origin, on_kernel_row, &r, p) == 0)
		return 0;
	kernels_free(s);
	return -1;
}

int kernels_show(const struct kernels *s, enum kernel_column column)
{
	return column < KERNEL_OPTIONAL ||
	       (s->columns & KERNEL_BIT(column)) != 0;
}

void kernels_free(struct kernels *s)
{
	for (size_t i = 0; i < s->n; i++)
		free_point(&s->item[i]);
	free(s->item);
	*s = (struct kernels){0};
}
