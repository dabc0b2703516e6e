/* Which keys are tried, and with which values. */
#include "recommend/domain.h"
#include "config_of.h"

static struct config base;
static struct domains d;
static struct names search, fix;

static int make(const char *key, int roles)
{
	const struct domain_request r = {.search = &search,
					 .fix = &fix,
					 .has_aggregated = 1,
					 .has_roles = roles};
	domains_free(&d);
	names_free(&search);
	if (key && names_add(&search, key) < 0)
		bail_out("out of memory");
	return domains_make(&d, &r, &base, &why);
}

static const char *values(size_t which)
{
	static char buf[400];
	return names_join(&d.item[which].value, buf, sizeof buf);
}

static void by_default(void)
{
	ok(make(NULL, 0) == 0 && d.n == DOMAIN_KEYS, "the table");
	is(values(DOMAIN_TP), "1, 2, 4, 8", "up to the GPUs of a node");
	is(values(DOMAIN_PP), "1", "one stage, for a model that a node holds");
	is(values(DOMAIN_DP), "", "without experts no attention-DP");
	is(values(DOMAIN_PREFILL_TP), "", "roles are not asked for");
	is(values(DOMAIN_SEQS), "64, 256, 1024", "limits");
	is(d.item[DOMAIN_SEQS].key, "engine.max_num_seqs", "by vLLM's name");
	ok(make(NULL, 1) == 0 && d.item[DOMAIN_DECODE_REPLICAS].value.n == 1,
	   "with roles");
}

static void asked(void)
{
	ok(make("engine.max_num_seqs=8,16", 0) == 0, "values of the user");
	is(values(DOMAIN_SEQS), "8, 16", "replace those of the table");
	ok(make("engine.routing=round_robin,least_loaded", 0) == 0 &&
	       d.n == DOMAIN_KEYS + 1,
	   "another key comes behind");
	is(d.item[DOMAIN_KEYS].key, "engine.routing", "by its name");
}

static void refuses(const char *key, const char *text)
{
	ok(make(key, 0) < 0 && why.code == EXIT_USAGE && strstr(why.text, text),
	   "%s: %s", key, why.text);
}

static void refused(void)
{
	refuses("workload.seed=1,2", "the same requests");
	refuses("max_num_seqs=1", "not SECTION.KEY");
	refuses("engine.max_num_seqs", "not SECTION.KEY=VALUES");
	refuses("engine.max_num_seqs=", "--search engine.max_num_seqs");
	refuses("engine.max_num_seqs=1,1", "given twice");
	names_add(&fix, "engine.max_num_seqs");
	refuses("engine.max_num_seqs=1", "it is searched");
	ok(make(NULL, 0) == 0 && !d.item[DOMAIN_SEQS].value.n,
	   "a key that is fixed is not tried");
	names_free(&fix);
	names_add(&fix, "engine.max_num_seq");
	refuses(
	    NULL,
	    "(did you mean 'engine.max_num_seqs'?); these are: engine.tensor_");
	names_free(&fix);
	names_add(&fix, "nonsense");
	refuses(NULL, "not SECTION.KEY");
	names_free(&fix);
}

static void engines(void)
{
	config_free(&base);
	config_good(&base, CONFIG_SETUP CONFIG_ARM("a", "1") CONFIG_ONE_BY_ONE
		    "[engine]\npreset=sglang\n");
	ok(domain_is_limit("engine.chunked_prefill_size", DOMAIN_TOKENS),
	   "SGLang's own names");
	ok(domain_is_limit("engine.max_num_tokens", DOMAIN_TOKENS) &&
	       !domain_is_limit("engine.max_num_tokens", DOMAIN_SEQS),
	   "a limit of any engine is known");
}

int main(void)
{
	scratch_open();
	config_good(&base, CONFIG_SETUP CONFIG_ARM("a", "1") CONFIG_ONE_BY_ONE);
	by_default();
	asked();
	refused();
	engines();
	domains_free(&d);
	names_free(&search);
	config_free(&base);
	return done();
}
