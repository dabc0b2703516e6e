/* What finished requests make known: next turns, and free clients. */
#include "workload/clients.h"
#include "tap.h"

static struct clients clients;
static struct problem problem;

static void open_with(const char *think)
{
	const struct workload_keys k = {.think_time_s = think, .seed = 42};
	clients_free(&clients);
	if (clients_open(&clients, &k, NULL, &problem))
		bail_out(problem.text);
}

static int next_is(int64_t ns, uint64_t row)
{
	struct pending x = clients.n ? clients.heap[0] : (struct pending){0};
	if (clients.n)
		clients_take(&clients);
	return x.ns == ns && x.row == row;
}

static void turns_and_sessions(void)
{
	open_with("2");
	ok(clients.n == 0, "at first nothing is known");
	clients_turn(&clients, 6, 1000);
	clients_next(&clients, 3, 500);
	ok(clients.n == 2, "a turn, and a client that is free");
	ok(next_is(2000000500, PENDING_SESSION),
	   "the earlier one first, after 2 s of thinking");
	ok(next_is(2000001000, 7) && clients.n == 0, "then the next turn");
}

static void order(void)
{
	int wrong = 0;
	int64_t before = 0;
	open_with("0");
	for (uint64_t i = 0; i < 1000; i++)
		clients_turn(&clients, i, (int64_t)(i * 7919 % 1000));
	for (int i = 0; i < 1000; i++) {
		wrong += clients.heap[0].ns < before;
		before = clients.heap[0].ns;
		clients_take(&clients);
	}
	ok(!wrong && clients.n == 0, "1,000 come in order of time");
	clients_next(&clients, 1, 5);
	clients_turn(&clients, 8, 5);
	clients_turn(&clients, 4, 5);
	ok(next_is(5, 5) && next_is(5, 9) && next_is(5, PENDING_SESSION),
	   "of one time: rows in order, then who begins a session");
}

static void thinking(void)
{
	open_with("exponential:1");
	clients_turn(&clients, 10, 0);
	int64_t first = clients.heap[0].ns;
	clients_take(&clients);
	clients_turn(&clients, 11, 0);
	ok(clients.heap[0].ns != first, "each request has a thinking time");
	clients_take(&clients);
	clients_next(&clients, 10, 0);
	ok(clients.heap[0].ns == first, "which depends on its row alone");
	const struct workload_keys k = {.think_time_s = "long"};
	clients_free(&clients);
	ok(clients_open(&clients, &k, NULL, &problem) &&
	       strstr(problem.text, "think_time_s"),
	   "%s", problem.text);
}

int main(void)
{
	turns_and_sessions();
	order();
	thinking();
	clients_free(&clients);
	return done();
}
