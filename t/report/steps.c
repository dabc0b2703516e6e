/* Priced steps as text, CSV and JSON: the same rows and the same figures. */
#include "report/steps.h"
#include "cost/cost.h"
#include "rendered.h"

static sc_result one, two;
static const sc_result *none[2];
static const sc_result *result[2] = {&one, &two};
static const struct floor_mark mark[2] = {
    {.least_us = 4.5},
    {.least_us = 9, .is_below = 1, .worst = {FLOOR_STEP, FLOOR_MEMORY, 7, 9}}};
static const struct floor_mark *floors[2] = {&mark[0], &mark[1]};
static struct work work;
static const struct work *works[2] = {&work, &work};
static const struct step_prices arm[3] = {
    {.arm = "x",
     .plugin = "p",
     .result = result,
     .floor = floors,
     .work = works},
    {.arm = "bad", .plugin = "q", .error = "it \"broke\"", .result = none},
    {.arm = "y",
     .plugin = "p",
     .result = result,
     .floor = floors,
     .work = works}};

static const char *const name[2] = {"1", "a, \"b\""};
static const struct priced_steps steps = {
    .name = name, .n = 2, .arm = arm, .n_arms = 3};

static void as_text(void)
{
	steps_text(&steps, rendered_begin());
	const char *text = rendered_end();
	int lines = 0;
	for (const char *s = text; *s; s++)
		lines += *s == '\n';
	ok(lines == 1 + 2 * 2, "a line for each step and sound arm");
	rendered_has(text,
		     "1          x                                   5.5      "
		     "           5.25  memory      0    0    3    0    0\n");
	rendered_has(text,
		     "a, \"b\"     y                                     7 "
		     "                   7  ");
	rendered_lacks(text, "bad");
}

static void as_csv(void)
{
	steps_csv(&steps, rendered_begin());
	const char *text = rendered_end();
	is(rendered_cell(text, 1, "arm"), "x", "steps in order,");
	is(rendered_cell(text, 2, "arm"), "y", "each with its arms");
	is(rendered_cell(text, 3, "step"), "a, \"b\"", "any name");
	is(rendered_cell(text, 3, "total_us"), "7", "its price");
	is(rendered_cell(text, 1, "exact_us"), "5.25", "before rounding");
	is(rendered_cell(text, 3, "exact_us"), "7", "which some do not do");
	is(rendered_cell(text, 1, "comm_us"), "", "a part that it has not");
	is(rendered_cell(text, 1, "lookups_clamped"), "3", "lookups");
	is(rendered_cell(text, 1, "floor_us"), "4.5", "what the GPU allows");
	is(rendered_cell(text, 1, "faster_than_hardware"), "", "kept");
	is(rendered_cell(text, 3, "faster_than_hardware"), "step", "or not");
	is(rendered_cell(text, 5, "arm"), "(none)", "and no further row");
}

static void as_json(void)
{
	steps_json(&steps, rendered_begin());
	json_t *doc = rendered_json();
	is(json_text_at(doc, "arms.1.error"), "it \"broke\"",
	   "an arm that failed says why");
	is(json_text_at(doc, "arms.2.plugin"), "p", "each has its plugin");
	ok(json_array_size(json_at(doc, "steps")) == 4, "rows of sound arms");
	is(json_text_at(doc, "steps.3.step"), "a, \"b\"", "any name");
	is(json_text_at(doc, "steps.0.bound"), "memory", "the bound");
	ok(json_number_at(doc, "steps.0.total_us") == 5.5 &&
	       json_number_at(doc, "steps.0.overhead_us") == 1 &&
	       json_number_at(doc, "steps.0.lookups_clamped") == 3,
	   "the same figures");
	ok(json_is_null(json_at(doc, "steps.0.comm_us")),
	   "a part that it has not is null");
	ok(json_number_at(doc, "steps.2.floor_us") == 9 &&
	       json_is_null(json_at(doc, "steps.0.faster_than_hardware")),
	   "what the GPU allows");
	is(json_text_at(doc, "steps.2.faster_than_hardware"), "step",
	   "and what is faster");
}

int main(void)
{
	one = two = cost_blank;
	work_of(&work, &one, 0);
	one.total_us = 5.5;
	one.exact_us = 5.25;
	one.overhead_us = 1;
	one.bound = SC_BOUND_MEMORY;
	one.lookups[SC_CLAMPED] = 3;
	two.total_us = 7;
	as_text();
	as_csv();
	as_json();
	return done();
}
