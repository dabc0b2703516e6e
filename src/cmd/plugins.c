/* plugins.c -- `plugins list` and `plugins describe`: cost models as they
 * declare themselves.  The other subcommands have files of their own. */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "base/csv.h"
#include "base/json_writer.h"
#include "base/number.h"
#include "base/outfile.h"
#include "cmd/cmd.h"
#include "plugin/loader.h"
#include "setup/keys.h"

/* ---- describe ---- */

static const struct {
	uint32_t bit;
	const char *name;
} capability[] = {
    {SC_CAP_ORDER_SENSITIVE, "order_sensitive"},
    {SC_CAP_NOT_MONOTONE, "not_monotone"},
    {SC_CAP_ADDITIVE, "additive"},
    {SC_CAP_DOES_IO, "does_io"},
};
enum { N_CAPABILITIES = sizeof capability / sizeof *capability };

/* "a|b", "[0, 1]" or "true|false"; returns buf. */
static const char *allowed(const sc_knob *k, char *buf, size_t size)
{
	char min[NUMBER_SIZE], max[NUMBER_SIZE];
	size_t n = 0;
	buf[0] = '\0';
	if (k->type == SC_KNOB_BOOL) {
		snprintf(buf, size, "true|false");
	} else if (k->type == SC_KNOB_CHOICE) {
		for (int i = 0; k->choices[i] && n < size; i++)
			n += (size_t)snprintf(buf + n, size - n, "%s%s",
					      i ? "|" : "", k->choices[i]);
	} else {
		number_format(min, k->min);
		number_format(max, k->max);
		snprintf(buf, size, "[%s, %s]", min, max);
	}
	return buf;
}

static const char *type_name(const sc_knob *k)
{
	static const char *const name[] = {"?", "double", "int", "bool",
					   "choice"};
	return name[k->type <= SC_KNOB_CHOICE ? k->type : 0];
}

static void describe_text(FILE *f, const struct plugin *m)
{
	const sc_plugin *d = &m->p;
	char range[400];
	fprintf(f, "%s %s -- %s\n", d->name, d->version, d->summary);
	fprintf(f, "  ABI %u.%u%s%s\n", d->abi_major, d->abi_minor,
		d->eval_batch ? ", batches" : "",
		d->kernel ? ", single kernels" : "");
	fputs("  capabilities:", f);
	for (int i = 0; i < N_CAPABILITIES; i++)
		if (d->capabilities & capability[i].bit)
			fprintf(f, " %s", capability[i].name);
	fputs(d->capabilities ? "\n" : " none\n", f);
	for (uint32_t i = 0; i < d->n_knobs; i++) {
		const sc_knob *k = d->knob[i];
		fprintf(f, "  %-24s = %-10s %-8s %s\n      %s\n", k->name,
			k->def, strcmp(k->unit, "1") ? k->unit : "",
			allowed(k, range, sizeof range), k->help);
	}
	for (uint32_t i = 0; i < d->n_presets; i++) {
		fprintf(f, "  preset %s: %s\n", d->preset[i]->name,
			d->preset[i]->help);
		for (const char *const *v = d->preset[i]->values; v[0]; v += 2)
			fprintf(f, "    %s = %s\n", v[0], v[1]);
	}
}

static void describe_csv(FILE *f, const struct plugin *m)
{
	char range[400];
	fputs("knob,type,default,unit,allowed,help\n", f);
	for (uint32_t i = 0; i < m->p.n_knobs; i++) {
		const sc_knob *k = m->p.knob[i];
		fprintf(f, "%s,%s,", k->name, type_name(k));
		csv_text(f, k->def);
		putc(',', f);
		csv_text(f, k->unit);
		putc(',', f);
		csv_text(f, allowed(k, range, sizeof range));
		putc(',', f);
		csv_text(f, k->help);
		putc('\n', f);
	}
}

static void json_knob(struct jw *j, const sc_knob *k)
{
	jw_flat_object(j, NULL);
	jw_text(j, "name", k->name);
	jw_text(j, "type", type_name(k));
	jw_text(j, "default", k->def);
	jw_text(j, "unit", k->unit);
	if (k->type == SC_KNOB_DOUBLE || k->type == SC_KNOB_INT) {
		jw_number(j, "min", k->min);
		jw_number(j, "max", k->max);
	}
	if (k->type == SC_KNOB_CHOICE) {
		jw_array(j, "choices");
		for (int i = 0; k->choices[i]; i++)
			jw_text(j, NULL, k->choices[i]);
		jw_end(j);
	}
	jw_text(j, "help", k->help);
	jw_end(j);
}

static void json_preset(struct jw *j, const sc_preset *s)
{
	jw_flat_object(j, NULL);
	jw_text(j, "name", s->name);
	jw_text(j, "help", s->help);
	jw_object(j, "values");
	for (const char *const *v = s->values; v[0]; v += 2)
		jw_text(j, v[0], v[1]);
	jw_end(j);
	jw_end(j);
}

static void json_capabilities(struct jw *j, const sc_plugin *d)
{
	jw_flat_array(j, "capabilities");
	for (int i = 0; i < N_CAPABILITIES; i++)
		if (d->capabilities & capability[i].bit)
			jw_text(j, NULL, capability[i].name);
	jw_end(j);
}

