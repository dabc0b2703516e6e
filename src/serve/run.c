/* run.c -- The server's loop. */
#include "serve/run.h"
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>
#include "base/hash.h"
#include "base/number.h"
#include "base/text.h"
#include "keys/keys.h"
#include "serve/flight.h"
#include "serve/http.h"

#define SECOND_NS INT64_C(1000000000)
enum { LAG_WARNING_MS = 100, LOOK_MS = 100 };

int64_t server_wall_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * SECOND_NS + t.tv_nsec;
}

int64_t server_now(const struct server *s)
{
	if (!s->t0_ns)
		return -1;
	int64_t wall = server_wall_ns() - s->t0_ns;
	return wall < 0 ? -1 : (int64_t)(s->speed * (double)wall);
}

int64_t server_wall_of(const struct server *s, int64_t ns)
{
	double wall = (double)ns / s->speed;
	return wall > 9e17 ? INT64_MAX : s->t0_ns + (int64_t)wall;
}

int server_is_ready(const struct server *s)
{
	return server_now(s) >= 0;
}

int server_is_dead(const struct server *s)
{
	return s->live.arm[0].is.is_dead;
}

int server_port_is_away(const struct port *at)
{
	const struct live_arm *a = &at->s->live.arm[0];
	return at->s->keys.ports == PORTS_EACH && a->load[at->first].is_away;
}

uint32_t server_adapter(const struct server *s, const char *name)
{
	for (size_t i = 0; name && i < s->adapters.n; i++)
		if (!strcmp(name, s->adapters.item[i]))
			return (uint32_t)i + 1;
	return 0;
}

/* ---- setting up ---- */

static int add_list(struct names *to, const char *text)
{
	char name[257];
	while (*text) {
		size_t n = strcspn(text, ",");
		snprintf(name, sizeof name, "%.*s", (int)(n < 256 ? n : 256),
			 text);
		if (*name && names_add_new(to, name) < 0)
			return -1;
		text += n + (text[n] == ',');
	}
	return 0;
}

/* The name of the configuration's model. */
static const char *model_name(const struct config *c)
{
	const char *name = ini_get(&c->cfg, "model", "config");
	const char *slash = name ? strrchr(name, '/') : NULL;
	return !name || !*name ? "model" : slash ? slash + 1 : name;
}

/* Hashes the resolved configuration. */
static int make_digest(struct server *s, const struct config *c)
{
	struct text t;
	FILE *f = text_begin(&t);
	if (!f)
		return -1;
	struct jw j = jw_document(f);
	config_write_setup(&j, c);
	jw_end(&j);
	if (fclose(f))
		return -1;
	uint64_t h = hash_mix(hash_on(HASH_BEGIN, t.s, t.n));
	free(t.s);
	snprintf(s->digest, sizeof s->digest, "%016" PRIx64, h);
	snprintf(s->fingerprint, sizeof s->fingerprint, "stepcost-%s-%.8s",
		 PACKAGE_VERSION, s->digest);
	return 0;
}

static int read_api_keys(struct server *s, struct problem *p)
{
	const char *path = s->keys.api_key_file;
	if (!*path)
		return 0;
	FILE *f = fopen(path, "re");
	if (!f)
		return problem_set(p, EXIT_USAGE, "serve.api_key_file = %s: %s",
				   path, strerror(errno));
	int rc = names_add_lines(&s->api_keys, f);
	if (rc < 0)
		problem_of_file(p, path, errno);
	fclose(f);
	return rc < 0 || s->api_keys.n
		   ? rc
		   : problem_set(p, EXIT_USAGE,
				 "serve.api_key_file = %s: no key", path);
}

static int read_rule(struct server *s, struct problem *p)
{
	const char *text = s->keys.tokens;
	char *end;
	if (!strcmp(text, "pieces"))
		return 0;
	unsigned long n =
	    strncmp(text, "chars:", 6) ? 0 : strtoul(text + 6, &end, 10);
	if (n < 1 || n > 1000 || *end)
		return problem_set(p, EXIT_USAGE,
				   "serve.tokens = %s: not pieces, or chars:N "
				   "with N from 1 to 1000; the tokenizer.json "
				   "of a model cannot be read yet",
				   text);
	s->chars = (uint32_t)n;
	return 0;
}

