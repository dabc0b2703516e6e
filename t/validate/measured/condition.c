/* Conditions on cells: globs, ranges, empty cells. */
#include "validate/measured/condition.h"
#include <math.h>
#include "tap.h"

int main(void)
{
	char engine[] = "SGLang", day[] = "2026-04-02";
	const struct measured_row r = {.engine = engine,
				       .measured = day,
				       .concurrency = 16,
				       .request_rate = NAN};
	ok(condition_on_text("vllm, sg*", "SGLang"), "the second glob matches");
	ok(!condition_on_text("vllm,sg", "SGLang"), "none does");
	ok(condition_on_text("-,vllm", NULL) && !condition_on_text("*", NULL),
	   "an empty cell is - and no glob");
	ok(!condition_on_text("-", "vllm"), "and - is nothing else");
	const char *const days = "2026-03-27..2026-04-19";
	ok(condition_on_text(days, "2026-03-27") &&
	       condition_on_text(days, "2026-04-19"),
	   "both ends are in a range of days");
	ok(!condition_on_text(days, "2026-03-26") &&
	       !condition_on_text(days, "2026-04-20") &&
	       !condition_on_text(days, NULL),
	   "others and none are not");
	ok(condition_on_text("2026-01-01..", "2027-01-01"), "an open range");
	ok(condition_on_number("2..", 2) && condition_on_number("2..", 1e9) &&
	       !condition_on_number("2..", 1),
	   "a range of numbers without an end");
	ok(condition_on_number("..7", 0) && !condition_on_number("..7", 8),
	   "or without a beginning");
	ok(condition_on_number("1, 4", 4) && !condition_on_number("1,4", 3),
	   "single numbers");
	ok(condition_on_number("-,..1", NAN) &&
	       !condition_on_number("..1", NAN),
	   "a number that is not there");
	ok(condition_holds(condition_column("engine"), "sglang", &r) &&
	       condition_holds(condition_column("measured"), "2026-04..", &r) &&
	       condition_holds(condition_column("concurrency"), "10..20", &r) &&
	       condition_holds(condition_column("request_rate"), "-", &r),
	   "cells of a row, by their columns");
	ok(!condition_column("speed"), "no such column");
	char many[400] = "-";
	for (int i = 0; i < 300; i++)
		many[i] = 'x';
	strcpy(many + 300, " ,, vllm , 7");
	ok(condition_on_text(many, "vllm") && condition_on_text(many, "7"),
	   "blanks around a name do not count");
	ok(!condition_on_text(many, "x"), "a long alternative is no short one");
	return done();
}
