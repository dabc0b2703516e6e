/* plugins.c -- The commands `plugins list`, `plugins describe` and `plugins
 * abi`: print how cost models describe themselves, and in which structs.  The
 * other subcommands have files of their own. */
#include <stdlib.h>
#include <string.h>
#include "base/file/outfile.h"
#include "cmd/cmd.h"
#include "plugin/installed.h"
#include "plugin/loader.h"
#include "report/abi.h"
#include "report/plugins.h"

/* ---- describe ---- */

static int ask_by_name(const struct cmdline *c,
		       struct plugin_description *about, struct problem *p)
{
	char *file, *shadowed;
	int rc = plugin_find(plugin_path(), c->arg[0], &file, &shadowed, p);
	if (rc == 0 && shadowed)
		print_note(c, "%s is not used, an earlier folder has one",
			   shadowed);
	if (rc == 0)
		rc = plugin_ask(about, file, JOB_ANSWER_LIMIT_S, p);
	free(file);
	free(shadowed);
	return rc;
}

/* The command `plugins describe`. */
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
	}
	rc = outfile_end(&out, rc, &p);
	plugin_description_free(&about);
	return rc < 0 ? print_error(&p) : EXIT_DONE;
}

const struct command command_plugins_describe = {
    .name = "plugins describe",
    .args = "NAME",
    .summary =
	"list its knobs with default, range, unit and meaning, and its presets",
    .formats = WRITES_TEXT | WRITES_JSON | WRITES_CSV,
    .min_args = 1,
    .max_args = 1,
    .has_no_config = 1,
    .run = describe,
};

/* ---- list ---- */

static int write_list(const struct cmdline *c, const struct installed *l,
		      struct problem *p)
{
	struct outfile out;
	if (open_output(&out, c, p) < 0)
		return -1;
	if (c->format == FORMAT_JSON)
		plugins_json(l->plugin, l->n, out.f);
	else if (c->format == FORMAT_CSV)
		plugins_csv(l->plugin, l->n, out.f);
	else
		plugins_text(l->plugin, l->n, out.f);
	return outfile_commit(&out, p);
}

/* Complains of each file that cannot be used.  Returns the highest code. */
static int print_file_errors(const struct installed *l)
{
	int code = EXIT_DONE;
	for (size_t i = 0; i < l->n; i++)
		if (l->plugin[i].problem.code != EXIT_DONE &&
		    print_error(&l->plugin[i].problem) > code)
			code = l->plugin[i].problem.code;
	return code;
}

/* The command `plugins list`. */
static int list(const struct cmdline *c)
{
	struct installed l = {0};
	struct problem p = {0};
	int code = EXIT_DONE;
	int rc = installed_ask(&l, &p);
	for (size_t i = 0; i < l.shadowed.n; i++)
		print_note(c, "%s is not used, an earlier folder has one",
			   l.shadowed.item[i]);
	if (rc == 0) {
		code = print_file_errors(&l);
		rc = write_list(c, &l, &p);
	}
	installed_free(&l);
	return rc < 0 ? print_error(&p) : code;
}

const struct command command_plugins_list = {
    .name = "plugins list",
    .args = "",
    .has_no_config = 1,
    .summary = "list the installed cost models",
    .run = list,
    .formats = WRITES_TEXT | WRITES_JSON | WRITES_CSV,
};

/* ---- abi ---- */

/* The command `plugins abi`. */
static int abi(const struct cmdline *c)
{
	struct outfile out;
	struct problem p;
	int rc = open_output(&out, c, &p);
	if (rc == 0) {
		if (c->format == FORMAT_JSON)
			abi_json(out.f);
		else if (c->format == FORMAT_CSV)
			abi_csv(out.f);
		else
			abi_text(out.f);
	}
	rc = outfile_end(&out, rc, &p);
	return rc < 0 ? print_error(&p) : EXIT_DONE;
}

const struct command command_plugins_abi = {
    .name = "plugins abi",
    .args = "",
    .has_no_config = 1,
    .summary = "list every struct and field between host and plugins: type, "
	       "offset, meaning",
    .run = abi,
    .formats = WRITES_TEXT | WRITES_JSON | WRITES_CSV,
};
