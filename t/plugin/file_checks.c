/* What a plugin's file shows without being loaded. */
#include "plugin/file_checks.h"
#include "tap.h"
#include "stepcost/plugin.h"

static const char *in_names[] = {"memcpy", "puts", "time"};
static const char *out_names[] = {SC_ENTRY, "_init", "helper"};
static const char *globals[] = {"counter"};

static void a_bad_file(void)
{
	struct file_finding f[N_FILE_CHECKS];
	struct dso d = {.exported = {out_names, 3, 3},
			.imported = {in_names, 3, 3},
			.writable = {globals, 1, 1},
			.exec_stack = 1};
	static const char *const why[N_FILE_CHECKS] = {
	    " helper", " puts", " time", " counter", " executable stack"};
	file_checks(&d, 0, f);
	for (int i = 0; i < N_FILE_CHECKS; i++) {
		ok(f[i].is == VERDICT_NOT_OK, "not ok: %s", f[i].check);
		is(f[i].why, why[i], "and says what");
	}
	file_checks(&d, SC_CAP_DOES_IO, f);
	ok(f[1].is == VERDICT_OK && f[2].is == VERDICT_OK,
	   "a plugin that does I/O may import what does");
	ok(f[0].is == VERDICT_NOT_OK, "and nothing else");
	d.sanitized = 1;
	file_checks(&d, 0, f);
	ok(f[3].is == VERDICT_SKIP && *f[3].why,
	   "a sanitizer's globals are not the plugin's");
}

static void a_good_file(void)
{
	struct file_finding f[N_FILE_CHECKS];
	struct dso d = {.exported = {out_names, 2, 2},
			.imported = {in_names, 1, 1}};
	file_checks(&d, 0, f);
	for (int i = 0; i < N_FILE_CHECKS; i++)
		ok(f[i].is == VERDICT_OK && !*f[i].why, "ok: %s", f[i].check);
	d.text_relocations = 1;
	file_checks(&d, 0, f);
	is(f[4].why, " text relocations", "text relocations");
}

static void many_names(void)
{
	static const char *name[100];
	struct file_finding f[N_FILE_CHECKS];
	struct dso d = {.exported = {name, 100, 100}};
	for (int i = 0; i < 100; i++)
		name[i] = "a_name_of_some_length";
	file_checks(&d, 0, f);
	ok(f[0].is == VERDICT_NOT_OK && strlen(f[0].why) < sizeof f[0].why,
	   "more names than there is room for");
}

int main(void)
{
	a_bad_file();
	a_good_file();
	many_names();
	return done();
}
