/* Finds the model and the GPU of a measured row: by a rule, an alias, a path,
 * or a name under etc/. */
#include "validate/measured/served.h"
#include "scratch.h"

static struct ini aliases;
static struct problem p;

#define TEXT(s) (char *)(uintptr_t)(s)

/* The config of a row with that model. */
static const char *config(const char *model)
{
	static char text[600];
	struct measured_row r = {.file = scratch_path("runs.csv"),
				 .model = TEXT(model),
				 .gpu = TEXT("H100"),
				 .dtype = TEXT("fp8")};
	char *is = served_config(&r, SERVED_MODEL, &aliases);
	snprintf(text, sizeof text, "%s", is ? is : "(unknown)");
	free(is);
	return text;
}

static void gpu_is(const struct measured_row *r, const char *want,
		   const char *what)
{
	char *gpu = served_config(r, SERVED_GPU, &aliases);
	is(gpu ? gpu : "(unknown)", want, "%s", what);
	free(gpu);
}

static void names(void)
{
	struct measured_row r = {.model = TEXT("m"), .gpu = TEXT("g")};
	is(served_id(&r, SERVED_MODEL), "m", "what a row calls its model");
	is(served_id(&r, SERVED_GPU), "g", "and its GPU");
	is(served_name[SERVED_GPU], "GPU", "what that is called");
	is(config("meta/llama"), "llama-3.1-8b", "an alias");
	is(config("llama-3.1-8b"), "llama-3.1-8b", "a name under etc/models");
	is(config("no-such-model"), "(unknown)", "a name of nothing");
	is(config("ruled"), "by-a-rule", "a rule goes before all");
	is(config("meta-llama/Llama-3.1-8B"), "llama-3.1-8b",
	   "a name that its publisher gives it");
	r.gpu = TEXT("h100-sxm");
	gpu_is(&r, "h100-sxm", "a name under etc/hardware");
	r.gpu = TEXT("g");
	r.model = NULL;
	ok(!served_config(&r, SERVED_MODEL, &aliases), "no name at all");
	gpu_is(&r, "h100-sxm", "an alias of a GPU");
}

/* Paths lead to files beside the runs, or to folders with a config.json. */
static void paths(void)
{
	char want[400];
	snprintf(want, sizeof want, "%s", scratch_path("own.ini"));
	scratch_file("own.ini", "[model]\n");
	is(config("./own.ini"), want, "a file beside the file of runs");
	is(config(want), want, "by its whole path");
	is(config("./none.ini"), "(unknown)", "one that is not there");
	scratch_folder("hf/model");
	is(config("./hf/model"), "(unknown)", "a folder without config.json");
	scratch_file("hf/model/config.json", "{}");
	snprintf(want, sizeof want, "%s", scratch_path("hf/model"));
	is(config("./hf/model"), want, "and one with it");
	struct measured_row r = {.file = "runs.csv", .model = TEXT(want)};
	char *found = served_config(&r, SERVED_MODEL, &aliases);
	is(found ? found : "(unknown)", want,
	   "beside no file but in its own place");
	free(found);
	char longest[6000];
	snprintf(longest, sizeof longest, "./%05000d", 0);
	is(config(longest), "(unknown)", "no path is as long");
}

static int unknown_of(const char *const *model, size_t n, struct names *unknown,
		      const char **only)
{
	struct measured_row row[4] = {0};
	const struct measured m = {.row = row, .n = n};
	for (size_t i = 0; i < n; i++)
		row[i] = (struct measured_row){.file = "runs.csv",
					       .model = TEXT(model[i])};
	return served_unknown(&m, SERVED_MODEL, &aliases, unknown, only);
}

static void unknown(void)
{
	struct names list = {0};
	const char *only = NULL;
	char text[100];
	ok(unknown_of((const char *const[]){"x", "llama-3.1-8b", "y", "x"}, 4,
		      &list, &only) == 0 &&
	       !only,
	   "names of several models");
	is(names_join(&list, text, sizeof text), "x, y",
	   "each unknown one once");
	names_free(&list);
	ok(unknown_of((const char *const[]){"x", "x"}, 2, &list, &only) == 0 &&
	       list.n == 0 && only && !strcmp(only, "x"),
	   "one name of all rows is left to the configuration");
	ok(unknown_of((const char *const[]){"x", NULL}, 2, &list, &only) == 0 &&
	       only && !strcmp(only, "x"),
	   "also where some rows say nothing");
	ok(unknown_of((const char *const[]){"llama-3.1-8b"}, 1, &list, &only) ==
		   0 &&
	       !only && list.n == 0,
	   "all are known");
}

int main(void)
{
	static const char text[] = "[model]\nmeta/llama = llama-3.1-8b\n"
				   "[gpu]\ng = h100-sxm\n"
				   "[when:a]\nmodel = ruled*\n"
				   "model.config = by-a-rule\n";
	if (ini_read(&aliases, text, strlen(text), &p) < 0)
		bail_out(p.text);
	scratch_open();
	names();
	paths();
	unknown();
	ini_free(&aliases);
	return done();
}
