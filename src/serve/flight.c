/* flight.c -- Passes requests to the engine, and its tokens to clients. */
#include "serve/flight.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include "base/grow.h"
#include "base/heap.h"
#include "serve/rows.h"

static void drop_text(struct row *r)
{
	if (r->text)
		kv_text_free(r->text);
	free(r->text);
	r->text = NULL;
}

void flights_drop_texts(struct server *s)
{
	for (uint64_t k = s->first_row; k < s->next_row; k++)
		drop_text(row_of(s, k));
}

/* ---- the end ---- */

static void leave_row(struct flight *f, uint32_t choice)
{
	struct row *r = row_of(f->s, f->first_row + choice);
	if (!r || r->flight != f)
		return;
	r->flight = NULL;
	f->s->open_choices--;
	f->at->open_choices--;
	if (--f->n_open == 0)
		f->s->open_tokens -= f->tokens;
}

void flight_resume(struct flight *f)
{
	if (!f->is_suspended)
		return;
	f->is_suspended = 0;
	f->s->has_resumed = 1;
	f->s->mhd.resume_connection(f->connection);
}

static void cancel_open(struct flight *f)
{
	struct server *s = f->s;
	for (uint32_t i = 0; f->name && i < f->reply.n_choices; i++) {
		struct row *r = row_of(s, f->first_row + i);
		if (!r || r->flight != f || !f->n_open)
			continue;
		int64_t ns = live_stamp(&s->live, server_now(s));
		live_cancel(&s->live, f->first_row + i, ns);
		record_cancel(&s->record, f->name[i], ns);
		s->measures.cancelled++;
		leave_row(f, i);
	}
}

void flight_cancel(struct flight *f)
{
	f->is_gone = 1;
	cancel_open(f);
	flight_resume(f);
}

static void fail(struct flight *f, int status, const char *type,
		 const char *what)
{
	if (f->is_complete)
		return;
	api_error_set(&f->error, status, type, NULL, "%s", what);
	if (f->state == FLIGHT_STREAMS)
		reply_fail(&f->error, &f->out);
	f->is_complete = 1;
	if (f->state == FLIGHT_WAITS)
		f->state = FLIGHT_DONE;
	flight_resume(f);
}

static void flight_abort(struct flight *f)
{
	cancel_open(f);
	f->stalled_until_ns = 0;
	if (f->state == FLIGHT_STREAMS && !f->is_complete) {
		for (uint32_t i = 0; i < f->reply.n_choices; i++)
			if (!f->reply.choice[i].is_over)
				reply_tokens(&f->reply, i, 0, 1, 1, &f->out);
		reply_end(&f->reply, &f->out);
		f->is_complete = 1;
		flight_resume(f);
		return;
	}
	fail(f, 503, "ServiceUnavailableError", "The server shuts down.");
	flight_resume(f);
}

void flight_open(struct flight *f)
{
	f->next_open = f->s->flights;
	if (f->next_open)
		f->next_open->previous = f;
	f->s->flights = f;
}

void flight_free(struct flight *f)
{
	if (!f)
		return;
	cancel_open(f);
	if (f->previous)
		f->previous->next_open = f->next_open;
	else
		f->s->flights = f->next_open;
	if (f->next_open)
		f->next_open->previous = f->previous;
	if (f->is_watched)
		epoll_ctl(f->s->epoll_fd, EPOLL_CTL_DEL, f->fd, NULL);
	if (f->at->sleeper == f)
		f->at->sleeper = NULL;
	for (struct flight **at = &f->s->resets; *at; at = &(*at)->next)
		if (*at == f) {
			*at = f->next;
			break;
		}
	for (struct flight **at = &f->s->stalled; *at;
	     at = &(*at)->next_stalled)
		if (*at == f) {
			*at = f->next_stalled;
			break;
		}
	for (uint32_t i = 0; f->name && i < f->reply.n_choices; i++)
		free(f->name[i]);
	reply_free(&f->reply);
	body_free(&f->body);
	buffer_free(&f->out);
	free(f->name), free(f->id), free(f);
}

