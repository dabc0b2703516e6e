/* plugins.c -- Prints cost models as they declare themselves: `plugins list`
 * and `plugins describe`.  The other subcommands have files of their own. */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "base/outfile.h"
#include "cmd/cmd.h"
#include "plugin/loader.h"
#include "report/plugins.h"

/* ---- describe ---- */

static int ask_by_name(const struct cmdline *c,
		       struct plugin_description *about, struct problem *p)
{
	char *file, *shadowed;
	int rc = plugin_find(plugin_path(), c->arg[0], &file, &shadowed, p);
	if (rc == 0 && shadowed)
		note(c, "%s is not used, an earlier folder has one", shadowed);
	if (rc == 0)
		rc = plugin_ask(about, file, JOB_ANSWER_LIMIT_S, p);
	free(file);
	free(shadowed);
	return rc;
}

static int describe(const struct cmdline *c)
{
	struct plugin_description about = {0};
	struct outfile out = {0};
	struct problem p = {0};
	int rc = ask_by_name(c, &about, &p);
	if (rc == 0)
		rc = open_output(&out, c, &p);
	if (rc == 0) {
		if (c->format == FORMAT_JSON)
			plugin_json(&about, out.f);
		else if (c->format == FORMAT_CSV)
			plugin_csv(&about, out.f);
		else
			plugin_text(&about, out.f);
		rc = outfile_commit(&out, &p);
	}
	outfile_discard(&out);
	plugin_description_free(&about);
	return rc < 0 ? complain(&p) : EXIT_DONE;
}

const struct command command_plugins_describe = {
    .name = "plugins describe",
    .args = "NAME",
    .summary = "knobs with default, range, unit, meaning; presets",
    .min_args = 1,
    .max_args = 1,
    .run = describe,
};

/* ---- list ---- */

struct list {
	const struct cmdline *c;
	struct names seen;         /* names found in an earlier folder */
	struct plugin_question *q; /* [n] */
	size_t n;
};

static int add_file(struct list *l, const char *folder, const char *name)
{
	char *file;
	if (names_have(&l->seen, name)) {
		note(l->c, "%s/%s.so is not used, an earlier folder has one",
		     folder, name);
		return 0;
	}
	struct plugin_question *q = realloc(l->q, (l->n + 1) * sizeof *q);
	if (q)
		l->q = q;
	if (!q || asprintf(&file, "%s/%s.so", folder, name) < 0)
		return -1;
	q[l->n++] = (struct plugin_question){.file = file};
	return 0;
}

static int add_folder(struct list *l, const char *folder)
{
	struct names names = {0};
	int rc = names_add_files(&names, folder, ".so");
	for (size_t i = 0; rc == 0 && i < names.n; i++)
		rc = add_file(l, folder, names.item[i]);
	for (size_t i = 0; rc == 0 && i < names.n; i++)
		rc = names_add(&l->seen, names.item[i]);
	names_free(&names);
	return rc;
}

static int add_folders(struct list *l, struct problem *p)
{
	struct searchpath s;
	int rc = plugin_folders(&s, plugin_path());
	for (size_t i = 0; rc == 0 && i < s.folder.n; i++)
		rc = add_folder(l, s.folder.item[i]);
	searchpath_free(&s);
	return rc < 0 ? problem_set(p, EXIT_USAGE, "out of memory") : 0;
}

static int write_list(const struct list *l, struct problem *p)
{
	struct outfile out;
	if (open_output(&out, l->c, p) < 0)
		return -1;
	if (l->c->format == FORMAT_JSON)
		plugins_json(l->q, l->n, out.f);
	else if (l->c->format == FORMAT_CSV)
		plugins_csv(l->q, l->n, out.f);
	else
		plugins_text(l->q, l->n, out.f);
	int rc = outfile_commit(&out, p);
	outfile_discard(&out);
	return rc;
}

/* Says of each file that cannot be used what is wrong; the highest code. */
static int complain_of_files(const struct list *l)
{
	int code = EXIT_DONE;
	for (size_t i = 0; i < l->n; i++)
		if (l->q[i].problem.code != EXIT_DONE &&
		    complain(&l->q[i].problem) > code)
			code = l->q[i].problem.code;
	return code;
}

static int list(const struct cmdline *c)
{
	struct list l = {.c = c};
	struct problem p = {0};
	int code = EXIT_DONE;
	int rc = add_folders(&l, &p);
	if (rc == 0)
		rc = plugin_ask_all(l.q, l.n, JOB_ANSWER_LIMIT_S, &p);
	if (rc == 0) {
		code = complain_of_files(&l);
		rc = write_list(&l, &p);
	}
	for (size_t i = 0; i < l.n; i++) {
		plugin_description_free(&l.q[i].about);
		free((char *)(uintptr_t)l.q[i].file);
	}
	free(l.q);
	names_free(&l.seen);
	return rc < 0 ? complain(&p) : code;
}

const struct command command_plugins_list = {
    .name = "plugins list",
    .args = "",
    .summary = "the cost models that are installed",
    .run = list,
};
