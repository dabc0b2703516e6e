/* Which arms were fitted to a file. */
#include "arena/fitted.h"
#include "ranked.h"

static struct config config;

static enum fitted asked(const char *file)
{
	enum fitted is = N_FITTED;
	if (fitted_find(&is, &config, 0, file, &why) < 0)
		bail_out(why.text);
	return is;
}

static void by_table(void)
{
	ranked_fitted("const_step,a.csv,yes\nconst_step,b.csv,perhaps\n"
		      "other,c.csv,yes\nconst_step,d.csv,no\n");
	ok(asked("x/a.csv") == FITTED_YES && asked("b.csv") == FITTED_PERHAPS &&
	       asked("c.csv") == FITTED_NO && asked("d.csv") == FITTED_NO &&
	       asked("a.csv.gz") == FITTED_NO,
	   "the table of shipped plugins, by the name of the file");
	enum fitted is;
	ranked_fitted("const_step,a.csv,sometimes\n");
	ok(fitted_find(&is, &config, 0, "a.csv", &why) < 0 &&
	       why.code == EXIT_INPUT && strstr(why.text, ":2:"),
	   "another word is refused: %s", why.text);
	ranked_fitted("");
}

/* A plugin in a folder of its own, with a MANIFEST. */
static void by_folder(void)
{
	char path[300];
	scratch_folder("plugins/mine");
	scratch_file("plugins/mine/MANIFEST",
		     "fitted_to = a.csv, e.csv\nperhaps_fitted_to = b.csv\n");
	snprintf(path, sizeof path, "%s",
		 scratch_file("plugins/mine/mine.so", ""));
	char *own = config.arm[0].plugin_path;
	config.arm[0].plugin_path = path;
	ok(asked("a.csv") == FITTED_YES && asked("e.csv") == FITTED_YES &&
	       asked("b.csv") == FITTED_PERHAPS && asked("c.csv") == FITTED_NO,
	   "the notes of a plugin's folder");
	config.arm[0].plugin_path = own;
	ok(asked("a.csv") == FITTED_NO, "a plugin without one");
}

static void by_tables(void)
{
	struct set_place place = {scratch, (char *)(uintptr_t) "gpu.mine"};
	scratch_folder("gpu.mine");
	scratch_file("gpu.mine/MANIFEST", "gpu = H100\nfitted_to = t.csv\n");
	struct set_choice own = config.arm[0].tables;
	config.arm[0].tables = (struct set_choice){.item = &place, .n = 1};
	ok(asked("t.csv") == FITTED_YES && asked("a.csv") == FITTED_NO,
	   "the notes of a set of tables");
	config.arm[0].tables = own;
}

int main(void)
{
	scratch_open();
	ranked_fitted("");
	config_good(&config, CONFIG_SETUP CONFIG_ARM("a", "1"));
	by_table();
	by_folder();
	by_tables();
	config_free(&config);
	(void)ranked_open;
	return done();
}
