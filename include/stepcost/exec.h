/* stepcost/exec.h -- header-only helper for plugins whose cost model is a
 * program in any language.  SC_EXEC_PLUGIN() makes a whole plugin of a knob
 * table and a command; the program reads one line of JSON for each step on its
 * standard input and answers one on its standard output, as written down in
 * doc/exec-protocol.md.
 *
 * An instance owns its program: create() starts it and tells it the knobs and
 * the setup, destroy() closes its input, gives it half a second to end, then
 * kills it.  It dies with the host.  Linux; C only. */
#ifndef SC_EXEC_H
#define SC_EXEC_H
#ifndef _GNU_SOURCE
#error "define _GNU_SOURCE before the first #include (dladdr, pipe2)"
#endif
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "stepcost/jsonline.h"
#include "stepcost/knob.h"

#define SC_EXEC_PROTOCOL 1
#define SC_EXEC_LONGEST_ANSWER 65536u
#ifndef SC_EXEC_CACHE_SLOTS
#define SC_EXEC_CACHE_SLOTS 65536u /* a power of two */
#endif
#define SC_EXEC_CACHE_BYTES ((size_t)64 << 20)
#define SC_EXEC_GRACE_MS 500

/* The first member of a knob block, and the first rows of its table. */
struct sc_exec_knobs {
	int64_t timeout_ms, cache;
};
#define SC_EXEC_KNOBS                                                          \
	SC_INT(struct sc_exec_knobs, timeout_ms, "10000", 1, 3600000, "ms",    \
	       "The program is given up when it says nothing for so long."),   \
	    SC_BOOL(struct sc_exec_knobs, cache, "false",                      \
		    "Ask once for each shape of step; only for a program "     \
		    "that looks at nothing but the shape.")

/* Answers by shape.  The memory is reserved at create() and not touched before
 * it is used.  Three quarters full, the cache forgets everything. */
struct sc_exec_cache {
	struct sc_exec_slot {
		uint64_t hash;
		size_t at, n; /* the key, in keys; n 0: free */
		sc_result result;
	} * slot;
	unsigned char *keys;
	size_t used, n;
};

struct sc_exec {
	struct sc_exec_knobs k;
	char program[120]; /* for messages */
	pid_t pid;         /* 0: not running */
	int to, from;      /* our ends */
	int to_peer; /* its reading end: while we hold it, writing to a dead
			program is no SIGPIPE */
	struct sc_line ask;
	char answer[SC_EXEC_LONGEST_ANSWER];
	sc_error why; /* it failed for good, and this is why */
	struct sc_exec_cache cache;
};

/* ---- the process ---- */

/* Waits up to the grace for the program to close its output, as it does by
 * ending; then kills it.  Returns its wait status. */
