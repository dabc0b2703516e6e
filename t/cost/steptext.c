/* Steps as cells of a steps file. */
#include "cost/steptext.h"
#include "tap.h"

int main(void)
{
	uint32_t decode[] = {4096, 64, 64, 64, 4096};
	uint32_t cached[] = {0, 128, 128, 0}, fresh[] = {513, 1000, 1000, 512};
	sc_step step = {.step_index = 7,
			.n_decode = 5,
			.n_prefill = 4,
			.n_sampled = 8,
			.decode_ctx = decode,
			.prefill_ctx = cached,
			.prefill_new = fresh};
	char text[200] = "";
	FILE *f = fmemopen(text, sizeof text, "w");
	steptext_row(f, &step);
	fclose(f);
	is(text, "7,4096;64x3;4096,0:513;128:1000x2;0:512,8",
	   "neighbours are counted, order stays");
	step = (sc_step){.step_index = 8};
	f = fmemopen(text, sizeof text, "w");
	steptext_row(f, &step);
	fclose(f);
	is(text, "8,,,0", "an empty step");
	return done();
}
