/* report/import/launched.h -- how a server or a gateway is started, as a
 * configuration: a script with the command of vLLM, SGLang or TensorRT-LLM, the
 * YAML that `vllm serve --config` and `trtllm-serve --config` read, or an
 * EndpointPickerConfig of the gateway API's inference extension.
 *
 * etc/launch.csv has the flags that `recommend --emit` writes, and
 * etc/launch-import.csv others; a flag that is called as a key of the engine is
 * that key.  Each setting that none of them knows is listed. */
#pragma once
#include <stdio.h>
#include "base/ini.h"
#include "base/names.h"
#include "report/recommend/flags.h"

struct launched {
	const char *engine; /* a word of engine_scheduler_words; of a gateway
			       NULL */
	const char
	    *pool; /* the section of its pool; NULL: serves both phases */
	char *model_id, *quantization; /* as they are called there; NULL */
	struct ini c;                  /* keys, each with its flag as `at` */
	struct names other;            /* settings without a counterpart */
	/* for launched.c */
	struct flags flags;
	struct ini more; /* etc/launch-import.csv: flag = key, `at` = value */
};

/* engine: of YAML that does not tell; NULL: vllm.  Returns 0, or -1 with *p
 * filled in.  The caller calls launched_free() in either case. */
int launched_read(struct launched *x, const char *path, const char *engine,
		  struct problem *p);
void launched_free(struct launched *x);
