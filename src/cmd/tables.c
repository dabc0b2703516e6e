/* tables.c -- The commands `tables list`, `check`, `fit` and `downsample`: the
 * measured kernels that are installed, suspicious rows in them, laws that fit
 * them, and what it costs to leave some out. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/file/infile.h"
#include "base/file/outfile.h"
#include "cmd/cmd.h"
#include "plugin/installed.h"
#include "plugin/loader.h"
#include "plugin/needs.h"
#include "report/tables.h"
#include "tables/downsample.h"

struct options {
	const char *path, *plugin;
};
static const struct option_def option[] = {
    OPTION(TEXT, "path", "FOLDER", path,
	   "folder of the sets, instead of bench_data of the data folders"),
    /* of `list` alone, therefore the last */
    OPTION(TEXT, "for", "PLUGIN", plugin,
	   "only sets with all tables that this cost model needs"),
};
enum { N_OPTIONS = sizeof option / sizeof *option };

/* A command at work. */
struct session {
	const struct cmdline *c;
	const char *path; /* --path, or NULL */
	const char *set;  /* the set under check; NULL: the file is in no set */
	struct library library; /* of the folders of the compared sets */
	struct outfile out;
	struct tables_report report;
	struct plugin_description about; /* of --for PLUGIN */
	struct installed plugins;        /* asked for their own kinds */
	size_t n_checked;                /* sets and files outside of sets */
	int code;
};

/* Complains of an error that affects only its own file. */
static void failed(struct session *s, const struct problem *p)
{
	int code = print_error(p);
	s->code = code > s->code ? code : s->code;
}

static void on_bad_table(void *user, const struct problem *p)
{
	failed(user, p);
}

/* ---- choosing sets ---- */

typedef void (*set_fn)(struct session *s, const char *path,
		       const struct table_set *set);

/* Calls fn with the set and those of its tables that can be read. */
static void one_set(struct session *s, const char *path, const char *name,
		    set_fn fn)
{
	const struct table_bad bad = {on_bad_table, s};
	struct table_set set;
	struct problem p;
	s->n_checked++;
	if (set_load_some(&set, path, name, &bad, &p) < 0) {
		failed(s, &p);
		return;
	}
	fn(s, path, &set);
	for (size_t i = 0; i < set.left_out.n; i++) {
		problem_set(&p, EXIT_INPUT, "%s", set.left_out.item[i]);
		failed(s, &p);
	}
	set_free(&set);
}

static int each_set_of(struct session *s, const char *path, set_fn fn,
		       struct problem *p)
{
	struct names names = {0};
	int rc = set_names(&names, path, KERNEL_OF_ANY);
	for (size_t i = 0; rc == 0 && i < names.n; i++)
		one_set(s, path, names.item[i], fn);
	names_free(&names);
	return rc < 0 ? problem_no_memory(p) : 0;
}

/* A folder that --path names must be one. */
static int check_path(const char *path, struct problem *p)
{
	DIR *d = path ? opendir(path) : NULL;
	if (path && !d)
		return problem_set(p, EXIT_USAGE, "--path %s: %s", path,
				   strerror(errno));
	if (d)
		closedir(d);
	return 0;
}

static int each_set(struct session *s, set_fn fn, struct problem *p)
{
	struct searchpath folders;
	int rc = check_path(s->path, p);
	if (rc < 0)
		return rc;
	if (set_folders(&folders, s->path, NULL) < 0)
		return problem_no_memory(p);
	for (size_t i = 0; rc == 0 && i < folders.folder.n; i++)
		rc = each_set_of(s, folders.folder.item[i], fn, p);
	searchpath_free(&folders);
	return rc;
}

/* Opens the output, lets `rows` write them, and ends it. */
static int run(const struct cmdline *c, enum tables_rows of,
	       int (*rows)(struct session *s, struct problem *p))
{
	const struct options *o = c->own;
	struct session s = {.c = c, .path = o->path};
	struct problem p;
	int rc = open_output(&s.out, c, &p);
	if (rc == 0) {
		tables_report_begin(&s.report, s.out.f, c->format, of);
		rc = rows(&s, &p);
	}
	if (rc == 0)
		tables_report_end(&s.report);
	rc = outfile_end(&s.out, rc, &p);
	library_free(&s.library);
	plugin_description_free(&s.about);
	installed_free(&s.plugins);
	if (rc < 0)
		failed(&s, &p);
	return s.code;
}

/* ---- list ---- */

static void list_set(struct session *s, const char *path,
		     const struct table_set *set)
{
	if (!needs_missing(&s->about.is, set->n, set->view))
		tables_report_set(&s->report, path, set);
}

