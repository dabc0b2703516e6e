/* Sentences of --why tell what happened: causes are planted, and each template
 * is held against the figures behind it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "report/explain/explain.h"
#include "scratch.h"
#include "studied.h"
#include "tap.h"

static struct explain e;
static char *sentence[2]; /* of a pair, in both directions */

#define ARRIVALS                                                               \
	"[workload]\nnum_requests=80\nrequest_rate=%d\nseed=%d\n"              \
	"input_tokens=uniform:10,400\noutput_tokens=uniform:1,40\n"
#define ARM(name, base, token)                                                 \
	"[cost_model:" name "]\nplugin=const_step\nbase_us=" base              \
	"\nper_token_us=" token "\n"

static void ask(const char *ini)
{
	explain_free(&e);
	studied(ini);
	if (explain_run(&e, &study, NULL, &why) < 0)
		bail_out(why.text);
	for (size_t i = 0; i < study.n; i++)
		if (study.arm[i].error)
			bail_out(study.arm[i].error);
	for (int i = 0; i < 2; i++) {
		free(sentence[i]);
		sentence[i] = explain_sentence(&e, &e.pair[i]);
	}
}

static void ask_at(const char *arms, int rate, int seed)
{
	char ini[2000];
	int n = snprintf(ini, sizeof ini, CONFIG_SETUP ARRIVALS, rate, seed);
	snprintf(ini + n, sizeof ini - (size_t)n, "%s", arms);
	ask(ini);
}

static int says(int candidate, const char *text)
{
	return strstr(sentence[candidate], text) != NULL;
}

/* ---- the signs of the sentence ---- */

static double real(int candidate)
{
	return e.pair[candidate].shares[ATTRIBUTION_TTFT].real_ns;
}

static uint64_t steps_of(size_t arm)
{
	return study.arm[arm].record->outcome.num_steps;
}

/* Returns 1 if what the sentence says of batches is so; slower: 1 if `by` was
 * planted as the engine with the longer steps, 0 if neither always is. */
static int batches_hold(int candidate, int slower)
{
	const struct explanation *x = &e.pair[candidate];
	const struct shares *s = &x->shares[ATTRIBUTION_TTFT];
	if (says(candidate, "slower engine"))
		return slower >= 0 && steps_of(x->by) < steps_of(x->of) &&
		       s->feedback_ns > 0;
	if (says(candidate, "faster engine"))
		return slower <= 0 && steps_of(x->by) > steps_of(x->of) &&
		       s->feedback_ns < 0;
	return 1;
}

static int signs_hold(int candidate)
{
	const struct shares *s = &e.pair[candidate].shares[ATTRIBUTION_TTFT];
	int less = says(candidate, " ms less TTFT than ");
	int more = says(candidate, " ms more TTFT than ");
	int longer = says(candidate, "the same steps take longer");
	int shorter = says(candidate, "the same steps take less time");
	return (less   ? real(candidate) < 0
		: more ? real(candidate) > 0
		       : 1) &&
	       (longer    ? s->cost_model_ns > 0
		: shorter ? s->cost_model_ns < 0
			  : 1);
}

/* b's steps take longer, each of them. */
static void planted_slower(void)
{
	int bad = 0, fuller = 0, emptier = 0;
	for (int seed = 1; seed <= 2; seed++)
		for (int rate = 300; rate <= 1200; rate += 300) {
			ask_at(ARM("a", "500", "1") ARM("b", "800", "1"), rate,
			       seed);
			bad += !signs_hold(0) || !signs_hold(1) ||
			       !batches_hold(0, 1) || !batches_hold(1, -1) ||
			       says(0, "faster engine") ||
			       says(1, "slower engine");
			fuller += says(0, "slower engine then has fuller");
			emptier += says(1, "faster engine then has emptier");
		}
	ok(bad == 0, "an engine with longer steps is the slower one");
	ok(fuller > 3 && emptier > 3, "and is said to be (%d, %d of 8)", fuller,
	   emptier);
}

/* b's prompts take longer and its decodes less: its TTFT rises, though it is
 * the faster engine as a whole. */
static void planted_against(void)
{
	int bad = 0, rises = 0;
	for (int seed = 1; seed <= 2; seed++)
		for (int rate = 100; rate <= 400; rate += 100) {
			ask_at(ARM("a", "900", "1") ARM("b", "400", "9"), rate,
			       seed);
			const struct shares *all =
			    &e.pair[0].shares[ATTRIBUTION_E2EL];
			int faster = all->cost_model_ns < 0;
			rises += faster && real(0) > 0;
			bad += !signs_hold(0) || !signs_hold(1) ||
			       !batches_hold(0, faster ? -1 : 1) ||
			       !batches_hold(1, faster ? 1 : -1);
		}
	ok(bad == 0, "a longer TTFT makes no engine the slower one");
	ok(rises > 1, "which was so %d times", rises);
}

