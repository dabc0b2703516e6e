/* served.c -- Finds the model and the GPU that a measured row names. */
#include "validate/measured/served.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "keys/datafile.h"
#include "model/model_ids.h"
#include "validate/measured/aliases.h"
#include "validate/measured/rules.h"

const char *const served_name[N_SERVED] = {"model", "GPU"};

static const char *const alias_section[N_SERVED] = {"model", "gpu"};
static const char *const rule_key[N_SERVED] = {"model.config",
					       "hardware.config"};
static const char *const folder[N_SERVED] = {"etc/models", "etc/hardware"};

const char *served_id(const struct measured_row *r, enum served what)
{
	return what == SERVED_MODEL ? r->model : r->gpu;
}

/* A file, or a folder with a config.json; its whole path, to be freed. */
static char *real_file(const char *path)
{
	struct stat st;
	char inside[4096];
	if (stat(path, &st) < 0)
		return NULL;
	snprintf(inside, sizeof inside, "%s/config.json", path);
	return S_ISDIR(st.st_mode) && access(inside, R_OK) < 0
		   ? NULL
		   : realpath(path, NULL);
}

static char *by_path(const char *id, const char *measured)
{
	const char *slash = strrchr(measured, '/');
	char beside[4096], *found = NULL;
	if (slash && *id != '/') {
		int n = snprintf(beside, sizeof beside, "%.*s/%s",
				 (int)(slash - measured), measured, id);
		found = n < (int)sizeof beside ? real_file(beside) : NULL;
	}
	return found ? found : real_file(id);
}

char *served_config(const struct measured_row *r, enum served what,
		    const struct ini *aliases)
{
	const char *id = served_id(r, what);
	const char *rule = rules_get(aliases, r, rule_key[what]);
	if (rule)
		return strdup(rule);
	if (!id)
		return NULL;
	const char *alias = alias_of(aliases, alias_section[what], id);
	if (alias != id)
		return strdup(alias);
	char *listed = NULL;
	if (what == SERVED_MODEL && model_ids_find(&listed, id, NULL) == 0 &&
	    listed)
		return listed;
	if (alias_is_path(id))
		return by_path(id, r->file);
	char *path = datafile_find(folder[what], id, ".ini", NULL);
	if (!path)
		return NULL;
	free(path);
	return strdup(id);
}

int served_unknown(const struct measured *m, enum served what,
		   const struct ini *aliases, struct names *unknown,
		   const char **only)
{
	struct names id = {0};
	int rc = 0;
	*only = NULL;
	for (size_t i = 0; rc == 0 && i < m->n; i++)
		if (served_id(&m->row[i], what))
			rc = names_add_new(&id, served_id(&m->row[i], what));
	for (size_t i = 0; rc == 0 && i < m->n; i++) {
		const char *is = served_id(&m->row[i], what);
		char *config = served_config(&m->row[i], what, aliases);
		if (is && !config && id.n == 1)
			*only = is;
		else if (is && !config)
			rc = names_add_new(unknown, is);
		free(config);
	}
	names_free(&id);
	return rc;
}
