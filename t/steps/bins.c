/* Steps in groups. */
#include "steps/bins.h"
#include "step_rows.h"

static struct step_bins b;
static struct problem why;

/* Returns "name:rows name:rows ...". */
static const char *sorted(const char *by)
{
	static char text[300];
	size_t n = 0;
	text[0] = '\0';
	step_bins_free(&b);
	if (step_bins_sort(&b, &set, by, &why) < 0)
		return why.text;
	for (size_t i = 0; i < b.n; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, "%s%s:%zu",
				      n ? " " : "", b.bin[i].name, b.bin[i].n);
	return text;
}

int main(void)
{
	scratch_open();
	rows("1x300,,1,,x\n511,,1,,x\n512;512,,1,,y\n8192,0:128,1,,y\n"
	     "100;300,,1,,x\n,0:127,1,,x\n32768x256,,1,h100-sxm,x\n"
	     "10x19;1000,,1,,x\n0,,1,,\n");
	is(sorted("batch"), "1:3 2-4:2 17-64:1 65-256:1 >256:1", "batch");
	is(sorted("context"), "<512:5 <2048:1 <32768:1 >=32768:1", "context");
	is(sorted("skew"), "1:6 <=2:1 >8:1", "skew");
	is(sorted("new"), "<128:1 <512:1", "new tokens");
	is(sorted("regime"), "decode:7 mixed:1 prefill:1", "regime");
	is(sorted("deployment"), "as configured:8 h100-sxm:1", "deployment");
	is(sorted("graph"), "unknown:9", "graph");
	is(sorted("composition"), "exact:9", "composition");
	is(sorted("mine"), "x:6 y:2 :1", "a column of the file");
	ok(!step_bins_tell(&b), "no two bins have 10 steps");
	is(sorted("none"),
	   "--by none: not regime, deployment, batch, context, skew, new, "
	   "composition, graph, nor a column of the files",
	   "no such group");
	step_bins_free(&b);
	step_set_free(&set);
	return done();
}
