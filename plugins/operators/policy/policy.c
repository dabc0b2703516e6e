/* policy.c -- Checks the rows of the policy, and answers from them. */
#include "policy/policy.h"
#include <math.h>
#include <string.h>
#include <strings.h>
#include "stepcost/fail.h"
#include "stepcost/kernel/kernel_dtype.h"

/* ---- what all rows have ---- */

struct checking {
	const struct policy_rows *rows;
	sc_error *err;
};

static int32_t refuse(const struct checking *c, const struct origin *at,
		      const char *what, const char *why)
{
	return sc_fail(c->err, SC_EINVAL, "policy: %s:%d: %s: %s",
		       c->rows->file, at->line, what, why);
}

/* A table of rows of one kind; an origin is the first member of each row. */
struct any_table {
	const char *name;
	const void *row;
	size_t n, size;
};

static int32_t check_sources(const struct checking *c,
			     const struct any_table *t)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct origin *at =
		    (const void *)((const char *)t->row + i * t->size);
		if (!at->row_group || !*at->row_group)
			return refuse(c, at, t->name, "a row without a source");
	}
	return SC_OK;
}

#define TABLE(name, member, n)                                                 \
	{                                                                      \
		name, rows->member, rows->n, sizeof *rows->member              \
	}
static int32_t check_all_sources(const struct checking *c)
{
	const struct policy_rows *rows = c->rows;
	const struct any_table tables[] = {
	    TABLE("numbers", number, n_numbers),
	    TABLE("engines", engine, n_engines),
	    TABLE("hosts", host, n_hosts),
	    TABLE("orders", order, n_orders),
	    TABLE("weights", weights, n_weights),
	    TABLE("words", word, n_words),
	    TABLE("plain", plain, n_plain),
	    TABLE("stand_ins", stand_in, n_stand_ins),
	    TABLE("quantized", quantized, n_quantized),
	    TABLE("small", small, n_small),
	    TABLE("ungated", ungated, n_ungated),
	    TABLE("eager", eager, n_eager),
	    TABLE("layers", layer, n_layers),
	};
	int32_t rc = SC_OK;
	for (size_t i = 0; rc == SC_OK && i < sizeof tables / sizeof *tables;
	     i++)
		rc = check_sources(c, &tables[i]);
	return rc;
}

/* ---- numbers ---- */

static const struct {
	const char *name;
	size_t offset;
} members[] = {
#define NUMBER_PLACE(name) {#name, offsetof(struct numbers, name)},
    NUMBERS(NUMBER_PLACE)};
enum { N_NUMBERS = sizeof members / sizeof *members };

static double *member_of(struct numbers *n, const char *name)
{
	for (size_t i = 0; i < N_NUMBERS; i++)
		if (!strcmp(members[i].name, name))
			return (double *)(void *)((char *)n +
						  members[i].offset);
	return NULL;
}

static int32_t read_numbers(const struct checking *c, struct numbers *n)
{
	for (size_t i = 0; i < N_NUMBERS; i++)
		*member_of(n, members[i].name) = (double)NAN;
	for (size_t i = 0; i < c->rows->n_numbers; i++) {
		const struct number_row *r = &c->rows->number[i];
		double *to = member_of(n, r->name);
		if (!to)
			return refuse(c, &r->at, r->name, "nothing reads it");
		if (!isnan(*to))
			return refuse(c, &r->at, r->name, "said twice");
		if (!isfinite(r->value) || r->value < 0)
			return refuse(c, &r->at, r->name,
				      "no finite number of 0 or more");
		*to = r->value;
	}
	for (size_t i = 0; i < N_NUMBERS; i++)
		if (isnan(*member_of(n, members[i].name)))
			return sc_fail(c->err, SC_EINVAL,
				       "policy: %s: no row of the number %s",
				       c->rows->file, members[i].name);
	return SC_OK;
}

/* ---- engines ---- */

static int32_t check_engines(const struct checking *c)
{
	const struct policy_rows *r = c->rows;
	for (size_t i = 0; i < r->n_engines; i++)
		if (i + 1 >= ENGINE_OTHER ||
		    strcmp(r->engine[i].name, engine_words[i + 1]) != 0)
			return refuse(c, &r->engine[i].at, r->engine[i].name,
				      "the knob `engine` has another order");
	for (size_t i = 0; i < r->n_hosts; i++)
		if (r->host[i].host != (int64_t)i + 1)
			return refuse(c, &r->host[i].at, "hosts",
				      "the knob `host` has another order");
	if (r->n_engines + 1 < ENGINE_OTHER || r->n_hosts != HOST_ASYNC)
		return sc_fail(c->err, SC_EINVAL,
			       "policy: %s: an engine or a kind of host code "
			       "has no row",
			       r->file);
	return SC_OK;
}

