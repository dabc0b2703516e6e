/* cost.c -- Calls a plugin and checks its answers. */
#include "cost/cost.h"
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/two.h"
#include "cost/older_setup.h"
#include "stepcost/format.h"

/* total_us and the counts are zero, the parts are NaN. */
const sc_result cost_blank = {
    .size = sizeof cost_blank,
    .exact_us = NAN,
    .ready_us = NAN,
    .host_us = NAN,
    .gemm_us = {NAN, NAN},
    .attention_us = {NAN, NAN},
    .compute_us = {NAN, NAN},
    .memory_us = {NAN, NAN},
    .comm_us = NAN,
    .overhead_us = NAN,
    .flops = NAN,
    .bytes = NAN,
    .energy_j = NAN,
    .gemm_flops = {NAN, NAN},
    .attention_flops = {NAN, NAN},
    .weight_bytes = NAN,
    .kv_bytes = {NAN, NAN},
    .activation_bytes = NAN,
    .attention_mfu = {NAN, NAN},
    .attention_mfu_low = {NAN, NAN},
    .attention_mfu_high = {NAN, NAN},
    .noise_us = NAN,
    .low_us = NAN,
    .high_us = NAN,
};

/* Does *r = cost_blank, with vectors; without `figures` FLOPs, bytes and MFU
 * since ABI 1.3 stay as they are.  For the assignment the compiler would fill
 * in zeros with a string instruction, which takes longer to start than all of
 * this. */
static inline void blank(sc_result *r, int figures)
{
	const two_doubles nan = {NAN, NAN}, zero = {0, 0};
	two_doubles *to = (two_doubles *)(void *)r;
	_Static_assert(offsetof(sc_result, exact_us) == sizeof *to &&
			   offsetof(sc_result, lookups) == 9 * sizeof *to &&
			   offsetof(sc_result, part_us) == 13 * sizeof *to &&
			   offsetof(sc_result, low_us) == 21 * sizeof *to &&
			   offsetof(sc_result, sigma_us) == 22 * sizeof *to,
		       "which parts are NaN and which are 0");
	to[0] = zero;
	to[1] = to[2] = to[3] = to[4] = nan;
	to[5] = to[6] = to[7] = to[8] = nan;
	to[9] = to[10] = to[11] = to[12] = zero;
	r->part_us = NULL;
	to[20] = to[21] = nan; /* noise_us, low_us, high_us */
	memset(to + 22, 0, sizeof *r - 22 * sizeof *to);
	r->size = sizeof *r;
	if (!figures)
		return;
	to[13] = (two_doubles){0, NAN}; /* part_us, gemm_flops[0] */
	to[14] = to[15] = to[16] = to[17] = nan;
	to[18] = to[19] = nan;
}

/* The slack behind the text is zero, so a message without NUL ends there. */
static sc_error *error_slot(struct cost *c)
{
	c->error.is.size = sizeof c->error.is;
	c->error.is.code = SC_OK;
	c->error.is.text[0] = '\0';
	return &c->error.is;
}

static int plugin_failed(struct cost *c, const sc_plugin *plugin, int exit_code,
			 const char *what, int32_t code, struct problem *p)
{
	char *text = c->error.is.text;
	if (code == SC_ENOMEM) {
		exit_code = EXIT_USAGE;
		problem_note_machine(ENOMEM);
	}
	text[sizeof c->error.is.text - 1] = '\0';
	text[strcspn(text, "\r\n")] = '\0';
	if (!text[0])
		return problem_set(p, exit_code,
				   "%s: %s: returned %d without a reason",
				   plugin->name, what, code);
	return problem_set(p, exit_code, "%s: %s: %s", plugin->name, what,
			   text);
}

static void forget_older(struct cost *c)
{
	if (c->older)
		older_setup_free(c->older);
	free(c->older);
	c->older = NULL;
}

/* Points *setup to what the plugin may see. */
static int show_setup(struct cost *c, const sc_plugin *plugin,
		      const sc_setup **setup, struct problem *p)
{
	if (!older_setup_needed(*setup, plugin->abi_minor))
		return 0;
	c->older = calloc(1, sizeof *c->older);
	if (!c->older ||
	    older_setup_make(c->older, *setup, plugin->abi_minor, p) < 0)
		return problem_no_memory(p);
	*setup = &c->older->is;
	return 0;
}

