/* kind.c -- Knows the kinds of kernels that tables hold. */
#include <config.h>
#include "tables/kind.h"
#include <stddef.h>
#include <string.h>

/* Where the values of a kernel stand. */
enum { KEY_0, KEY_1, KEY_2, KEY_3, AXIS_0, AXIS_1 };

static double gemm_flops(const double v[KIND_SLOTS])
{
	return 2 * v[AXIS_0] * v[KEY_0] * v[KEY_1];
}

static double prefill_flops(const double v[KIND_SLOTS])
{
	return 2 * v[KEY_0] * v[KEY_2] * v[AXIS_1] * v[AXIS_1] * v[AXIS_0];
}

static double decode_flops(const double v[KIND_SLOTS])
{
	return 4 * (v[KEY_0] / v[KEY_3]) * v[KEY_2] * v[AXIS_1] * v[AXIS_0];
}

const struct table_kind table_kind[] = {
    {.op = "gemm",
     .sign = {"m", "n", "k"},
     .key = {{"n"}, {"k"}},
     .axis = {{"m"}},
     .flops = gemm_flops,
     .peak_note = "gemm_peak_tflops"},
    {.op = "attention_prefill",
     .sign = {"seq_len"},
     .key = {{"heads", "model_heads"},
	     {"kv_heads", "model_kv_heads"},
	     {"head_dim"}},
     .axis = {{"batch", "batch_size"}, {"seq_len"}},
     .flops = prefill_flops,
     .peak_note = "attention_peak_tflops"},
    {.op = "attention_decode",
     .sign = {"kv_len"},
     .key = {{"heads", "model_heads"},
	     {"kv_heads", "model_kv_heads"},
	     {"head_dim"},
	     {"tp"}},
     .axis = {{"batch", "batch_size"}, {"kv_len"}},
     .flops = decode_flops,
     .peak_note = "attention_peak_tflops"},
    {.op = "all_reduce",
     .sign = {"message_bytes"},
     .key = {{"ranks"}},
     .axis = {{"message_bytes"}}},
};
const int n_table_kinds = sizeof table_kind / sizeof *table_kind;

static int is_one_of(const char *const name[KIND_NAMES], const char *column)
{
	for (int i = 0; i < KIND_NAMES && name[i]; i++)
		if (!strcmp(name[i], column))
			return 1;
	return 0;
}

int table_is_count(const char *column)
{
	for (int k = 0; k < n_table_kinds; k++) {
		for (int i = 0; i < KIND_KEYS; i++)
			if (is_one_of(table_kind[k].key[i], column))
				return 1;
		for (int i = 0; i < KIND_AXES; i++)
			if (is_one_of(table_kind[k].axis[i], column))
				return 1;
	}
	return 0;
}

int table_is_measure(const char *column)
{
	return !strcmp(column, "latency_us") || !strcmp(column, "mfu");
}
