/* Lines of steps that wait for their results. */
#include "record/held_steps.h"
#include <stdlib.h>
#include <string.h>
#include "tap.h"

static struct held_steps held;
static char *text;
static size_t size;
static FILE *out;

static void hold(uint32_t replica, const char *before)
{
	const sc_step step = {.size = sizeof step, .replica = replica};
	const struct scheduled scheduled[] = {
	    {.row = 5, .emitted = 1}, {.row = 6}, {.row = 7, .emitted = 2}};
	const struct step_event e = {
	    .step = &step, .n_scheduled = 3, .scheduled = scheduled};
	if (held_steps_add(&held, &e, strdup(before), strdup(",0\n")))
		bail_out("out of memory");
}

static void results(uint32_t replica, uint8_t first, uint8_t last)
{
	const uint8_t lost[] = {first, 0, last};
	held_steps_write(&held,
			 &(struct results_event){.replica = replica,
						 .n_members = 3,
						 .is_lost = lost},
			 out);
	fflush(out);
}

int main(void)
{
	out = open_memstream(&text, &size);
	if (!out)
		bail_out("out of memory");
	hold(0, "a,");
	hold(1, "b,");
	hold(0, "c,");
	fflush(out);
	ok(size == 0, "nothing is written before the results");
	results(1, 0, 0);
	is(text, "b,5:1;7:2,0\n", "what got tokens, of that replica");
	results(0, 1, 0);
	is(text + strlen("b,5:1;7:2,0\n"), "a,7:2,0\n",
	   "the oldest line, without what was lost");
	results(2, 0, 0);
	ok(held.n == 1, "nothing is held for another replica");
	held_steps_end(&held, out);
	fclose(out);
	is(strstr(text, "c,"), "c,5:1;7:2,0\n", "the rest at the end");
	ok(!held.step && held.n == 0, "and nothing is left");
	free(text);
	return done();
}
