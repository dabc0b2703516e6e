/* The identity is the last member of a document; its digests depend
 * neither on white space nor on where files lie. */
#include "report/identity.h"
#include <jansson.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/file/infile.h"
#include "base/file/inputs.h"
#include "tap.h"

static char *finished(const char *text)
{
	char *out = NULL;
	size_t n;
	FILE *f = open_memstream(&out, &n);
	ok(identity_finish(f, text, strlen(text)) == 0, "it is finished");
	fclose(f);
	return out;
}

static json_t *identity_of(const char *text)
{
	char *out = finished(text);
	json_t *doc = json_loads(out, 0, NULL);
	json_t *is = json_incref(json_object_get(doc, "identity"));
	json_decref(doc);
	free(out);
	return is;
}

static const char *text_at(json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));
	return s ? s : "(none)";
}

static void as_it_is(const char *text)
{
	char *out = finished(text);
	is(out, text, "no object: as it is");
	free(out);
}

/* The lengths are read in two folders. */
static void read_in(const char *folder)
{
	struct problem p;
	char path[100];
	mkdir(folder, 0777);
	snprintf(path, sizeof path, "%s/len.csv", folder);
	FILE *f = fopen(path, "we");
	fputs("tokens\n1\n", f);
	fclose(f);
	free(infile_read(path, 1, NULL, &p));
}

static void digests(void)
{
	read_in("id-a");
	read_in("id-b");
	json_t *a =
	    identity_of("{\n  \"x\": 1.50,\n  \"requests_hash\": \"77\",\n  "
			"\"configuration\": {\"workload\": {\"input_tokens\": "
			"\"empirical:id-a/len.csv\"}}, \"elapsed\": 5\n}\n");
	json_t *b = identity_of(
	    "{\"elapsed\": 9, \"configuration\": {\"workload\": "
	    "{\"input_tokens\": \"empirical:id-b/len.csv\"}}, \"x\": 1.50, "
	    "\"requests_hash\": \"77\"}");
	json_t *c = identity_of("{\"x\": 1.5}");
	is(text_at(a, "results_sha256"), text_at(b, "results_sha256"),
	   "the same results elsewhere");
	is(text_at(a, "configuration_sha256"),
	   text_at(b, "configuration_sha256"), "the same configuration");
	ok(strcmp(text_at(a, "results_sha256"), text_at(c, "results_sha256")),
	   "other results");
	json_t *d = identity_of("{\"n\": \"in id-a/len.csv:1: old\"}");
	json_t *e = identity_of("{\"n\": \"in id-b/len.csv:1: old\"}");
	is(text_at(d, "results_sha256"), text_at(e, "results_sha256"),
	   "nor does a sentence depend on where a file lies");
	json_decref(d), json_decref(e);
	is(text_at(a, "requests_hash"), "77", "the requests");
	is(text_at(c, "configuration_sha256"), "(none)", "none of none");
	json_t *in = json_array_get(json_object_get(a, "inputs"), 0);
	is(text_at(in, "key"), "workload.input_tokens", "its key");
	is(text_at(in, "path"), "id-a/len.csv", "its path");
	json_decref(a), json_decref(b), json_decref(c);
}

static void members(void)
{
	const char *const program[] = {"1", "abc", "1"};
	const char *const arm[] = {"mine", "id-a/len.csv", "p", "org.p", "2"};
	const char *const other[] = {"mine", "id-b/len.csv", "q", "", "1"};
	inputs_note(INPUT_PROGRAM, program, 3);
	inputs_note(INPUT_ARM, arm, 5);
	inputs_note(INPUT_ARM, other, 5);
	json_t *i = identity_of("{\"x\": 1}");
	json_t *s = json_object_get(i, "stepcost");
	is(text_at(s, "commit"), "abc", "the commit");
	ok(json_is_true(json_object_get(s, "dirty")), "changed since");
	json_t *arms = json_object_get(i, "arms");
	json_t *a = json_object_get(arms, "mine");
	is(text_at(a, "id"), "org.p", "the id of the plugin");
	ok(strlen(text_at(a, "file_sha256")) == 64, "its digest");
	ok(json_is_null(json_object_get(a, "data_sha256")), "no folder");
	ok(json_object_get(arms, "mine (2)") != NULL, "an arm of that name");
	json_decref(i);
}

int main(void)
{
	char folder[] = "identity.XXXXXX", clean[100];
	if (!mkdtemp(folder) || chdir(folder) < 0 || inputs_begin() < 0)
		bail_out("no folder");
	as_it_is("");
	as_it_is("[1, 2]\n");
	as_it_is("{\"a\": 1");
	digests();
	members();
	snprintf(clean, sizeof clean, "cd .. && rm -rf %s", folder);
	return system(clean) == 0 ? done() : 1;
}