static void planted_nothing(void)
{
	ask_at(ARM("a", "500", "1") ARM("b", "500", "1"), 300, 1);
	ok(says(0, "same bits on") && says(0, "no difference to explain"),
	   "one cost model twice: %s", sentence[0]);
	ask_at(ARM("a", "500", "1") ARM("b", "500.00000000001", "1"), 300, 1);
	ok(says(0, "b and a are equal to 1e-12 on") &&
	       says(0, "no difference to explain"),
	   "rounding alone: %s", sentence[0]);
	ask(CONFIG_SETUP CONFIG_ONE_BY_ONE ARM("a", "500", "1")
		ARM("b", "500", "2"));
	ok(!says(0, "engine then") && says(0, "the same steps take longer"),
	   "one by one there are no batches to speak of: %s", sentence[0]);
}

/* ---- the keys that arms set ---- */

static const struct {
	const char *key, *said; /* of an arm, and in the sentence            */
	const char *common;     /* of [engine]                               */
} planted[] = {
    {"max_num_seqs=2", "max_num_seqs is 2, not 256", ""},
    {"max_num_batched_tokens=64", "max_num_batched_tokens is 64, not ", ""},
    {"num_gpu_blocks=120", "num_gpu_blocks is 120, not auto", ""},
    {"max_num_seqs=3\nengine.max_num_batched_tokens=64",
     "max_num_seqs is 3, not 256; max_num_batched_tokens is 64, not ", ""},
    {"replicas=2", "replicas is 2, not 1", ""},
    {"routing=random", "routing is random, not round_robin", "replicas=3\n"},
    {"routing=least_outstanding",
     "routing is least_outstanding, not round_robin", "replicas=3\n"},
    {"prefill_replicas=1", "prefill_replicas is 1, not 0",
     "replicas=2\nkv_transfer_bandwidth_gbs=50\n"},
    {"scheduling_policy=priority", "scheduling_policy is priority, not fcfs",
     ""},
    {"data_parallel_size=2", "data_parallel_size is 2, not 1", ""},
    {"preset=vllm-0.15", "preset is vllm-0.15, not vllm-2026-07",
     "preset=vllm-2026-07\n"},
    {"scheduler=sglang", "scheduler is sglang, not vllm", ""},
    {"async_scheduling=false", "async_scheduling is false, not true",
     "preset=vllm-0.24\n"},
    {"num_speculative_tokens=3\nengine.synthetic_acceptance_rates=0.7,0.5,0.3",
     "num_speculative_tokens is 3, not 0", "preset=vllm-0.24\n"},
};

static void planted_keys(void)
{
	for (size_t i = 0; i < sizeof planted / sizeof *planted; i++) {
		char ini[2000];
		snprintf(ini, sizeof ini,
			 CONFIG_SETUP "[engine]\n%s" ARRIVALS
				      "[cost_model:a]\nplugin=operators\n"
				      "[cost_model:b]\nplugin=operators\n"
				      "engine.%s\n",
			 planted[i].common, 600, 1, planted[i].key);
		ask(ini);
		int same = real(0) == 0 && steps_of(0) == steps_of(1);
		ok(says(0, same ? ", which changes nothing here"
				: "Its schedule differs: ") &&
		       says(0, planted[i].said),
		   "%s", sentence[0]);
	}
}

/* ---- causes in steps' prices ---- */

/* A knob of arm b alone makes that part of its steps dearer. */
static const struct {
	const char *knob;
	int about;
	const char *said;           /* in the sentence                      */
	const char *part, *of_them; /* over all steps, most of them of a kind */
} dearer[] = {
    {"t_overhead_us=900", ATTRIBUTION_TPOT, "(overhead +0.47)", "overhead",
     "decode"},
    {"prefill_overhead_us=9000", ATTRIBUTION_TTFT, "(overhead +2.2)",
     "overhead", "prefill"},
    {"mfu_prefill=0.001", ATTRIBUTION_TTFT, "(prefill GEMM +", "prefill GEMM",
     "mixed"},
    {"mfu_decode=0.0001", ATTRIBUTION_TPOT, "(decode GEMM +", "decode GEMM",
     "decode"},
    {"vector_peak_fraction=0.00001", ATTRIBUTION_E2EL, "(prefill attention +",
     "prefill attention", "mixed"},
    {"decode_bw_factor=0.001", ATTRIBUTION_TPOT, "(decode memory +",
     "decode memory", "decode"},
};

/* Returns the document with its details, each run of blanks and line ends as
 * one blank; the caller frees it. */
static char *details(void)
{
	struct document d = {.in = IN_ALL};
	char *text = NULL, *to;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	if (!f)
		bail_out("out of memory");
	explain_document(&e, &d);
	document_text(&d, IN_FULL, f);
	document_free(&d);
	fclose(f);
	to = text;
	for (const char *at = text; *at; at++)
		if (!strchr(" \n", *at))
			*to++ = *at;
		else if (to > text && to[-1] != ' ')
			*to++ = ' ';
	*to = '\0';
	return text;
}

