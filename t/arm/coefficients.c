/* Which scored tables are those that an arm uses. */
#include "arm/coefficients.h"
#include "scratch.h"

static struct config c;
static struct problem p;

static void write_set(const char *name, int has_all_reduce)
{
	char at[100];
	snprintf(at, sizeof at, "data/bench_data/%s", name);
	scratch_folder(at);
	snprintf(at, sizeof at, "data/bench_data/%s/MANIFEST", name);
	scratch_file(at, "gpu = Mine\n");
	snprintf(at, sizeof at, "data/bench_data/%s/gemm.csv", name);
	scratch_file(at, "dtype,m,k,n,latency_us\nbf16,1,8,8,1\n");
	snprintf(at, sizeof at, "data/bench_data/%s/all_reduce.csv", name);
	if (has_all_reduce)
		scratch_file(at, "tp,bytes,latency_us\n2,8,1\n");
}

/* The other names of the arm's tables, in a row. */
static const char *same(const char *tables, const char *plugin)
{
	static char list[300];
	char ini[600];
	snprintf(ini, sizeof ini,
		 "[model]\nconfig=llama-3.1-8b\n[hardware]\ngpu=mine\n"
		 "bf16_tflops=1\nmemory_bandwidth_tbs=1\n%s"
		 "[cost_model]\nplugin=%s\n",
		 tables, plugin);
	config_free(&c);
	if (config_load(&c, scratch_file("c.ini", ini), NULL, 0, NULL, &p) < 0)
		bail_out(p.text);
	struct arm_coefficients a = arm_coefficients_of(&c, 0);
	char names[200];
	snprintf(list, sizeof list, "%s: %s", a.tables,
		 names_join(&a.same_tables, names, sizeof names));
	arm_coefficients_free(&a);
	return list;
}

int main(void)
{
	char data[700];
	const char *top = getenv("top_srcdir");
	scratch_open();
	write_set("b", 0);
	write_set("a", 1);
	write_set("z", 0);
	snprintf(data, sizeof data, "%s:%s", scratch_path("data"),
		 top ? top : ".");
	setenv("STEPCOST_DATA_PATH", data, 1);
	is(same("", "operators"), "auto: z, b, a, z",
	   "by default auto: the list, and the set that comes first");
	is(same("[tables]\nset=a, b\n", "operators"), "a, b: a, b, a",
	   "another that has all kinds");
	is(same("[tables]\nset=b\n", "operators"), "b: b", "one set");
	is(same("[tables]\nset=b\n", "roofline_v1"), ": ",
	   "a cost model that reads none has none");
	write_set("m.vllm-0.9", 1);
	write_set("m.vllm-0.24", 0);
	write_set("m.vllmx-9", 0);
	same("", "operators");
	is(arm_kernels_under(&c, 0, "vllm"), "m.vllm-0.24",
	   "the newest set of an engine");
	same("[tables]\nset=m.vllm-0.9, m.vllm-0.24\n", "operators");
	is(arm_kernels_under(&c, 0, "vllm"), "m.vllm-0.9",
	   "the first that is named");
	ok(!arm_kernels_under(&c, 0, "sglang"), "another engine has none");
	is(same("[tables]\nset=\n", "operators"), ": ", "none, as it says");
	config_free(&c);
	return done();
}
