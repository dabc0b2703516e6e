/* arm/configuration.h -- the whole INI, resolved and checked: every command
 * with a CONFIG begins with it.
 *
 * Everything in the file is checked, also the keys that a command does not use:
 * unknown sections and keys, keys given twice, values out of range, knobs that
 * the arm's plugin does not have (knob_check.h).  [main]; must not be used in a
 * process with threads. */
#pragma once
#include "arm/arm_list.h"
#include "arm/known_plugins.h"
#include "base/ini.h"
#include "base/json/json_writer.h"
#include "base/problem.h"
#include "engine/keys/engine_keys.h"
#include "engine/keys/source.h"
#include "keys/hardware.h"
#include "model/model.h"
#include "tables/library.h"
#include "workload/workload.h"

/* Each part is resolved separately, from its own keys. */
enum config_part {
	CONFIG_HOST = 1,
	CONFIG_MODEL = 2,
	CONFIG_ENGINE = 4,
	CONFIG_SLO = 8,
	CONFIG_WORKLOAD = 16,
	CONFIG_ARMS = 32, /* the arms, their plugins and presets */
	CONFIG_TABLES = 64,
	/* The next two are read when an arm is opened. */
	CONFIG_HARDWARE = 128,
	CONFIG_KNOBS = 256,
	CONFIG_ALL = 511,
	/* These change which sets of tables an arm gets. */
	CONFIG_CHOICE =
	    CONFIG_ARMS | CONFIG_TABLES | CONFIG_HARDWARE | CONFIG_MODEL,
};

/* Must not be moved after it is loaded, because it points into itself. */
struct config {
	struct ini cfg; /* with --set applied */
	struct model model;
	/* The keys of [engine], without those of pools.  Values that depend on
	 * the GPU are those of arm[0].  Set by config_load(). */
	struct engine_keys engine_keys;
	/* The same for [engine:prefill] and [engine:decode], if is_apart. */
	struct engine_keys pool_keys[2];
	int is_apart; /* 1: these sections define the pools */
	/* 1: given steps are priced and nothing is served.  Then no arm runs
	 * out of KV blocks, and no engine needs to support the parallel
	 * split. */
	int prices_only;
	/* 1: kernels of any layers are priced, not those of the model alone, so
	 * arms get all tables of their sets */
	int any_kernel;
	/* 1: the command tries other values than those of the file, so a key
	 * without an effect is only noted */
	int is_searched;
	struct slo_keys slo_keys;
	struct workload_keys workload_keys;
	/* In the order of --arms; else [cost_model] or the first in the file,
	 * then the others. */
	struct arm_config *arm;
	size_t n_arms;
	/* Number including the arms behind n_arms, which take no part but may
	 * be named as drafters. */
	size_t n_all_arms;
	const char *wanted; /* value of --arms; NULL: all arms */
	/* keys without an effect that the command line made, for messages */
	struct names notes;
	struct known_plugins *known; /* declarations of the arms' plugins */
	/* sets of tables of the arms, if they can be read */
	struct library *library;
	/* The two pointers above point here, or into another configuration. */
	struct known_plugins own_known;
	struct library own_library;
};

/* Reads the INI with assignments applied as assignment_apply() takes them,
 * without checks.  Returns 0, or -1 with *p filled in.  The caller calls
 * ini_free() in either case. */
int config_read(struct ini *c, const char *path, const char *const *set,
		size_t n_set, struct problem *p);
/* path: the INI.  set: the --set assignments.  arms: value of --arms "a,b",
 * NULL: all.  Returns 0, or -1 with *p filled in.  The caller calls
 * config_free() in either case. */
int config_load(struct config *c, const char *path, const char *const *set,
		size_t n_set, const char *arms, struct problem *p);
/* Makes an empty configuration, which others are loaded beside. */
void config_begin(struct config *c);
/* The same for one of several configurations: it shares tables and plugin
 * declarations with `beside` (NULL: none).  `beside` may have failed to load;
 * it must not be freed while this one is in use. */
int config_load_beside(struct config *c, const struct config *beside,
		       const char *path, const char *const *set, size_t n_set,
		       const char *arms, struct problem *p);
/* The same for a command that tries other values than those of the file, beside
 * NULL or another one; prices_only: as config_load_priced(). */
int config_load_searched(struct config *c, const struct config *beside,
			 int prices_only, const char *path,
			 const char *const *set, size_t n_set, const char *arms,
			 struct problem *p);
/* The same for a command that only prices steps, and for a file with sections
 * that the command reads itself.  own: their names, or prefixes that end in
 * ':', up to NULL; NULL: none. */
int config_load_priced(struct config *c, const char *path,
		       const char *const *set, size_t n_set, const char *arms,
		       const char *const *own, struct problem *p);
/* The same for one of several such configurations, as config_load_beside(). */
int config_load_priced_beside(struct config *c, const struct config *beside,
			      const char *path, const char *const *set,
			      size_t n_set, const char *arms,
			      struct problem *p);
/* The same for a command that prices kernels, of whatever layers. */
int config_load_kernels(struct config *c, const char *path,
			const char *const *set, size_t n_set, const char *arms,
			struct problem *p);
/* Checks whether an engine could serve the model in the parallel split of arm
 * i.  Returns 0, or -1 with *p filled in (EXIT_USAGE). */
int config_check_split(const struct config *c, size_t i, struct problem *p);
/* Returns the section of arm i's pool, a name in engine_pool_section; NULL: not
 * is_apart, or the arm serves in one piece (pools = together). */
const char *config_pool(const struct config *c, size_t i, uint32_t pool);
/* Returns where the engine keys of arm i are, for a pool's section (NULL:
 * none); valid as long as *c. */
struct engine_source config_engine_source(const struct config *c, size_t i,
					  const char *pool);
/* Fills in the engine keys of arm i on that GPU.  Returns 0, or -1 with *p
 * filled in. */
int config_engine_keys(struct engine_keys *k, const struct config *c, size_t i,
		       const char *pool, const struct hardware *h,
		       struct problem *p);
/* Finds the arm that prices the replicas that generate, from the pool's section
 * and arm i; *index = i: arm i does so itself.  Returns 0, or -1 with *p filled
 * in. */
int config_decode_arm(const struct config *c, size_t i, size_t *index,
		      struct problem *p);
/* Finds the arm that prices the drafter named in k.  Returns 0, or -1 with *p
 * filled in. */
int config_draft_arm(const struct config *c, size_t i, const char *pool,
		     const struct engine_keys *k, size_t *index,
		     struct problem *p);
void config_free(struct config *c);

/* Returns the parts (enum config_part) to renew when that key changes. */
unsigned config_parts(const char *section, const char *key);
/* Resolves these parts again from c->cfg, after ini_put() changed their keys.
 * Returns 0, or -1 with *p filled in; then renew them again before use. */
int config_renew(struct config *c, unsigned parts, struct problem *p);
/* Write the resolved values as members of the open JSON object: "model",
 * "engine", "slo" and "workload"; all except "workload"; only "workload". */
void config_write(struct jw *j, const struct config *c);
void config_write_setup(struct jw *j, const struct config *c);
void config_write_workload(struct jw *j, const struct config *c);