/* ---- what the arm tells ---- */

static void on_routed(void *ctx, uint64_t row, uint32_t replica)
{
	struct row *r = row_of(ctx, row);
	if (!r || !r->flight || r->flight->replica != UINT32_MAX)
		return;
	r->flight->replica = replica;
	if (r->flight->body.stream)
		flight_resume(r->flight);
}

static void on_lost(void *ctx, uint64_t row)
{
	const struct server *s = ctx;
	struct row *r = row_of(s, row);
	if (!r)
		return;
	r->epoch++;
	if (r->flight && s->keys.ports == PORTS_EACH) {
		struct flight *f = r->flight;
		fail(f, 500, "InternalServerError",
		     "The replica of this port is gone.");
		cancel_open(f);
	}
}

static int is_sooner(const struct due *a, const struct due *b)
{
	return a->due_ns != b->due_ns ? a->due_ns < b->due_ns
				      : a->order < b->order;
}

static void on_tokens(void *ctx, uint64_t row, uint32_t n, int64_t client_ns)
{
	struct server *s = ctx;
	const struct row *r = row_of(s, row);
	if (!r || !r->flight)
		return;
	if (!MAKE_ROOM(s->due, s->n_due, s->cap_due))
		return;
	const struct due x = {client_ns, s->n_orders++, row, n, r->epoch};
	HEAP_ADD(s->due, s->n_due, x, is_sooner);
}

static enum finish finish_of(const struct flight *f, uint32_t choice,
			     const struct request_event *e)
{
	if (e->ending == REQUEST_CANCELLED)
		return FINISH_ABORT;
	if (e->ending != REQUEST_ENDED)
		return FINISH_ERROR;
	return f && f->reply.choice[choice].plan.is_stopped ? FINISH_STOP
							    : FINISH_LENGTH;
}

static void on_ended(void *ctx, const struct request_event *e)
{
	struct server *s = ctx;
	struct row *r = row_of(s, e->request.row);
	struct flight *f = r ? r->flight : NULL;
	int64_t n = f ? f->body.n : 1;
	uint32_t limit =
	    f && f->body.max_tokens > 0 ? (uint32_t)f->body.max_tokens : 0;
	measures_ended(&s->measures, e, finish_of(f, r ? r->choice : 0, e), n,
		       limit);
	if (r)
		drop_text(r);
	if (!f)
		return;
	f->reply.choice[r->choice].cached_tokens = e->cached_tokens;
	if (e->replica < s->measures.n)
		s->measures.engine[e->replica].cached_tokens +=
		    e->cached_tokens;
	if (e->ending == REQUEST_ENDED || e->ending == REQUEST_CANCELLED)
		return;
	leave_row(f, r->choice);
	if (e->ending == REQUEST_REJECTED)
		fail(f, 400, "BadRequestError",
		     "The request needs more KV cache than there is.");
	else
		fail(f, 500, "InternalServerError",
		     "The replica of the request is gone.");
	cancel_open(f);
}

void flight_reset(struct flight *f)
{
	struct server *s = f->s;
	uint32_t only = s->keys.ports == PORTS_EACH ? f->at->first : UINT32_MAX;
	int64_t ns = live_stamp(&s->live, server_now(s));
	f->reset_number = s->n_resets++;
	f->next = s->resets;
	s->resets = f;
	live_reset(&s->live, only, ns);
	record_reset(&s->record, only, ns);
}

static void fall_asleep(struct port *at)
{
	const struct live_arm *a = &at->s->live.arm[0];
	uint64_t n = 0;
	if (!at->sleeper || a->reached_ns < at->sleep_stamp_ns)
		return;
	for (uint32_t i = at->first; i < at->first + at->n; i++)
		n += a->load[i].running + a->load[i].waiting;
	if (n)
		return;
	flight_reset(at->sleeper);
	at->sleeper = NULL;
}

