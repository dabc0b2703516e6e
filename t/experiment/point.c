/* Points: what an experiment asks of cost models, each once. */
#include "experiment/load.h"
#include "tap.h"

static struct experiment x;
static struct ini ini;
static struct problem problem;

static int load(const char *text)
{
	experiment_free(&x);
	ini_free(&ini);
	problem = (struct problem){0};
	if (ini_read(&ini, text, strlen(text), &problem) < 0)
		return -1;
	return experiment_load(&x, &ini, &problem);
}

static void steps(void)
{
	ok(load("[table:t]\n"
		"axis.n = 0, 2\n"
		"decode.s = 4096;64x{n}\n"
		"prefill.s = 0:{n*10}x{n}\n"
		"decode.unasked = 1\n"
		"column.a = one.s.total_us\n"
		"column.b = one.s.comm_us / two.s.total_us\n") == 0,
	   "loads");
	ok(x.n_points == 4, "two rows under two arms, each once: %zu",
	   x.n_points);
	is(x.point[0].arm, "one", "the arm is the first word");
	is(x.point[0].decode, "4096", "x0 is no request");
	is(x.point[0].prefill, "", "nor here");
	is(x.point[1].decode, "4096;64x2", "x2 are two");
	is(x.point[1].prefill, "0:20x2", "with what the row makes of them");
	is(x.point[3].arm, "two", "the second arm comes second");
	ok(x.point[3].row == 1, "row by row");
}

static void kernels(void)
{
	ok(load("[table:t]\n"
		"axis.b = 4\n"
		"kernel.k = attention_decode batch={b}  context=1024 tp=2\n"
		"column.a = one.k.latency_us\n") == 0,
	   "a kernel");
	const sc_kernel *k = &x.point[0].kernel;
	ok(k->op == SC_OP_DECODE && k->batch == 4 && k->context == 1024 &&
	       k->ranks == 2 && k->heads == 0,
	   "has what the template says, and 0 else");
}

static void refused(const char *line, const char *want)
{
	char text[400];
	snprintf(text, sizeof text,
		 "[table:t]\naxis.b = 4\n%s\ncolumn.a = one.k.mfu\n", line);
	ok(load(text) < 0 && strstr(problem.text, want), "%s: %s", line,
	   problem.text);
}

int main(void)
{
	steps();
	kernels();
	refused("kernel.k = conv m=1", "kernel conv: not gemm");
	refused("kernel.k = gemm m=1.5", "'m' is not m, n, k");
	refused("kernel.k = gemm m", "'m' is not m, n, k");
	refused("kernel.k = gemm size=3", "'size' is not m, n, k");
	refused("kernel.k = gemm op=3", "'op' is not m, n, k");
	refused("kernel.k = all_reduce tp=4294967300", "'tp' is not m, n, k");
	refused("kernel.k = gemm m={b", "'m' is not m, n, k");
	refused("kernel.other = gemm m=1", "no step or kernel k");
	refused("kernel.k = gemm m=1\ndecode.k = 1", "a step and a kernel");
	refused("rows = f.csv",
		"[table:t] has axis.NAME and rows; give one of the two");
	refused("kernels.k = gemm m=1", "allowed: title, axis.NAME, rows");
	experiment_free(&x);
	ini_free(&ini);
	return done();
}