/* Asks the plugin of --for which tables it needs. */
static int ask_needs(struct session *s, struct problem *p)
{
	const struct options *o = s->c->own;
	char *file, *shadowed;
	if (!o->plugin)
		return 0;
	int rc = plugin_find(plugin_path(), o->plugin, &file, &shadowed, p);
	if (rc == 0)
		rc = plugin_ask(&s->about, file, JOB_ANSWER_LIMIT_S, p);
	free(file);
	free(shadowed);
	if (rc == 0 && !needs_tables(&s->about.is))
		return problem_set(p, EXIT_USAGE,
				   "--for %s: it names no table that it needs",
				   o->plugin);
	return rc;
}

static int list_rows(struct session *s, struct problem *p)
{
	return ask_needs(s, p) < 0 ? -1 : each_set(s, list_set, p);
}

static int list(const struct cmdline *c)
{
	return run(c, TABLES_SETS, list_rows);
}

const struct command command_tables_list = {
    .name = "tables list",
    .args = "",
    .has_no_config = 1,
    .summary = "list the sets of measured kernels",
    .option = option,
    .n_options = N_OPTIONS,
    .own_size = sizeof(struct options),
    .run = list,
    .formats = WRITES_TEXT | WRITES_JSON | WRITES_CSV,
};

/* ---- check ---- */

static const struct check_place in_no_set = {0};

/* Returns 1 if an installed cost model names a table like this file. */
static int find_plugin_of(struct session *s, const char *file)
{
	const char *slash = strrchr(file, '/');
	struct problem unused;
	char op[100];
	snprintf(op, sizeof op, "%s", slash ? slash + 1 : file);
	op[strcspn(op, ".")] = '\0';
	if (!s->plugins.plugin && installed_ask(&s->plugins, &unused) < 0)
		return 0;
	for (size_t i = 0; i < s->plugins.n; i++)
		if (s->plugins.plugin[i].problem.code == EXIT_DONE &&
		    needs_name(&s->plugins.plugin[i].about.is, op))
			return 1;
	return 0;
}

static void on_finding(void *user, const struct finding *f)
{
	struct session *s = user;
	if (!strcmp(f->kind, "unknown_kind") && find_plugin_of(s, f->file))
		return;
	if (f->is_error && s->code < EXIT_SAYS_NO)
		s->code = EXIT_SAYS_NO;
	tables_report_finding(&s->report, s->set, f);
}

static void check_set(struct session *s, const char *path,
		      const struct table_set *set)
{
	struct other_sets other_sets;
	s->set = set->name;
	int rc = other_sets_find(&other_sets, &s->library, path, set);
	if (rc < 0) {
		struct problem why;
		problem_no_memory(&why);
		failed(s, &why);
	}
	for (uint32_t i = 0; rc == 0 && i < set->n_files; i++) {
		struct problem p;
		char *file;
		if (asprintf(&file, "%s/%s", path, set->file[i].name) < 0) {
			problem_no_memory(&p);
			failed(s, &p);
			break;
		}
		const struct check_place in = {&set->file[i], &set->manifest,
					       &other_sets};
		if (tables_check_file(file, &in, on_finding, s, &p) < 0)
			failed(s, &p);
		free(file);
	}
	other_sets_free(&other_sets);
	s->set = NULL;
}

static int check_manifest(const char *folder, struct problem *p)
{
	struct ini manifest;
	int rc = set_manifest(&manifest, folder, ".", p);
	ini_free(&manifest);
	return rc;
}

/* Checks a folder of CSV files, a folder of sets, or one of InferSim's. */
static int check_folder(struct session *s, const char *folder,
			struct problem *p)
{
	struct names names = {0};
	if (names_add_files(&names, folder, ".csv") < 0)
		return problem_no_memory(p);
	s->n_checked += names.n;
	for (size_t i = 0; i < names.n; i++) {
		struct problem why;
		char *file;
		if (asprintf(&file, "%s/%s.csv", folder, names.item[i]) < 0)
			break;
		if (tables_check_file(file, &in_no_set, on_finding, s, &why) <
		    0)
			failed(s, &why);
		free(file);
	}
	size_t n = names.n;
	names_free(&names);
	return n ? check_manifest(folder, p)
		 : each_set_of(s, folder, check_set, p);
}

static int check_one(struct session *s, const char *what, struct problem *p)
{
	struct stat st;
	if (!s->path && stat(what, &st) == 0) {
		s->n_checked += S_ISREG(st.st_mode);
		if (S_ISREG(st.st_mode))
			return tables_check_file(what, &in_no_set, on_finding,
						 s, p);
		if (!S_ISDIR(st.st_mode))
			return infile_check(what, p);
		if (strchr(what, '/'))
			return check_folder(s, what, p);
	}
	char *path = set_find(s->path, NULL, what, p);
	if (!path)
		return -1;
	one_set(s, path, what, check_set);
	free(path);
	return 0;
}