void flights_fall_asleep(struct server *s)
{
	for (uint32_t i = 0; i < s->n_ports; i++)
		fall_asleep(&s->port[i]);
}

static void on_reset(void *ctx, int all)
{
	struct server *s = ctx;
	uint64_t number = s->n_resets_done++;
	for (struct flight **at = &s->resets, *f; (f = *at); at = &f->next) {
		if (f->reset_number != number)
			continue;
		*at = f->next;
		if (!f->is_silent)
			buffer_say(&f->out, "{\"success\":%s}",
				   all ? "true" : "false");
		f->is_complete = 1;
		f->state = FLIGHT_DONE;
		flight_resume(f);
		return;
	}
}

static void on_step(void *ctx, uint32_t replica, const struct live_step *x)
{
	struct server *s = ctx;
	if (replica >= s->measures.n)
		return;
	struct engine_measures *e = &s->measures.engine[replica];
	e->steps++;
	e->drafts += x->members;
	e->draft_tokens += x->drafts;
	for (int i = 0; i < ENGINE_DRAFTS; i++) {
		e->accepted_at[i] += x->accepted_at[i];
		e->accepted_tokens += x->accepted_at[i];
	}
	for (int i = 0; i < SC_N_PROVENANCE; i++)
		if (x->lookup_us[i] > 0)
			s->measures.lookup_s[i] += 1e-6 * x->lookup_us[i];
	measures_add(&s->measures, replica, M_ITERATION, x->tokens, 1);
}

static void on_blocks(void *ctx, uint32_t replica, const struct block_change *x)
{
	struct server *s = ctx;
	const struct row *r = row_of(s, x->row);
	publisher_take(&s->publisher, replica, x, r ? r->text : NULL);
}

struct live_listener flight_listener(struct server *s)
{
	return (struct live_listener){.blocks =
					  *s->keys.kv_events ? on_blocks : NULL,
				      .routed = on_routed,
				      .lost = on_lost,
				      .tokens = on_tokens,
				      .ended = on_ended,
				      .reset = on_reset,
				      .step = on_step,
				      .ctx = s};
}

/* ---- handing out ---- */

static struct due take_due(struct server *s)
{
	struct due first = s->due[0];
	HEAP_DROP(s->due, s->n_due, is_sooner);
	return first;
}

/* The whole answer is there. */
static void complete(struct flight *f)
{
	f->is_complete = 1;
	if (f->body.stream) {
		reply_end(&f->reply, &f->out);
	} else {
		reply_document(&f->reply, &f->out);
		f->state = FLIGHT_DONE;
	}
}

static void count_tokens(struct server *s, const struct flight *f,
			 struct row *r, int64_t due_ns, uint32_t n)
{
	int64_t since_ns = r->last_ns ? r->last_ns : r->arrival_ns;
	uint32_t k = f->replica < s->measures.n ? f->replica : 0;
	struct engine_measures *e = &s->measures.engine[k];
	if (!r->last_ns)
		e->prompt_tokens +=
		    f->body.prompt[r->choice / (uint32_t)f->body.n].n;
	e->generation_tokens += n;
	measures_add(&s->measures, k, r->last_ns ? M_ITL : M_TTFT,
		     1e-9 * (double)(due_ns - since_ns), 1);
	r->last_ns = due_ns;
}

/* A fault on demand begins behind the first events of a stream: `from` says
 * where new ones are.  Returns 1 if the stream is cut. */
static int begin_fault(struct flight *f, size_t from)
{
	int cuts = f->fault.kind == FAULT_CUT;
	size_t wanted = cuts ? (size_t)f->fault.value : 1;
	for (; f->body.stream && f->n_events < wanted; f->n_events++) {
		const char *end =
		    memmem(f->out.s + from, f->out.n - from, "\n\n", 2);
		if (!end)
			return 0;
		from = (size_t)(end - f->out.s) + 2;
	}
	f->fault.kind = FAULT_NONE;
	if (cuts) {
		f->out.n = from;
		f->ends_with_error = 1;
		flight_cancel(f);
		return 1;
	}
	f->leaves = from - f->sent;
	f->stalled_until_ns =
	    server_wall_ns() + (int64_t)(1e9 * f->fault.value);
	f->next_stalled = f->s->stalled;
	f->s->stalled = f;
	return 0;
}

