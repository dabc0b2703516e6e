/* The policy of operators: the shipped rows are whole, each says its source,
 * and a row that is damaged, unknown, unread or unreachable is refused with its
 * line. */
#include "policy/policy.h"
#include <math.h>
#include <string.h>
#include "tap.h"
#include "policy_rows.h"

static struct numbers numbers;
static sc_error err = {.size = sizeof err};

/* ---- planted rows ---- */

/* Copies of the shipped rows, with room for one more of each. */
enum { ROOM = 64 };
static struct number_row number[ROOM];
static struct engine_row engine[ROOM];
static struct host_row host[ROOM];
static struct order_row order[ROOM];
static struct weights_row weights[ROOM];
static struct word_row word[ROOM];
static struct plain_row plain[ROOM];
static struct stand_in_row stand_in[ROOM];
static struct quantized_row quantized[ROOM];
static struct small_row small[ROOM];
static struct ungated_row ungated[ROOM];
static struct eager_row eager[ROOM];
static struct layer_row layer[ROOM];
static struct policy_rows rows;

#define COPY(to, n)                                                            \
	do {                                                                   \
		if (rows.n >= ROOM)                                            \
			bail_out("more rows than room");                       \
		memcpy(to, rows.to, rows.n * sizeof *(to));                    \
		rows.to = to;                                                  \
	} while (0)
static void begin(void)
{
	rows = policy_shipped;
	COPY(number, n_numbers);
	COPY(engine, n_engines);
	COPY(host, n_hosts);
	COPY(order, n_orders);
	COPY(weights, n_weights);
	COPY(word, n_words);
	COPY(plain, n_plain);
	COPY(stand_in, n_stand_ins);
	COPY(quantized, n_quantized);
	COPY(small, n_small);
	COPY(ungated, n_ungated);
	COPY(eager, n_eager);
	COPY(layer, n_layers);
}

/* The rows as they stand are refused, with this in the message. */
static void refused(const char *want, const char *what)
{
	*err.text = '\0';
	int32_t rc = policy_read(&numbers, &rows, &err);
	ok(rc == SC_EINVAL && strstr(err.text, want), "%s: %s", what, err.text);
}

/* The same, and the line is this row's. */
static void refused_at(const struct origin *at, const char *want,
		       const char *what)
{
	char line[64];
	snprintf(line, sizeof line, "policy/rows.c:%d: ", at->line);
	refused(want, what);
	ok(strstr(err.text, line) != NULL, "%s: at %s", what, line);
}

/* ---- sources ---- */

static void without_source(void)
{
	struct {
		const char *table;
		struct origin *at;
	} first[] = {
	    {"numbers", &number[1].at},      {"engines", &engine[1].at},
	    {"hosts", &host[1].at},          {"orders", &order[1].at},
	    {"weights", &weights[1].at},     {"words", &word[1].at},
	    {"plain", &plain[1].at},         {"stand_ins", &stand_in[1].at},
	    {"quantized", &quantized[1].at}, {"small", &small[1].at},
	    {"ungated", &ungated[1].at},     {"eager", &eager[1].at},
	    {"layers", &layer[1].at}};
	for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
		begin();
		first[i].at->row_group = i % 2 ? "" : NULL;
		refused_at(first[i].at, "a row without a source",
			   first[i].table);
		ok(strstr(err.text, first[i].table) != NULL,
		   "which names the table");
	}
}

static void check_source(const struct origin *at, const char *table)
{
	char what[64];
	snprintf(what, sizeof what, "%s, line %d", table, at->line);
	policy_source(at->row_group, what);
}

