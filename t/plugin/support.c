/* Which plugins can price a model: they are loaded, and refuse in their own
 * words. */
#include "plugin/support.h"
#include "model_8b.h"
#include "tap.h"

static const struct plugin_support *of(const struct plugin_support *s, int n,
				       const char *name)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(s[i].name, name))
			return &s[i];
	bail_out(name);
	return NULL;
}

int main(void)
{
	char folder[4096];
	const char *top = getenv("top_builddir");
	sc_layers layers = layers_8b;
	const sc_layers *group[] = {&layers};
	sc_model model = model_8b;
	const sc_parallel alone = {
	    .size = sizeof alone, .tp = 1, .pp = 1, .ep = 1, .dp = 1};
	const sc_engine engine = {.size = sizeof engine, .block_size = 16};
	const sc_setup setup = {.size = sizeof setup,
				.model = &model,
				.hardware = &plugin_support_gpu,
				.parallel = &alone,
				.engine = &engine};
	struct installed l = {0};
	struct plugin_support *s;
	struct problem p;
	snprintf(folder, sizeof folder, "%s/.libs", top ? top : ".");
	setenv("STEPCOST_PLUGIN_PATH", folder, 1);
	model.group = group;
	if (installed_ask(&l, &p) < 0)
		bail_out(p.text);
	int n = plugin_support_ask(&s, &l, &setup, &p);
	ok(n > 4 && of(s, n, "const_step")->is == SUPPORT_YES &&
	       of(s, n, "smooth_roofline")->is == SUPPORT_YES,
	   "a dense model: %s", of(s, n, "smooth_roofline")->why);
	ok(of(s, n, "mfu_interp")->is == SUPPORT_WITH_TABLES,
	   "some need tables");
	free(s);
	layers.attention = SC_ATTN_LINEAR;
	layers.linear_kind = SC_LINEAR_LIGHTNING;
	n = plugin_support_ask(&s, &l, &setup, &p);
	ok(of(s, n, "const_step")->is == SUPPORT_YES, "one asks nothing");
	ok(of(s, n, "mfu_interp")->is == SUPPORT_NO, "others refuse");
	is(of(s, n, "mfu_interp")->why,
	   "model llama-3.1-8b: cannot price its 32 layers with lightning "
	   "attention; no table has its kernels",
	   "and name the layers");
	free(s);
	installed_free(&l);
	return done();
}
