/* Alias files: names by their parts, an own file over the shipped ones, and
 * faults of each with its file and line. */
#include "validate/measured/aliases.h"
#include "scratch.h"

static void names(void)
{
	static const char text[] = "[column]\ntp = tensor_parallel_size\n"
				   "[gpu]\nH100 = h100-sxm\n"
				   "H100 (PCIe) = h100-pcie\n";
	struct ini a;
	struct problem p;
	if (ini_read(&a, text, strlen(text), &p) < 0)
		bail_out(p.text);
	is(alias_of(&a, "gpu", "H100"), "h100-sxm", "by the whole name");
	is(alias_of(&a, "gpu", "H100 (PCIe)"), "h100-pcie",
	   "which goes before its part");
	is(alias_of(&a, "gpu", "H100 80GB"), "h100-sxm", "up to a space");
	is(alias_of(&a, "gpu", "H100(SXM)"), "h100-sxm", "or a bracket");
	is(alias_of(&a, "gpu", "H1"), "H1", "else the name itself");
	is(alias_of(&a, "model", "H100"), "H100", "in its section alone");
	is(alias_of_column(&a, "tp"), "tensor_parallel_size", "a column");
	is(alias_of_column(&a, "tp (n)"), "tp (n)", "by its whole name");
	ini_free(&a);
	ok(alias_is_path("a/b") && alias_is_path("m.json") &&
	       alias_is_path("m.ini") && !alias_is_path("meta.llama"),
	   "a path has a slash or ends in .json or .ini");
}

/* ---- files ---- */

static struct ini shipped;
static struct problem p;

static int read_own(const char *text)
{
	ini_free(&shipped);
	p = (struct problem){0};
	return aliases_read(&shipped, scratch_file("own.ini", text), &p);
}

static void refused(const char *text, const char *want)
{
	if (!ok(read_own(text) < 0 && strstr(p.text, want), "%s", want))
		printf("# got %s\n", p.text);
}

static void own_file(void)
{
	char want[400];
	ok(aliases_read(&shipped, NULL, &p) == 0 &&
	       !strcmp(alias_of(&shipped, "gpu", "H100-SXM"), "h100-sxm") &&
	       ini_get(&shipped, "facts", "certainty") &&
	       ini_get(&shipped, "launch:int_vllm", "protocol"),
	   "the shipped files: %s", p.text);
	snprintf(want, sizeof want, "%s", scratch_file("m.ini", "[model]\n"));
	ok(read_own("[gpu]\nH100-SXM = mine\n[model]\nm/x = ./m.ini\n"
		    "[column]\ntp = x/y\n") == 0,
	   "an own file: %s", p.text);
	is(alias_of(&shipped, "gpu", "H100-SXM"), "mine", "goes before them");
	is(alias_of(&shipped, "model", "m/x"), want, "a file beside it");
	is(alias_of_column(&shipped, "tp"), "x/y",
	   "only models and GPUs have one");
	refused("[model]\n\nm/x = ./none.ini\n",
		"own.ini:3: m/x = ./none.ini: No such file or directory");
	refused("x\n", "own.ini:1: ");
	refused("[when:x]\nspeed = 1\n", "own.ini:2: speed is no column");
	refused("[launch:x]\ngpu = H100\n",
		"own.ini:2: [launch:x] names no protocol");
	ini_free(&shipped);
	ok(aliases_read(&shipped, scratch_path("none.ini"), &p) < 0 &&
	       p.code == EXIT_USAGE && strstr(p.text, "none.ini: "),
	   "no such file: %s", p.text);
}

/* Each shipped file in turn is damaged, and then is not there. */
static void shipped_files(void)
{
	static const char *const name[] = {
	    "etc/measured.ini", "etc/measured-apart.ini", "etc/protocols.csv"};
	static const char *const text[] = {"[gpu]\nH = h\n", "[facts]\na = b\n",
					   "name,protocol\nx,closed\n"};
	char before[4000];
	snprintf(before, sizeof before, "%s", getenv("STEPCOST_DATA_PATH"));
	setenv("STEPCOST_DATA_PATH", scratch, 1);
	scratch_folder("etc");
	ini_free(&shipped);
	for (int i = 0; i < 3; i++)
		scratch_file(name[i], text[i]);
	ok(aliases_read(&shipped, NULL, &p) == 0, "small files: %s", p.text);
	for (int i = 0; i < 3; i++) {
		ini_free(&shipped);
		scratch_file(name[i], "x\n");
		ok(aliases_read(&shipped, NULL, &p) < 0 &&
		       strstr(p.text, name[i]),
		   "damaged: %s", p.text);
		ini_free(&shipped);
		unlink(scratch_path(name[i]));
		ok(aliases_read(&shipped, NULL, &p) < 0 &&
		       p.code == EXIT_USAGE && strstr(p.text, name[i] + 4),
		   "not there: %s", p.text);
		scratch_file(name[i], text[i]);
	}
	setenv("STEPCOST_DATA_PATH", before, 1);
}

int main(void)
{
	scratch_open();
	names();
	own_file();
	shipped_files();
	ini_free(&shipped);
	return done();
}