#define SOURCES(table, n)                                                      \
	for (size_t i = 0; i < policy_shipped.n; i++)                          \
	check_source(&policy_shipped.table[i].at, #table)
static void row_groups(void)
{
	SOURCES(number, n_numbers);
	SOURCES(engine, n_engines);
	SOURCES(host, n_hosts);
	SOURCES(order, n_orders);
	SOURCES(weights, n_weights);
	SOURCES(word, n_words);
	SOURCES(plain, n_plain);
	SOURCES(stand_in, n_stand_ins);
	SOURCES(quantized, n_quantized);
	SOURCES(small, n_small);
	SOURCES(ungated, n_ungated);
	SOURCES(eager, n_eager);
	SOURCES(layer, n_layers);
	policy_false_names();
}

/* ---- numbers ---- */

static void bad_numbers(void)
{
	begin();
	number[rows.n_numbers] =
	    (struct number_row){FROM("a test"), "planted_times", 2, "1"};
	rows.n_numbers++;
	refused("planted_times: nothing reads it", "a planted number");
	begin();
	rows.n_numbers--;
	refused(number[rows.n_numbers].name, "a number without a row");
	begin();
	number[rows.n_numbers++] = number[0];
	refused_at(&number[0].at, "said twice", "two rows of a number");
	begin();
	number[3].value = (double)NAN;
	refused_at(&number[3].at, "no finite number", "a value that is none");
	begin();
	number[3].value = -1;
	refused_at(&number[3].at, "of 0 or more", "a value below 0");
}

static void all_numbers_are_read(void)
{
	static const char *const name[] = {
#define NUMBER_NAME(name) #name,
	    NUMBERS(NUMBER_NAME)};
	static const char *const in[] = {"*.[ch]",       "choose/*.[ch]",
					 "price/*.[ch]", "read/*.[ch]",
					 "step/*.[ch]",  NULL};
	struct policy_texts t = policy_texts("operators", in);
	ok(t.n > 30, "the files of the plugin");
	for (size_t i = 0; i < sizeof name / sizeof *name; i++)
		ok(policy_is_read(&t, "number.", name[i]) ||
		       policy_is_read(&t, "n->", name[i]),
		   "%s is read", name[i]);
	ok(!policy_is_read(&t, "n->", "planted") &&
	       !policy_is_read(&t, "n->", "rank"),
	   "a number that nothing reads is found");
	policy_texts_free(&t);
}

/* ---- the other tables ---- */

static void bad_engines(void)
{
	begin();
	struct engine_row first = engine[0];
	engine[0] = engine[1];
	engine[1] = first;
	refused_at(&engine[0].at, "the knob `engine` has another order",
		   "engines in another order");
	begin();
	rows.n_engines--;
	refused("has no row", "an engine less");
	begin();
	rows.n_hosts--;
	refused("has no row", "a kind of host code less");
	begin();
	host[1].host = HOST_ASYNC;
	refused_at(&host[1].at, "the knob `host` has another order",
		   "host code said twice");
}

static void bad_orders(void)
{
	begin();
	order[0].asked[4] = ENGINE_OTHER + 1;
	refused_at(&order[0].at, "no list of engines",
		   "an order without an end");
	begin();
	order[rows.n_orders] = order[rows.n_orders - 1];
	rows.n_orders++;
	refused_at(&order[rows.n_orders - 1].at, "applies always",
		   "a row that is never reached");
	begin();
	rows.n_orders--;
	refused("orders: the last row does not apply to everything",
		"no order for the rest");
}

static void bad_formats(void)
{
	begin();
	weights[2].gemm = "fp9";
	refused_at(&weights[2].at, "no such word", "a GEMM in no format");
	begin();
	weights[2].experts = NULL;
	refused_at(&weights[2].at, "no such word", "experts in none");
	begin();
	weights[2].bits_to = -1;
	refused_at(&weights[2].at, "no stored bits", "no bits");
	begin();
	rows.n_weights--;
	refused("weights: the last row", "no row for the rest");
	begin();
	word[2].module = "fp9";
	refused_at(&word[2].at, "no such word", "a module in no format");
	begin();
	word[rows.n_words++] = word[0];
	refused_at(&word[0].at, "said twice", "a word twice");
	begin();
	plain[1].word = "fp9";
	refused_at(&plain[1].at, "no such word", "a plain format");
	begin();
	stand_in[0].by = "fp9";
	refused_at(&stand_in[0].at, "no such word", "nothing stands in");
	begin();
	stand_in[0].word = "fp9";
	refused_at(&stand_in[0].at, "no such word", "for nothing");
	begin();
	quantized[0].word = "fp9";
	refused_at(&quantized[0].at, "no such word", "nothing is quantized");
}

static void bad_kernels(void)
{
	begin();
	small[2].place = SMALL_LAYER;
	refused_at(&small[2].at, "not in the order", "a place said twice");
	begin();
	rows.n_small--;
	refused("a place has no row", "a place without a row");
	begin();
	ungated[0] = (struct ungated_row){.at = ungated[0].at};
	refused_at(&ungated[0].at, "to all experts", "experts of any size");
}

/* ---- answers ---- */

static void is_order(const char *of, const char *dtype, uint32_t simulated,
		     const char *want)
{
	uint32_t asked[ENGINE_OTHER];
	char text[64] = "";
	uint32_t n = policy_order(&policy_shipped, of, dtype, simulated, asked);
	for (uint32_t i = 0; i < n; i++)
		snprintf(text + strlen(text), sizeof text - strlen(text),
			 "%s%s", i ? " " : "",
			 asked[i] < ENGINE_OTHER ? engine_words[asked[i]]
						 : "other");
	is(text, want, "%s %s of %s", of, dtype ? dtype : "",
	   engine_words[simulated]);
}

static void answers(void)
{
	const struct policy_rows *p = &policy_shipped;
	is_order("moe", "fp8", ENGINE_VLLM, "vllm sglang trtllm other");
	is_order("moe", "fp8", ENGINE_TRTLLM, "trtllm vllm sglang other");
	is_order("gemm", "fp8", ENGINE_SGLANG, "sglang vllm trtllm other");
	is_order("gemm", "fp8", ENGINE_TRTLLM, "sglang trtllm vllm other");
	is_order("gemm", "fp4", ENGINE_TRTLLM, "sglang trtllm vllm other");
	is_order("gemm", "bf16", ENGINE_TRTLLM, "trtllm vllm sglang other");
	is_order("all_reduce", NULL, ENGINE_VLLM, "vllm sglang trtllm other");
	is_order(ORDER_MODULES, NULL, ENGINE_SGLANG, "vllm trtllm");
	is_order(ORDER_COLLECTIVES, NULL, ENGINE_SGLANG,
		 "other vllm sglang trtllm");
	ok(policy_engine_named(p, "vLLM 0.24") == ENGINE_VLLM &&
	       policy_engine_named(p, "TensorRT-LLM") == ENGINE_TRTLLM &&
	       policy_engine_named(p, "trtllm-1.2") == ENGINE_TRTLLM &&
	       !policy_engine_named(p, "nccl-2.29") &&
	       !policy_engine_named(p, NULL),
	   "an engine by the word that begins with its name");
	ok(policy_engine_coded(p, SC_ENGINE_SGLANG) == ENGINE_SGLANG &&
	       !policy_engine_coded(p, SC_ENGINE_UNKNOWN),
	   "and by its code");
	ok(policy_matrices(p, 2688, 128, 6) == 2 &&
	       policy_matrices(p, 4096, 512, 22) == 2 &&
	       policy_matrices(p, 2688, 64, 6) == 3 &&
	       policy_matrices(p, 7168, 256, 8) == 3,
	   "experts with and without a gate");
	ok(policy_layer_us(p, "mi300x") > 0 &&
	       policy_layer_us(p, "MI325X") > 0 &&
	       !policy_layer_us(p, "mi355x") && !policy_layer_us(p, "") &&
	       !policy_layer_us(p, "h100-sxm"),
	   "the time of a layer beside its kernels");
	ok(!strcmp(policy_word(p, "nvfp4")->gemm, "fp4") &&
	       !policy_word(p, "bf16"),
	   "a word in other tables");
}

int main(void)
{
	ok(policy_read(&numbers, &policy_shipped, &err) == SC_OK,
	   "the shipped rows: %s", err.text);
	row_groups();
	without_source();
	bad_numbers();
	all_numbers_are_read();
	bad_engines();
	bad_orders();
	bad_formats();
	bad_kernels();
	answers();
	return done();
}
