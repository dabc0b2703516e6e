/* A composition as cells, both ways. */
#include "cost/composition.h"
#include "base/problem.h"
#include "tap.h"

static struct composition c;

static const char *text_of(void (*write)(FILE *, const sc_step *),
			   const sc_step *step)
{
	static char text[200];
	FILE *f = fmemopen(text, sizeof text, "w");
	if (!f)
		bail_out("fmemopen");
	text[0] = '\0';
	write(f, step);
	fclose(f);
	return text;
}

static int reads(const char *decode, const char *prefill)
{
	composition_free(&c);
	return composition_read(&c, decode, prefill, "") == NULL;
}

static void written(void)
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
	steps_write_row(f, &step);
	fclose(f);
	is(text, "7,4096;64x3;4096,0:513;128:1000x2;0:512,8",
	   "neighbours are counted, order stays");
	uint32_t fresh_of_decode[] = {1, 4, 4, 2, 1};
	step.decode_new = fresh_of_decode;
	step.n_prefill = 0;
	f = fmemopen(text, sizeof text, "w");
	steps_write_decode(f, &step);
	fclose(f);
	is(text, "4096;64+4x2;64+2;4096", "decodes of several tokens");
	step = (sc_step){.step_index = 8};
	f = fmemopen(text, sizeof text, "w");
	steps_write_row(f, &step);
	fclose(f);
	is(text, "8,,,0", "an empty step");
}

/* Chunks that tell their prompts, and those that do not. */
static void chunks(void)
{
	ok(reads("", "0:512/2048x2;1024:1024/2048;0:7") &&
	       c.prefill_prompt[1] == 2048 && !c.step.prefill_last[1] &&
	       c.step.prefill_last[2] == 1 && c.step.prefill_last[3] == 1 &&
	       c.prefill_prompt[3] == 7,
	   "a chunk with its prompt");
	ok(reads("", "0:512") && !c.step.prefill_last && !c.prefill_prompt,
	   "no prompt is told");
	is(text_of(steps_write_prefill, &c.step), "0:512", "written as it was");
	ok(!reads("", "0:512/511"), "a prompt shorter than its chunk");
	ok(!reads("", "0:512/"), "a prompt without a number");
	ok(!reads("64/70", ""), "a decode has no prompt");
}

static void means(void)
{
	ok(reads("100;300", "") && composition_mean_context(&c.step) == 200 &&
	       c.step.decode_ctx_sum == 400,
	   "the mean context of decodes");
	ok(reads("", "0:5") && isnan(composition_mean_context(&c.step)),
	   "no decode, no mean");
}

int main(void)
{
	written();
	chunks();
	means();
	composition_free(&c);
	return done();
}
