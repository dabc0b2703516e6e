/* The needs of a plugin, compared with models, GPUs and tables. */
#include "plugin/needs.h"
#include "tap.h"

static const char *const columns[] = {"batch", "kv_len", "latency_us"};
static const char *const notes[] = {"source", "x", "gpu", "y"};
static const sc_table decode = {.size = sizeof decode,
				.n_cols = 3,
				.op = "attention_decode",
				.col_name = columns,
				.n_notes = 2,
				.note = notes};
static const sc_table *const tables[] = {&decode};
static sc_need need[3];
static const sc_need *const needs[] = {&need[0], &need[1], &need[2]};
static sc_plugin plugin = {.name = "p", .need = needs};

static void try_tables(void)
{
	plugin.n_needs = 1;
	need[0] = (sc_need){.size = sizeof need[0],
			    .kind = SC_NEED_TABLE,
			    .value = "attention_decode",
			    .columns = "kv_len, batch",
			    .notes = "gpu"};
	ok(!needs_missing(&plugin, 1, tables), "all columns, all notes");
	ok(needs_missing(&plugin, 0, tables) == &need[0], "no table");
	need[0].columns = "kv_len,batch_size";
	ok(needs_missing(&plugin, 1, tables) == &need[0], "a column less");
	need[0].columns = "kv";
	ok(needs_missing(&plugin, 1, tables) == &need[0],
	   "the beginning of a name is none");
	need[0].columns = NULL, need[0].notes = "source,peak";
	ok(needs_missing(&plugin, 1, tables) == &need[0], "a note less");
	need[0].flags = SC_NEED_OPTIONAL;
	ok(!needs_missing(&plugin, 1, tables), "it can do without");
	need[0].value = "gemm";
	ok(needs_tables(&plugin) && needs_name(&plugin, "gemm") &&
	       !needs_name(&plugin, "attention_decode"),
	   "it names gemm");
}

static void try_model(void)
{
	sc_layers g = {.size = sizeof g,
		       .n_layers = 4,
		       .attention = SC_ATTN_LINEAR,
		       .linear_kind = SC_LINEAR_MAMBA2,
		       .ffn = SC_FFN_MOE,
		       .attn_format = SC_BF16,
		       .expert_format = SC_FP8};
	const sc_layers *const group[] = {&g};
	const sc_model m = {
	    .size = sizeof m, .name = "m", .n_groups = 1, .group = group};
	const sc_hardware h = {.size = sizeof h, .name = "h100-sxm"};
	const sc_setup s = {.size = sizeof s, .model = &m, .hardware = &h};
	const struct {
		sc_need need[2];
		const char *why;
	} try[] = {
	    {{{.kind = SC_NEED_ATTENTION, .value = "full"},
	      {.kind = SC_NEED_ATTENTION, .value = "linear"}},
	     NULL},
	    {{{.kind = SC_NEED_ATTENTION, .value = "full"},
	      {.kind = SC_NEED_ATTENTION, .value = "mla"}},
	     "p needs attention full or mla; 4 of the layers of model m have "
	     "linear: use another cost model"},
	    {{{.kind = SC_NEED_LINEAR, .value = "gdn"},
	      {.kind = SC_NEED_LINEAR,
	       .value = "mamba2",
	       .flags = SC_NEED_OPTIONAL}},
	     NULL},
	    {{{.kind = SC_NEED_LINEAR,
	       .value = "gdn",
	       .flags = SC_NEED_OPTIONAL},
	      {.kind = SC_NEED_FFN, .value = "moe"}},
	     NULL},
	    {{{.kind = SC_NEED_FFN, .value = "gated"},
	      {.kind = SC_NEED_FFN, .value = "plain"}},
	     "p needs ffn gated or plain; 4 of the layers of model m have moe: "
	     "use another cost model"},
	    {{{.kind = SC_NEED_FORMAT, .value = "bf16"},
	      {.kind = SC_NEED_GPU, .value = "h*"}},
	     "p needs format bf16; 4 of the layers of model m have fp8: use "
	     "another cost model"},
	    {{{.kind = SC_NEED_GPU, .value = "a100*"},
	      {.kind = SC_NEED_GPU, .value = "l4"}},
	     "p needs gpu a100* or l4; this is h100-sxm: use another cost "
	     "model"},
	    {{{.kind = SC_NEED_GPU, .value = "a100*"},
	      {.kind = SC_NEED_GPU, .value = "h*-sxm"}},
	     NULL},
	};
	plugin.n_needs = 2;
	for (size_t i = 0; i < sizeof try / sizeof *try; i++) {
		struct problem p = {.text = ""};
		need[0] = try[i].need[0], need[1] = try[i].need[1];
		int rc = needs_admit(&plugin, &s, &p);
		ok(rc == (try[i].why ? -1 : 0) &&
		       (rc == 0 || p.code == EXIT_USAGE),
		   "model %d", (int)i);
		is(p.text, try[i].why ? try[i].why : "", "its message");
	}
}

int main(void)
{
	struct problem p;
	try_tables();
	try_model();
	const sc_model m = {.size = sizeof m};
	const sc_setup s = {.size = sizeof s, .model = &m};
	const struct hardware h = {
	    .keys = {.config = "", .gpu = "", .architecture = "", .prices = ""},
	    .gpu = "none"};
	const struct selection none = {0};
	struct library library = {0};
	static const sc_knob mode = {
	    .size = sizeof mode, .type = SC_KNOB_DOUBLE, .name = "mode"};
	static const sc_knob *const knobs[] = {&mode};
	double block = 2;
	const struct needs_of of = {&s, &block, &none, &h, &library, 0};
	need[0] = (sc_need){.kind = SC_NEED_TABLE, .value = "gemm"};
	plugin.n_needs = 1;
	ok(needs_check(&plugin, &of, &p) < 0 && p.code == EXIT_PLUGIN,
	   "refused");
	is(p.text,
	   "p needs a table gemm; there are no tables; no set of this GPU has "
	   "it",
	   "without any");
	plugin.knob = knobs, plugin.n_knobs = 1;
	need[0].when = "mode>2";
	ok(needs_check(&plugin, &of, &p) == 0, "not needed in this mode");
	block = 3;
	ok(needs_check(&plugin, &of, &p) < 0, "but in another");
	library_free(&library);
	return done();
}
