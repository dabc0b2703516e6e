/* emit.c -- Writes the scripts of the winners. */
#include "cmd/recommend/emit.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/file/outfile.h"
#include "base/text.h"
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

/* What a file is for. */
enum file {
	INI,
	CLIENT,
	SERVER,
	PREFILL,
	DECODE,
	KUBERNETES,
	VALUES,
	NODE,
	N_FILES
};
static const char *const file_ending[N_FILES] = {
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

/* Writes an INI to nowhere. */
static int check_ini(const struct ini *c, struct problem *p)
{
	struct problem why;
	struct text t;
	FILE *f = text_begin(&t);
	if (!f)
		return problem_no_memory(p);
	int rc = ini_write(c, f, &why);
	free(text_end(&t));
	return rc < 0 ? problem_set(p, why.code,
				    "--emit: %s; give it another, or leave "
				    "--emit out",
				    why.text)
		      : 0;
}

int emit_check(const struct recommend *r, struct problem *p)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < r->sweep.plan.n_points; i++) {
		struct ini c = {0};
		rc = launch_ini(&c, r, i, p);
		if (rc == 0)
			rc = check_ini(&c, p);
		ini_free(&c);
	}
	return rc;
}

/* A configuration with scripts: "FOLDER/NAME..."; rate: for its client. */
struct emitted {
	size_t point;
	const char *folder, *arm, *is;
	double rate;
	struct ini c;
	struct launch_command server[2]; /* for both phases, or for each */
	struct deployment all;
};

static int write_as(const struct emitted *e, enum file what, FILE *f,
		    struct problem *p)
{
	switch (what) {
	case INI:
		return ini_write(&e->c, f, p);
	case CLIENT:
		launch_client(&e->c, e->rate, f);
		return 0;
	case KUBERNETES:
		deploy_kubernetes(&e->all, f);
		return 0;
	case VALUES:
		deploy_values(&e->all, f);
		return 0;
	case NODE:
		deploy_node(&e->all, f);
		return 0;
	default:
		launch_server(&e->server[what == DECODE], f);
		return 0;
	}
}

static int write_file(const struct emitted *e, enum file what,
		      struct problem *p)
{
	struct outfile out = {0};
	char *path;
	if (asprintf(&path, "%s/%s%s", e->folder, e->all.name,
		     file_ending[what]) < 0)
		return problem_no_memory(p);
	int rc = outfile_open(&out, path, p);
	if (rc == 0)
		rc = write_as(e, what, out.f, p);
	rc = outfile_end(&out, rc, p);
	if (rc == 0 && strstr(path, ".sh"))
		(void)chmod(path, 0755); /* sh FILE does without */
	free(path);
	return rc;
}

static int write_files(struct emitted *e, const struct recommend *r, char *name,
		       struct problem *p)
{
	int apart = has_pools(r, e->point);
	int rc = launch_ini(&e->c, r, e->point, p);
	for (int i = 0; rc == 0 && i <= apart; i++)
		rc = launch_command(&e->server[i], r, &e->c, apart ? i : -1, p);
	e->all = (struct deployment){e->server, apart ? 2 : 1, name,
				     ini_get(&e->c, "hardware", "config")};
	for (int what = INI; rc == 0 && what < N_FILES; what++)
		if (what < SERVER || what > DECODE ||
		    (what == SERVER) == !apart)
			rc = write_file(e, (enum file)what, p);
	return rc;
}

static int emit_one(const struct recommend *r, struct emitted e,
		    struct problem *p)
{
	char *name;
	if (asprintf(&name, "%s%s", e.arm, e.is) < 0)
		return problem_no_memory(p);
	int rc = write_files(&e, r, name, p);
	launch_command_free(&e.server[0]);
	launch_command_free(&e.server[1]);
	ini_free(&e.c);
	free(name);
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
	if (emit_one(r, e, p) < 0)
		return -1;
	if (!rival)
		return 0;
	e.point = a->entry[a->pessimistic[rival].entry].point;
	e.is = "-other";
	return emit_one(r, e, p);
}

int emit_winners(const struct recommend *r, const char *folder,
		 struct problem *p)
{
	for (size_t i = 0; i < r->sweep.arms.n; i++)
		if (r->best[i] != SIZE_MAX && emit_arm(r, i, folder, p) < 0)
			return -1;
	return 0;
}