static inline int sc_exec_stop(struct sc_exec *x)
{
	struct pollfd p = {.fd = x->from, .events = 0};
	int status = 0;
	close(x->to);
	close(x->to_peer);
	if (x->pid > 0) {
		poll(&p, 1, SC_EXEC_GRACE_MS);
		if (!(p.revents & (POLLHUP | POLLERR)))
			kill(x->pid, SIGKILL);
		while (waitpid(x->pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	close(x->from);
	x->pid = 0;
	x->to = x->to_peer = x->from = -1;
	return status;
}

/* The program is of no more use. */
static inline int32_t sc_exec_give_up(struct sc_exec *x, const char *why,
				      sc_error *err)
{
	kill(x->pid, SIGKILL);
	sc_exec_stop(x);
	sc_fail(&x->why, SC_EINVAL, "%s: %s", x->program, why);
	return sc_fail(err, SC_EINVAL, "%s", x->why.text);
}

/* It closed its output. */
static inline int32_t sc_exec_died(struct sc_exec *x, sc_error *err)
{
	int status = sc_exec_stop(x);
	sc_fail(&x->why, SC_EINVAL, "%s: ended without an answer (%s %d)",
		x->program, WIFSIGNALED(status) ? "signal" : "exit status",
		WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	return sc_fail(err, SC_EINVAL, "%s", x->why.text);
}

/* Between fork() and exec(): nothing but system calls. */
static inline void sc_exec_become(char *const *argv, int in, int out,
				  int failed)
{
	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0)
		execvp(argv[0], argv);
	int code = errno;
	if (write(failed, &code, sizeof code) < 0)
		_exit(126);
	_exit(127);
}

static inline int32_t sc_exec_start(struct sc_exec *x, char *const *argv,
				    sc_error *err)
{
	int in[2], out[2], failed[2], code = 0;
	if (pipe2(in, O_CLOEXEC))
		return sc_fail(err, SC_ENOMEM, "pipe: %s", strerror(errno));
	x->to_peer = in[0], x->to = in[1];
	if (pipe2(out, O_CLOEXEC))
		return sc_fail(err, SC_ENOMEM, "pipe: %s", strerror(errno));
	x->from = out[0];
	if (pipe2(failed, O_CLOEXEC)) {
		close(out[1]);
		return sc_fail(err, SC_ENOMEM, "pipe: %s", strerror(errno));
	}
	x->pid = fork();
	if (x->pid == 0)
		sc_exec_become(argv, in[0], out[1], failed[1]);
	close(out[1]);
	close(failed[1]);
	/* Ends at exec(), or brings the reason why there was none. */
	if (x->pid < 0 || read(failed[0], &code, sizeof code) > 0)
		code = x->pid < 0 ? errno : code;
	close(failed[0]);
	if (code)
		return sc_fail(err, SC_EINVAL, "%s: %s", x->program,
			       strerror(code));
	/* A long step may not fit into the pipe; sc_exec_ask() takes turns. */
	fcntl(x->to, F_SETFL, O_NONBLOCK);
	return SC_OK;
}

/* Sends x->ask, and reads one line to x->answer. */
static inline int32_t sc_exec_ask(struct sc_exec *x, sc_error *err)
{
	size_t sent = 0, got = 0;
	if (x->ask.bad)
		return sc_fail(err, SC_ENOMEM, "out of memory");
	for (;;) {
		struct pollfd p[2] = {{.fd = x->from, .events = POLLIN},
				      {.fd = x->to, .events = POLLOUT}};
		ssize_t n = 0;
		if (sent < x->ask.n)
			n = write(x->to, x->ask.text + sent, x->ask.n - sent);
		if (n > 0)
			sent += (size_t)n;
		else if (n < 0 && errno == EPIPE)
			sent = x->ask.n; /* it has left; its last word counts */
		int left = sent < x->ask.n;
		int ready = poll(p, left ? 2 : 1, (int)x->k.timeout_ms);
		if (ready == 0)
			return sc_exec_give_up(x, "no answer in timeout_ms",
					       err);
		if (!(p[0].revents & (POLLIN | POLLHUP)))
			continue;
		n = read(x->from, x->answer + got, sizeof x->answer - got);
		if (n <= 0)
			return sc_exec_died(x, err);
		got += (size_t)n;
		char *end = memchr(x->answer, '\n', got);
		if (end && (end + 1 != x->answer + got || left))
			return sc_exec_give_up(x,
					       "says more than one line for "
					       "a line",
					       err);
		if (end) {
			*end = '\0';
			return SC_OK;
		}
		if (got == sizeof x->answer)
			return sc_exec_give_up(x, "an answer without end", err);
	}
}

/* ---- what it is told once ---- */

static inline void sc_exec_put_knobs(struct sc_line *l, const sc_plugin *p,
				     const void *block)
{
	sc_put_name(l, "knobs");
	sc_put(l, "{");
	for (uint32_t i = 0; i < p->n_knobs; i++) {
		const sc_knob *k = p->knob[i];
		const char *at = (const char *)block + k->offset;
		double d;
		int64_t n;
		memcpy(&d, at, sizeof d);
		memcpy(&n, at, sizeof n);
		sc_put_name(l, k->name);
		if (k->type == SC_KNOB_DOUBLE)
			sc_put_number(l, d);
		else if (k->type == SC_KNOB_BOOL)
			sc_put(l, n ? "true" : "false");
		else if (k->type == SC_KNOB_CHOICE)
			sc_put_text(l, k->choices[n]);
		else
			sc_put_number(l, (double)n);
	}
	sc_put(l, "}");
}

/* Members of a struct by their C names. */
#define SC_EXEC_PUT(l, p, field)                                               \
	(sc_put_name(l, #field), sc_put_number(l, (double)(p)->field))

static inline void sc_exec_put_layers(struct sc_line *l, const sc_layers *g)
{
	sc_put(l, l->text[l->n - 1] == '[' ? "{" : ",{");
	SC_EXEC_PUT(l, g, n_layers), SC_EXEC_PUT(l, g, attention);
	SC_EXEC_PUT(l, g, n_heads), SC_EXEC_PUT(l, g, n_kv_heads);
	SC_EXEC_PUT(l, g, head_dim), SC_EXEC_PUT(l, g, window);
	SC_EXEC_PUT(l, g, q_lora_rank), SC_EXEC_PUT(l, g, kv_lora_rank);
	SC_EXEC_PUT(l, g, qk_nope_dim), SC_EXEC_PUT(l, g, qk_rope_dim);
	SC_EXEC_PUT(l, g, v_dim), SC_EXEC_PUT(l, g, ffn);
	SC_EXEC_PUT(l, g, ffn_dim), SC_EXEC_PUT(l, g, n_experts);
	SC_EXEC_PUT(l, g, experts_per_token);
	SC_EXEC_PUT(l, g, n_shared_experts), SC_EXEC_PUT(l, g, shared_ffn_dim);
	SC_EXEC_PUT(l, g, attn_format), SC_EXEC_PUT(l, g, ffn_format);
	SC_EXEC_PUT(l, g, expert_format), SC_EXEC_PUT(l, g, attn_bits);
	SC_EXEC_PUT(l, g, ffn_bits), SC_EXEC_PUT(l, g, expert_bits);
	sc_put(l, "}");
}

static inline void sc_exec_put_model(struct sc_line *l, const sc_model *m)
{
	sc_put_name(l, "model");
	sc_put(l, "{");
	sc_put_name(l, "name"), sc_put_text(l, m->name);
	SC_EXEC_PUT(l, m, hidden), SC_EXEC_PUT(l, m, vocab);
	SC_EXEC_PUT(l, m, tied_embeddings), SC_EXEC_PUT(l, m, compute_format);
	SC_EXEC_PUT(l, m, head_format), SC_EXEC_PUT(l, m, kv_format);
	SC_EXEC_PUT(l, m, embed_bits), SC_EXEC_PUT(l, m, head_bits);
	SC_EXEC_PUT(l, m, kv_bits), SC_EXEC_PUT(l, m, n_params);
	sc_put_name(l, "group");
	sc_put(l, "[");
	for (uint32_t i = 0; i < m->n_groups; i++)
		sc_exec_put_layers(l, m->group[i]);
	sc_put(l, "]}");
}

static inline void sc_exec_put_hardware(struct sc_line *l, const sc_hardware *h)
{
	sc_put_name(l, "hardware");
	sc_put(l, "{");
	sc_put_name(l, "name"), sc_put_text(l, h->name);
	SC_EXEC_PUT(l, h, sm_count), SC_EXEC_PUT(l, h, mem_bandwidth);
	SC_EXEC_PUT(l, h, mem_bytes), SC_EXEC_PUT(l, h, l2_bytes);
	SC_EXEC_PUT(l, h, link_bandwidth), SC_EXEC_PUT(l, h, link_latency_us);
	SC_EXEC_PUT(l, h, net_bandwidth), SC_EXEC_PUT(l, h, net_latency_us);
	SC_EXEC_PUT(l, h, tdp_watts), SC_EXEC_PUT(l, h, usd_per_hour);
	sc_put_name(l, "peak_flops");
	for (int i = 0; i < 16; i++) {
		sc_put(l, i ? "," : "[");
		sc_put_number(l, h->peak_flops[i]);
	}
	sc_put(l, "]}");
}

static inline void sc_exec_put_engine(struct sc_line *l, const sc_setup *s)
{
	sc_put_name(l, "parallel");
	sc_put(l, "{");
	SC_EXEC_PUT(l, s->parallel, tp), SC_EXEC_PUT(l, s->parallel, pp);
	SC_EXEC_PUT(l, s->parallel, ep), SC_EXEC_PUT(l, s->parallel, dp);
	sc_put(l, "}");
	sc_put_name(l, "engine");
	sc_put(l, "{");
	SC_EXEC_PUT(l, s->engine, max_num_seqs);
	SC_EXEC_PUT(l, s->engine, max_num_batched_tokens);
	SC_EXEC_PUT(l, s->engine, block_size);
	SC_EXEC_PUT(l, s->engine, graph_max_tokens);
	SC_EXEC_PUT(l, s->engine, async_scheduling);
	sc_put(l, "}");
}

static inline void sc_exec_put_table(struct sc_line *l, const sc_table *t)
{
	sc_put(l, l->text[l->n - 1] == '[' ? "{" : ",{");
	sc_put_name(l, "set"), sc_put_text(l, t->set);
	sc_put_name(l, "op"), sc_put_text(l, t->op);
	sc_put_name(l, "notes");
	sc_put(l, "{");
	for (size_t i = 0; i < t->n_notes; i++) {
		sc_put_name(l, t->note[2 * i]);
		sc_put_text(l, t->note[2 * i + 1]);
	}
	sc_put(l, "}");
	sc_put_name(l, "columns");
	sc_put(l, "{");
	for (uint32_t c = 0; c < t->n_cols; c++) {
		sc_put_name(l, t->col_name[c]);
		sc_put(l, "[");
		for (uint64_t r = 0; r < t->n_rows; r++) {
			sc_put(l, r ? "," : "");
			if (t->col[c])
				sc_put_number(l, t->col[c][r]);
			else
				sc_put_text(l, t->text[c][r]);
		}
		sc_put(l, "]");
	}
	sc_put(l, "}}");
}

/* The first line; the program says {"ready":1}, or {"error":"..."}. */
static inline int32_t sc_exec_greet(struct sc_exec *x, const sc_plugin *p,
				    const sc_setup *s, const void *block,
				    sc_error *err)
{
	struct hello {
		char error[160];
		uint32_t ready;
	} hello = {"", 0};
	static const struct sc_field field[] = {
	    {"ready", SC_FIELD_UINT32, 1, offsetof(struct hello, ready), NULL},
	    {"error", SC_FIELD_TEXT, sizeof hello.error,
	     offsetof(struct hello, error), NULL}};
	struct sc_line *l = &x->ask;
	sc_error why = {.size = sizeof why};
	sc_put(l, "{");
	sc_put_name(l, "stepcost_exec"), sc_put_integer(l, SC_EXEC_PROTOCOL);
	sc_exec_put_knobs(l, p, block);
	sc_exec_put_model(l, s->model);
	sc_exec_put_hardware(l, s->hardware);
	sc_exec_put_engine(l, s);
	sc_put_name(l, "tables");
	sc_put(l, "[");
	for (uint32_t i = 0; i < s->n_tables; i++)
		sc_exec_put_table(l, s->table[i]);
	sc_put(l, "]}\n");
	int32_t rc = sc_exec_ask(x, err);
	if (rc < 0)
		return rc;
	if (sc_get_object(x->answer, field, 2, &hello, &why) < 0)
		return sc_exec_give_up(x, why.text, err);
	if (hello.error[0] || hello.ready != SC_EXEC_PROTOCOL)
		return sc_exec_give_up(x,
				       hello.error[0]
					   ? hello.error
					   : "does not answer {\"ready\":1}",
				       err);
	return SC_OK;
}

/* ---- one step ---- */

static inline void sc_exec_put_step(struct sc_line *l, const sc_step *s)
{
	l->n = 0;
	sc_put(l, "{");
	sc_put_name(l, "step"), sc_put_integer(l, s->step_index);
	sc_put_name(l, "flags"), sc_put_integer(l, s->flags);
	sc_put_name(l, "sampled"), sc_put_integer(l, s->n_sampled);
	sc_put_column(l, "prefill_new", s->prefill_new, s->n_prefill);
	sc_put_column(l, "prefill_ctx", s->prefill_ctx, s->n_prefill);
	if (s->prefill_last)
		sc_put_column(l, "prefill_last", s->prefill_last, s->n_prefill);
	sc_put_column(l, "decode_ctx", s->decode_ctx, s->n_decode);
	if (s->decode_new)
		sc_put_column(l, "decode_new", s->decode_new, s->n_decode);
	sc_put(l, "}\n");
}

struct sc_exec_reply {
	sc_result result;
	char error[160];
};

static inline int32_t sc_exec_read(struct sc_exec *x, sc_result *out,
				   sc_error *err)
{
	static const char *const bounds[] = {"none", "compute",  "memory",
					     "comm", "overhead", NULL};
#define SC_EXEC_NUMBER(name, n)                                                \
	{                                                                      \
#name, SC_FIELD_DOUBLE, n, offsetof(sc_result, name), NULL     \
	}
	static const struct sc_field field[] = {
	    SC_EXEC_NUMBER(total_us, 1),
	    SC_EXEC_NUMBER(exact_us, 1),
	    SC_EXEC_NUMBER(ready_us, 1),
	    SC_EXEC_NUMBER(host_us, 1),
	    SC_EXEC_NUMBER(gemm_us, 2),
	    SC_EXEC_NUMBER(attention_us, 2),
	    SC_EXEC_NUMBER(compute_us, 2),
	    SC_EXEC_NUMBER(memory_us, 2),
	    SC_EXEC_NUMBER(comm_us, 1),
	    SC_EXEC_NUMBER(overhead_us, 1),
	    SC_EXEC_NUMBER(flops, 1),
	    SC_EXEC_NUMBER(bytes, 1),
	    SC_EXEC_NUMBER(energy_j, 1),
	    SC_EXEC_NUMBER(lookup_us, SC_N_PROVENANCE),
	    {"lookups", SC_FIELD_UINT32, SC_N_PROVENANCE,
	     offsetof(sc_result, lookups), NULL},
	    {"bound", SC_FIELD_WORD, 1, offsetof(sc_result, bound), bounds},
	    {"error", SC_FIELD_TEXT, 160, offsetof(struct sc_exec_reply, error),
	     NULL},
	};
#undef SC_EXEC_NUMBER
	struct sc_exec_reply reply = {.result = *out};
	sc_error why = {.size = sizeof why};
	if (sc_get_object(x->answer, field, sizeof field / sizeof *field,
			  &reply, &why) < 0)
		return sc_fail(err, SC_EINVAL, "%s: %s in '%.80s'", x->program,
			       why.text, x->answer);
	if (reply.error[0])
		return sc_fail(err, SC_EUNSUP, "%s: %s", x->program,
			       reply.error);
	*out = reply.result;
	return SC_OK;
}

/* ---- answers by shape ---- */

static inline void sc_exec_forget(struct sc_exec_cache *c)
{
	for (size_t i = 0; i < SC_EXEC_CACHE_SLOTS; i++)
		c->slot[i].n = 0;
	c->used = c->n = 0;
}

/* All that the program is told but the step's index, written behind the keys
 * in use; returns its length, 0: it does not even fit into an empty cache. */
static inline size_t sc_exec_key(struct sc_exec_cache *c, const sc_step *s)
{
	const uint32_t head[] = {s->flags,
				 s->n_sampled,
				 s->n_prefill,
				 s->n_decode,
				 s->prefill_last != NULL,
				 s->decode_new != NULL};
	size_t np = s->n_prefill * sizeof(uint32_t);
	size_t nd = s->n_decode * sizeof(uint32_t);
	size_t most = sizeof head + 3 * np + 2 * nd;
	if (most > SC_EXEC_CACHE_BYTES)
		return 0;
	if (c->used + most > SC_EXEC_CACHE_BYTES)
		sc_exec_forget(c);
	unsigned char *at = c->keys + c->used, *from = at;
	const struct {
		const void *v;
		size_t n;
	} part[] = {
	    {head, sizeof head},  {s->prefill_new, np},
	    {s->prefill_ctx, np}, {s->prefill_last, s->prefill_last ? np : 0},
	    {s->decode_ctx, nd},  {s->decode_new, s->decode_new ? nd : 0}};
	for (size_t i = 0; i < sizeof part / sizeof *part; i++)
		if (part[i].n) {
			memcpy(at, part[i].v, part[i].n);
			at += part[i].n;
		}
	return (size_t)(at - from);
}

/* The slot of the key of n bytes that stands behind those in use: its own, or
 * the free one that it may have. */
static inline struct sc_exec_slot *sc_exec_find(struct sc_exec_cache *c,
						size_t n)
{
	const unsigned char *key = c->keys + c->used;
	uint64_t h = n;
	for (size_t i = 0; i < n; i += sizeof(uint32_t)) {
		uint32_t word;
		memcpy(&word, key + i, sizeof word);
		h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 29;
	}
	size_t i = h & (SC_EXEC_CACHE_SLOTS - 1);
	while (c->slot[i].n && (c->slot[i].hash != h || c->slot[i].n != n ||
				memcmp(c->keys + c->slot[i].at, key, n)))
		i = (i + 1) & (SC_EXEC_CACHE_SLOTS - 1);
	c->slot[i].hash = h;
	return &c->slot[i];
}

/* ---- the plugin ---- */

static inline void sc_exec_destroy(void *inst)
{
	struct sc_exec *x = inst;
	sc_exec_stop(x);
	free(x->cache.slot);
	free(x->cache.keys);
	free(x->ask.text);
	free(x);
}

static inline int32_t sc_exec_eval(void *inst, const sc_step *step,
				   sc_result *out, sc_error *err)
{
	struct sc_exec *x = inst;
	struct sc_exec_slot *slot = NULL;
	size_t n = 0;
	if (!x->pid)
		return sc_fail(err, SC_EINVAL, "%s", x->why.text);
	if (x->k.cache && (n = sc_exec_key(&x->cache, step)) > 0) {
		slot = sc_exec_find(&x->cache, n);
		if (slot->n) {
			*out = slot->result;
			return SC_OK;
		}
	}
	/* A line too many, or every later answer would be one step late. */
	struct pollfd early = {.fd = x->from, .events = POLLIN};
	if (poll(&early, 1, 0) > 0 && (early.revents & POLLIN))
		return sc_exec_give_up(x, "speaks before it is asked", err);
	sc_exec_put_step(&x->ask, step);
	int32_t rc = sc_exec_ask(x, err);
	if (rc == SC_OK)
		rc = sc_exec_read(x, out, err);
	if (rc == SC_OK && slot) {
		slot->at = x->cache.used;
		slot->n = n;
		slot->result = *out;
		x->cache.used += n;
		if (++x->cache.n >= SC_EXEC_CACHE_SLOTS / 4 * 3)
			sc_exec_forget(&x->cache);
	}
	return rc;
}

/* "./NAME" in a command stands beside the plugin's own file: returns a path to
 * be freed, or NULL: out of memory. */
static inline char *sc_exec_beside(const sc_plugin *p, const char *word)
{
	Dl_info self;
	const char *file = dladdr(p, &self) ? self.dli_fname : "";
	const char *slash = strrchr(file, '/');
	size_t folder = slash ? (size_t)(slash - file) + 1 : 0;
	int beside = word[0] == '.' && word[1] == '/';
	size_t n = strlen(word) + 1;
	char *path = malloc(folder + n);
	if (path && beside) {
		memcpy(path, file, folder);
		memcpy(path + folder, word + 2, n - 2);
	} else if (path) {
		memcpy(path, word, n);
	}
	return path;
}

static inline int32_t sc_exec_run(struct sc_exec *x, const sc_plugin *p,
				  const char *const *command, sc_error *err)
{
	char *argv[16] = {NULL};
	int32_t rc = SC_OK;
	size_t n = 0, at = 0;
	for (; command[n] && n < 15 && rc == SC_OK; n++) {
		argv[n] = sc_exec_beside(p, command[n]);
		if (!argv[n])
			rc = sc_fail(err, SC_ENOMEM, "out of memory");
		else if (at < sizeof x->program)
			at += (size_t)snprintf(x->program + at,
					       sizeof x->program - at, "%s%s",
					       n ? " " : "", argv[n]);
	}
	if (rc == SC_OK)
		rc = sc_exec_start(x, argv, err);
	while (n)
		free(argv[--n]);
	return rc;
}

/* block begins with a struct sc_exec_knobs. */
static inline int32_t sc_exec_create(void **inst, const sc_plugin *p,
				     const char *const *command,
				     const sc_setup *setup, const void *block,
				     sc_error *err)
{
	struct sc_exec *x = calloc(1, sizeof *x);
	if (!x)
		return sc_fail(err, SC_ENOMEM, "out of memory");
	x->k = *(const struct sc_exec_knobs *)block;
	x->to = x->from = x->to_peer = -1;
	int32_t rc = SC_OK;
	if (x->k.cache) {
		x->cache.slot =
		    calloc(SC_EXEC_CACHE_SLOTS, sizeof *x->cache.slot);
		x->cache.keys = calloc(1, SC_EXEC_CACHE_BYTES);
		if (!x->cache.slot || !x->cache.keys)
			rc = sc_fail(err, SC_ENOMEM, "out of memory");
	}
	if (rc == SC_OK)
		rc = sc_exec_run(x, p, command, err);
	if (rc == SC_OK)
		rc = sc_exec_greet(x, p, setup, block, err);
	if (rc == SC_OK)
		*inst = x;
	else
		sc_exec_destroy(x);
	return rc;
}

/* A whole plugin: its name, version and summary, the struct of its knobs (which
 * begins with a struct sc_exec_knobs), their table (which begins with
 * SC_EXEC_KNOBS), what else it declares (SC_CAP_*), and the command, word by
 * word.  A word "./FILE" is a file beside the plugin's own. */
#define SC_EXEC_PLUGIN(name_, version_, summary_, block_, knobs_, caps_, ...)  \
	static const char *const sc_exec_command[] = {__VA_ARGS__, NULL};      \
	static const sc_plugin sc_exec_plugin;                                 \
	static int32_t sc_exec_create_(void **inst, const sc_setup *setup,     \
				       const void *block, sc_error *err)       \
	{                                                                      \
		return sc_exec_create(inst, &sc_exec_plugin, sc_exec_command,  \
				      setup, block, err);                      \
	}                                                                      \
	static const sc_plugin sc_exec_plugin = {                              \
	    .size = sizeof sc_exec_plugin,                                     \
	    .abi_major = SC_ABI_MAJOR,                                         \
	    .abi_minor = SC_ABI_MINOR,                                         \
	    .capabilities = SC_CAP_DOES_IO | (caps_),                          \
	    .name = name_,                                                     \
	    .version = version_,                                               \
	    .summary = summary_,                                               \
	    .n_knobs = sizeof knobs_ / sizeof *knobs_,                         \
	    .knob = knobs_,                                                    \
	    .knob_block = sizeof(block_),                                      \
	    .create = sc_exec_create_,                                         \
	    .destroy = sc_exec_destroy,                                        \
	    .eval = sc_exec_eval,                                              \
	};                                                                     \
	SC_PLUGIN_DEFINE(sc_exec_plugin)
#endif
