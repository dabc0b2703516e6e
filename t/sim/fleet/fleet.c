/* Requests of a replica that dies are sent again, or fail; a step is 100 us and
 * 1 us for each token. */
#include "sim/fleet/fleet.h"
#include "note.h"
#include "serve.h"
#include "tap.h"

static const struct linear_cost cost = {100, 1, 0};
static struct outcome out;
static struct problem problem;

static int on_request(void *ctx, const struct request_event *e,
		      struct problem *p)
{
	static const char *const ending[] = {"ended", "rejected", "unfinished",
					     "failed"};
	(void)ctx, (void)p;
	note("%d %s on %u after %u, %g us\n", (int)e->request.row,
	     ending[e->ending], e->replica, e->retries,
	     e->ending == REQUEST_ENDED ? (double)e->e2el_ns / 1e3 : 0);
	return 0;
}

static void on_life(void *ctx, const struct replica_life *l)
{
	(void)ctx;
	note("replica %u from %g%s\n", l->replica,
	     (double)l->requested_ns / 1e3, l->has_died ? " died" : "");
}

static const char *served(const struct engine *e, const struct request *r,
			  size_t n)
{
	const struct observer o = {.on_request = on_request,
				   .on_life = on_life};
	log_length = 0;
	log_text[0] = '\0';
	if (serve(e, &cost, r, n, &o, &out, &problem))
		note("%s", problem.text);
	return log_text;
}

#define ROW(row_, us, in, n_out)                                               \
	{                                                                      \
		.row = row_, .arrival_ns = us * 1000, .input_tokens = in,      \
		.output_tokens = n_out                                         \
	}

static struct engine two_replicas(void)
{
	struct engine e = plain_engine();
	e.replicas = 2;
	e.fleet = (struct fleet_rules){.start = 2,
				       .dies = 1,
				       .max_retries = 5,
				       .n_deaths = 1,
				       .death = {{105000, 0}},
				       .gpus = 1};
	return e;
}

static void deaths(void)
{
	const struct request two[] = {ROW(0, 0, 10, 3), ROW(1, 0, 10, 3)};
	struct engine e = two_replicas();
	is(served(&e, two, 2),
	   "replica 0 from 0 died\n1 ended on 1 after 0, 312 us\n"
	   "0 ended on 1 after 1, 50417 us\nreplica 1 from 0\n",
	   "a request without a token is sent again, 50 ms later");
	ok(out.fleet.retried == 1 && out.fleet.deaths == 1 &&
	       out.requests == out.completed && out.ttft.max == 50215e3,
	   "its times count from its arrival");
	near(out.fleet.gpu_hours, (105e3 + 50417e3) / 3600e9, 1e-9,
	     "GPU time of both");
	e.fleet.death[0].at_ns = 115000;
	is(served(&e, two, 2),
	   "replica 0 from 0 died\n0 failed on 0 after 0, 0 us\n"
	   "1 ended on 1 after 0, 312 us\nreplica 1 from 0\n",
	   "one with tokens fails");
	ok(out.failed == 1 && out.completed == 1, "and counts");
	e.fleet.death[0].at_ns = 105000;
	e.fleet.max_retries = 0;
	served(&e, two, 2);
	ok(out.failed == 1 && out.fleet.retried == 0, "as without retries");
}

static void nobody(void)
{
	const struct request late[] = {ROW(0, 0, 10, 3), ROW(1, 200, 10, 3)};
	struct engine e = two_replicas();
	e.replicas = 1;
	e.fleet.start = 1;
	served(&e, late, 2);
	ok(out.failed == 2 && out.requests == 2,
	   "without a replica all requests fail");
	e.fleet.restart = 1;
	e.fleet.cold_start_ns = 60000000;
	is(served(&e, late, 2),
	   "replica 0 from 0 died\n1 ended on 0 after 0, 60229 us\n"
	   "0 ended on 0 after 1, 60429 us\nreplica 0 from 105\n",
	   "or they wait for its start");
	e.fleet.detect_ns = 1000000;
	e.fleet.cold_start_ns = 0;
	served(&e, late, 2);
	ok(out.completed == 2 && out.fleet.retried == 2,
	   "a dead replica refuses a request, which is sent again");
}

int main(void)
{
	deaths();
	nobody();
	return done();
}
