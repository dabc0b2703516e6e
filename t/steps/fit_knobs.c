/* The knobs of a fit, as the command line has them. */
#include "steps/fit_knobs.h"
#include "stepcost/knob.h"
#include "tap.h"

struct block {
	double gain, share, free;
	int64_t mode;
};
static const char *const words[] = {"a", "b", NULL};
static const sc_knob *const knobs[] = {
    SC_DOUBLE(struct block, gain, "2", 1, 100, "1", "gain"),
    SC_DOUBLE(struct block, share, "0", 0, 1, "1", "share", .fit_low = .04,
	      .fit_high = 1),
    SC_DOUBLE(struct block, free, "5", 0, 1e9, "1", "free"),
    SC_CHOICE(struct block, mode, "a", words, "mode"),
};
static const sc_plugin plugin = {
    .size = sizeof plugin, .name = "mine", .n_knobs = 4, .knob = knobs};
static struct fit f;
static struct problem why;

static void forget(void)
{
	for (size_t k = 0; k < f.n; k++)
		free(f.knob[k].name);
	f = (struct fit){0};
}

static int reads(const char *text)
{
	static const struct block block = {2, 0, 5, 0};
	forget();
	why = (struct problem){0};
	return fit_knobs_read(&f, text, &plugin, &block, &why) == 0;
}

int main(void)
{
	ok(reads("gain,free") && f.n == 2 && f.knob[0].start == 2 &&
	       f.knob[0].low == 1 && f.knob[0].high == 100 &&
	       f.knob[1].start == 5,
	   "starts and bounds of the arm and the plugin");
	ok(reads("gain=3:2..50") && f.knob[0].start == 3 &&
	       f.knob[0].low == 2 && f.knob[0].high == 50,
	   "a start and bounds");
	ok(reads("free:1.5..2.5e3") && f.knob[0].low == 1.5 &&
	       f.knob[0].high == 2500 && !f.knob[0].start_was_outside,
	   "bounds alone");
	ok(reads("share") && f.knob[0].low == .04 &&
	       f.knob[0].start_was_outside,
	   "a value outside of the bounds for fits");
	near(f.knob[0].start, .2, 1e-12, "then the middle, geometric");
	ok(reads("free:0..4") && f.knob[0].start == 2 &&
	       f.knob[0].start_was_outside,
	   "or the middle, where the lower bound is 0");
	static const char *const wrong[] = {
	    "gain=",     "gain:", "gain:3", "gain:3..",  "gain:3..2", "gain=1x",
	    "gain:0..5", "mode",  "none",   "gain,gain", ""};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		ok(!reads(wrong[i]) && why.code == EXIT_USAGE, "%s: %s",
		   wrong[i], why.text);
	ok(!reads("gian") && strstr(why.text, "did you mean 'gain'"),
	   "the nearest knob is named");
	forget();
	return done();
}
