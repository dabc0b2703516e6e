/* setup.h -- what a cost model is told once: model, hardware, engine, tables,
 * from [model], [hardware], [engine], [tables]. */
#ifndef SC_SRC_SETUP_H
#define SC_SRC_SETUP_H
#include "tables.h"
#include "settings.h"
#include "stepcost/plugin.h"

/* Not to be moved once loaded: the view points into it. */
struct setup {
	sc_layers layers;
	const sc_layers *group[1];
	sc_model model;
	sc_hardware hardware;
	sc_parallel parallel;
	sc_engine engine;
	struct bench_set tables;
	sc_setup view; /* what create() receives */
};

/* 0, or -1 with *p. */
int setup_load(struct setup *s, const struct cfg *c, const sc_host *host,
	       struct problem *p);
void setup_free(struct setup *s);
#endif