static void hand_out(struct server *s, const struct due *d)
{
	struct row *r = row_of(s, d->row);
	struct flight *f = r ? r->flight : NULL;
	if (!f || r->epoch != d->epoch)
		return;
	uint32_t i = r->choice, n = d->n;
	struct choice *c = &f->reply.choice[i];
	uint32_t all =
	    c->plan.stop_tokens ? c->plan.stop_tokens : c->plan.output_tokens;
	if (n > all - c->given)
		n = all - c->given;
	if (n == 0)
		return;
	count_tokens(s, f, r, d->due_ns, n);
	int is_last = c->given + n == all;
	size_t had = f->out.n;
	reply_tokens(&f->reply, i, n, is_last, 0, &f->out);
	measures_late(
	    &s->measures,
	    1e-9 * (double)(server_wall_ns() - server_wall_of(s, d->due_ns)));
	if (f->fault.kind >= FAULT_CUT && begin_fault(f, had))
		return;
	if (is_last) {
		leave_row(f, i);
		if (f->n_open == 0)
			complete(f);
	}
	if (f->body.stream &&
	    f->out.n - f->sent > (size_t)s->keys.send_buffer &&
	    !f->stalled_until_ns)
		flight_cancel(f); /* its client does not read */
	else if (f->body.stream || f->is_complete)
		flight_resume(f);
}

int64_t flights_hand_out(struct server *s)
{
	int64_t now = server_now(s), reached = s->live.arm[0].reached_ns;
	while (s->n_due && s->due[0].due_ns <= now &&
	       s->due[0].due_ns <= reached) {
		const struct due d = take_due(s);
		hand_out(s, &d);
	}
	return s->n_due ? s->due[0].due_ns : INT64_MAX;
}

void flights_fail(struct server *s, const char *why)
{
	for (struct flight *f = s->flights; f; f = f->next_open) {
		for (uint32_t i = 0; f->name && i < f->reply.n_choices; i++)
			leave_row(f, i);
		fail(f, 500, "InternalServerError", why);
	}
}

void flights_abort(struct server *s, const struct port *at)
{
	for (struct flight *f = s->flights; f; f = f->next_open)
		if (!at || (f->at == at && f->name))
			flight_abort(f);
}

void flights_name_adapters(struct server *s, int has_tokens, char *to, size_t n)
{
	unsigned char seen[MOST_ADAPTERS] = {0};
	size_t at = 0;
	to[0] = '\0';
	for (uint64_t k = s->first_row; s->adapters.n && k < s->next_row; k++) {
		const struct row *r = row_of(s, k);
		uint32_t number = r->flight && (r->last_ns != 0) == has_tokens
				      ? server_adapter(s, r->flight->body.model)
				      : 0;
		const char *name = number ? s->adapters.item[number - 1] : "";
		if (!number || seen[number - 1]++ || at + strlen(name) + 2 > n)
			continue;
		at += (size_t)snprintf(to + at, n - at, "%s%s", at ? "," : "",
				       name);
	}
}

int64_t flights_unstall(struct server *s)
{
	int64_t now = server_wall_ns(), next = INT64_MAX;
	for (struct flight **at = &s->stalled; *at;) {
		struct flight *f = *at;
		if (f->stalled_until_ns <= now) {
			*at = f->next_stalled;
			f->stalled_until_ns = 0;
			flight_resume(f);
			continue;
		}
		if (f->stalled_until_ns < next)
			next = f->stalled_until_ns;
		at = &f->next_stalled;
	}
	return next;
}
