/* Rates of acceptance: given, from a length, refused. */
#include "engine/speculation.h"
#include <string.h>
#include "engine/keys/engine_keys.h"
#include "tap.h"

static struct speculation s;
static struct problem why;

static int resolve(int64_t drafts, const char *rates, double length)
{
	struct engine_keys k = {.preset = PRESET_VLLM_2026_07,
				.num_speculative_tokens = drafts,
				.synthetic_acceptance_rates = rates,
				.synthetic_acceptance_length = length};
	why = (struct problem){0};
	return speculation_resolve(&s, &k, NULL, &why);
}

static void given(void)
{
	ok(resolve(3, "0.8, 0.4,0.1", 0) == 0 && s.drafts == 3 &&
	       s.lookahead == 3 && s.drops_hit,
	   "rates are given");
	near(s.accept[0], 0.8, 1e-15, "the first draft");
	near(s.accept[1], 0.5, 1e-15, "the second, if the first is right");
	near(s.accept[2], 0.25, 1e-15, "and the third");
	ok(resolve(2, "0.8,0.4,0.1", 0) == 0 && s.rate[1] == 0.4,
	   "rates beyond the drafts are left out");
	ok(resolve(3, "0.5,0,0", 0) == 0 && s.accept[1] == 0 &&
	       s.accept[2] == 0,
	   "what is never reached is never accepted");
	ok(resolve(0, "nonsense", 0) == 0 && s.drafts == 0,
	   "without drafts rates do not matter");
}

static void of_length(void)
{
	ok(resolve(4, "", 3.25) == 0 && s.rate[0] == 1 && s.rate[1] == 1 &&
	       s.rate[2] == 0.25 && s.rate[3] == 0,
	   "a length: some always, one sometimes, the rest never");
	ok(resolve(4, "", 5) == 0 && s.rate[3] == 1, "all of them");
	ok(resolve(4, "", 1) == 0 && s.rate[0] == 0, "none of them");
}

static int ranges(const char *text, int64_t ranks)
{
	struct engine_keys k = {.preset = PRESET_VLLM_2026_07,
				.num_speculative_tokens = 4,
				.data_parallel_size = ranks,
				.num_speculative_tokens_per_batch_size = text,
				.synthetic_acceptance_rates = "1,1,1,1"};
	why = (struct problem){0};
	return speculation_resolve(&s, &k, NULL, &why);
}

/* One more than there is room for. */
#define MANY_RANGES                                                            \
	"[[1,1,1],[2,2,1],[3,3,1],[4,4,1],[5,5,1],[6,6,1],[7,7,1],[8,8,1],"    \
	"[9,9,1],[10,10,1],[11,11,1],[12,12,1],[13,13,1],[14,14,1],"           \
	"[15,15,1],[16,16,1],[17,17,1]]"

static void by_requests(void)
{
	ok(ranges("[[1, 16, 3], [32,128,0]]", 1) == 0 &&
	       speculation_drafts(&s, 1) == 3 &&
	       speculation_drafts(&s, 31) == 3 &&
	       speculation_drafts(&s, 32) == 0 &&
	       speculation_drafts(&s, 500) == 0,
	   "between ranges and behind them the one before goes on");
	ok(ranges("[[1,9,7]]", 1) == 0 && speculation_drafts(&s, 9) == 4,
	   "never more than num_speculative_tokens");
	ok(ranges("", 2) == 0 && speculation_drafts(&s, 77) == 4,
	   "without a table always as many");
	static const char *const bad[] = {"[]",
					  "[[2,3,1]]",
					  "[[1,3,1],[3,4,1]]",
					  "[[1,3]]",
					  "[[1,3,1]",
					  "[[1,3,1]] x",
					  "[[1,3,-1]]",
					  "[[5,1,1]]",
					  "[[1,0,1]]",
					  "[[1,3,1",
					  MANY_RANGES,
					  "[[1,3,1],]",
					  "[[1,3,1] [4,5,1]]",
					  "1,3,1"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		ok(ranges(bad[i], 1) < 0 && strstr(why.text, "ranges"), "%s",
		   bad[i]);
	ok(ranges("[[1,3,1]]", 2) < 0 && strstr(why.text, "data_parallel_size"),
	   "nor among data-parallel ranks");
}

static void refused(void)
{
	static const struct {
		const char *rates;
		double length;
		const char *says;
	} bad[] = {{"", 0, "needs synthetic_acceptance_rates"},
		   {"0.5,0.4,0.3", 2, "not both"},
		   {"0.5,0.4", 0, "2 of num_speculative_tokens = 3"},
		   {"0.5,0.6,0.1", 0, "none above the one before"},
		   {"1.1,0.6,0.1", 0, "[0, 1]"},
		   {"-0.1,0.6,0.1", 0, "[0, 1]"},
		   {"0.5;0.4;0.3", 0, "[0, 1]"},
		   {"0.5,,0.3", 0, "[0, 1]"},
		   {"nan,0,0", 0, "[0, 1]"},
		   {"", 0.5, "not in [1, 1 + num_speculative_tokens = 4]"},
		   {"", 4.5, "not in [1, 1 + num_speculative_tokens = 4]"}};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		ok(resolve(3, bad[i].rates, bad[i].length) < 0 &&
		       why.code == EXIT_USAGE && strstr(why.text, bad[i].says),
		   "'%s', %g: %s", bad[i].rates, bad[i].length, why.text);
}

static void of_a_set(void)
{
	ok(resolve(4, "kimi-k2.5.eagle3", 0) == 0 && s.rate[0] == 1 &&
	       s.rate[1] == 1 && s.rate[3] == 0,
	   "a measured length: %s", why.text);
	near(s.rate[2], 0.24, 1e-12, "of 3.24");
	ok(resolve(4, "no.such-set", 0) < 0 && why.code == EXIT_USAGE &&
	       strstr(why.text, "synthetic_acceptance_rates = no.such-set: "),
	   "%s", why.text);
	ok(resolve(2, "nan,0", 0) < 0 && strstr(why.text, "[0, 1]"),
	   "a word and a comma are rates: %s", why.text);
}

/* Each member counts, except the seed of what drafts nothing. */
static void same(void)
{
	const struct speculation a = {
	    .drafts = 2, .lookahead = 2, .n_ranges = 1, .seed = 1};
	struct speculation b[8];
	for (int i = 0; i < 8; i++)
		b[i] = a;
	b[1].drafts = 3, b[2].lookahead = 0, b[3].n_ranges = 0;
	b[4].range[0].from = 7, b[5].drops_hit = 1, b[6].seed = 2;
	b[7].rate[1] = 0.5;
	ok(speculation_same(&a, &b[0]), "the same");
	for (int i = 1; i < 8; i++)
		ok(!speculation_same(&a, &b[i]), "member %d differs", i);
	b[0].drafts = b[6].drafts = 0;
	ok(speculation_same(&b[0], &b[6]), "a seed that nothing is drawn with");
}

int main(void)
{
	given();
	of_length();
	by_requests();
	refused();
	of_a_set();
	same();
	return done();
}
