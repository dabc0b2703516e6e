/* What a plugin declares, asked in a child: the same as when it is loaded. */
#include "plugin/ask.h"
#include "plugin/loader.h"
#include "tap.h"

static const char *file(const char *folder, const char *name)
{
	static char path[8][4096];
	static int at;
	const char *top = getenv("top_builddir");
	at = (at + 1) % 8;
	snprintf(path[at], sizeof path[at], "%s/%s/%s.so", top ? top : ".",
		 folder, name);
	return path[at];
}

static int same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static int same_list(const char *const *a, const char *const *b)
{
	size_t i = 0;
	while (a[i] && b[i] && !strcmp(a[i], b[i]))
		i++;
	return !a[i] && !b[i];
}

static int same_knob(const sc_knob *a, const sc_knob *b)
{
	return a->type == b->type && a->offset == b->offset &&
	       same_text(a->name, b->name) && same_text(a->def, b->def) &&
	       !memcmp(&a->min, &b->min, sizeof a->min) &&
	       !memcmp(&a->max, &b->max, sizeof a->max) &&
	       same_text(a->unit, b->unit) && same_text(a->help, b->help) &&
	       same_text(a->when, b->when) && a->scale == b->scale &&
	       !memcmp(&a->fit_low, &b->fit_low, 2 * sizeof a->fit_low) &&
	       (a->type != SC_KNOB_CHOICE || same_list(a->choices, b->choices));
}

static int same_preset(const sc_preset *a, const sc_preset *b)
{
	return same_text(a->name, b->name) && same_text(a->help, b->help) &&
	       same_list(a->values, b->values);
}

static int same_schema(const sc_plugin *a, const sc_plugin *b)
{
	if (a->n_knobs != b->n_knobs || a->n_presets != b->n_presets ||
	    a->knob_block != b->knob_block)
		return 0;
	for (uint32_t i = 0; i < a->n_knobs; i++)
		if (!same_knob(a->knob[i], b->knob[i]))
			return 0;
	for (uint32_t i = 0; i < a->n_presets; i++)
		if (!same_preset(a->preset[i], b->preset[i]))
			return 0;
	return 1;
}

static int same_need(const sc_need *a, const sc_need *b)
{
	return a->kind == b->kind && a->flags == b->flags &&
	       same_text(a->value, b->value) &&
	       same_text(a->columns, b->columns) &&
	       same_text(a->notes, b->notes) && same_text(a->when, b->when) &&
	       same_text(a->help, b->help);
}

static int same_origin(const sc_plugin *a, const sc_plugin *b)
{
	if (!same_text(a->id, b->id) || !same_text(a->author, b->author) ||
	    !same_text(a->licence, b->licence) || !same_text(a->url, b->url) ||
	    !same_text(a->citation, b->citation) || a->n_needs != b->n_needs ||
	    a->n_sigma != b->n_sigma)
		return 0;
	for (uint32_t i = 0; i < a->n_needs; i++)
		if (!same_need(a->need[i], b->need[i]))
			return 0;
	for (uint32_t i = 0; i < a->n_sigma; i++)
		if (!same_text(a->sigma[i]->name, b->sigma[i]->name) ||
		    !same_text(a->sigma[i]->help, b->sigma[i]->help))
			return 0;
	return 1;
}

static void as_loaded(const char *folder, const char *name)
{
	struct plugin_description d;
	struct plugin m;
	struct problem p = {0};
	const char *so = file(folder, name);
	ok(plugin_ask(&d, so, JOB_ANSWER_LIMIT_S, &p) == 0, "%s %s", name,
	   p.text);
	if (plugin_open(&m, so, &p) < 0)
		bail_out(p.text);
	const sc_plugin *a = &d.is, *b = &m.p;
	ok(!strcmp(a->name, b->name) && !strcmp(a->version, b->version) &&
	       !strcmp(a->summary, b->summary) &&
	       a->abi_major == b->abi_major && a->abi_minor == b->abi_minor &&
	       a->capabilities == b->capabilities,
	   "what it says of itself");
	ok(d.prices_batches == (b->eval_batch != NULL) &&
	       d.prices_kernels == (b->kernel != NULL) && !a->create &&
	       !a->destroy && !a->eval && !a->eval_batch && !a->kernel,
	   "which functions it has, and none of them");
	ok(same_schema(a, b), "%u knobs, %u presets", b->n_knobs, b->n_presets);
	ok(same_origin(a, b) &&
	       d.prices_requests == (b->request_costs != NULL) &&
	       !a->request_costs,
	   "%u needs, %u sources of error", b->n_needs, b->n_sigma);
	plugin_close(&m);
	plugin_description_free(&d);
}

static void cannot_be_used(void)
{
	static const struct {
		const char *name, *why;
	} bad[] = {{"wrong_abi", "built for ABI 99"},
		   {"no_entry", "no symbol stepcost_plugin"},
		   {"rounding", "changes the floating-point environment"},
		   {"nowhere", "cannot open shared object file"},
		   {"Bad-name", "bad plugin name"}};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct plugin_description d;
		struct problem p = {0};
		const char *so = file("t/so/.libs", bad[i].name);
		ok(plugin_ask(&d, so, JOB_ANSWER_LIMIT_S, &p) < 0, "%s",
		   p.text);
		ok(!strncmp(p.text, so, strlen(so)) &&
		       strstr(p.text, bad[i].why),
		   "names the file, and says why");
		plugin_description_free(&d);
	}
}

static void several(void)
{
	struct problem p = {0};
	struct plugin_query q[] = {
	    {.file = file("t/so/.libs", "no_entry")},
	    {.file = file(".libs", "const_step")},
	    {.file = file("t/so/.libs", "wrong_abi")},
	    {.file = file("t/so/.libs", "known_cost")},
	};
	ok(plugin_ask_all(q, 4, JOB_ANSWER_LIMIT_S, &p) == 0,
	   "several at once %s", p.text);
	ok(q[0].problem.code == EXIT_PLUGIN && q[2].problem.code == EXIT_PLUGIN,
	   "those that cannot be used");
	ok(q[1].problem.code == EXIT_DONE && q[3].problem.code == EXIT_DONE,
	   "leave the others alone");
	is(q[1].about.is.name, "const_step", "each answers for itself");
	is(q[3].about.is.name, "known_cost", "in its place");
	for (int i = 0; i < 4; i++)
		plugin_description_free(&q[i].about);
	ok(plugin_ask_all(NULL, 0, JOB_ANSWER_LIMIT_S, &p) == 0, "none at all");
}

int main(void)
{
	as_loaded(".libs", "const_step");
	as_loaded(".libs", "roofline_v2");
	as_loaded(".libs", "mfu_interp");
	as_loaded(".libs", "exec");
	as_loaded("t/so/.libs", "culprit");
	as_loaded("t/so/.libs", "declares");
	cannot_be_used();
	several();
	return done();
}
