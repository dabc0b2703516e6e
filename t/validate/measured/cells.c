/* Formulas of a row's cells in the texts of rules. */
#include "validate/measured/cells.h"
#include <math.h>
#include "tap.h"

static struct problem p;
static char yes[] = "yes", eight[] = "8";
static struct measured_row row = {
    .kv_cache_dtype = yes,
    .draft_tokens = 3,
    .concurrency = NAN,
    .pool[MEASURED_DECODE] = {.tp = 16, .ep = eight}};

static void filled(const char *text, const char *want)
{
	char out[80] = "(left out)";
	cells_fill(text, &row, out, sizeof out);
	is(out, want, "%s", text);
}

static void left_out(const char *text)
{
	char out[80];
	ok(!cells_fill(text, &row, out, sizeof out), "no value: %s", text);
}

static void refused(const char *text, const char *want)
{
	ok(cells_check(text, "own.ini:3", &p) < 0 && strstr(p.text, want), "%s",
	   p.text);
}

int main(void)
{
	filled("plain", "plain");
	filled("{draft_tokens}", "3");
	filled("{5 * (1 + draft_tokens / 2)} us, {decode_tp}", "12.5 us, 16");
	filled("{kv_cache_dtype}!", "yes!");
	filled("{decode_ep * 2}", "16");
	filled("{0.7}", "0.7");
	filled("open {decode_tp", "open {decode_tp");
	char five[5];
	ok(cells_fill("long {draft_tokens}", &row, five, sizeof five) &&
	       !strcmp(five, "long"),
	   "as much as there is space for: %s", five);
	left_out("{concurrency}");
	left_out("{moe_kernels}");
	left_out("{kv_cache_dtype * 2}");
	left_out("{1 / (draft_tokens - 3)}");
	ok(cells_check("{5 * (1 + draft_tokens / 2)} and {decode_tp}", "x",
		       &p) == 0,
	   "sound formulas");
	refused("{speed}", "own.ini:3: speed is no column");
	refused("{1 +}", "own.ini:3");
	return done();
}
