/* shipped.c -- Lists the shipped models and GPUs. */
#include "report/help/shipped.h"
#include <stdlib.h>
#include "base/ini.h"
#include "keys/datafile.h"
#include "model/model_ids.h"

/* Calls write() for each NAME of FOLDER/NAME.ini. */
static void each_name(const char *folder, FILE *f,
		      void (*write)(FILE *f, const char *name))
{
	struct searchpath s;
	struct names names = {0};
	if (datafile_folders(&s, folder) < 0)
		return;
	for (size_t i = 0; i < s.folder.n; i++)
		names_add_files(&names, s.folder.item[i], ".ini");
	for (size_t i = 0; i < names.n; i++)
		write(f, names.item[i]);
	names_free(&names);
	searchpath_free(&s);
}

static void write_model(FILE *f, const char *name)
{
	struct problem unused;
	char *id = NULL;
	int is_quantized = 0;
	model_ids_of(&id, name, &is_quantized, &unused);
	fprintf(f, "%-22s %s%s\n", name, id ? id : "",
		id && is_quantized ? ", quantized by the engine" : "");
	free(id);
}

void shipped_models(FILE *f)
{
	fputs("Models, for [model] config and --model, by either name; "
	      "stepcost model show NAME\nhas the layers of one. Any other "
	      "model: config = its config.json.\n",
	      f);
	each_name("etc/models", f, write_model);
}

static void write_gpu(FILE *f, const char *name)
{
	struct problem unused;
	struct ini c;
	static const char *const key[] = {"architecture", "memory_gib",
					  "memory_bandwidth_tbs"};
	static const char *const unit[] = {"", " GiB", " TB/s"};
	char *path = datafile_find("etc/hardware", name, ".ini", &unused);
	int rc = path ? ini_load(&c, path, &unused) : -1;
	fprintf(f, "%-22s", name);
	for (int i = 0; rc == 0 && i < 3; i++) {
		const char *v = ini_get(&c, "hardware", key[i]);
		if (v)
			fprintf(f, "%s%s%s", i ? ", " : " ", v, unit[i]);
	}
	putc('\n', f);
	if (rc == 0)
		ini_free(&c);
	free(path);
}

void shipped_gpus(FILE *f)
{
	fputs("GPUs, for [hardware] config and --hardware; doc/hardware.md has "
	      "how to describe another.\n",
	      f);
	each_name("etc/hardware", f, write_gpu);
}
