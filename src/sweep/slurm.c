/* slurm.c -- Writes, submits and watches a job array of Slurm. */
#include "sweep/slurm.h"
#include <errno.h>
#include <inttypes.h>
#include <sha2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/file/infile.h"
#include "base/file/outfile.h"
#include "base/json/json_writer.h"
#include "base/text.h"
#include "base/shell_word.h"
#include "store/damage.h"
#include "sweep/run.h"

/* ---- texts ---- */

/* Writes FOLDER in the name of a task's output, where % begins a pattern. */
static void output_pattern(FILE *f, const char *folder)
{
	fputs("#SBATCH --output=\"", f);
	for (; *folder; folder++) {
		if (*folder == '%')
			fputc('%', f);
		if (*folder == '"' || *folder == '\\')
			fputc('\\', f);
		fputc(*folder, f);
	}
	fputs("/shard-%a.out\"\n", f);
}

static void environment(FILE *f)
{
	static const char *const name[] = {
	    "STEPCOST_PLUGIN_PATH", "STEPCOST_DATA_PATH", "XDG_DATA_HOME"};
	for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
		const char *value = getenv(name[i]);
		if (!value)
			continue;
		fprintf(f, "export %s=", name[i]);
		shell_word(f, value);
		fputc('\n', f);
	}
}

void slurm_script(FILE *f, const struct slurm *l)
{
	char *here = getcwd(NULL, 0);
	fprintf(f, "#!/bin/sh\n#SBATCH --job-name=stepcost-sweep\n"
		   "#SBATCH --requeue\n#SBATCH --open-mode=append\n");
	output_pattern(f, l->folder);
	if (l->options)
		fprintf(f, "#SBATCH %s\n", l->options);
	fputs("cd ", f);
	shell_word(f, here ? here : ".");
	fputs(" || exit 2\n", f);
	environment(f);
	fputs("exec", f);
	for (size_t i = 0; i < l->word.n; i++) {
		fputc(' ', f);
		shell_word(f, l->word.item[i]);
	}
	if (!l->jobs_given)
		fputs(" --jobs \"${SLURM_CPUS_PER_TASK:-1}\"", f);
	fprintf(f,
		" --quiet --output /dev/null \\\n\t--shard --shards %" PRId64
		" --store ",
		l->shards);
	shell_word(f, l->folder);
	fputs("/shard-\"$SLURM_ARRAY_TASK_ID\".db\n", f);
	free(here);
}

/* Writes "0-2,5". */
static void array_of(FILE *f, const unsigned char *wanted, int64_t n)
{
	const char *comma = "";
	for (int64_t i = 0; i < n; i++) {
		int64_t from = i;
		if (!wanted[i])
			continue;
		while (i + 1 < n && wanted[i + 1])
			i++;
		fprintf(f, "%s%" PRId64, comma, from);
		if (i > from)
			fprintf(f, "-%" PRId64, i);
		comma = ",";
	}
}

char *slurm_command(const struct slurm *l, const unsigned char *wanted)
{
	struct text t;
	FILE *f = text_begin(&t);
	if (!f)
		return NULL;
	fputs("sbatch --parsable --array=", f);
	array_of(f, wanted, l->shards);
	fputc(' ', f);
	shell_word(f, l->folder);
	fputs("/job.sh", f);
	return text_end(&t);
}

static void hash_of_file(struct jw *j, const char *key, const char *path)
{
	char hash[SHA256_DIGEST_STRING_LENGTH];
	jw_text(j, key, SHA256File(path, hash));
}

char *slurm_plan(const struct sweep *s, const struct slurm *l)
{
	char *trace;
	const struct config *c = &s->config;
	struct text t;
	FILE *f = text_begin(&t);
	if (!f)
		return NULL;
	struct jw j = jw_document(f);
	jw_text(&j, "stepcost", s->study.stepcost);
	jw_int(&j, "points", s->study.points);
	jw_int(&j, "shards", l->shards);
	jw_literal(&j, "plan", s->axes);
	jw_literal(&j, "options", s->options);
	jw_object(&j, "plugins");
	for (size_t i = 0; i < c->n_arms; i++)
		hash_of_file(&j, c->arm[i].name, c->arm[i].plugin_path);
	jw_end(&j);
	trace = *c->workload_keys.trace
		    ? ini_resolve_key(&c->cfg, "workload", "trace",
				      c->workload_keys.trace)
		    : NULL;
	if (trace)
		hash_of_file(&j, "trace", trace);
	free(trace);
	jw_text(&j, "configuration", s->configuration);
	jw_finish(&j);
	return text_end(&t);
}

/* ---- the folder ---- */

static char *path_in(const struct slurm *l, const char *name)
{
	char *path;
	return asprintf(&path, "%s/%s", l->folder, name) < 0 ? NULL : path;
}

char *slurm_shard_path(const struct slurm *l, int64_t shard, const char *suffix)
{
	char *path;
	return asprintf(&path, "%s/shard-%" PRId64 ".db%s", l->folder, shard,
			suffix) < 0
		   ? NULL
		   : path;
}

