/* cost/work: each column by its name, from an answer with a value of its own in
 * each field. */
#include "cost/work.h"
#include "cost/cost.h"
#include "tap.h"

int main(void)
{
	static const double sigma[] = {3, 4};
	sc_result r = cost_blank;
	struct work w;
	char *text = NULL;
	size_t size;
	double v = 0;
	work_of(&w, &r, 0);
	int n = 0;
	for (int i = 0; i < N_WORK; i++)
		n += isnan(w.value[i]);
	ok(n == N_WORK, "a model that tells nothing has nothing");
	r.flops = 1;
	r.bytes = 2;
	r.attention_flops[SC_PREFILL] = 3;
	r.attention_flops[SC_DECODE] = 4;
	r.attention_mfu[SC_PREFILL] = .5;
	r.attention_mfu[SC_DECODE] = .25;
	r.kv_bytes[SC_DECODE] = 7;
	r.weight_bytes = 8;
	r.energy_j = 9;
	r.noise_us = 10;
	r.sigma_us = (double *)(uintptr_t)sigma;
	work_of(&w, &r, 2);
	FILE *f = open_memstream(&text, &size);
	if (!f)
		bail_out("open_memstream");
	work_csv_head(f);
	work_csv_cells(f, &w);
	fclose(f);
	is(text,
	   ",flops,bytes,prefill_attention_flops,decode_attention_flops,"
	   "prefill_attention_mfu,decode_attention_mfu,kv_bytes,weight_bytes,"
	   "energy_j,noise_us,sigma_us,1,2,3,4,0.5,0.25,7,8,9,10,5",
	   "names and values; two sources are independent");
	free(text);
	r.kv_bytes[SC_PREFILL] = 30;
	n = 0;
	for (int i = 0; i < N_WORK; i++)
		n += work_column(&r, work_name[i], &v) == 0;
	ok(n == N_WORK && work_column(&r, "kv_bytes", &v) == 0 && v == 37,
	   "each by its name, KV of both phases");
	ok(work_column(&r, "gemm_flops", &v) < 0, "other names are none");
	return done();
}
