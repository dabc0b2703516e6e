#include "keys/datafile.h"
#include "scratch.h"

static struct problem p;

static void folders(void)
{
	struct searchpath s;
	unsetenv("HOME");
	unsetenv("XDG_DATA_HOME");
	setenv("STEPCOST_DATA_PATH", "/a::/b:/a", 1);
	if (datafile_folders(&s, "etc/models") < 0)
		bail_out("out of memory");
	ok(s.folder.n == 3, "those of the path, then the installed one");
	is(s.folder.item[0], "/a/etc/models", "in their order");
	is(s.folder.item[1], "/b/etc/models", "each once");
	ok(datafile_add_folders(&s, "etc/models") == 0 && s.folder.n == 3 &&
	       datafile_add_folders(&s, "bench_data") == 0 && s.folder.n == 6,
	   "more behind what is there");
	searchpath_free(&s);
	unsetenv("STEPCOST_DATA_PATH");
	ok(datafile_folders(&s, "etc") == 0 && s.folder.n == 1,
	   "without a path the installed one is left");
	searchpath_free(&s);
	setenv("XDG_DATA_HOME", "/own", 1);
	ok(datafile_folders(&s, "etc") == 0 && s.folder.n == 2,
	   "before it the user's own");
	is(s.folder.item[0], "/own/stepcost/etc", "of this program");
	searchpath_free(&s);
	unsetenv("XDG_DATA_HOME");
}

static const char *keep(void *user, uint64_t row, uint32_t n, char *const *cell)
{
	if (row == 1 && n == 2)
		snprintf(user, 20, "%s", cell[1]);
	return n == 2 ? NULL : "not two";
}

static void tables(void)
{
	char found[20] = "";
	scratch_folder("three/etc");
	scratch_file("three/etc/two.csv", "a,b\nc,d\n");
	scratch_file("three/etc/one.csv", "a\n");
	setenv("STEPCOST_DATA_PATH", scratch_path("three"), 1);
	ok(datafile_csv("two", keep, found, &p) == 0, "a table");
	is(found, "d", "its rows");
	ok(datafile_csv("one", keep, found, &p) < 0 && p.code == EXIT_INPUT,
	   "one that is refused: %s", p.text);
	ok(datafile_csv("none", keep, found, &p) < 0 && p.code == EXIT_USAGE,
	   "one that is not there");
}

static void finds(void)
{
	char path[700];
	scratch_folder("one/etc/gpus");
	scratch_folder("two/etc/gpus");
	scratch_file("one/etc/gpus/h100.ini", "");
	scratch_file("two/etc/gpus/h100.ini", "");
	scratch_file("two/etc/gpus/a100.ini", "");
	scratch_file("two/etc/gpus/b200.txt", "");
	snprintf(path, sizeof path, "%s:%s", scratch_path("one"),
		 scratch_path("two"));
	setenv("STEPCOST_DATA_PATH", path, 1);
	char *found = datafile_find("etc/gpus", "h100", ".ini", &p);
	is(found ? found : p.text, scratch_path("one/etc/gpus/h100.ini"),
	   "the first folder that has it");
	free(found);
	found = datafile_find("etc/gpus", "a100", ".ini", &p);
	is(found ? found : p.text, scratch_path("two/etc/gpus/a100.ini"),
	   "or a later one");
	free(found);
	ok(!datafile_find("etc/gpus", "h10", ".ini", &p) &&
	       p.code == EXIT_USAGE,
	   "what no folder has");
	ok(!strncmp(p.text,
		    "no 'h10.ini' in etc/gpus (did you mean 'h100'?); known: "
		    "h100, a100",
		    66),
	   "is told with the nearest, each known name once: %s", p.text);
	ok(!datafile_find("etc/none", "x", ".ini", &p) &&
	       strstr(p.text, "known: none"),
	   "a folder that is nowhere: %s", p.text);
}

/* What `config = VALUE` in a/x.ini means, or the problem's text. */
static const char *config(const char *value)
{
	static char text[1000];
	char line[400];
	struct ini c;
	snprintf(line, sizeof line, "[model]\nconfig = %s\n", value);
	const char *path = scratch_file("a/x.ini", line);
	if (ini_load(&c, path, &p) < 0)
		bail_out(p.text);
	char *found = datafile_config(&c, ini_find(&c, "model", "config"),
				      "etc/gpus", &p);
	snprintf(text, sizeof text, "%s", found ? found : p.text);
	free(found);
	ini_free(&c);
	return text;
}

