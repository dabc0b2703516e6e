/* Requests without an answer, of the arm that served fewest; the warm-up. */
#include "report/results/not_counted.h"
#include "document_asked.h"
#include "tap.h"

static struct arm_record record[3];
static struct arm_result arm[3] = {{.name = "a", .record = &record[0]},
				   {.name = "b", .record = &record[1]},
				   {.name = "c", .error = "it broke"}};
static struct results r = {.arm = arm, .n = 1};
static struct document d;

static const char *said(void)
{
	document_free(&d);
	d = (struct document){.in = IN_ALL};
	not_counted_answer(&r, &d);
	return d.answer.n ? d.answer.item[0] : "nothing";
}

static void not_served(void)
{
	struct outcome *o = &record[0].outcome;
	char want[300];
	o->requests = o->completed = 10;
	is(said(), "nothing", "all are served");
	o->completed = 7;
	o->cancelled = 3;
	is(said(), "nothing", "what a client cancelled is no failure");
	o->unfinished = 1;
	is(said(), "1 of 10 requests are not served: 1 unfinished.", "one");
	o->rejections.of[REJECTED_BY_STEP].n = 1;
	o->rejected = 1;
	o->failed = 1;
	snprintf(want, sizeof want,
		 "3 of 10 requests are not served: 1 rejected, %s; 1 "
		 "unfinished; 1 lost by failures.",
		 rejection_name[REJECTED_BY_STEP]);
	is(said(), want, "each reason");
	record[1].outcome.requests = 10;
	record[1].outcome.unfinished = 4;
	r.n = 3;
	is(said(),
	   "4 of 10 requests are not served by b: 4 unfinished (2 of 3 arms "
	   "leave requests out).",
	   "by the arm that served fewest; one that failed has none");
}

static void warm_up(void)
{
	document_free(&d);
	d = (struct document){.in = IN_ALL};
	not_counted_warm_up(&r, &d);
	ok(!document_says(&d, IN_ALL, "Warm-up"), "no warm-up was asked for");
	r.warm_up = "mser";
	record[0].outcome.warm_up =
	    (struct warm_up){.requests = 5, .ns = 2500000000};
	not_counted_warm_up(&r, &d);
	ok(document_says(&d, IN_ALL,
			 "Warm-up (mser): the first 5 requests, 2.5 s"),
	   "the cut of the first arm that did not fail");
}

int main(void)
{
	not_served();
	warm_up();
	document_free(&d);
	return done();
}