/* A check that found nothing where it should look is no success. */
static int check_rows(struct session *s, struct problem *p)
{
	const char *what = s->c->n_args ? s->c->arg[0] : NULL;
	int rc = what ? check_one(s, what, p) : each_set(s, check_set, p);
	const char *where = what ? what : s->path;
	return rc < 0 || s->n_checked || !where
		   ? rc
		   : problem_set(p, EXIT_USAGE,
				 "%s: no table and no set of tables", where);
}

static int check(const struct cmdline *c)
{
	return run(c, TABLES_FINDINGS, check_rows);
}

const struct command command_tables_check = {
    .name = "tables check",
    .args = "[SET or PATH]",
    .summary =
	"list suspicious rows: duplicates, host time, untuned kernels, MFU",
    .max_args = 1,
    .has_no_config = 1,
    .option = option,
    .n_options = N_OPTIONS - 1,
    .own_size = sizeof(struct options),
    .run = check,
    .formats = WRITES_TEXT | WRITES_JSON | WRITES_CSV,
};

/* ---- fit ---- */

static int fit_laws(const struct cmdline *c, const struct table_set *s, FILE *f,
		    struct problem *p)
{
	for (uint32_t i = 0; i < s->n; i++) {
		struct kernel_fit fit[SC_N_FORMATS];
		int n = kernel_fit_table(s->view[i], fit, p);
		if (n < 0)
			return -1;
		for (int k = 0; k < n; k++) {
			tables_report_law(f, &fit[k]);
			print_note(c,
				   "%s %s: %llu points, mean error of the law "
				   "alone %.1f %%",
				   s->view[i]->op,
				   sc_format_name(fit[k].format),
				   (unsigned long long)fit[k].n_points,
				   100 * fit[k].mean_error);
		}
	}
	return 0;
}

static int fit_operators(const struct cmdline *c, const struct table_set *s,
			 FILE *f, struct problem *p)
{
	struct operator_fits fits;
	int rc = operator_fit_set(&fits, s->view, s->n, p);
	for (size_t i = 0; rc == 0 && i < fits.n; i++) {
		const struct operator_fit *fit = &fits.item[i];
		char key[64];
		sc_op_key_numbers(&fit->row_key, key, sizeof key);
		tables_report_operator(f, fit);
		print_note(
		    c,
		    "operators %s %s: %llu points, loss %.6f, mean error of "
		    "the law alone %.1f %%",
		    sc_oplaw_kinds[fit->row_key.op].op, key,
		    (unsigned long long)fit->n_points, fit->loss,
		    100 * fit->mean_error);
	}
	operator_fits_free(&fits);
	return rc;
}

static int fit_mixers(const struct cmdline *c, const struct table_set *s,
		      FILE *f, struct problem *p)
{
	struct mixer_fits fits;
	int rc = mixer_fit_set(&fits, s->view, s->n, p);
	for (size_t i = 0; rc == 0 && i < fits.n; i++) {
		const struct mixer_fit *fit = &fits.item[i];
		char key[128];
		sc_mixer_key_numbers(&fit->row_key, key, sizeof key);
		tables_report_mixer(f, fit);
		print_note(
		    c,
		    "operators %s %s: %llu points, loss %.6f, mean error of "
		    "the law alone %.1f %%",
		    sc_mixer_kinds[fit->row_key.table].table, key,
		    (unsigned long long)fit->n_points, fit->loss,
		    100 * fit->mean_error);
	}
	mixer_fits_free(&fits);
	return rc;
}

/* The command `tables fit`: fits the constants of all laws to a set of tables.
 */
static int fit(const struct cmdline *c)
{
	const struct options *o = c->own;
	struct table_set s = {0};
	struct outfile out;
	struct problem p;
	char *path = set_find(o->path, NULL, c->arg[0], &p);
	int rc = path ? set_load(&s, path, c->arg[0], KERNEL_OF_ANY, &p) : -1;
	if (rc == 0)
		rc = open_output(&out, c, &p);
	if (rc == 0) {
		rc = fit_laws(c, &s, out.f, &p);
		if (rc == 0)
			rc = fit_operators(c, &s, out.f, &p);
		if (rc == 0)
			rc = fit_mixers(c, &s, out.f, &p);
		rc = outfile_end(&out, rc, &p);
	}
	set_free(&s);
	free(path);
	return rc < 0 ? print_error(&p) : EXIT_DONE;
}

const struct command command_tables_fit = {
    .name = "tables fit",
    .args = "SET",
    .summary = "fit the constants of a set's reference laws, for its MANIFEST",
    .formats = WRITES_TEXT,
    .min_args = 1,
    .max_args = 1,
    .has_no_config = 1,
    .option = option,
    .n_options = N_OPTIONS - 1,
    .own_size = sizeof(struct options),
    .run = fit,
};

/* ---- downsample ---- */

