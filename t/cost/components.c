#include "cost/components.h"
#include "tap.h"

static double us[N_COMPONENTS];

static sc_result blank(double total_us)
{
	sc_result r = {.size = sizeof r, .total_us = total_us, .exact_us = NAN};
	for (int i = 0; i < 2; i++)
		r.gemm_us[i] = r.attention_us[i] = r.compute_us[i] =
		    r.memory_us[i] = NAN;
	r.comm_us = r.overhead_us = NAN;
	return r;
}

static void split(const sc_result *r, uint32_t capabilities)
{
	double sum = 0;
	components_split(r, capabilities, us);
	for (int i = 0; i < N_COMPONENTS; i++)
		sum += us[i];
	near(sum, r->total_us, 1e-12, "components sum to the step");
}

static void additive(void)
{
	sc_result r = blank(101);
	r.exact_us = 100;
	r.gemm_us[SC_PREFILL] = 40;
	r.attention_us[SC_DECODE] = 30;
	r.memory_us[SC_DECODE] = 1000; /* overlaps, and is no part */
	r.comm_us = 5;
	r.overhead_us = 20;
	split(&r, SC_CAP_ADDITIVE);
	ok(us[COMPONENT_PREFILL_GEMM] == 40 &&
	       us[COMPONENT_DECODE_ATTENTION] == 30 &&
	       us[COMPONENT_DECODE_MEMORY] == 0 &&
	       us[COMPONENT_COMMUNICATION] == 5 && us[COMPONENT_OVERHEAD] == 20,
	   "an additive model: its parts");
	ok(us[COMPONENT_OTHER] == 5 && us[COMPONENT_ROUNDING] == 1,
	   "what is left over, and what rounding adds");
}

static void keys(void)
{
	char key[COMPONENT_KEY];
	is(component_key(key, component_name[COMPONENT_PREFILL_GEMM]),
	   "prefill_gemm", "a component as a key");
	is(component_key(key, "a name that is longer than there is room"),
	   "a_name_that_is_longer_than_ther", "cut");
}

static void kinds(void)
{
	ok(component_of(SC_PART_GEMM, SC_PREFILL) == COMPONENT_PREFILL_GEMM &&
	       component_of(SC_PART_GEMM, SC_DECODE) == COMPONENT_DECODE_GEMM &&
	       component_of(SC_PART_ATTENTION, SC_PREFILL) ==
		   COMPONENT_PREFILL_ATTENTION &&
	       component_of(SC_PART_ATTENTION, SC_DECODE) ==
		   COMPONENT_DECODE_ATTENTION,
	   "GEMM and attention by phase");
	ok(component_of(SC_PART_COMM, 0) == COMPONENT_COMMUNICATION &&
	       component_of(SC_PART_OVERHEAD, 0) == COMPONENT_OVERHEAD,
	   "communication and overhead in one");
}

static void one_phase(void)
{
	sc_result r = blank(100);
	r.memory_us[SC_DECODE] = 80;
	r.gemm_us[SC_DECODE] = 20;
	r.attention_us[SC_DECODE] = 30;
	r.overhead_us = 20;
	split(&r, 0);
	ok(us[COMPONENT_DECODE_MEMORY] == 80 && us[COMPONENT_DECODE_GEMM] == 0,
	   "bound by memory: memory answers");
	r.memory_us[SC_DECODE] = 30;
	r.overhead_us = 50;
	split(&r, 0);
	ok(us[COMPONENT_DECODE_GEMM] == 20 &&
	       us[COMPONENT_DECODE_ATTENTION] == 30 &&
	       us[COMPONENT_DECODE_MEMORY] == 0,
	   "bound by compute: GEMM and attention");
	r.compute_us[SC_DECODE] = 100;
	r.overhead_us = NAN;
	split(&r, 0);
	near(us[COMPONENT_DECODE_GEMM], 40, 1e-12,
	     "compute that says more is shared as they are");
	r.gemm_us[SC_DECODE] = r.attention_us[SC_DECODE] = NAN;
	split(&r, 0);
	ok(us[COMPONENT_DECODE_GEMM] == 100, "and stays with GEMM alone");
}

static void two_phases(void)
{
	sc_result r = blank(60);
	r.memory_us[SC_PREFILL] = 60;
	r.memory_us[SC_DECODE] = 20;
	split(&r, 0);
	ok(us[COMPONENT_PREFILL_MEMORY] == 60 &&
	       us[COMPONENT_DECODE_MEMORY] == 0,
	   "phases that overlap: the longer one");
	r.memory_us[SC_PREFILL] = 10;
	r.total_us = 20;
	split(&r, 0);
	ok(us[COMPONENT_PREFILL_MEMORY] == 0 &&
	       us[COMPONENT_DECODE_MEMORY] == 20,
	   "whichever that is");
	r.total_us = 30;
	split(&r, 0);
	ok(us[COMPONENT_PREFILL_MEMORY] == 10 &&
	       us[COMPONENT_DECODE_MEMORY] == 20,
	   "phases one after another: both");
	r.total_us = 60;
	split(&r, 0);
	near(us[COMPONENT_DECODE_MEMORY], 40, 1e-12, "else in proportion");
	ok(fabs(us[COMPONENT_OTHER]) < 1e-12, "and nothing is left over");
}

static void nothing(void)
{
	sc_result r = blank(7);
	split(&r, 0);
	ok(us[COMPONENT_OTHER] == 7, "a model that explains nothing");
	split(&r, SC_CAP_ADDITIVE);
	ok(us[COMPONENT_OTHER] == 7, "whatever it declares");
	r = blank(0);
	split(&r, 0);
	is(component_name[COMPONENT_COMMUNICATION], "communication", "a name");
}

int main(void)
{
	additive();
	kinds();
	keys();
	one_phase();
	two_phases();
	nothing();
	return done();
}