static void describe_json(FILE *f, const struct plugin *m)
{
	const sc_plugin *d = &m->p;
	struct jw j;
	jw_start(&j, f);
	jw_object(&j, NULL);
	jw_text(&j, "name", d->name);
	jw_text(&j, "version", d->version);
	jw_text(&j, "summary", d->summary);
	jw_flat_array(&j, "abi");
	jw_uint(&j, NULL, d->abi_major);
	jw_uint(&j, NULL, d->abi_minor);
	jw_end(&j);
	jw_bool(&j, "batches", d->eval_batch != NULL);
	jw_bool(&j, "kernels", d->kernel != NULL);
	json_capabilities(&j, d);
	jw_array(&j, "knobs");
	for (uint32_t i = 0; i < d->n_knobs; i++)
		json_knob(&j, d->knob[i]);
	jw_end(&j);
	jw_array(&j, "presets");
	for (uint32_t i = 0; i < d->n_presets; i++)
		json_preset(&j, d->preset[i]);
	jw_end(&j);
	jw_end(&j);
	jw_finish(&j);
}

static int describe(const struct cmdline *c)
{
	struct plugin m;
	struct outfile out;
	struct problem p = {0};
	if (plugin_open(&m, plugin_path(), c->arg[0], &p) < 0)
		return complain(&p);
	if (m.shadowed)
		note(c, "%s is not used, an earlier folder has one",
		     m.shadowed);
	int rc = outfile_open(&out, c->output, &p);
	if (rc == 0) {
		if (c->format == FORMAT_JSON)
			describe_json(out.f, &m);
		else if (c->format == FORMAT_CSV)
			describe_csv(out.f, &m);
		else
			describe_text(out.f, &m);
		rc = outfile_commit(&out, &p);
	}
	plugin_close(&m);
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
	FILE *f;
	struct jw j;
	struct names seen; /* names found in an earlier folder */
	int code;
};

static void list_one(struct list *l, const char *folder, const struct plugin *m)
{
	const sc_plugin *d = &m->p;
	if (l->c->format == FORMAT_JSON) {
		jw_flat_object(&l->j, NULL);
		jw_text(&l->j, "name", d->name);
		jw_text(&l->j, "version", d->version);
		jw_text(&l->j, "summary", d->summary);
		json_capabilities(&l->j, d);
		jw_text(&l->j, "folder", folder);
		jw_end(&l->j);
	} else if (l->c->format == FORMAT_CSV) {
		fprintf(l->f, "%s,", d->name);
		csv_text(l->f, d->version);
		putc(',', l->f);
		csv_text(l->f, d->summary);
		putc(',', l->f);
		csv_text(l->f, folder);
		putc('\n', l->f);
	} else {
		fprintf(l->f, "%-20s %-8s %s\n", d->name, d->version,
			d->summary);
	}
}

/* What a file in the folder is; one that cannot be used is said. */
static void list_file(struct list *l, const char *folder, const char *name)
{
	struct plugin m;
	struct problem p;
	if (names_have(&l->seen, name)) {
		note(l->c, "%s/%s.so is not used, an earlier folder has one",
		     folder, name);
		return;
	}
	if (plugin_open(&m, folder, name, &p) < 0) {
		int code = complain(&p);
		l->code = code > l->code ? code : l->code;
		return;
	}
	list_one(l, folder, &m);
	plugin_close(&m);
}

static int list_folder(struct list *l, const char *folder)
{
	struct names names = {0};
	int rc = names_add_files(&names, folder, ".so");
	for (size_t i = 0; i < names.n; i++)
		list_file(l, folder, names.item[i]);
	for (size_t i = 0; rc == 0 && i < names.n; i++)
		rc = names_add(&l->seen, names.item[i]);
	names_free(&names);
	return rc;
}

static int list_all(struct list *l)
{
	struct searchpath s;
	if (plugin_folders(&s, plugin_path()) < 0)
		return -1;
	if (l->c->format == FORMAT_JSON) {
		jw_start(&l->j, l->f);
		jw_array(&l->j, NULL);
	} else if (l->c->format == FORMAT_CSV) {
		fputs("name,version,summary,folder\n", l->f);
	}
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < s.folder.n; i++)
		rc = list_folder(l, s.folder.item[i]);
	if (l->c->format == FORMAT_JSON) {
		jw_end(&l->j);
		jw_finish(&l->j);
	}
	searchpath_free(&s);
	return rc;
}

static int list(const struct cmdline *c)
{
	struct list l = {.c = c};
	struct outfile out;
	struct problem p = {EXIT_USAGE, "out of memory"};
	if (outfile_open(&out, c->output, &p) < 0)
		return complain(&p);
	l.f = out.f;
	int rc = list_all(&l);
	if (rc == 0)
		rc = outfile_commit(&out, &p);
	outfile_discard(&out);
	names_free(&l.seen);
	int code = rc < 0 ? complain(&p) : EXIT_DONE;
	return code > l.code ? code : l.code;
}

const struct command command_plugins_list = {
    .name = "plugins list",
    .args = "",
    .summary = "the cost models that are installed",
    .run = list,
};