int cost_create(struct cost *c, const sc_plugin *plugin, const sc_setup *setup,
		const void *knobs, struct problem *p)
{
	const sc_setup *seen = setup;
	*c = (struct cost){.result.is = cost_blank};
	if (show_setup(c, plugin, &seen, p) < 0) {
		forget_older(c);
		return -1;
	}
	int32_t rc = plugin->create(&c->inst, seen, knobs, error_slot(c));
	c->code = rc;
	if (rc != SC_OK) {
		forget_older(c);
		return plugin_failed(c, plugin,
				     rc == SC_EUNSUP ? EXIT_USAGE : EXIT_PLUGIN,
				     "create", rc, p);
	}
	c->p = plugin;
	floor_of(&c->floor, setup, plugin->capabilities);
	return 0;
}

/* Returns the number of doubles in part_us of one answer. */
static size_t parts_of(const struct cost *c)
{
	return 2 * (size_t)c->p->n_parts;
}

int cost_ask_parts(struct cost *c, struct problem *p)
{
	if (c->part_us || c->p->abi_minor < 1 || !c->p->n_parts)
		return 0;
	c->is_asked_more = 1;
	c->part_us = calloc(COST_BATCH * parts_of(c), sizeof *c->part_us);
	return c->part_us ? 0 : problem_no_memory(p);
}

/* Returns the doubles that sigma_us of one answer takes: an even number, for
 * suspect_all(). */
static size_t sigma_room(const struct cost *c)
{
	return (c->p->n_sigma + (size_t)1) / 2 * 2;
}

int cost_ask_figures(struct cost *c, struct problem *p)
{
	c->is_asked_more = c->checks_figures = 1;
	if (c->sigma_us || !c->p->n_sigma)
		return 0;
	c->sigma_us = calloc(COST_BATCH * sigma_room(c), sizeof *c->sigma_us);
	return c->sigma_us ? 0 : problem_no_memory(p);
}

/* Returns part_us of the answer at that place. */
static double *parts_at(const struct cost *c, uint32_t place)
{
	return c->part_us ? c->part_us + place * parts_of(c) : NULL;
}

static double *sigma_at(const struct cost *c, uint32_t place)
{
	return c->sigma_us ? c->sigma_us + place * sigma_room(c) : NULL;
}

static void blank_parts(const struct cost *c, sc_result *r, uint32_t place)
{
	const two_doubles nan = {NAN, NAN};
	size_t n = parts_of(c);
	if (!c->part_us)
		return;
	r->part_us = parts_at(c, place);
	two_doubles *to = (two_doubles *)(void *)r->part_us, *end = to + n / 2;
	for (; to + 4 <= end; to += 4)
		to[0] = to[1] = to[2] = to[3] = nan;
	for (; to < end; to++)
		*to = nan;
}

/* Presets the numbers behind the pointers of an answer; blank() has set these
 * to NULL. */
static inline void blank_more(const struct cost *c, sc_result *r,
			      uint32_t place)
{
	/* A plugin spares fields that the struct does not have. */
	if (!c->checks_figures)
		r->size = offsetof(sc_result, gemm_flops);
	if (!c->is_asked_more)
		return;
	blank_parts(c, r, place);
	r->sigma_us = sigma_at(c, place);
	if (r->sigma_us)
		memset(r->sigma_us, 0, c->p->n_sigma * sizeof *r->sigma_us);
}

/* ---- answers ---- */

/* The values of an answer other than its total; NaN where the model does not
 * know them. */
