/* Writes flags as keys, and the others as remarks. */
#include "report/import/imported_launch.h"
#include <stdlib.h>
#include <string.h>
#include "tap.h"

static char *text;

static void write_it(const struct launched *l, const struct imported *x)
{
	size_t n;
	free(text);
	FILE *f = open_memstream(&text, &n);
	static const char *const path[] = {"a.sh"};
	ok(imported_launch_write(l, 1, x, path, f) == 0, "it is written");
	fclose(f);
}

static void has(const char *line)
{
	if (!ok(strstr(text, line) != NULL, "%s", line))
		printf("# got %s\n", text);
}

int main(void)
{
	struct problem p;
	struct names missing = {0};
	struct launched l = {.engine = "sglang"};
	struct imported x = {.model_id = "m", .missing = &missing};
	ini_put(&l.c, "engine", "num_speculative_tokens", "3", "--s 3", &p);
	names_add(&l.other, "--host a\nb");
	write_it(&l, &x);
	has("; As stepcost import launch understood a.sh\n");
	has(";? model.config = ");
	has("\n[engine]\npreset = sglang ");
	has("\nnum_speculative_tokens = 3          ; --s 3\n");
	has(";? synthetic_acceptance_length = ");
	has("\n[cost_model:operators]\n");
	has("\n; Without a counterpart in the simulation:\n;   --host a");
	ok(!strstr(text, "\nb\n"), "a remark stays in its line");
	ok(names_have(&missing, "engine.preset") &&
	       names_have(&missing, "hardware.config"),
	   "what is not told");
	launched_free(&l);
	l = (struct launched){.engine = NULL};
	ini_put(&l.c, "router", "picker", "p", "q", &p);
	ini_put(&l.c, "engine", "routing", "endpoint_picker", "E", &p);
	write_it(&l, &x);
	ok(!strstr(text, "[model]"), "a gateway has no model");
	has("\n[engine]\nrouting = endpoint_picker ");
	has("\n[router]\npicker = p ");
	launched_free(&l);
	l = (struct launched){.engine = "vllm", .pool = "engine:decode"};
	ini_put(&l.c, "engine", "num_speculative_tokens", "3", "--s 3", &p);
	ini_put(&l.c, "engine", "synthetic_acceptance_length", "2", "--a 2",
		&p);
	names_add(&l.other, "--one");
	names_add(&l.other, "--two");
	write_it(&l, &x);
	has("\n[engine]\npreset = vllm-");
	has("\n[engine:decode]\nnum_speculative_tokens = 3 ");
	has(";   --one\n;   --two\n");
	ok(!strstr(text, ";? synthetic"), "what is told is not missing");
	launched_free(&l);
	names_free(&missing);
	free(text);
	return done();
}