static void configs(void)
{
	scratch_folder("a/hub/llama");
	scratch_file("a/own.ini", "");
	scratch_file("a/hub/llama/config.json", "{}");
	is(config("a100"), scratch_path("two/etc/gpus/a100.ini"), "a name");
	is(config("own.ini"), scratch_path("a/own.ini"),
	   "a file beside the one that says so");
	is(config("./own.ini"), scratch_path("a/./own.ini"), "by its path");
	is(config("./hub/llama"), scratch_path("a/./hub/llama/config.json"),
	   "a folder has a config.json");
	is(config("hub/llama/config.json"),
	   scratch_path("a/hub/llama/config.json"), "which may be named");
	ok(strstr(config("hub/none"), "x.ini:2: config = ") &&
	       strstr(config("hub/none"), "No such file"),
	   "no such file: %s", config("hub/none"));
	ok(strstr(config("a10"), "x.ini:2: config = a10: no 'a10.ini'"),
	   "no such name: %s", config("a10"));
	scratch_folder("a/mine");
	ok(strstr(config("mine"), "x.ini:2: config = mine: no file of stepcost "
				  "has this name; for the folder write ./mine"),
	   "a folder without ./: %s", config("mine"));
}

static void shipped(const char *path, const char *want)
{
	char *found = datafile_shipped(path);
	is(found ? found : "(none)", want, "%s", path);
	free(found);
}

static void ships(void)
{
	scratch_folder("data/bench_data/serving");
	scratch_file("data/bench_data/serving/run.json", "");
	setenv("STEPCOST_DATA_PATH", scratch_path("data"), 1);
	shipped("bench_data/serving/run.json",
		scratch_path("data/bench_data/serving/run.json"));
	shipped("bench_data/serving/none.json", "bench_data/serving/none.json");
	shipped("serving/run.json", "serving/run.json");
	unsetenv("STEPCOST_DATA_PATH");
}

static void named(const char *path, const char *want)
{
	char *name = datafile_name(path);
	is(name ? name : "(none)", want, "%s is %s", path, want);
	free(name);
}

/* The path of a configuration, or the problem's text. */
static const char *configuration(const char *name)
{
	static char text[1000];
	char *path = datafile_configuration(name, &p);
	snprintf(text, sizeof text, "%s", path ? path : p.text);
	free(path);
	return text;
}

/* In the scratch folder. */
static void configurations(void)
{
	char found[20] = "";
	scratch_folder("conf/etc/operators");
	scratch_folder("conf/bench_data");
	scratch_folder("conf/folder");
	scratch_file("conf/etc/shipped.ini", "");
	scratch_file("conf/etc/operators/op.ini", "");
	scratch_file("conf/own.ini", "");
	scratch_file("conf/plain", "");
	scratch_file("conf/bench_data/two.csv", "a,b\nc,d\n");
	setenv("STEPCOST_DATA_PATH", scratch_path("conf"), 1);
	if (chdir(scratch_path("conf")) < 0)
		bail_out("chdir");
	is(configuration("./none"), "./none", "a dot begins a path");
	is(configuration("a/none"), "a/none", "a slash is in one");
	is(configuration("none.ini"), "none.ini", "it may end in .ini");
	is(configuration("plain"), "plain", "or be a file");
	ok(symlink("loop", "loop") == 0, "a link to itself");
	is(configuration("loop"), "loop", "or be a link, also one to nothing");
	is(configuration("own"), "./own.ini", "a name, of this folder");
	is(configuration("shipped"), scratch_path("conf/etc/shipped.ini"),
	   "of etc");
	is(configuration("op"), scratch_path("conf/etc/operators/op.ini"),
	   "or of etc/operators");
	ok(strstr(configuration("folder"),
		  "no 'folder.ini' in this folder, etc or etc/operators; "
		  "known: "),
	   "a folder is none: %s", configuration("folder"));
	ok(datafile_shipped_csv("bench_data/two.csv", keep, found, &p) == 0 &&
	       !strcmp(found, "d"),
	   "a shipped table");
	ok(datafile_shipped_csv("bench_data/none.csv", keep, found, &p) == 0,
	   "which need not be there");
	shipped("bench_data/two.csv", "bench_data/two.csv");
	unsetenv("STEPCOST_DATA_PATH");
	ok(strstr(config(""), "config = : no '.ini' in etc/gpus"),
	   "an empty name: %s", config(""));
}

/* model.config=VALUE by an option, for a/x.ini; the working folder has own.ini
 * and the INI's has beside.ini. */
static void by_option(const char *value, const char *want)
{
	struct ini c;
	char assignment[100];
	snprintf(assignment, sizeof assignment, "model.config=%s", value);
	if (ini_load(&c, scratch_file("a/x.ini", "[model]\nconfig = a\n"), &p) <
		0 ||
	    ini_override(&c, assignment, &p) < 0)
		bail_out(p.text);
	char *path = datafile_path(&c, ini_find(&c, "model", "config"));
	is(path, want, "--set model.config=%s", value);
	free(path);
	ini_free(&c);
}

int main(void)
{
	scratch_open();
	folders();
	finds();
	configs();
	ships();
	tables();
	named("a/b/llama-3.1-8b.ini", "llama-3.1-8b");
	named("llama.ini", "llama");
	named("a/b/config.json", "b");
	named("b/config.json", "b");
	named("config.json", "config");
	named("a/.ini", ".ini");
	named("plain", "plain");
	configurations();
	scratch_file("a/beside.ini", "");
	by_option("own.ini", "own.ini");
	by_option("beside.ini", scratch_path("a/beside.ini"));
	by_option("none.ini", "none.ini");
	return done();
}
