/* The digest of a plugin is that of its file; of one that runs a program, of
 * the files beside it with its name, too. */
#include "plugin/digest.h"
#include <sys/stat.h>
#include <unistd.h>
#include "tap.h"

static char folder[] = "digest.XXXXXX";

static const char *at(const char *name)
{
	static char path[2][200];
	static int k;
	k = !k;
	snprintf(path[k], sizeof *path, "%s/%s", folder, name);
	return path[k];
}

static void put(const char *name, const char *text)
{
	FILE *f = fopen(at(name), "we");
	fputs(text, f);
	fclose(f);
}

int main(void)
{
	char own[DIGEST], one[DIGEST], two[DIGEST];
	if (!mkdtemp(folder))
		bail_out("mkdtemp");
	put("p.so", "so"), put("p.py", "1"), put("px.py", "2");
	ok(plugin_digest(at("p.so"), 0, own) &&
	       !strcmp(own, digest_file(at("p.so"), one)),
	   "of its file");
	ok(plugin_digest(at("p.so"), 1, one) && strcmp(own, one) != 0,
	   "of a program, of what stands beside it");
	put("px.py", "3");
	ok(!strcmp(one, plugin_digest(at("p.so"), 1, two)),
	   "not of another plugin's program");
	put("p.py", "4");
	ok(strcmp(one, plugin_digest(at("p.so"), 1, two)) != 0,
	   "its program changes it");
	ok(!strcmp(own, plugin_digest(at("p.so"), 0, two)),
	   "and not that of the file");
	ok(!plugin_data_digest(at("p.so"), one), "it has no folder");
	ok(!plugin_digest(at("none.so"), 0, one), "no file, no digest");

	mkdir(at("q"), 0777);
	put("q/q.so", "so"), put("q/table.csv", "1");
	ok(plugin_data_digest(at("q/q.so"), one) != NULL,
	   "a folder of its own");
	put("q/table.csv", "2");
	ok(strcmp(one, plugin_data_digest(at("q/q.so"), two)) != 0,
	   "a table in it changes its digest");
	char clean[100];
	snprintf(clean, sizeof clean, "rm -rf %s", folder);
	return system(clean) == 0 ? done() : 1;
}
