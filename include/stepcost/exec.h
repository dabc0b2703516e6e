/* stepcost/exec.h -- header-only helper for plugins that run a program in any
 * language as their cost model.  SC_EXEC_PLUGIN() makes a whole plugin from a
 * knob table and a command.  The program reads one line of JSON per step on its
 * standard input and answers with one line on its standard output;
 * doc/exec-protocol.md describes both.
 *
 *   #define _GNU_SOURCE
 *   #include "stepcost/exec.h"
 *   static const sc_knob *const knobs[] = {SC_EXEC_KNOBS};
 *   SC_EXEC_PLUGIN("own", "1", "a program prices the steps",
 *                  struct sc_exec_knobs, knobs, 0, "python3", "./own.py");
 *
 * An instance owns its program: create() starts it and sends it the knobs and
 * the setup, destroy() ends it (exec/process.h).  Link with jansson.  Linux; C
 * only. */
#ifndef SC_EXEC_H
#define SC_EXEC_H
#include "stepcost/exec/protocol.h"
#include "stepcost/exec/cache.h"
#include "stepcost/knob.h"

/* First member of a knob block; SC_EXEC_KNOBS are the matching rows. */
struct sc_exec_knobs {
	int64_t timeout_ms, cache;
};
#define SC_EXEC_KNOBS                                                          \
	SC_INT(                                                                \
	    struct sc_exec_knobs, timeout_ms, "10000", 1, 3600000, "ms",       \
	    "The arm fails if the program does not answer within this time."), \
	    SC_BOOL(struct sc_exec_knobs, cache, "false",                      \
		    "Ask once for each shape of step; only for a program "     \
		    "that uses only the shape.")

struct sc_exec {
	struct sc_exec_knobs k;
	struct sc_exec_process process;
	struct sc_exec_cache cache;
	struct sc_exec_line line;   /* of the step */
	struct sc_exec_hello hello; /* of the program */
	const sc_plugin *plugin;
};

static inline void sc_exec_destroy(void *inst)
{
	struct sc_exec *x = (struct sc_exec *)inst;
	sc_exec_stop(&x->process);
	sc_exec_cache_free(&x->cache);
	free(x->line.text);
	free(x);
}

static inline int32_t sc_exec_check_silence(struct sc_exec_process *p,
					    sc_error *err)
{
	/* The program must not have written anything yet: after an extra line
	 * every later answer would belong to the step before. */
	struct pollfd early = {.fd = p->from, .events = POLLIN};
	if (poll(&early, 1, 0) > 0 && (early.revents & POLLIN))
		return sc_exec_give_up(p, "writes before it is asked", err);
	return SC_OK;
}

/* Asks the program for the price of a step. */
static inline int32_t sc_exec_price(struct sc_exec *x, const sc_step *step,
				    sc_result *out, sc_error *err)
{
	struct sc_exec_process *p = &x->process;
	int32_t rc = sc_exec_check_silence(p, err);
	if (rc != SC_OK)
		return rc;
	if (sc_exec_put_step(&x->line, step, x->hello.ready) < 0)
		return sc_fail(err, SC_ENOMEM, "out of memory");
	rc = sc_exec_ask(p, x->line.text, x->line.n, err);
	return rc == SC_OK ? sc_exec_read(p, x->plugin, out, err) : rc;
}

static inline int32_t sc_exec_eval(void *inst, const sc_step *step,
				   sc_result *out, sc_error *err)
{
	struct sc_exec *x = (struct sc_exec *)inst;
	struct sc_exec_slot *slot = NULL;
	size_t n = 0;
	if (!x->process.pid)
		return sc_fail(err, SC_EINVAL, "%s", x->process.why.text);
	if (x->k.cache && (n = sc_exec_key(&x->cache, step)) > 0) {
		slot = sc_exec_find(&x->cache, n);
		if (slot->n) {
			sc_exec_answer(&x->cache, slot, out);
			return SC_OK;
		}
	}
	int32_t rc = sc_exec_price(x, step, out, err);
	if (rc == SC_OK && slot)
		sc_exec_keep(&x->cache, slot, n, out);
	return rc;
}

/* For .eval_batch: several steps in one message, if the program speaks protocol
 * 2 and the plugin keeps no answers. */