struct figure {
	const char *name;
	size_t at;
};
/* The formatter takes #field for a directive. */
/* clang-format off */
#define FIGURE(field) {#field, offsetof(sc_result, field)}
#define FIGURES(field)                                                         \
	{#field "[prefill]", offsetof(sc_result, field[SC_PREFILL])},          \
	{#field "[decode]", offsetof(sc_result, field[SC_DECODE])}
#define LOOKUP(kind)                                                           \
	{"lookup_us[" #kind "]", offsetof(sc_result, lookup_us[kind])}
/* clang-format on */
static const struct figure figure[] = {
    FIGURE(exact_us),
    FIGURE(ready_us),
    FIGURE(host_us),
    FIGURES(gemm_us),
    FIGURES(attention_us),
    FIGURES(compute_us),
    FIGURES(memory_us),
    FIGURE(comm_us),
    FIGURE(overhead_us),
    FIGURE(flops),
    FIGURE(bytes),
    FIGURE(energy_j),
    LOOKUP(SC_EXACT),
    LOOKUP(SC_INTERPOLATED),
    LOOKUP(SC_CLAMPED),
    LOOKUP(SC_SUBSTITUTED),
    LOOKUP(SC_FALLBACK),
    FIGURES(gemm_flops),
    FIGURES(attention_flops),
    FIGURE(weight_bytes),
    FIGURES(kv_bytes),
    FIGURE(activation_bytes),
    FIGURES(attention_mfu),
    FIGURES(attention_mfu_low),
    FIGURES(attention_mfu_high),
    FIGURE(noise_us),
    FIGURE(low_us),
    FIGURE(high_us),
};

/* A remainder of values that were added up may be this far below 0, as a share
 * of the total. */
static const double rounding = 1e-9;

/* isless() and not <: NaN then raises no floating-point exception. */
static int is_impossible(double value, double least)
{
	return isless(value, least) || isinf(value);
}

typedef uint32_t four_halves
    __attribute__((vector_size(16), aligned(8), may_alias));

/* Tests whether any of several doubles may be impossible: a negative one has
 * its sign bit set, and +inf has a high half that few other numbers have.  The
 * highest bits of the high halves collect this.  In integers no floating-point
 * exception occurs, and a correct step, as nearly all are, costs a few
 * instructions. */
static const four_halves infinity = {0, 0x7ff00000, 0, 0x7ff00000};

static inline void suspect(four_halves *any, four_halves two)
{
	*any |= two | (four_halves)(two == infinity);
}

/* Tests n doubles; n is even. */
static inline void suspect_all(four_halves *any, const void *v, size_t n)
{
	const four_halves *two = v, *end = two + n / 2;
	for (; two + 4 <= end; two += 4) {
		suspect(any, two[0]);
		suspect(any, two[1]);
		suspect(any, two[2]);
		suspect(any, two[3]);
	}
	for (; two < end; two++)
		suspect(any, *two);
}

/* Between exact_us and part_us, and from part_us to sigma_us, there are only
 * doubles, counts and a pointer; counts and addresses are too small to look
 * impossible. */
enum {
	N_TIMES =
	    (offsetof(sc_result, part_us) - offsetof(sc_result, exact_us)) /
	    sizeof(double),
	N_FIGURES =
	    (offsetof(sc_result, sigma_us) - offsetof(sc_result, part_us)) /
	    sizeof(double)
};
_Static_assert(N_TIMES % 2 == 0 && N_FIGURES % 2 == 0, "suspect_all()");

static inline void suspect_answer(four_halves *any, const struct cost *c,
				  const sc_result *r)
{
	suspect_all(any, (const char *)r + offsetof(sc_result, exact_us),
		    N_TIMES);
	if (!c->is_asked_more)
		return;
	if (r->part_us)
		suspect_all(any, r->part_us, parts_of(c));
	if (c->checks_figures)
		suspect_all(any, &r->part_us, N_FIGURES);
	if (r->sigma_us)
		suspect_all(any, r->sigma_us, sigma_room(c));
}

static int is_suspicious(four_halves any)
{
	return (any[1] | any[3]) >> 31 != 0;
}

/* Times that several lookups priced may overlap, so their sum may exceed the
 * total.  Beyond this multiple of the total they are not of this step. */
#define MOST_LOOKUPS 1000

/* Returns the name of a time that is too long for a step of that length; NULL:
 * none is.  Each answer is tested, and few have a sum that needs the loop. */
static const char *too_long(const sc_result *r, double *value)
{
	static const char *const name[] = {
	    "lookup_us[SC_EXACT]", "lookup_us[SC_INTERPOLATED]",
	    "lookup_us[SC_CLAMPED]", "lookup_us[SC_SUBSTITUTED]",
	    "lookup_us[SC_FALLBACK]"};
	const double *us = r->lookup_us, most = MOST_LOOKUPS * r->total_us;
	_Static_assert(SC_N_PROVENANCE == 5, "each has a name and a test");
	if (isgreater(r->host_us, r->total_us * (1 + rounding))) {
		*value = r->host_us;
		return "host_us";
	}
	if (islessequal(us[0] + us[1] + us[2] + us[3] + us[4], most))
		return NULL;
	int i = 0;
	while (i < SC_N_PROVENANCE && !isgreater(us[i], most))
		i++;
	if (i == SC_N_PROVENANCE)
		return NULL;
	*value = us[i];
	return name[i];
}

/* Returns the name of the first value that no step can have; NULL: none. */
static const char *impossible(const struct cost *c, const sc_result *r,
			      double *value)
{
	const double least = -rounding * r->total_us;
	four_halves any = {0, 0, 0, 0};
	suspect_answer(&any, c, r);
	if (!is_suspicious(any))
		return too_long(r, value);
	for (size_t i = 0; i < sizeof figure / sizeof *figure; i++) {
		if (!c->checks_figures &&
		    figure[i].at >= offsetof(sc_result, gemm_flops))
			break;
		memcpy(value, (const char *)r + figure[i].at, sizeof *value);
		if (is_impossible(*value, least))
			return figure[i].name;
	}
	for (uint32_t i = 0; r->part_us && i < parts_of(c); i++) {
		*value = r->part_us[i];
		if (is_impossible(*value, least))
			return c->p->part[i % c->p->n_parts]->name;
	}
	for (uint32_t i = 0; r->sigma_us && i < c->p->n_sigma; i++) {
		*value = r->sigma_us[i];
		if (is_impossible(*value, least))
			return c->p->sigma[i]->name;
	}
	return too_long(r, value);
}

/* Returns 1 if the total is possible.  A step with work in it must move the
 * clock, which counts nanoseconds. */
static int total_is_possible(const sc_result *r, const sc_step *step)
{
	if (isgreaterequal(r->total_us, 0.5e-3))
		return islessequal(r->total_us, DBL_MAX);
	return step->n_prefill == 0 && step->n_decode == 0 &&
	       isgreaterequal(r->total_us, 0);
}

/* Says in addition to its value why a positive time is impossible. */
static void say_why(char *why, size_t size, const char *name, double total_us)
{
	why[0] = '\0';
	if (!strcmp(name, "total_us"))
		snprintf(why, size, ", which rounds to 0 ns,");
	else if (!strcmp(name, "host_us"))
		snprintf(why, size, " is more than total_us = %g", total_us);
	else
		snprintf(why, size, " is more than %d times total_us = %g",
			 MOST_LOOKUPS, total_us);
}

static void impossible_answer(const struct cost *c, const sc_step *step,
			      const sc_result *r, const char *name,
			      double value, struct problem *p)
{
	char why[100] = "";
	if (value > 0 && isfinite(value) && step->n_prefill + step->n_decode)
		say_why(why, sizeof why, name, r->total_us);
	problem_set(p, EXIT_PLUGIN,
		    "%s: %s = %g%s for step %llu (%u prefill, %u decode)",
		    c->p->name, name, value, why,
		    (unsigned long long)step->step_index, step->n_prefill,
		    step->n_decode);
}

/* Restores the fields that belong to the host, because the plugin may have
 * overwritten them. */
static void set_own_fields(const struct cost *c, sc_result *r, uint32_t place)
{
	r->size = sizeof *r;
	r->part_us = r->sigma_us = NULL;
	if (!c->is_asked_more)
		return;
	r->part_us = parts_at(c, place);
	r->sigma_us = sigma_at(c, place);
}

const sc_result *cost_eval(struct cost *c, const sc_step *step,
			   struct problem *p)
{
	sc_result *r = c->answers_end ? &c->answers_end[-1].is : &c->result.is;
	blank(r, c->checks_figures);
	blank_more(c, r, 0);
	c->n_asked++;
	int32_t rc = c->p->eval(c->inst, step, r, error_slot(c));
	c->code = rc;
	if (rc != SC_OK) {
		plugin_failed(c, c->p, EXIT_PLUGIN, "eval", rc, p);
		return NULL;
	}
	set_own_fields(c, r, 0);
	double value = r->total_us;
	const char *wrong = "total_us";
	if (total_is_possible(r, step) && !(wrong = impossible(c, r, &value)))
		return r;
	impossible_answer(c, step, r, wrong, value, p);
	return NULL;
}

/* Checks n answers as cost_eval() does.  Returns how many it would accept,
 * counted from the first. */
static uint32_t take_good(const struct cost *c, uint32_t n,
			  const sc_step *const *step, sc_result *const *out)
{
	four_halves any = {0, 0, 0, 0};
	uint32_t done = 0, good = 0;
	double unused;
	for (; done < n; done++) {
		set_own_fields(c, out[done], done);
		if (!total_is_possible(out[done], step[done]))
			break;
		suspect_answer(&any, c, out[done]);
		if (too_long(out[done], &unused))
			break;
	}
	if (!is_suspicious(any))
		return done;
	while (good < done && !impossible(c, out[good], &unused))
		good++;
	return good;
}

uint32_t cost_eval_batch(struct cost *c, uint32_t n, const sc_step *const *step)
{
	struct cost_answer *answer = c->answers_end - n;
	sc_result *out[COST_BATCH];
	uint32_t done = 0;
	c->n_asked++;
	for (uint32_t i = 0; i < n; i++) {
		out[i] = &answer[i].is;
		blank(out[i], c->checks_figures);
		blank_more(c, out[i], i);
	}
	int32_t rc =
	    c->p->eval_batch(c->inst, n, step, out, &done, error_slot(c));
	if (rc == SC_OK || done > n)
		done = rc == SC_OK ? n : 0;
	return take_good(c, done, step, out);
}

void cost_attribute_failure(const struct cost *c, const sc_step *step)
{
	if (!c->noted)
		return;
	*c->noted = *step;
	*c->n_noted = 1;
}

/* Returns the first minor version of the ABI that has the kernel. */
static uint32_t kernel_since(const sc_kernel *k)
{
	const struct sc_format *f = k->dtype ? sc_format_find(k->dtype) : NULL;
	if (k->op > SC_OP_ALL_TO_ALL)
		return 2;
	return k->op > SC_OP_ALL_REDUCE || k->window ||
	       (f && f != sc_format_row(f->code)) ||
	       (k->kv_format && sc_format_kernels(k->kv_format) != SC_BF16);
}

const sc_kernel_result *cost_kernel(struct cost *c, const sc_kernel *k,
				    struct problem *p)
{
	sc_kernel_result *r = &c->kernel.is;
	if (!c->p->kernel) {
		problem_set(p, EXIT_PLUGIN, "%s: cannot price single kernels",
			    c->p->name);
		return NULL;
	}
	if (c->p->abi_minor < kernel_since(k)) {
		problem_set(p, EXIT_PLUGIN,
			    "%s: built for ABI 1.%u, which has no such kernel; "
			    "rebuild it",
			    c->p->name, c->p->abi_minor);
		return NULL;
	}
	memset(r, 0, sizeof *r);
	r->size = sizeof *r;
	r->mfu = NAN;
	int32_t rc = c->p->kernel(c->inst, k, r, error_slot(c));
	if (rc != SC_OK) {
		plugin_failed(c, c->p, EXIT_PLUGIN, "kernel", rc, p);
		return NULL;
	}
	r->size = sizeof *r;
	r->used[sizeof r->used - 1] = '\0';
	if (isfinite(r->latency_us) && r->latency_us > 0 &&
	    r->provenance < SC_N_PROVENANCE)
		return r;
	problem_set(p, EXIT_PLUGIN, "%s: latency_us = %g, provenance %u",
		    c->p->name, r->latency_us, r->provenance);
	return NULL;
}

int cost_request_costs(struct cost *c, sc_request_costs *out, struct problem *p)
{
	struct {
		sc_request_costs is;
		unsigned char slack[COST_SLACK_BYTES];
	} asked = {.is = {.size = sizeof asked.is}};
	*out = asked.is;
	if (!c->p->request_costs)
		return 0;
	int32_t rc = c->p->request_costs(c->inst, &asked.is, error_slot(c));
	if (rc != SC_OK)
		return plugin_failed(c, c->p, EXIT_PLUGIN, "request_costs", rc,
				     p);
	*out = asked.is;
	out->size = sizeof *out;
	const struct {
		const char *name;
		double us, most;
	} time[] = {
	    {"before_us", out->before_us, COST_MOST_REQUEST_US},
	    {"prompt_token_us", out->prompt_token_us, COST_MOST_TOKEN_US},
	    {"after_us", out->after_us, COST_MOST_REQUEST_US},
	    {"output_token_us", out->output_token_us, COST_MOST_TOKEN_US}};
	for (size_t i = 0; i < sizeof time / sizeof *time; i++)
		if (!(time[i].us >= 0 && time[i].us <= time[i].most))
			return problem_set(p, EXIT_PLUGIN,
					   "%s: request_costs: %s = %g: not "
					   "in [0, %g] us",
					   c->p->name, time[i].name, time[i].us,
					   time[i].most);
	return 1;
}

void cost_destroy(struct cost *c)
{
	if (c->p)
		c->p->destroy(c->inst);
	forget_older(c);
	free(c->part_us);
	free(c->sigma_us);
	*c = (struct cost){0};
}