/* Returns 1 if it is a list of engines that ends with END_OF_ORDER. */
static int is_order(const struct order_row *r)
{
	const size_t most = sizeof r->asked / sizeof *r->asked;
	for (size_t i = 0; i < most; i++) {
		if (r->asked[i] == END_OF_ORDER)
			return i > 0;
		if (r->asked[i] < 0 || r->asked[i] > ENGINE_OTHER)
			return 0;
	}
	return 0;
}

static int32_t check_orders(const struct checking *c)
{
	const struct order_row *row = c->rows->order;
	size_t n = c->rows->n_orders;
	for (size_t i = 0; i < n; i++)
		if (!is_order(&row[i]))
			return refuse(
			    c, &row[i].at, "orders",
			    "no list of engines that ends with END_OF_ORDER");
	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++)
			if (!row[i].of ||
			    (!row[i].dtype && !row[i].simulated && row[k].of &&
			     !strcmp(row[i].of, row[k].of)))
				return refuse(c, &row[k].at, "orders",
					      "a row before it applies always");
	if (!n || row[n - 1].of || row[n - 1].dtype || row[n - 1].simulated)
		return sc_fail(c->err, SC_EINVAL,
			       "policy: %s: orders: the last row does not "
			       "apply to everything",
			       c->rows->file);
	return SC_OK;
}

/* ---- formats and kernels ---- */

static int is_known(const char *word)
{
	return word && sc_kernel_dtype(word);
}

static int32_t check_weights(const struct checking *c)
{
	const struct weights_row *row = c->rows->weights;
	size_t n = c->rows->n_weights;
	for (size_t i = 0; i < n; i++) {
		if (!is_known(row[i].gemm) || !is_known(row[i].experts))
			return refuse(c, &row[i].at, "weights",
				      "no such word of tables");
		if (!(row[i].bits_from <= row[i].bits_to))
			return refuse(c, &row[i].at, "weights",
				      "no stored bits apply");
	}
	if (!n || row[n - 1].format || row[n - 1].bits_from > 0 ||
	    !isinf(row[n - 1].bits_to))
		return sc_fail(c->err, SC_EINVAL,
			       "policy: %s: weights: the last row does not "
			       "apply to everything",
			       c->rows->file);
	return SC_OK;
}

static int32_t check_words(const struct checking *c)
{
	const struct policy_rows *r = c->rows;
	for (size_t i = 0; i < r->n_words; i++) {
		const struct word_row *w = &r->word[i];
		if (!is_known(w->gemm) || !is_known(w->experts) ||
		    !is_known(w->module))
			return refuse(c, &w->at, w->word,
				      "no such word of tables");
		if (policy_word(r, w->word) != w)
			return refuse(c, &w->at, w->word, "said twice");
	}
	for (size_t i = 0; i < r->n_plain; i++)
		if (!is_known(r->plain[i].word))
			return refuse(c, &r->plain[i].at, "plain",
				      "no such word of tables");
	for (size_t i = 0; i < r->n_quantized; i++)
		if (!is_known(r->quantized[i].word))
			return refuse(c, &r->quantized[i].at, "quantized",
				      "no such word of tables");
	for (size_t i = 0; i < r->n_stand_ins; i++) {
		const struct stand_in_row *s = &r->stand_in[i];
		if (!is_known(s->by) || (s->word && !is_known(s->word)))
			return refuse(c, &s->at, "stand_ins",
				      "no such word of tables");
	}
	return SC_OK;
}

static int32_t check_kernels(const struct checking *c)
{
	const struct policy_rows *r = c->rows;
	for (size_t i = 0; i < r->n_small; i++)
		if (r->small[i].place != (enum small_place)i)
			return refuse(
			    c, &r->small[i].at, "small",
			    "rows are not in the order of enum small_place");
	if (r->n_small != N_SMALL)
		return sc_fail(c->err, SC_EINVAL,
			       "policy: %s: small: a place has no row",
			       r->file);
	for (size_t i = 0; i < r->n_ungated; i++) {
		const struct ungated_row *u = &r->ungated[i];
		if (!(u->hidden > 0) && !(u->experts > 0) && !(u->topk > 0))
			return refuse(c, &u->at, "ungated",
				      "it would apply to all experts");
	}
	return SC_OK;
}

