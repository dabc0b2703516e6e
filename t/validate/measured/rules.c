#include "validate/measured/rules.h"
#include <string.h>
#include "tap.h"

static const char text[] =
    "[when:all]\nmodel.a = 1\narm.x = 1\n"
    "[when:sglang]\nengine = sglang\narm.x = 2\nprotocol.max_num_seqs = 8\n"
    "[when:sglang-blackwell]\nengine = sglang, trtllm\ngpu = B200*,gb200\n"
    "arm.x = 3\n"
    "[when:no-version]\nengine_version = -\narm.y = 4\n"
    "[when:http]\nprotocol = prompts*\narm.z = 5\n"
    "[class]\nR = prompts_nominal\n"
    "[launch:lab]\nprotocol = told\narm.x = 0\narm.w = 7\nmodel.b = 8\n"
    "[other]\nmodel.a = 9\n";

static char keys[200];

static int stop(void *ctx, const char *key, const struct ini_item *t)
{
	(void)key, (void)t;
	return ++*(int *)ctx;
}

static int note_key(void *ctx, const char *key, const struct ini_item *t)
{
	size_t n = strlen(keys);
	(void)ctx;
	snprintf(keys + n, sizeof keys - n, "%s=%s ", key, t->value);
	return 0;
}

static const char *all(const struct ini *c, struct measured_row *r,
		       const char *prefix)
{
	keys[0] = '\0';
	rules_each(c, r, prefix, note_key, NULL);
	return keys;
}

int main(void)
{
	struct ini c;
	struct problem p;
	char sglang[] = "SGLang", b200[] = "B200-SXM", v[] = "0.5.1";
	char prompts[] = "prompts", id[] = "R-1";
	struct measured_row plain = {.engine_version = v};
	struct measured_row r = {.engine = sglang, .gpu = b200};
	if (ini_read(&c, text, strlen(text), &p) < 0)
		bail_out(p.text);
	is(all(&c, &plain, ""), "model.a=1 arm.x=1 ", "no condition holds");
	is(all(&c, &r, "arm."), "x=1 x=2 x=3 y=4 ",
	   "in the order of the file; case does not matter, - is an empty "
	   "cell");
	is(all(&c, &r, "protocol."), "max_num_seqs=8 ", "of one section");
	is(rules_get(&c, &r, "arm.x"), "3", "the later one");
	ok(!rules_get(&c, &plain, "arm.y"), "a condition on what is there");
	struct measured_row told = {.engine_version = v, .protocol = prompts};
	struct measured_row known = {.engine_version = v, .id = id};
	is(rules_get(&c, &told, "arm.z"), "5", "a protocol that is told");
	is(rules_get(&c, &known, "arm.z"), "5",
	   "or follows from the letter of the row");
	ok(!rules_get(&c, &plain, "arm.z"), "not of a row of another");
	ok(rules_check(&c, &p) == 0, "sound rules");
	struct measured_row launched = {.engine_version = v,
					.launch = "launch:lab"};
	is(all(&c, &launched, "arm."), "x=0 w=7 x=1 ",
	   "what its launch sets comes first");
	int calls = 0;
	ok(rules_each(&c, &launched, "arm.", stop, &calls) == 1 && calls == 1,
	   "a launch is the last if the caller wants no more");
	calls = 0;
	ok(rules_each(&c, &plain, "", stop, &calls) == 1 && calls == 1,
	   "and so is a rule");
	ini_free(&c);
	static const char bad[] = "[when:x]\nspeed = fast\narm.x = 1\n";
	if (ini_read(&c, bad, strlen(bad), &p) < 0)
		bail_out(p.text);
	ok(rules_check(&c, &p) < 0 && strstr(p.text, "speed is no column"),
	   "a condition on no column");
	ini_free(&c);
	static const char formula[] = "[when:x]\narm.x = {speed}\n";
	if (ini_read(&c, formula, strlen(formula), &p) < 0)
		bail_out(p.text);
	ok(rules_check(&c, &p) < 0 && strstr(p.text, "speed is no column"),
	   "a formula of no column: %s", p.text);
	ini_free(&c);
	return done();
}