/* Returns the whole file; NULL: it does not exist. */
static char *content(const struct slurm *l, const char *name)
{
	char *path = path_in(l, name);
	FILE *f = path ? fopen(path, "re") : NULL;
	char *text = f ? infile_rest(f, NULL) : NULL;
	if (f)
		fclose(f);
	free(path);
	return text;
}

int slurm_make_folder(const struct slurm *l, struct problem *p)
{
	return mkdir(l->folder, 0777) < 0 && errno != EEXIST
		   ? problem_set(p, EXIT_USAGE, "%s: %s", l->folder,
				 strerror(errno))
		   : 0;
}

int slurm_has_plan(const struct slurm *l, const char *plan)
{
	char *there = content(l, "plan.json");
	int same = there && !strcmp(there, plan);
	free(there);
	return same;
}

static void put_text(FILE *f, const void *text)
{
	fputs(text, f);
}

static void put_script(FILE *f, const void *l)
{
	slurm_script(f, l);
}

static int write_file(const struct slurm *l, const char *name,
		      void (*put)(FILE *f, const void *what), const void *what,
		      struct problem *p)
{
	struct outfile out = {0};
	char *path = path_in(l, name);
	int rc = path ? outfile_open(&out, path, p) : problem_no_memory(p);
	if (rc == 0) {
		put(out.f, what);
		rc = outfile_commit(&out, p);
	}
	outfile_discard(&out);
	free(path);
	return rc;
}

void slurm_job(const struct slurm *l, char id[SLURM_ID])
{
	char *text = content(l, "job");
	size_t n = text ? strspn(text, "0123456789") : 0;
	snprintf(id, SLURM_ID, "%.*s", n < SLURM_ID ? (int)n : 0,
		 text ? text : "");
	free(text);
}

/* ---- Slurm's commands ---- */

/* Reads the first line that the command prints, also of an error message.
 * Returns 0, or -1 if it could not be run or failed. */
static int ask(const char *command, char line[300])
{
	char *whole, rest[300];
	line[0] = '\0';
	if (asprintf(&whole, "%s 2>&1", command) < 0)
		return -1;
	FILE *f = popen(whole, "re");
	free(whole);
	if (!f)
		return -1;
	if (fgets(line, 300, f))
		line[strcspn(line, "\n")] = '\0';
	while (fgets(rest, sizeof rest, f))
		;
	return pclose(f) == 0 ? 0 : -1;
}

int slurm_submit(const struct slurm *l, const char *plan,
		 const unsigned char *wanted, struct problem *p)
{
	char line[300];
	if (write_file(l, "plan.json", put_text, plan, p) < 0 ||
	    write_file(l, "job.sh", put_script, l, p) < 0)
		return -1;
	char *command = slurm_command(l, wanted);
	if (!command)
		return problem_no_memory(p);
	int rc = ask(command, line);
	free(command);
	/* "12;cluster" if there are several clusters */
	if (rc < 0 || !strspn(line, "0123456789"))
		return problem_set(p, EXIT_USAGE, "sbatch: %s",
				   *line ? line : "failed");
	line[strspn(line, "0123456789")] = '\0';
	return write_file(l, "job", put_text, line, p);
}

int slurm_knows(const char *id, struct problem *p)
{
	char command[100], line[300];
	snprintf(command, sizeof command, "squeue -h -j %s -o %%T", id);
	int rc = ask(command, line);
	if (rc == 0)
		return *line != '\0';
	return strstr(line, "Invalid job id")
		   ? 0
		   : problem_set(p, EXIT_USAGE, "squeue: %s",
				 *line ? line : "failed");
}

void slurm_cancel(const char *id)
{
	char command[100], line[300];
	snprintf(command, sizeof command, "scancel %s", id);
	ask(command, line);
}

/* ---- shards ---- */

static int is_same(const struct store_study *a, const struct store_study *b)
{
	return a->mode == b->mode && !strcmp(a->stepcost, b->stepcost) &&
	       !strcmp(a->configuration, b->configuration) &&
	       !strcmp(a->axes, b->axes) && !strcmp(a->options, b->options) &&
	       !strcmp(a->arms, b->arms);
}

/* A damaged row is computed again by the task of its shard. */
static void ignore(void *user, const char *row)
{
	(void)user, (void)row;
}

int slurm_is_finished(const struct slurm *l, const struct sweep *s,
		      int64_t shard)
{
	struct problem ignored;
	uint64_t good = 0;
	char *path = slurm_shard_path(l, shard, "");
	struct store *store =
	    path && access(path, R_OK) == 0
		? store_open(path, STORE_WRITE_ALONE, &ignored)
		: NULL;
	int finished = store && store_has_study(store) &&
		       is_same(store_study(store), l->study) &&
		       store_study(store)->shards == l->shards &&
		       damage_find(store, ignore, NULL, &good, &ignored) == 0 &&
		       good >= sweep_rows(s, shard, l->shards);
	if (store)
		store_close(store, NULL);
	free(path);
	return finished;
}
