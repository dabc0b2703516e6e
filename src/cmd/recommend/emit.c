/* emit.c -- Writes the scripts of the winners. */
#include <config.h>
#include "cmd/recommend/emit.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/file/outfile.h"
#include "recommend/pessimistic.h"
#include "report/recommend/deploy.h"
#include "report/recommend/launch.h"
#include "report/recommend/parts.h"

int emit_folder(const char *folder, struct problem *p)
{
	struct stat is;
	int why = mkdir(folder, 0777) == 0 ? 0 : errno;
	if (why == EEXIST)
		why = stat(folder, &is) < 0 || !S_ISDIR(is.st_mode) ? ENOTDIR
		      : access(folder, W_OK | X_OK) < 0             ? errno
								    : 0;
	return why ? problem_set(p, EXIT_USAGE, "--emit %s: %s", folder,
				 strerror(why))
		   : 0;
}

/* What a file is for: an INI, the client, a server by its pool; and the
 * deployment of all servers. */
enum {
	INI = -3,
	CLIENT = -2,
	SERVER = -1,
	KUBERNETES = 2,
	VALUES,
	NODE,
	N_DEPLOYED
};
static const char *const file_ending[] = {
    ".ini",       "-bench.sh",        "-serve.sh",          "-prefill.sh",
    "-decode.sh", "-kubernetes.yaml", "-llm-d-values.yaml", "-node.sh"};

static int has_pools(const struct recommend *r, size_t point)
{
	const struct plan *l = &r->sweep.plan;
	for (size_t a = 0; a < l->n_axes; a++)
		if (!strncmp(l->axis[a].name, "engine:", 7) &&
		    *plan_value(l, point, a))
			return 1;
	return 0;
}

/* A configuration with scripts: "FOLDER/NAME..."; rate: for its client. */
struct emitted {
	size_t point;
	const char *folder, *arm, *is;
	double rate;
};

static int write_deployment(const struct recommend *r, const struct emitted *e,
			    const struct ini *c, int what, FILE *f,
			    struct problem *p)
{
	struct launch_command server[2] = {0};
	char *name;
	int apart = has_pools(r, e->point), rc;
	if (asprintf(&name, "%s%s", e->arm, e->is) < 0)
		return problem_no_memory(p);
	rc = launch_command(&server[0], r, c, apart ? 0 : SERVER, p);
	if (rc == 0 && apart)
		rc = launch_command(&server[1], r, c, 1, p);
	const struct deployment d = {server, apart ? 2 : 1, name,
				     ini_get(c, "hardware", "config")};
	if (rc == 0 && what == KUBERNETES)
		deploy_kubernetes(&d, f);
	else if (rc == 0 && what == VALUES)
		deploy_values(&d, f);
	else if (rc == 0)
		deploy_node(&d, f);
	launch_command_free(&server[0]);
	launch_command_free(&server[1]);
	free(name);
	return rc;
}

static int write_as(const struct recommend *r, const struct emitted *e,
		    const struct ini *c, int what, FILE *f, struct problem *p)
{
	if (what >= KUBERNETES)
		return write_deployment(r, e, c, what, f, p);
	if (what == INI)
		return ini_write(c, f, p);
	if (what != CLIENT)
		return launch_server(r, c, what, f, p);
	launch_client(c, e->rate, f);
	return 0;
}

static int write_file(const struct recommend *r, const struct emitted *e,
		      const struct ini *c, int what, struct problem *p)
{
	struct outfile out = {0};
	char *path;
	if (asprintf(&path, "%s/%s%s%s", e->folder, e->arm, e->is,
		     file_ending[what - INI]) < 0)
		return problem_no_memory(p);
	int rc = outfile_open(&out, path, p);
	if (rc == 0)
		rc = write_as(r, e, c, what, out.f, p);
	if (rc == 0)
		rc = outfile_commit(&out, p);
	outfile_discard(&out);
	if (rc == 0 && strstr(path, ".sh"))
		(void)chmod(path, 0755); /* sh FILE does without */
	free(path);
	return rc;
}

static int emit_one(const struct recommend *r, const struct emitted *e,
		    struct problem *p)
{
	struct ini c = {0};
	int rc = launch_ini(&c, r, e->point, p), pools = has_pools(r, e->point);
	if (rc == 0)
		rc = write_file(r, e, &c, INI, p);
	if (rc == 0)
		rc = write_file(r, e, &c, CLIENT, p);
	for (int pool = pools ? 0 : SERVER; rc == 0 && pool < (pools ? 2 : 0);
	     pool++)
		rc = write_file(r, e, &c, pool, p);
	for (int what = KUBERNETES; rc == 0 && what < N_DEPLOYED; what++)
		rc = write_file(r, e, &c, what, p);
	ini_free(&c);
	return rc;
}

/* The winner, and the configuration that it cannot be told apart from. */
static int emit_arm(const struct recommend *r, size_t arm, const char *folder,
		    struct problem *p)
{
	const struct recommend_arm *a = &r->arm[arm];
	const struct capacity *found =
	    &recommend_found(r, arm, r->best[arm])->capacity;
	size_t rival = pessimistic_rival(r, arm);
	struct emitted e = {.point = a->winner,
			    .folder = folder,
			    .arm = recommend_arm_name(r, arm),
			    .is = "",
			    .rate = r->is_closed ? 0 : found->request_rate};
	if (emit_one(r, &e, p) < 0)
		return -1;
	if (!rival)
		return 0;
	e.point = a->entry[a->pessimistic[rival].entry].point;
	e.is = "-other";
	return emit_one(r, &e, p);
}

int emit_winners(const struct recommend *r, const char *folder,
		 struct problem *p)
{
	for (size_t i = 0; i < r->sweep.arms.n; i++)
		if (r->best[i] != SIZE_MAX && emit_arm(r, i, folder, p) < 0)
			return -1;
	return 0;
}
