/* operators' error on a GPU that no table has: one that has tables is priced
 * from those of its nearest relative. */
#include "tap.h"
#include "bare.h"
#include "kernel_rows.h"

/* What no step asks for: attention in FP8, collectives of an eager engine. */
static int is_priced(const sc_table *t, const sc_kernel *k)
{
	int is_attention = k->op == SC_OP_PREFILL || k->op == SC_OP_DECODE;
	return kernel_table_find(t->op) && !strstr(t->op, "suspect") &&
	       !strstr(t->op, "eager") &&
	       !(is_attention && k->dtype && !strcmp(k->dtype, "fp8"));
}

/* Of several kernels for one shape the fastest runs: the set's own answer. */
static void compare(const sc_table *t, const struct kernel_instance *inst,
		    const struct kernel_instance *own, struct kernel_errors *e)
{
	const double *us = sc_column(t, "latency_us");
	for (uint64_t row = 0; us && row < t->n_rows; row++) {
		if (!kernel_table_find(t->op))
			return;
		sc_kernel k = kernel_of(t, row);
		if (is_priced(t, &k))
			kernel_errors_add(e, kernel_us(inst, &k),
					  strcmp(t->op, "moe")
					      ? us[row]
					      : kernel_us(own, &k));
	}
}

static void from_relative(const char *engine, const char *of, const char *from,
			  double most)
{
	char name[2][80], what[200];
	struct table_set s[2];
	struct kernel_errors e = {0};
	for (int i = 0; i < 2; i++) {
		snprintf(name[i], sizeof *name, "%s.%s", i ? from : of, engine);
		s[i] = kernel_set(name[i]);
	}
	sc_hardware gpu = kernel_gpu(s[0].view[0]);
	struct kernel_instance own, inst;
	kernel_open(&own, &gpu, s[0].view, s[0].n);
	kernel_open(&inst, &gpu, s[1].view, s[1].n);
	for (uint32_t i = 0; i < s[0].n; i++)
		compare(s[0].view[i], &inst, &own, &e);
	snprintf(what, sizeof what, "%s from %s, %s", of, from, engine);
	kernel_errors_check(&e, most, what);
	kernel_close(&inst);
	kernel_close(&own);
	set_free(&s[0]);
	set_free(&s[1]);
}

static const char *const engines[] = {"vllm-0.24", "sglang-0.5.14",
				      "trtllm-1.3.0rc20"};

int main(void)
{
	operators = bare_load("operators");
	for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
		from_relative(engines[i], "gb200", "b200-sxm", .15);
		from_relative(engines[i], "b200-sxm", "gb200", .165);
		from_relative(engines[i], "h200-sxm", "h100-sxm", .15);
		from_relative(engines[i], "h100-sxm", "h200-sxm", .15);
	}
	return done();
}
