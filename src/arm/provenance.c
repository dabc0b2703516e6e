/* provenance.c -- Writes paths, hashes, host and time of day for
 * --provenance. */
#include "arm/provenance.h"
#include <sha2.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include "base/json/json_writer.h"

static void absolute(struct jw *j, const char *key, const char *path)
{
	char *real = path ? realpath(path, NULL) : NULL;
	jw_text(j, key, real ? real : path);
	free(real);
}

void provenance_arm(FILE *f, const struct arm *a)
{
	char hash[SHA256_DIGEST_STRING_LENGTH];
	struct jw j;
	jw_start(&j, f);
	jw_flat_object(&j, NULL);
	absolute(&j, "plugin_path", a->plugin.path);
	jw_text(&j, "plugin_sha256", SHA256File(a->plugin.path, hash));
	absolute(&j, "tables_path",
		 a->is->tables.n ? a->is->tables.item[0].path : NULL);
	jw_end(&j);
}

void provenance_host(FILE *f, const char *config_path)
{
	struct utsname host = {0};
	struct jw j;
	char now[32] = "", folder[4096] = "";
	time_t t = time(NULL);
	struct tm utc;
	uname(&host);
	if (gmtime_r(&t, &utc))
		strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", &utc);
	jw_start(&j, f);
	jw_flat_object(&j, NULL);
	jw_text(&j, "time", now);
	jw_text(&j, "host", host.nodename);
	jw_text(&j, "system", host.sysname);
	jw_text(&j, "release", host.release);
	jw_text(&j, "machine", host.machine);
	jw_int(&j, "cores", sysconf(_SC_NPROCESSORS_ONLN));
	jw_text(&j, "compiler", __VERSION__);
	absolute(&j, "config_path", config_path);
	jw_text(&j, "working_directory", getcwd(folder, sizeof folder));
	jw_end(&j);
}