static int read_keys(struct server *s, const struct config *c,
		     struct problem *p)
{
	if (knobs_fill(&s->keys, serve_key, serve_n_keys, NULL, &c->cfg,
		       "serve", "", p) < 0 ||
	    distribution_parse(&s->lengths, s->keys.output_tokens, OF_TOKENS,
			       "[serve]", "output_tokens", &c->cfg, p) < 0 ||
	    fault_shares_parse(s->keys.faults, &s->faults, p) < 0 ||
	    read_rule(s, p) < 0 || read_api_keys(s, p) < 0)
		return -1;
	s->speed = s->keys.speed;
	if (!*s->keys.pod && getenv("POD_NAME"))
		s->keys.pod = getenv("POD_NAME");
	if (add_list(&s->models, s->keys.served_model_name) < 0 ||
	    (!s->models.n && names_add(&s->models, model_name(c)) < 0) ||
	    add_list(&s->adapters, s->keys.lora_modules) < 0 ||
	    make_digest(s, c) < 0)
		return problem_no_memory(p);
	return 0;
}

static int check_facts(struct server *s, struct problem *p)
{
	const struct live_facts *f = &s->live.arm[0].facts;
	if ((s->adapters.n || s->keys.runtime_lora) && !f->has_adapters)
		return problem_set(p, EXIT_USAGE,
				   "serve.lora_modules: adapters need "
				   "engine.enable_lora = true");
	if (s->adapters.n > MOST_ADAPTERS)
		return problem_set(p, EXIT_USAGE,
				   "serve.lora_modules: at most %d adapters",
				   MOST_ADAPTERS);
	while (s->n_lora_ids < s->adapters.n) {
		s->lora_id[s->n_lora_ids] = s->n_lora_ids + 1;
		s->n_lora_ids++;
	}
	if (s->keys.ports == PORTS_EACH && (f->scales || f->prefill_replicas))
		return problem_set(p, EXIT_USAGE,
				   "serve.ports = each: not with an "
				   "autoscaler, nor with pools");
	return measures_make(&s->measures, f->replicas, f->max_model_len) < 0
		   ? problem_no_memory(p)
		   : 0;
}

/* Passes the remarks of the cost models on. */
static void pass_on_remarks(const struct server *s,
			    const struct serve_says *says)
{
	for (size_t i = 0; i < s->live.n; i++)
		arm_process_remarks(&s->live.arm[i].is, says->warns,
				    says->user);
}

/* Wall time from listening to the first request that is served. */
static int startup_ns(const struct server *s, int64_t *ns, struct problem *p)
{
	const char *text = s->keys.startup_s;
	*ns = s->live.arm[0].facts.startup_ns;
	if (!strcmp(text, "auto"))
		return 0;
	double seconds;
	const char *end = number_parse(text, &seconds);
	if (end == text || *end || !(seconds >= 0) || seconds > 1e6)
		return problem_set(p, EXIT_USAGE,
				   "serve.startup_s = %s: not a number of "
				   "seconds, or auto",
				   text);
	*ns = (int64_t)(1e9 * seconds);
	return 0;
}

static int add_events(const struct server *s, int fd)
{
	struct epoll_event e = {.events = EPOLLIN};
	return fd < 0 ? 0 : epoll_ctl(s->epoll_fd, EPOLL_CTL_ADD, fd, &e);
}

static int open_events(struct server *s, struct problem *p)
{
	s->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	s->timer_fd =
	    timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	int rc = s->epoll_fd < 0 || s->timer_fd < 0 ? -1 : 0;
	rc |= add_events(s, s->timer_fd);
	rc |= add_events(s, s->live.children.signals);
	for (size_t i = 0; i < s->live.n; i++)
		rc |= add_events(s, s->live.arm[i].is.fd);
	for (uint32_t i = 0; i < s->publisher.n; i++)
		rc |= add_events(s, s->publisher.rank[i].replay_fd);
	return rc ? problem_set(p, EXIT_USAGE, "epoll: %s", strerror(errno))
		  : 0;
}

/* ---- the loop ---- */

