/* The script and the command of a job array, and every answer of sbatch and
 * squeue, which are scripts in a folder of the test. */
#include "sweep/slurm.h"
#include "rendered.h"
#include "stored.h"

static struct slurm array = {.shards = 6};

static void script(void)
{
	array.folder = "a%b\"c\\d";
	array.options = "-p all";
	if (names_add(&array.word, "stepcost") < 0 ||
	    names_add(&array.word, "it's $x") < 0)
		bail_out("memory");
	setenv("STEPCOST_DATA_PATH", "/a b", 1);
	unsetenv("XDG_DATA_HOME");
	slurm_script(rendered_begin(), &array);
	rendered_has(rendered_end(),
		     "#SBATCH --output=\"a%%b\\\"c\\\\d/shard-%a.out\"\n"
		     "#SBATCH -p all\n");
	rendered_has(rendered_text, "export STEPCOST_DATA_PATH='/a b'\n");
	rendered_has(rendered_text, "exec stepcost 'it'\\''s $x' --jobs "
				    "\"${SLURM_CPUS_PER_TASK:-1}\" --quiet");
	ok(!strstr(rendered_text, "XDG_DATA_HOME"),
	   "a variable that is not set is not exported");
	char *here = getcwd(NULL, 0);
	if (!here || chdir(scratch_folder("gone")) || rmdir("../gone"))
		bail_out("gone");
	slurm_script(rendered_begin(), &array);
	rendered_has(rendered_end(), "\ncd . || exit 2\n");
	if (chdir(here))
		bail_out(here);
	free(here);
	array.options = NULL, array.jobs_given = 1;
	slurm_script(rendered_begin(), &array);
	ok(!strstr(rendered_end(), "--jobs") &&
	       !strstr(rendered_text, "#SBATCH -p"),
	   "--jobs that are given stay; no options, no line");
}

static void command(void)
{
	static const struct {
		const char *wanted, *array;
	} some[] = {{"111111", "0-5"},
		    {"100000", "0"},
		    {"000001", "5"},
		    {"101101", "0,2-3,5"},
		    {"011010", "1-2,4"}};
	for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
		unsigned char wanted[6];
		char want[200];
		for (int k = 0; k < 6; k++)
			wanted[k] = some[i].wanted[k] == '1';
		array.folder = "one";
		char *text = slurm_command(&array, wanted);
		snprintf(want, sizeof want,
			 "sbatch --parsable --array=%s one/job.sh",
			 some[i].array);
		is(text ? text : "", want, "%s", some[i].wanted);
		free(text);
	}
	char *path = slurm_shard_path(&array, 3, ".lock");
	is(path ? path : "", "one/shard-3.db.lock", "the store of a shard");
	free(path);
}

/* Puts a program of that name onto the PATH. */
static void program(const char *name, const char *text)
{
	char file[100], body[300];
	snprintf(file, sizeof file, "bin/%s", name);
	snprintf(body, sizeof body, "#!/bin/sh\n%s\n", text);
	if (chmod(scratch_file(file, body), 0755))
		bail_out("chmod");
}

static void submitted(void)
{
	static const struct {
		const char *sbatch, *job, *says;
	} some[] = {{"echo 12", "12", NULL},
		    {"echo '345;cluster'; echo more", "345", NULL},
		    {"echo no such partition >&2; exit 1", "345",
		     "sbatch: no such partition"},
		    {"exit 1", "345", "sbatch: failed"},
		    {"echo later", "345", "sbatch: later"},
		    {"kill -9 $$", "345", "sbatch: "}};
	const unsigned char wanted[6] = {1};
	char id[SLURM_ID];
	array.folder = scratch_path("job folder");
	slurm_job(&array, id);
	is(id, "", "no job yet");
	ok(!slurm_has_plan(&array, "plan"), "nor a plan");
	ok(slurm_make_folder(&array, &why) == 0 &&
	       slurm_make_folder(&array, &why) == 0,
	   "the folder is made, once");
	for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
		program("sbatch", some[i].sbatch);
		why = (struct problem){0};
		int rc = slurm_submit(&array, "plan", wanted, &why);
		ok(some[i].says ? rc < 0 && why.code == EXIT_USAGE &&
				      strstr(why.text, some[i].says)
				: rc == 0,
		   "'%s': %s", some[i].sbatch, why.text);
		slurm_job(&array, id);
		is(id, some[i].job, "the job");
	}
	ok(slurm_has_plan(&array, "plan") && !slurm_has_plan(&array, "other"),
	   "its plan is kept");
	scratch_file("job folder/job", "1234567890123456789012345678901234\n");
	slurm_job(&array, id);
	is(id, "", "a number that is too long is none");
}

