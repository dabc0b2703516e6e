/* The configurations to choose from, as rows. */
#include "recommend/candidates.h"
#include "config_of.h"

static struct config base;
static struct names search, fix;
static const uint32_t gpus[] = {4, 2};
static struct candidates_request r = {.keys = {.search = &search, .fix = &fix},
				      .gpus = gpus,
				      .n_gpus = 1,
				      .most = CANDIDATES_MOST};
static struct candidates c;

static size_t rows(int serve)
{
	candidates_free(&c);
	r.serve = serve;
	why = (struct problem){0};
	return candidates_list(&c, &r, &base, &why) < 0 ? 0 : c.n;
}

static void counts(void)
{
	ok(rows(SERVE_AGGREGATED) == 3 * 9, "3 shapes, 9 limits");
	ok(!strncmp(c.list, "engine.tensor_parallel_size,engine.pipeline_", 44),
	   "the keys come first");
	ok(strstr(c.list, "\n2,1,2,8192,256\n") != NULL,
	   "then a row for each: %.100s", c.list);
	size_t both = rows(SERVE_BOTH), apart = rows(SERVE_DISAGGREGATED);
	ok(both == 27 + apart && apart > 0, "roles on top: %zu", apart);
	rows(SERVE_BOTH);
	ok(strstr(c.list, "\n,,,1,1,1,1,2048,64\n") != NULL,
	   "a row leaves out the keys of the other kind");
	names_add(&search, "engine.block_size=16,32");
	ok(rows(SERVE_AGGREGATED) == 54, "one more key");
	names_free(&search);
}

static void kinds(void)
{
	r.keys.hardware = "h100-sxm,l40s";
	r.n_gpus = 2;
	ok(rows(SERVE_AGGREGATED) == (3 + 2) * 9, "4 of a kind, 2 of another");
	r.keys.hardware = NULL;
	ok(rows(SERVE_AGGREGATED) == 0 &&
	       strstr(why.text, "2 numbers, but 1 kind of GPU"),
	   "%s", why.text);
	r.n_gpus = 1;
}

static void many(void)
{
	names_add(&search, "engine.max_num_seqs=1:100000:1");
	ok(rows(SERVE_AGGREGATED) == 0 && why.code == EXIT_USAGE &&
	       strstr(why.text, "900000 configurations, more than 100000") &&
	       strstr(why.text, "engine.max_num_seqs (100000)") &&
	       strstr(why.text, "or give --budget"),
	   "%s", why.text);
	r.most = CANDIDATES_MOST_WITH_BUDGET;
	ok(rows(SERVE_AGGREGATED) == 900000, "a budget allows more");
	r.most = CANDIDATES_MOST;
	names_free(&search);
}

static void others(void)
{
	ok(candidates_longest(&base, &why) == 15, "the longest request");
	config_free(&base);
	config_good(&base, CONFIG_SETUP CONFIG_ARM("a", "1") CONFIG_ONE_BY_ONE
		    "[engine]\npreset=sglang\n");
	size_t apart = rows(SERVE_DISAGGREGATED);
	ok(apart > 0 && rows(SERVE_BOTH) == 27 + apart && !c.has_no_roles,
	   "each engine has roles");
	config_free(&base);
	config_good(&base, CONFIG_SETUP CONFIG_ARM("a", "1") CONFIG_ONE_BY_ONE
		    "[engine]\npools=together\n[engine:prefill]\nreplicas=1\n");
	ok(rows(SERVE_BOTH) > 0 && c.has_no_roles && !strstr(c.list, "prefill"),
	   "pools = together: none apart is tried, and called so");
	ok(rows(SERVE_DISAGGREGATED) == 0 &&
	       strstr(why.text, "pools = together"),
	   "%s", why.text);
}

int main(void)
{
	scratch_open();
	config_good(&base, CONFIG_SETUP CONFIG_ARM("a", "1") CONFIG_ONE_BY_ONE);
	counts();
	kinds();
	many();
	others();
	candidates_free(&c);
	config_free(&base);
	return done();
}
