/* plugins.c -- Writes the declarations of plugins: one in full, or several with
 * one line each. */
#include "report/plugins.h"
#include <limits.h>
#include <string.h>
#include "base/csv.h"
#include "base/json/json_writer.h"
#include "base/paragraph.h"
#include "keys/keys.h"
#include "plugin/needs.h"
#include "report/help/keys.h"

static const struct {
	uint32_t bit;
	const char *name;
} capability[] = {
    {SC_CAP_ORDER_SENSITIVE, "order_sensitive"},
    {SC_CAP_NOT_MONOTONE, "not_monotone"},
    {SC_CAP_ADDITIVE, "additive"},
    {SC_CAP_DOES_IO, "does_io"},
    {SC_CAP_DECODE_NEW, "decode_new"},
    {SC_CAP_TABLES, "tables"},
};
enum { N_CAPABILITIES = sizeof capability / sizeof *capability };

static void origin_text(const sc_plugin *d, FILE *f)
{
	const struct {
		const char *name, *text;
	} line[] = {{"id", d->id},
		    {"author", d->author},
		    {"licence", d->licence},
		    {"url", d->url},
		    {"cite", d->citation}};
	for (size_t i = 0; i < sizeof line / sizeof *line; i++)
		if (line[i].text)
			paragraph_print(f, PARAGRAPH_COLUMNS, 4, "  %s: %s",
					line[i].name, line[i].text);
}

static void needs_text(const sc_plugin *d, FILE *f)
{
	for (uint32_t i = 0; i < d->n_needs; i++) {
		const sc_need *n = d->need[i];
		paragraph_print(
		    f, PARAGRAPH_COLUMNS, 4, "  %s %s %s%s%s%s%s%s%s%s%s",
		    n->flags & SC_NEED_OPTIONAL ? "can use" : "needs",
		    need_kind_name[n->kind], n->value,
		    n->columns ? ", columns " : "",
		    n->columns ? n->columns : "", n->notes ? ", notes " : "",
		    n->notes ? n->notes : "", n->when ? ", when " : "",
		    n->when ? n->when : "", n->help ? ": " : "",
		    n->help ? n->help : "");
	}
	for (uint32_t i = 0; i < d->n_sigma; i++)
		paragraph_print(f, PARAGRAPH_COLUMNS, 4, "  sigma %s: %s",
				d->sigma[i]->name, d->sigma[i]->help);
}

/* Writes when the knob has an effect.  Returns NULL if it always has. */
static const char *effect_of_knob(const sc_knob *k, char *to, size_t size)
{
	if (!knob_when(k))
		return NULL;
	snprintf(to, size, "Has an effect when %s.", knob_when(k));
	return to;
}

void plugin_text(const struct plugin_description *about, FILE *f)
{
	char more[300];
	const sc_plugin *d = &about->is;
	paragraph_print(f, PARAGRAPH_COLUMNS, 2, "%s %s -- %s", d->name,
			d->version, d->summary);
	fprintf(f, "  ABI %u.%u%s%s%s\n", d->abi_major, d->abi_minor,
		about->prices_batches ? ", batches" : "",
		about->prices_kernels ? ", single kernels" : "",
		about->prices_requests ? ", time outside of steps" : "");
	origin_text(d, f);
	fputs("  capabilities:", f);
	for (int i = 0; i < N_CAPABILITIES; i++)
		if (d->capabilities & capability[i].bit)
			fprintf(f, " %s", capability[i].name);
	fputs(d->capabilities ? "\n" : " none\n", f);
	needs_text(d, f);
	for (uint32_t i = 0; i < d->n_knobs; i++)
		key_text(f, d->knob[i], "",
			 effect_of_knob(d->knob[i], more, sizeof more));
	for (uint32_t i = 0; i < d->n_presets; i++) {
		paragraph_print(f, PARAGRAPH_COLUMNS, 4, "  preset %s: %s",
				d->preset[i]->name, d->preset[i]->help);
		for (const char *const *v = d->preset[i]->values; v[0]; v += 2)
			fprintf(f, "    %s = %s\n", v[0], v[1]);
	}
}

void plugin_csv(const struct plugin_description *about, FILE *f)
{
	char range[400];
	fputs("knob,type,default,unit,allowed,help\n", f);
	for (uint32_t i = 0; i < about->is.n_knobs; i++) {
		const sc_knob *k = about->is.knob[i];
		csv_text(f, k->name);
		fprintf(f, ",%s,", key_type(k));
		csv_text(f, k->def);
		csv_next_text(f, k->unit);
		csv_next_text(f, key_allowed(k, range, sizeof range));
		csv_next_text(f, k->help);
		putc('\n', f);
	}
}