struct downsample_options {
	const char *path, *to;
	double keep;
};
static const struct downsample_options downsample_defaults = {.keep = 0.5};
static const struct option_def downsample_option[] = {
    OPTION_OF(struct downsample_options, TEXT, "path", "FOLDER", path,
	      "folder of the sets, instead of bench_data of the data folders"),
    OPTION_OF(struct downsample_options, NUMBER, "keep", "SHARE", keep,
	      "share of each table's points to keep; default 0.5", .min = 0.001,
	      .max = 1),
    OPTION_OF(struct downsample_options, TEXT, "to", "FOLDER", to,
	      "a new folder for the set; without it only the cost is printed"),
};

static void say_nothing(void *user, const struct finding *f)
{
	(void)user, (void)f;
}

static int write_thinned(const struct checked_table *c, const char *is_kept,
			 const char *path, struct problem *p)
{
	struct outfile out;
	if (outfile_open(&out, path, p) < 0)
		return -1;
	downsample_write(c, is_kept, out.f);
	return outfile_commit(&out, p);
}

/* from: a file of the set; to: its new place, or NULL. */
static int downsample_file(const char *from, const char *to, double keep,
			   const struct table_file *of, FILE *f,
			   struct problem *p)
{
	struct checked_table c;
	struct downsampled is;
	int rc = checked_table_open(&c, from, of, say_nothing, NULL, p);
	char *is_kept = rc == 0 ? malloc(c.t.view.n_rows + 1) : NULL;
	if (rc == 0 &&
	    (!is_kept || downsample_table(&c, keep, is_kept, &is) < 0))
		rc = problem_no_memory(p);
	if (rc == 0)
		tables_report_thinned(f, of->name, &is);
	if (rc == 0 && to)
		rc = write_thinned(&c, is_kept, to, p);
	free(is_kept);
	checked_table_close(&c);
	return rc;
}

/* Writes the MANIFEST of a thinned set, which says so. */
static int downsample_manifest(const struct table_set *s, const char *to,
			       double keep, struct problem *p)
{
	struct outfile out;
	char *path;
	if (asprintf(&path, "%s/MANIFEST", to) < 0)
		return problem_no_memory(p);
	int rc = outfile_open(&out, path, p);
	free(path);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < s->manifest.n; i++)
		fprintf(out.f, "%s = %s\n", s->manifest.item[i].key,
			s->manifest.item[i].value);
	fprintf(out.f, "thinned = to %g of the points of %s\n", keep, s->name);
	return outfile_commit(&out, p);
}

static int downsample_files(const struct table_set *s, const char *path,
			    const struct downsample_options *o, FILE *f,
			    struct problem *p)
{
	int rc = 0;
	for (uint32_t i = 0; rc == 0 && i < s->n_files; i++) {
		const char *slash = strrchr(s->file[i].name, '/');
		char *from, *to = NULL;
		if (asprintf(&from, "%s/%s", path, s->file[i].name) < 0)
			return problem_no_memory(p);
		if (o->to && asprintf(&to, "%s/%s", o->to,
				      slash ? slash + 1 : s->file[i].name) < 0)
			to = NULL;
		rc = downsample_file(from, to, o->keep, &s->file[i], f, p);
		free(from), free(to);
	}
	return rc;
}

static int downsample_set(const struct cmdline *c, const struct table_set *s,
			  const char *path, struct problem *p)
{
	const struct downsample_options *o = c->own;
	struct outfile out;
	if (o->to && mkdir(o->to, 0777) < 0)
		return problem_set(p, EXIT_USAGE, "--to %s: %s", o->to,
				   strerror(errno));
	if (open_output(&out, c, p) < 0)
		return -1;
	int rc = downsample_files(s, path, o, out.f, p);
	if (rc == 0 && o->to)
		rc = downsample_manifest(s, o->to, o->keep, p);
	return outfile_end(&out, rc, p);
}

static int downsample(const struct cmdline *c)
{
	const struct downsample_options *o = c->own;
	struct table_set s = {0};
	struct problem p;
	char *path = set_find(o->path, NULL, c->arg[0], &p);
	int rc = path ? set_load(&s, path, c->arg[0], KERNEL_OF_ANY, &p) : -1;
	if (rc == 0)
		rc = downsample_set(c, &s, path, &p);
	set_free(&s);
	free(path);
	return rc < 0 ? print_error(&p) : EXIT_DONE;
}

const struct command command_tables_downsample = {
    .name = "tables downsample",
    .args = "SET",
    .summary = "leave points out of a set, and say what that costs",
    .formats = WRITES_TEXT,
    .min_args = 1,
    .max_args = 1,
    .has_no_config = 1,
    OWN_OPTIONS(downsample_option, struct downsample_options),
    .defaults = &downsample_defaults,
    .run = downsample,
};
