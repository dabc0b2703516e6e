#include "tables/kind.h"
#include "tap.h"

static const struct table_kind *of(const char *op)
{
	for (int i = 0; i < n_table_kinds; i++)
		if (!strcmp(table_kind[i].op, op))
			return &table_kind[i];
	bail_out(op);
}

static void columns(void)
{
	ok(table_is_count("m") && table_is_count("model_kv_heads") &&
	       table_is_count("batch_size") && table_is_count("message_bytes"),
	   "keys and axes, under any of their names, are counts");
	ok(!table_is_count("latency_us") && !table_is_count("mfu") &&
	       !table_is_count("dtype") && !table_is_count(""),
	   "nothing else is");
	ok(table_is_measure("latency_us") && table_is_measure("mfu") &&
	       !table_is_measure("m"),
	   "measures");
}

static void rows(void)
{
	int whole = 1, signs = 1;
	for (int i = 0; i < n_table_kinds; i++) {
		const struct table_kind *k = &table_kind[i];
		whole &= k->op && k->sign[0] && k->key[0][0] && k->axis[0][0] &&
			 !k->flops == !k->peak_note;
		for (int s = 0; s < 3 && k->sign[s]; s++)
			signs &= table_is_count(k->sign[s]);
	}
	ok(n_table_kinds >= 4 && whole, "every kind has what it needs");
	ok(signs, "and is known by columns of its own");
}

static void flops(void)
{
	const double gemm[KIND_SLOTS] = {300, 200, 0, 0, 100, 0};
	const double heads[KIND_SLOTS] = {32, 8, 128, 2, 4, 1000};
	ok(of("gemm")->flops(gemm) == 2. * 100 * 300 * 200, "2 m n k");
	ok(of("attention_prefill")->flops(heads) ==
	       2. * 32 * 128 * 1000 * 1000 * 4,
	   "2 heads head_dim seq_len^2 batch");
	ok(of("attention_decode")->flops(heads) == 4. * 16 * 128 * 1000 * 4,
	   "4 (heads / tp) head_dim kv_len batch");
	ok(!of("all_reduce")->flops, "an all-reduce computes nothing");
}

int main(void)
{
	columns();
	rows();
	flops();
	return done();
}