static void json_origin(struct jw *j, const sc_plugin *d)
{
	jw_text(j, "id", d->id);
	jw_text(j, "author", d->author);
	jw_text(j, "licence", d->licence);
	jw_text(j, "url", d->url);
	jw_text(j, "citation", d->citation);
}

static void json_needs(struct jw *j, const sc_plugin *d)
{
	jw_array(j, "needs");
	for (uint32_t i = 0; i < d->n_needs; i++) {
		const sc_need *n = d->need[i];
		jw_flat_object(j, NULL);
		jw_text(j, "kind", need_kind_name[n->kind]);
		jw_text(j, "value", n->value);
		jw_bool(j, "optional", n->flags & SC_NEED_OPTIONAL);
		jw_text(j, "columns", n->columns);
		jw_text(j, "notes", n->notes);
		jw_text(j, "when", n->when);
		jw_text(j, "help", n->help);
		jw_end(j);
	}
	jw_end(j);
	jw_array(j, "sigma");
	for (uint32_t i = 0; i < d->n_sigma; i++) {
		jw_flat_object(j, NULL);
		jw_text(j, "name", d->sigma[i]->name);
		jw_text(j, "help", d->sigma[i]->help);
		jw_end(j);
	}
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

void plugin_json(const struct plugin_description *about, FILE *f)
{
	const sc_plugin *d = &about->is;
	struct jw j = jw_document(f);
	jw_text(&j, "name", d->name);
	jw_text(&j, "version", d->version);
	jw_text(&j, "summary", d->summary);
	json_origin(&j, d);
	jw_flat_array(&j, "abi");
	jw_uint(&j, NULL, d->abi_major);
	jw_uint(&j, NULL, d->abi_minor);
	jw_end(&j);
	jw_bool(&j, "batches", about->prices_batches);
	jw_bool(&j, "kernels", about->prices_kernels);
	jw_bool(&j, "request_costs", about->prices_requests);
	json_capabilities(&j, d);
	json_needs(&j, d);
	jw_array(&j, "knobs");
	for (uint32_t i = 0; i < d->n_knobs; i++) {
		jw_flat_object(&j, NULL);
		key_json(&j, d->knob[i]);
		jw_end(&j);
	}
	jw_end(&j);
	jw_array(&j, "presets");
	for (uint32_t i = 0; i < d->n_presets; i++)
		json_preset(&j, d->preset[i]);
	jw_finish(&j);
}

/* ---- several plugins ---- */

static int answered(const struct plugin_query *q)
{
	return q->problem.code == EXIT_DONE;
}

/* Returns the folder of FOLDER/NAME.so, in buf. */
static const char *folder_of(const char *file, char buf[PATH_MAX])
{
	const char *slash = strrchr(file, '/');
	snprintf(buf, PATH_MAX, "%.*s", slash ? (int)(slash - file) : 0, file);
	return buf;
}

void plugins_text(const struct plugin_query *q, size_t n, FILE *f)
{
	for (size_t i = 0; i < n; i++) {
		const sc_plugin *d = &q[i].about.is;
		if (answered(&q[i]))
			paragraph_print(f, PARAGRAPH_COLUMNS, 30,
					"%-20s %-8s %s", d->name, d->version,
					d->summary);
	}
}

void plugins_csv(const struct plugin_query *q, size_t n, FILE *f)
{
	char folder[PATH_MAX];
	fputs("name,version,summary,folder\n", f);
	for (size_t i = 0; i < n; i++) {
		const sc_plugin *d = &q[i].about.is;
		if (!answered(&q[i]))
			continue;
		csv_text(f, d->name);
		csv_next_text(f, d->version);
		csv_next_text(f, d->summary);
		csv_next_text(f, folder_of(q[i].file, folder));
		putc('\n', f);
	}
}

void plugins_json(const struct plugin_query *q, size_t n, FILE *f)
{
	char folder[PATH_MAX];
	struct jw j;
	jw_start(&j, f);
	jw_array(&j, NULL);
	for (size_t i = 0; i < n; i++) {
		const sc_plugin *d = &q[i].about.is;
		if (!answered(&q[i]))
			continue;
		jw_flat_object(&j, NULL);
		jw_text(&j, "name", d->name);
		jw_text(&j, "version", d->version);
		jw_text(&j, "summary", d->summary);
		json_capabilities(&j, d);
		jw_text(&j, "folder", folder_of(q[i].file, folder));
		jw_end(&j);
	}
	jw_finish(&j);
}