static void sleep_until(const struct server *s, int64_t wall_ns)
{
	struct epoll_event e[64];
	const struct itimerspec at = {
	    .it_value = {wall_ns / SECOND_NS, wall_ns % SECOND_NS}};
	uint64_t expired;
	timerfd_settime(s->timer_fd, TFD_TIMER_ABSTIME, &at, NULL);
	int n = epoll_wait(s->epoll_fd, e, 64, -1);
	for (int i = 0; i < n; i++) {
		struct flight *f = e[i].data.ptr;
		if (f && e[i].events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR) &&
		    !f->is_gone) {
			epoll_ctl(s->epoll_fd, EPOLL_CTL_DEL, f->fd, NULL);
			f->is_watched = 0;
			flight_cancel(f);
		}
	}
	while (read(s->timer_fd, &expired, sizeof expired) > 0)
		;
}

static int64_t sooner(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* The simulation is behind its clock. */
static int watch_lag(struct server *s, const struct serve_options *o,
		     const struct serve_says *says, struct problem *p)
{
	const struct live_arm *a = &s->live.arm[0];
	int64_t now = server_now(s), wall = server_wall_ns();
	if (a->next_ns > now || a->is.is_dead || now < 0)
		return 0;
	double lag_s = 1e-9 * (double)(now - a->reached_ns) / s->speed;
	if (o->max_lag_s > 0 && lag_s > o->max_lag_s)
		return problem_set(p, EXIT_INPUT,
				   "the simulation is %.3g s behind its clock "
				   "(--max-lag)",
				   lag_s);
	if (lag_s < 1e-3 * LAG_WARNING_MS ||
	    (s->warned_ns && wall < s->warned_ns + 60 * SECOND_NS))
		return 0;
	char text[120];
	snprintf(text, sizeof text,
		 "the simulation is %.0f ms behind its clock: tokens are late",
		 1e3 * lag_s);
	s->warned_ns = wall;
	says->warns(says->user, text);
	return 0;
}

static int look_at_arms(struct server *s, const struct serve_says *says)
{
	for (size_t i = 0; i < s->live.n; i++) {
		struct live_arm *a = &s->live.arm[i];
		if (!a->is.is_dead || a->is_reported)
			continue;
		a->is_reported = 1;
		if (a->is.failure)
			says->warns(says->user, a->is.failure);
		if (i == 0)
			flights_fail(s, "The engine is dead.");
	}
	return server_is_dead(s) ? -1 : 0;
}

static void begin_drain(struct server *s)
{
	s->is_draining = 1;
	s->drain_until_ns = server_wall_ns() + (int64_t)(1e9 * s->keys.drain_s);
	http_stop_listening(s);
}

/* Advances the arms, and hands out the tokens that are due.  Returns the wall
 * time when something happens next. */
static int64_t turn(struct server *s)
{
	int64_t now = server_now(s), next = INT64_MAX;
	const struct live_arm *a = &s->live.arm[0];
	int asked = a->reached_ns < s->live.ordered_ns;
	int64_t due = flights_hand_out(s);
	if (now >= 0 && !asked &&
	    (a->next_ns <= now || due <= now ||
	     s->live.stamp_ns > s->live.ordered_ns))
		live_advance(&s->live, now);
	while (live_exchange(&s->live))
		;
	due = flights_hand_out(s);
	flights_fall_asleep(s);
	asked = a->reached_ns < s->live.ordered_ns;
	if (!asked)
		next = sooner(a->next_ns, due);
	if (!asked && s->live.stamp_ns > s->live.ordered_ns)
		next = now;
	return next == INT64_MAX ? next : server_wall_of(s, next);
}

static int is_drained(const struct server *s)
{
	return s->is_draining && !s->flights;
}

/* Takes a signal.  Returns -1 if it ends the server at once. */
static int take_signal(struct server *s, struct problem *p)
{
	if (live_look(&s->live, p) == 0)
		return 0;
	if (s->is_draining) {
		problem_set(p, 130, "interrupted");
		return -1;
	}
	s->live.children.interrupted = 0;
	begin_drain(s);
	return 0;
}

/* Serves until a signal, the end of --duration, or the end of all arms; then
 * drains. */
static int loop(struct server *s, const struct serve_options *o,
		const struct serve_says *says, struct problem *p)
{
	int is_ready = 0;
	int64_t looked_ns = 0;
	for (;;) {
		s->has_resumed = 0;
		int64_t mhd_ns = http_run(s), now = server_wall_ns();
		int64_t wake = sooner(turn(s), now + LOOK_MS * 1000000);
		publisher_replay(&s->publisher);
		wake = sooner(wake, flights_unstall(s));
		if (mhd_ns != INT64_MAX)
			wake = sooner(wake, now + mhd_ns);
		if (take_signal(s, p) < 0 || watch_lag(s, o, says, p) < 0)
			return -1;
		if (!is_ready && server_is_ready(s)) {
			says->ready(says->user);
			is_ready = 1;
		}
		if (now > looked_ns + SECOND_NS) {
			http_end_slow(s);
			looked_ns = now;
		}
		if (look_at_arms(s, says) < 0 && !s->drain_until_ns)
			s->drain_until_ns =
			    now + (int64_t)(1e9 * s->keys.drain_s);
		if (o->duration_s > 0 && !s->is_draining && is_ready &&
		    1e-9 * (double)server_now(s) >= o->duration_s)
			begin_drain(s);
		if (is_drained(s) ||
		    (s->drain_until_ns && now > s->drain_until_ns))
			break;
		if (!s->has_resumed)
			sleep_until(s, wake > now ? wake : now + 1);
	}
	flights_abort(s, NULL);
	http_run(s);
	return 0;
}

int server_run(struct server *s, const struct config *c,
	       const struct serve_options *o, const struct serve_says *says,
	       FILE *requests, FILE *steps, struct problem *p)
{
	int64_t wait_ns = 0;
	*s = (struct server){.config = c,
			     .epoll_fd = -1,
			     .timer_fd = -1,
			     .record_path = o->record};
	s->record.fd = -1;
	if (mhd_load(&s->mhd, p) < 0 || read_keys(s, c, p) < 0 ||
	    record_open(&s->record, o->record, s->digest, p) < 0)
		return -1;
	const struct live_listener to = flight_listener(s);
	const struct live_options arms = {
	    .answer_limit_s = o->answer_limit_s,
	    .memory_limit_gib = o->memory_limit_gib,
	    .writes_requests = requests != NULL,
	    .writes_steps = steps != NULL,
	    .longest_item = (uint32_t)s->keys.image_tokens};
	if (live_open(&s->live, c, &arms, &to, p) < 0)
		return -1;
	s->is_live = 1;
	if (live_await_facts(&s->live, p) < 0 || check_facts(s, p) < 0 ||
	    startup_ns(s, &wait_ns, p) < 0 ||
	    http_listen(s, s->live.arm[0].facts.replicas, p) < 0 ||
	    publisher_open(&s->publisher, &s->keys, &s->live.arm[0].facts,
			   s->port[0].number, s->keys.ports == PORTS_EACH,
			   p) < 0 ||
	    open_events(s, p) < 0 || http_start(s, p) < 0)
		return -1;
	pass_on_remarks(s, says);
	s->listen_ns = server_wall_ns();
	s->t0_ns = s->listen_ns + (int64_t)((double)wait_ns / s->speed);
	says->listens(says->user, s);
	int rc = loop(s, o, says, p);
	if (rc == 0) {
		int64_t end = live_stamp(&s->live, server_now(s));
		live_advance(&s->live, end);
		rc = live_end(&s->live, p);
	}
	if (rc < 0 && s->live.arm[0].is_reported)
		problem_set(p, p->code, "arm %s is dead, and the server ends",
			    s->live.arm[0].is.name);
	if (rc == 0 && ((requests && live_write(&s->live, 0, requests) < 0) ||
			(steps && live_write(&s->live, 1, steps) < 0)))
		rc = problem_set(p, EXIT_USAGE, "rows: %s", strerror(errno));
	if (rc == 0 && s->record.error)
		rc = problem_set(p, EXIT_SAYS_NO,
				 "%s: %s; the record ends "
				 "there",
				 o->record, strerror(s->record.error));
	return rc;
}

void server_close(struct server *s)
{
	if (s->n_ports && s->port[0].http) {
		flights_abort(s, NULL);
		http_run(s);
	}
	if (s->n_ports && !strncmp(s->keys.listen, "unix:", 5))
		unlink(s->keys.listen + 5);
	http_stop(s);
	if (s->is_live)
		live_close(&s->live);
	record_close(&s->record);
	if (s->epoll_fd >= 0)
		close(s->epoll_fd);
	if (s->timer_fd >= 0)
		close(s->timer_fd);
	publisher_close(&s->publisher);
	flights_drop_texts(s);
	measures_free(&s->measures);
	distribution_free(&s->lengths);
	names_free(&s->models), names_free(&s->adapters);
	names_free(&s->api_keys);
	map64_free(&s->salts);
	free(s->due), free(s->row);
}