static void planted_prices(void)
{
	for (size_t i = 0; i < sizeof dearer / sizeof *dearer; i++) {
		char arms[600], part[80], kind[80];
		snprintf(arms, sizeof arms,
			 "[cost_model:a]\nplugin=roofline_v1\n"
			 "[cost_model:b]\nplugin=roofline_v1\n%s\n",
			 dearer[i].knob);
		ask_at(arms, 100, 1);
		char *text =
		    explain_sentence_of(&e, &e.pair[0], dearer[i].about);
		char *all = details();
		snprintf(part, sizeof part, "in a's steps: %s, +",
			 dearer[i].part);
		snprintf(kind, sizeof kind, "of it comes from %s steps",
			 dearer[i].of_them);
		ok(strstr(text, dearer[i].said) && strstr(text, " longer ") &&
		       strstr(all, part) && strstr(all, kind),
		   "%s", text);
		free(text);
		free(all);
	}
}

/* ---- causes outside of steps' prices ---- */

#define FLEET "replicas=2\n"
#define VLLM "preset=vllm-0.24\n"

/* A key of arm b alone moves that latency by a part of it. */
static const struct {
	const char *common, *key, *more; /* more: of [workload]             */
	int rate, about;
	const char *said;
} cause[] = {
    {"", "max_num_seqs=2", "", 600, ATTRIBUTION_TTFT,
     " ms more queueing for admission"},
    {FLEET,
     "prefill_replicas=1\nengine.kv_transfer_bandwidth_gbs=50\n"
     "engine.kv_transfer_latency_us=900",
     "", 600, ATTRIBUTION_TPOT, " ms more KV transfer"},
    {FLEET,
     "prefill_replicas=1\nengine.kv_transfer_bandwidth_gbs=50\n"
     "engine.kv_transfer_latency_us=900",
     "", 600, ATTRIBUTION_TPOT, " ms less stalls by others' prompts"},
    {VLLM, "front_end=none", "", 600, ATTRIBUTION_TTFT,
     " ms less front end and client"},
    {VLLM, "schedule_us=900\nengine.async_scheduling=false", "", 600,
     ATTRIBUTION_TPOT, " ms more between steps"},
    {VLLM,
     "num_speculative_tokens=3\nengine.synthetic_acceptance_rates=0.9,0.8,0.7",
     "", 600, ATTRIBUTION_TPOT, " ms less decode"},
    {"", "num_gpu_blocks=32", "", 600, ATTRIBUTION_TPOT,
     " ms more queueing after preemption"},
    {VLLM FLEET, "routing=session", "turns=4\nthink_time_s=0\n", 600,
     ATTRIBUTION_TTFT, " ms less through cache hits"},
    {FLEET, "routing=random", "", 3000, ATTRIBUTION_TTFT,
     " ms more through imbalance of replicas"},
};

/* The parts of a sentence with exchanged signs; its caller frees it. */
static char *exchanged(const char *text)
{
	char *copy = strdup(strstr(text, "): "));
	for (char *at = copy; at && (at = strstr(at, " ms ")); at += 8)
		memcpy(at, at[4] == 'm' ? " ms less" : " ms more", 8);
	return copy;
}

/* Each arm is explained by the other with the same parts, exchanged. */
static int is_mirrored(int about)
{
	char *there = explain_sentence_of(&e, &e.pair[0], about);
	char *back = explain_sentence_of(&e, &e.pair[1], about);
	char *turned = exchanged(there);
	int same = !strcmp(turned, strstr(back, "): "));
	free(there);
	free(back);
	free(turned);
	return same;
}

static void planted_causes(void)
{
	for (size_t i = 0; i < sizeof cause / sizeof *cause; i++) {
		char ini[2000];
		snprintf(ini, sizeof ini,
			 CONFIG_SETUP "[engine]\n%s" ARRIVALS
				      "%s" ARM("a", "500", "5")
					  ARM("b", "500", "5") "engine.%s\n",
			 cause[i].common, cause[i].rate, 1, cause[i].more,
			 cause[i].key);
		ask(ini);
		char *text =
		    explain_sentence_of(&e, &e.pair[0], cause[i].about);
		ok(strstr(text, cause[i].said) && is_mirrored(cause[i].about),
		   "%s", text);
		free(text);
	}
}

static void planted_hardware(void)
{
	char ini[2000];
	snprintf(ini, sizeof ini,
		 CONFIG_SETUP
		 "[engine]\npreset=vllm-0.24\n" ARRIVALS ARM("a", "500", "1")
		     ARM("b", "500", "1") "hardware.memory_gib=1\n",
		 600, 1);
	ask(ini);
	ok(!says(0, "Its schedule differs") ||
	       says(0, "hardware.memory_gib is 1, not 16"),
	   "%s", sentence[0]);
}

int main(void)
{
	scratch_open();
	planted_slower();
	planted_against();
	planted_nothing();
	planted_keys();
	planted_hardware();
	planted_causes();
	planted_prices();
	explain_free(&e);
	studied_free();
	for (int i = 0; i < 2; i++)
		free(sentence[i]);
	return done();
}