static void known(void)
{
	static const struct {
		const char *squeue;
		int is;
		const char *says;
	} some[] = {
	    {"echo RUNNING", 1, ""},
	    {"", 0, ""},
	    {"echo 'slurm_load_jobs: Invalid job id specified'; exit 1", 0, ""},
	    {"echo 'Unable to contact slurm controller' >&2; exit 1", -1,
	     "squeue: Unable to contact slurm controller"},
	    {"exit 1", -1, "squeue: failed"}};
	for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
		program("squeue", some[i].squeue);
		why = (struct problem){0};
		ok(slurm_knows("7", &why) == some[i].is &&
		       !strcmp(why.text, some[i].says),
		   "'%s': %d %s", some[i].squeue, some[i].is, why.text);
	}
	program("scancel", "echo \"$@\" >\"$CANCELLED\"");
	setenv("CANCELLED", scratch_path("cancelled"), 1);
	slurm_cancel("7");
	ok(access(scratch_path("cancelled"), R_OK) == 0, "it is cancelled");
}

static void no_folder(void)
{
	const unsigned char wanted[6] = {1};
	array.folder = scratch_path("none/of them");
	ok(slurm_make_folder(&array, &why) < 0 && why.code == EXIT_USAGE &&
	       strstr(why.text, "No such file"),
	   "%s", why.text);
	ok(slurm_submit(&array, "plan", wanted, &why) < 0 &&
	       strstr(why.text, "plan.json"),
	   "%s", why.text);
	array.folder = scratch_folder("other");
	scratch_folder("other/job.sh");
	ok(slurm_submit(&array, "plan", wanted, &why) < 0 &&
	       strstr(why.text, "job.sh"),
	   "%s", why.text);
}

/* The store of shard 0 of 2 has all rows of its two points. */
static void finished(void)
{
	struct store_study is = stored_study, other = stored_study;
	struct sweep s = {
	    .plan = {.n_points = 4}, .arms = {.n = 2}, .seeds = 1};
	const struct slurm two = {
	    .folder = scratch_folder("two"), .shards = 2, .study = &other};
	is.shards = 2;
	ok(!slurm_is_finished(&two, &s, 0), "there is no store");
	const char *path = scratch_file("two/shard-0.db", "");
	ok(!slurm_is_finished(&two, &s, 0), "nothing is in it");
	scratch_file("two/shard-0.db", "no database");
	ok(!slurm_is_finished(&two, &s, 0), "it is none");
	if (unlink(path))
		bail_out(path);
	stored_file("two/shard-0.db", &is);
	ok(slurm_is_finished(&two, &s, 0), "all rows are there");
	const struct {
		const char **of, *instead;
	} change[] = {{&other.stepcost, "2.0"},
		      {&other.configuration, ""},
		      {&other.axes, "[1]"},
		      {&other.options, "[]"},
		      {&other.arms, "a,b"}};
	for (size_t i = 0; i < sizeof change / sizeof *change; i++) {
		const char *was = *change[i].of;
		*change[i].of = change[i].instead;
		ok(!slurm_is_finished(&two, &s, 0), "of another study: %s",
		   was);
		*change[i].of = was;
	}
	other.mode = STORE_CAPACITY;
	ok(!slurm_is_finished(&two, &s, 0), "of another mode");
	other.mode = STORE_RUN;
	const struct slurm three = {
	    .folder = two.folder, .shards = 3, .study = &other};
	ok(!slurm_is_finished(&three, &s, 0), "of other shards");
	s.plan.n_points = 5;
	ok(!slurm_is_finished(&two, &s, 0), "two rows are missing");
	s.plan.n_points = 4;
	stored_alter(path, "UPDATE result SET mean_ttft_ms = 3");
	ok(!slurm_is_finished(&two, &s, 0), "rows are damaged");
}

int main(void)
{
	char path[1000];
	scratch_open();
	snprintf(path, sizeof path, "%s:%s", scratch_folder("bin"),
		 getenv("PATH"));
	setenv("PATH", path, 1);
	script();
	command();
	submitted();
	known();
	no_folder();
	finished();
	names_free(&array.word);
	return done();
}
