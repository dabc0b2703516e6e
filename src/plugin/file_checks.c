/* file_checks.c -- Checks the exports, imports and writable objects of a
 * plugin's file. */
#include "plugin/file_checks.h"
#include <stdio.h>
#include <string.h>
#include "stepcost/plugin.h"

/* Symbols that a linker adds besides the entry. */
static const char *const entry[] = {SC_ENTRY, "_init",       "_fini", "_edata",
				    "_end",   "__bss_start", NULL};
static const char *const none[] = {NULL};
static const char *const printing[] = {
    "printf",        "fprintf",       "vprintf",        "vfprintf",
    "puts",          "fputs",         "putchar",        "fputc",
    "putc",          "fwrite",        "perror",         "__printf_chk",
    "__fprintf_chk", "__vprintf_chk", "__vfprintf_chk", NULL};
static const char *const meddling[] = {"setlocale",      "chdir",
				       "signal",         "sigaction",
				       "fesetround",     "fesetenv",
				       "feenableexcept", "fedisableexcept",
				       "feupdateenv",    "feholdexcept",
				       "fesetmode",      "rand",
				       "srand",          "random",
				       "drand48",        "time",
				       "clock",          "clock_gettime",
				       "gettimeofday",   "getrandom",
				       "exit",           "_exit",
				       "system",         "setenv",
				       "putenv",         NULL};

static int is_in(const char *name, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(*list, name))
			return 1;
	return 0;
}

/* Reports the names that are in the list (in = 1), or not in it (in = 0). */
static struct file_finding names_finding(const char *check,
					 const struct names *names,
					 const char *const *list, int in)
{
	struct file_finding f = {.check = check};
	size_t n = 0;
	for (size_t i = 0; i < names->n && n < sizeof f.why; i++)
		if (is_in(names->item[i], list) == in)
			n += (size_t)snprintf(f.why + n, sizeof f.why - n,
					      " %s", names->item[i]);
	f.is = n ? VERDICT_NOT_OK : VERDICT_OK;
	return f;
}

static struct file_finding writable_finding(const struct dso *d)
{
	static const char check[] = "no writable globals";
	if (!d->sanitized)
		return names_finding(check, &d->writable, none, 0);
	return (struct file_finding){check, VERDICT_SKIP,
				     "built with a sanitizer"};
}

static struct file_finding segments_finding(const struct dso *d)
{
	struct file_finding f = {
	    .check = "no executable stack, no text relocations"};
	snprintf(f.why, sizeof f.why, "%s",
		 d->exec_stack         ? " executable stack"
		 : d->text_relocations ? " text relocations"
				       : "");
	f.is = *f.why ? VERDICT_NOT_OK : VERDICT_OK;
	return f;
}

void file_checks(const struct dso *d, uint32_t capabilities,
		 struct file_finding found[N_FILE_CHECKS])
{
	int io = (capabilities & SC_CAP_DOES_IO) != 0;
	found[0] = names_finding("one exported symbol", &d->exported, entry, 0);
	found[1] = names_finding("imports nothing that prints", &d->imported,
				 io ? none : printing, 1);
	found[2] = names_finding(
	    "imports no clock, no random numbers, no mode of the process",
	    &d->imported, io ? none : meddling, 1);
	found[3] = writable_finding(d);
	found[4] = segments_finding(d);
}
