/* Ranks arms that differ in one knob by how much it moves the result. */
#include "report/results/ranking.h"
#include "document_asked.h"
#include "rendered.h"

enum { ARMS = 5 };
static struct arm_record record[ARMS];
static struct arm_result arm[ARMS];
static struct study s = {.arm = arm, .n = ARMS};
#define TEXT(t) (char *)(uintptr_t)(t)
static struct variant item[ARMS] = {
    {.arm = TEXT("base")},
    {.arm = TEXT("v1"), .knob = TEXT("alpha"), .value = TEXT("2")},
    {.arm = TEXT("v2"), .knob = TEXT("beta"), .value = TEXT("x")},
    {.arm = TEXT("v3"), .knob = TEXT("gamma"), .value = TEXT("3")},
    {.arm = TEXT("v4")}};
static const struct variants v = {.item = item, .n = ARMS};

static void fill(void)
{
	static const double e2el_ms[ARMS] = {100, 101, 60, 0, 130};
	for (size_t i = 0; i < ARMS; i++) {
		arm[i] = (struct arm_result){.name = item[i].arm,
					     .record = &record[i]};
		record[i].outcome.completed = 1;
		record[i].outcome.e2el =
		    (struct stats_summary){.n = 1, .mean = 1e6 * e2el_ms[i]};
	}
	arm[3].error = "it broke";
}

static void as_document(void)
{
	struct document d = {.in = IN_ALL};
	ranking_document(&s, &v, &d);
	ok(document_says(&d, IN_SHORT,
			 "The largest changes of the result, against base"),
	   "a heading");
	const struct columns *c = document_find(&d, "changed");
	ok(c && c->n_rows == 4, "an arm that failed has no row");
	is(columns_at(c, 1)->text, "beta = x", "the largest change first");
	is(columns_at(c, 2)->text, "all of v4", "up or down");
	is(columns_at(c, 3)->text, "alpha = 2", "then smaller ones");
	is(columns_at(c, 1)[1].text, "60.00 -40.00 %", "its figure");
	document_free(&d);
}

static void as_json(void)
{
	struct jw *j = rendered_object();
	ranking_json(&s, &v, j);
	json_t *doc = rendered_members(j);
	ok(json_array_size(json_at(doc, "ranking")) == 3,
	   "an arm that failed has no rank");
	is(json_text_at(doc, "ranking.0.knob"), "beta", "the first");
	is(json_text_at(doc, "ranking.0.value"), "x", "its value");
	near(json_number_at(doc, "ranking.0.mean_e2el_ms_change"), -.4, 1e-12,
	     "by how much");
	near(json_number_at(doc, "ranking.1.mean_e2el_ms"), 130, 1e-12,
	     "what it comes to");
	ok(json_is_null(json_at(doc, "ranking.1.knob")),
	   "a variant without a knob has none");
}

static void nothing_to_compare(void)
{
	arm[0].error = "it broke";
	struct document d = {.in = IN_ALL};
	ranking_document(&s, &v, &d);
	ok(d.n == 0, "the first arm failed: nothing is ranked");
	struct jw *j = rendered_object();
	ranking_json(&s, &v, j);
	ok(json_array_size(json_at(rendered_members(j), "ranking")) == 0,
	   "an empty array");
}

int main(void)
{
	fill();
	as_document();
	as_json();
	nothing_to_compare();
	return done();
}
