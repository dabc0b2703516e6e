/* States of replicas, and the GPU time that they take. */
#include "sim/fleet/members.h"
#include "tap.h"

static struct engine engine(void)
{
	return (struct engine){.replicas = 3,
			       .ranks = 1,
			       .seed = 5,
			       .fleet = {.start = 1,
					 .dies = 1,
					 .detect_ns = 10,
					 .restart = 1,
					 .cold_start_ns = 100,
					 .drain_ns = 50,
					 .n_deaths = 2,
					 .death = {{1000, 0}, {1500, 2}}}};
}

static void life(void)
{
	struct engine e = engine();
	struct members m;
	uint32_t i;
	if (members_init(&m, &e))
		bail_out("out of memory");
	ok(m.of[0].state == MEMBER_READY && m.of[1].state == MEMBER_ABSENT &&
	       members_asked(&m) == 1 && members_absent(&m) == 1 &&
	       members_next_ns(&m) == 1000,
	   "the first are ready at 0");
	members_start(&m, 1, 20);
	ok(members_next_ns(&m) == 120 &&
	       members_next_event(&m, 120, &i) == MEMBER_IS_READY && i == 1,
	   "a start takes its time");
	members_ready(&m, 1, 120);
	members_load(&m, 0, 2, 200);
	members_load(&m, 1, 2, 200);
	ok(members_to_stop(&m) == 1, "of equals the last one stops");
	members_drain(&m, 1, 300);
	ok(members_next_ns(&m) == 350 && members_asked(&m) == 1,
	   "it has time for its requests");
	members_load(&m, 1, 0, 310);
	ok(members_next_ns(&m) == 310 &&
	       members_next_event(&m, 310, &i) == MEMBER_IS_GONE && i == 1,
	   "and is gone when they are over");
	members_gone(&m, 1, 310);
	ok(m.gpu_ns == 290 && members_gpu_ns(&m, 30, 300) == 270 &&
	       members_gpu_ns(&m, 400, 500) == 0 && m.idle_ns == 380,
	   "GPU time is from its start to there");
	ok(members_next_event(&m, 1000, &i) == MEMBER_DIES && i == 0,
	   "a death that was given");
	members_die(&m, 0, 1000);
	ok(member_is_choice(&m.of[0]) && members_asked(&m) == 1 &&
	       members_next_ns(&m) == 1010 &&
	       members_next_event(&m, 1010, &i) == MEMBER_IS_KNOWN,
	   "is known later");
	members_gone(&m, 0, 1010);
	ok(m.gpu_ns == 1290 && m.deaths == 1 &&
	       members_next_event(&m, 1500, &i) == MEMBER_NOTHING &&
	       members_next_ns(&m) == MEMBER_NEVER && !members_hope(&m),
	   "an absent replica does not die");
	members_free(&m);
}

static void draws(void)
{
	struct engine e = engine();
	struct members a, b;
	double sum = 0;
	enum { N = 100000 };
	e.fleet.n_deaths = 0;
	e.fleet.mtbf_ns = 1e6;
	if (members_init(&a, &e) || members_init(&b, &e))
		bail_out("out of memory");
	int same = 1;
	for (int k = 0; k < N; k++) {
		members_ready(&a, 2, 0);
		members_ready(&b, 2, 0);
		same &= a.of[2].dies_ns == b.of[2].dies_ns;
		sum += (double)a.of[2].dies_ns;
	}
	ok(same && a.of[0].dies_ns != a.of[2].dies_ns,
	   "a stream for each member, the same for a seed");
	near(sum / N, 1e6, 0.02, "with the mean that was asked for");
	members_free(&a);
	members_free(&b);
}

int main(void)
{
	life();
	draws();
	return done();
}