int32_t policy_read(struct numbers *n, const struct policy_rows *rows,
		    sc_error *err)
{
	const struct checking c = {rows, err};
	int32_t rc = check_all_sources(&c);
	if (rc == SC_OK)
		rc = read_numbers(&c, n);
	if (rc == SC_OK)
		rc = check_engines(&c);
	if (rc == SC_OK)
		rc = check_orders(&c);
	if (rc == SC_OK)
		rc = check_weights(&c);
	if (rc == SC_OK)
		rc = check_words(&c);
	if (rc == SC_OK)
		rc = check_kernels(&c);
	return rc;
}

/* ---- answers ---- */

const struct engine_row *policy_engine(const struct policy_rows *rows,
				       uint32_t engine)
{
	return &rows->engine[engine - 1];
}

static int begins(const char *word, const char *name)
{
	return name && !strncasecmp(word, name, strlen(name));
}

uint32_t policy_engine_named(const struct policy_rows *rows, const char *word)
{
	for (uint32_t i = 0; word && i < rows->n_engines; i++)
		if (begins(word, rows->engine[i].name) ||
		    begins(word, rows->engine[i].other_name))
			return i + 1;
	return 0;
}

uint32_t policy_engine_coded(const struct policy_rows *rows, uint32_t code)
{
	for (uint32_t i = 0; i < rows->n_engines; i++)
		if (rows->engine[i].code == code)
			return i + 1;
	return 0;
}

static int applies(const struct order_row *r, const char *of, const char *dtype,
		   uint32_t simulated)
{
	return (!r->of || !strcmp(r->of, of)) &&
	       (!r->dtype || (dtype && !strcmp(r->dtype, dtype))) &&
	       (!r->simulated || r->simulated == (int64_t)simulated);
}

uint32_t policy_order(const struct policy_rows *rows, const char *of,
		      const char *dtype, uint32_t simulated,
		      uint32_t asked[ENGINE_OTHER])
{
	const struct order_row *r = rows->order;
	uint32_t n = 0;
	while (!applies(r, of, dtype, simulated))
		r++; /* the last applies */
	for (const int64_t *a = r->asked; *a != END_OF_ORDER; a++) {
		uint32_t engine = *a ? (uint32_t)*a : simulated, known = 0;
		for (uint32_t i = 0; i < n; i++)
			known |= asked[i] == engine;
		if (!known)
			asked[n++] = engine;
	}
	return n;
}

const struct word_row *policy_word(const struct policy_rows *rows,
				   const char *word)
{
	for (size_t i = 0; i < rows->n_words; i++)
		if (!strcmp(rows->word[i].word, word))
			return &rows->word[i];
	return NULL;
}

int policy_is_quantized(const struct policy_rows *rows, const char *word)
{
	for (size_t i = 0; i < rows->n_quantized; i++)
		if (!strcmp(rows->quantized[i].word, word))
			return 1;
	return 0;
}

double policy_matrices(const struct policy_rows *rows, double hidden,
		       double experts, double topk)
{
	for (size_t i = 0; i < rows->n_ungated; i++) {
		const struct ungated_row *u = &rows->ungated[i];
		if ((u->hidden == 0 || u->hidden == hidden) &&
		    (u->experts == 0 || u->experts == experts) &&
		    (u->topk == 0 || u->topk == topk))
			return 2;
	}
	return 3;
}

static int is_eager_layer(const struct eager_row *r, const sc_model *m,
			  const sc_layers *g)
{
	double experts = g->ffn == SC_FFN_MOE ? g->n_experts : 0;
	return g->attention == r->attention &&
	       (r->hidden == 0 || r->hidden == m->hidden) &&
	       (r->experts == 0 || r->experts == experts ||
		(r->experts == MANY && experts > 0));
}

double policy_eager_layer_us(const struct policy_rows *rows, uint32_t engine,
			     const sc_model *m)
{
	for (size_t i = 0; i < rows->n_eager; i++) {
		const struct eager_row *r = &rows->eager[i];
		for (uint32_t k = 0; r->engine == engine && k < m->n_groups;
		     k++)
			if (is_eager_layer(r, m, m->group[k]))
				return r->layer_us;
	}
	return 0;
}

double policy_layer_us(const struct policy_rows *rows, const char *gpu)
{
	for (size_t i = 0; i < rows->n_layers; i++) {
		const struct layer_row *r = &rows->layer[i];
		if (!strncasecmp(gpu, r->gpu, strlen(r->gpu)))
			return r->layer_us;
	}
	return 0;
}