static inline int32_t sc_exec_eval_batch(void *inst, uint32_t n,
					 const sc_step *const *step,
					 sc_result *const *out,
					 uint32_t *n_done, sc_error *err)
{
	struct sc_exec *x = (struct sc_exec *)inst;
	int32_t rc = SC_OK;
	*n_done = 0;
	if (x->hello.ready < 2 || x->k.cache || n == 1) {
		for (; rc == SC_OK && *n_done < n; *n_done += rc == SC_OK)
			rc = sc_exec_eval(inst, step[*n_done], out[*n_done],
					  err);
		return rc;
	}
	if (!x->process.pid)
		return sc_fail(err, SC_EINVAL, "%s", x->process.why.text);
	rc = sc_exec_check_silence(&x->process, err);
	if (rc == SC_OK && sc_exec_put_steps(&x->line, n, step) != SC_OK)
		rc = sc_fail(err, SC_ENOMEM, "out of memory");
	if (rc == SC_OK)
		rc = sc_exec_ask(&x->process, x->line.text, x->line.n, err);
	return rc == SC_OK ? sc_exec_read_all(&x->process, x->plugin, n, out,
					      n_done, err)
			   : rc;
}

/* For .request_costs: those in the program's answer to the first line. */
static inline int32_t sc_exec_request_costs(void *inst, sc_request_costs *out,
					    sc_error *err)
{
	const struct sc_exec *x = (const struct sc_exec *)inst;
	(void)err;
	*out = x->hello.costs;
	return SC_OK;
}

/* `block` begins with a struct sc_exec_knobs. */
static inline int32_t sc_exec_create(void **inst, const sc_plugin *p,
				     const char *const *command,
				     const sc_setup *setup, const void *block,
				     sc_error *err)
{
	struct sc_exec *x = (struct sc_exec *)calloc(1, sizeof *x);
	if (!x)
		return sc_fail(err, SC_ENOMEM, "out of memory");
	x->k = *(const struct sc_exec_knobs *)block;
	x->plugin = p;
	x->process.timeout_ms = x->k.timeout_ms;
	x->process.to = x->process.from = x->process.to_peer = -1;
	int32_t rc = SC_OK;
	if (x->k.cache && sc_exec_cache_new(&x->cache, p->n_sigma) != SC_OK)
		rc = sc_fail(err, SC_ENOMEM, "out of memory");
	if (rc == SC_OK)
		rc = sc_exec_run(
		    &x->process, p, command,
		    SC_HAS(setup, plugin_dir) ? setup->plugin_dir : NULL, err);
	if (rc == SC_OK)
		rc =
		    sc_exec_greet(&x->process, p, setup, block, &x->hello, err);
	if (rc == SC_OK)
		*inst = x;
	else
		sc_exec_destroy(x);
	return rc;
}

/* Defines a whole plugin.  Arguments: name, version and summary; the struct of
 * its knobs, which begins with a struct sc_exec_knobs; the table of knobs,
 * which begins with SC_EXEC_KNOBS; further capabilities (SC_CAP_*); the
 * command, word by word.  A word "./FILE" names a file in the folder of the
 * plugin. */
#define SC_EXEC_PLUGIN(name_, version_, summary_, block_, knobs_, caps_, ...)  \
	SC_EXEC_PLUGIN_WITH(name_, version_, summary_, block_, knobs_, caps_,  \
			    SC_EXEC_COMMAND(__VA_ARGS__), .reserved = 0)

/* The same with further initialisers of sc_plugin behind the command:
 *
 *   SC_EXEC_PLUGIN_WITH("own", "1", "a program", struct knobs, knobs, 0,
 *                       SC_EXEC_COMMAND("python3", "./own.py"),
 *                       .id = "org.example.own", .n_sigma = 1, .sigma = sigmas,
 *                       .eval_batch = sc_exec_eval_batch,
 *                       .request_costs = sc_exec_request_costs);
 */
#define SC_EXEC_COMMAND(...)                                                   \
	{                                                                      \
		__VA_ARGS__, NULL                                              \
	}
#define SC_EXEC_PLUGIN_WITH(name_, version_, summary_, block_, knobs_, caps_,  \
			    command_, ...)                                     \
	static const char *const sc_exec_command[] = command_;                 \
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
	    __VA_ARGS__};                                                      \
	SC_PLUGIN_DEFINE(sc_exec_plugin)
#endif
