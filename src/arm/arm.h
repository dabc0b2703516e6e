/* arm/arm.h -- a cost model that is ready to price: its plugin, its setup, its
 * instance.  It is opened in the process that runs it. */
#pragma once
#include "arm/configuration.h"
#include "arm/host.h"
#include "cost/cost.h"
#include "engine/engine.h"
#include "jobs/watch.h"
#include "plugin/loader.h"
#include "tables/selection.h"

/* Must not be moved after it is opened: setup points into it. */
struct arm {
	const struct config *config;
	size_t index; /* index among the configuration's arms */
	/* a name in engine_pool_section; NULL: for all replicas */
	const char *pool;
	const struct arm_config *is;
	const sc_host *host;
	struct limited_host limited; /* the host as the plugin knows it */
	struct watch *watch;         /* NULL: not watched */
	struct plugin plugin;
	char *plugin_dir; /* of the plugin's own data; NULL: none */
	/* is->plugin when it was loaded: `is` may be gone when it is unloaded,
	 * because the configuration was renewed */
	char loaded[64];
	void *knobs; /* the plugin's knob block, filled in */
	struct hardware hardware;
	struct engine_keys engine_keys;
	/* Engine on this arm's hardware; if another arm prices the decode pool,
	 * both engines joined. */
	struct engine engine;
	struct selection tables; /* from the configuration's library */
	sc_model model;          /* with the KV-cache format of this engine */
	sc_parallel parallel;
	sc_engine engine_view;
	sc_setup setup;
	struct cost cost;
	/* as its plugin says, if it does */
	sc_request_costs request_costs;
	int has_request_costs;
	struct arm *decode; /* prices the pool that generates; NULL: none */
	/* model of its drafter; n_groups 0: unknown */
	struct model draft_model;
	struct arm *drafter; /* prices the drafter's passes; NULL: none */
};
/* Returns US dollars per hour and GPU, the mean over both pools; 0: unknown. */
double arm_usd_per_hour(const struct arm *a);

/* Opens arm i of the configuration.  host: NULL drops log messages.  watch:
 * watches the plugin's code, or NULL.  Returns 0, or -1 with *p filled in. The
 * caller calls arm_close() in either case.  [main] */
int arm_open(struct arm *a, const struct config *c, size_t i,
	     const sc_host *host, struct watch *watch, struct problem *p);
/* Does everything except what needs the plugin: a->setup is what create() would
 * get.  Otherwise the same. */
int arm_prepare(struct arm *a, const struct config *c, size_t i,
		const sc_host *host, struct problem *p);
/* Creates the instance of an arm that is prepared; loads the plugin if it is
 * not loaded.  watch: as in arm_open().  Returns 0, or -1 with *p filled in. */
int arm_create(struct arm *a, struct watch *watch, struct problem *p);
/* Destroys the instance; the arm stays prepared.  Call it before config_renew()
 * of any part that the instance knows: all except CONFIG_WORKLOAD and
 * CONFIG_SLO. */
void arm_destroy(struct arm *a);
/* Call it after config_renew() of these parts (enum config_part).  Unaffected
 * things (plugin, tables, GPU) stay.  Returns 0, or -1 with *p filled in; then
 * prepare all parts again, or close the arm. */
int arm_prepare_again(struct arm *a, unsigned parts, struct problem *p);
void arm_close(struct arm *a);
/* Writes members of the open JSON object: plugin, version, preset, knobs,
 * hardware, and tables with their SHA-256. */
void arm_write(struct jw *j, const struct arm *a);
