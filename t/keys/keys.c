#include "keys/keys.h"
#include "stepcost/knob.h"
#include "tap.h"

struct block {
	double x;
	int64_t n, flag, mode;
	const char *text;
};
static const char *const modes[] = {"slow", "fast", NULL};
static const sc_knob *const key[] = {
    SC_DOUBLE(struct block, x, "1.5", 0, 10, "us", "help"),
    SC_INT(struct block, n, "2", -5, 5, "1", "help"),
    SC_BOOL(struct block, flag, "false", "help"),
    SC_CHOICE(struct block, mode, "fast", modes, "help"),
    KEY_TEXT_OF(struct block, text, "", "help"),
};
static const sc_knob *const needed[] = {
    SC_DOUBLE(struct block, x, NULL, 0, 10, "us", "help")};
static const char *const tuned[] = {"n", "3", "mode", "slow", NULL};
static const sc_preset preset = {
    .size = sizeof preset, .name = "tuned", .values = tuned};

static struct ini ini;
static struct problem p;
static struct block b;

static int fill(const char *text, const sc_preset *with, const char *prefix)
{
	ini_free(&ini);
	p = (struct problem){0};
	b = (struct block){0};
	if (ini_read(&ini, text, strlen(text), &p) < 0)
		bail_out(p.text);
	return knobs_fill(&b, key, 5, with, &ini, "a", prefix, &p);
}

static void precedence(void)
{
	ok(knobs_fill(&b, key, 5, NULL, NULL, "a", "", &p) == 0 && b.x == 1.5 &&
	       b.n == 2 && !b.flag && b.mode == 1 && !*b.text,
	   "without an INI: defaults");
	ok(fill("[a]\nx = 3\n", &preset, "") == 0 && b.x == 3 && b.n == 3 &&
	       b.mode == 0,
	   "the INI, then the preset, then defaults");
	ok(fill("[a]\nn = -5\n", &preset, "") == 0 && b.n == -5,
	   "the INI before the preset");
	ok(fill("[b]\nn = 1\n", NULL, "") == 0 && b.n == 2,
	   "another section says nothing");
	ok(fill("[a]\nn = 1\nt.n = 4\n", NULL, "t.") == 0 && b.n == 4,
	   "with a prefix only what has it");
	ok(fill("[a]\ntext = any: thing\nflag = true\n", NULL, "") == 0 &&
	       !strcmp(b.text, "any: thing") && b.flag == 1,
	   "text as it is written");
}

static void refused(const char *line, const char *want)
{
	char text[100];
	snprintf(text, sizeof text, "[a]\n%s\n", line);
	ok(fill(text, NULL, "") < 0 && p.code == EXIT_USAGE, "%s", line);
	const char *at = strstr(p.text, ":2: ");
	is(at ? at + 4 : p.text, want, "%s", want);
}

static void values(void)
{
	refused("x = 11", "x = 11: not a number in [0, 10] us");
	refused("x = -0.1", "x = -0.1: not a number in [0, 10] us");
	refused("x = nan", "x = nan: not a number in [0, 10] us");
	refused("x = 0x1", "x = 0x1: not a number in [0, 10] us; write the "
			   "number alone");
	refused("x = 1 2", "x = 1 2: not a number in [0, 10] us");
	refused("x = 1us", "x = 1us: not a number in [0, 10] us; write the "
			   "number alone");
	refused("n = 1.5", "n = 1.5: not an integer in [-5, 5]");
	refused("n = 99999999999999999999",
		"n = 99999999999999999999: not an integer in [-5, 5]");
	refused("n = 1e1", "n = 1e1: not an integer in [-5, 5]");
	refused("n =", "n = : not an integer in [-5, 5]");
	refused("flag = yes", "flag = yes: not one of false|true");
	refused("mode = 0", "mode = 0: not one of slow|fast");
	ok(fill("[a]\nx = 1e1\nn = -0\n", NULL, "") == 0 && b.x == 10 &&
	       b.n == 0,
	   "limits belong to the range");
	ok(fill("[a]\nn = 0.4e1\n", NULL, "") == 0 && b.n == 4,
	   "an integer with an exponent");
	ok(knobs_fill(&b, needed, 1, NULL, &ini, "z", "", &p) < 0 &&
	       strstr(p.text, "[z] needs x: help"),
	   "what has no default is needed: %s", p.text);
}

static void unknown(void)
{
	const struct key_table table[] = {{key, 5, "", NULL},
					  {key, 1, "t.", NULL}};
	fill("[a]\nx = 1\nt.x = 2\nt.n = 3\n[b]\nz = 1\n", NULL, "");
	ok(keys_check(&ini, "a", table, 1, &p) < 0, "one table");
	ok(strstr(p.text, ":3: unknown key 't.x' in [a]") &&
	       strstr(p.text, "; also unknown: 't.n'") &&
	       !strstr(p.text, "'z'"),
	   "all of the section: %s", p.text);
	ok(keys_check(&ini, "a", table, 2, &p) < 0, "two tables");
	ok(strstr(p.text, ":4: unknown key 't.n' in [a] (did you mean 't.x'?)"),
	   "%s", p.text);
	ok(keys_check(&ini, "c", table, 1, &p) == 0,
	   "a section that is not there has none");
}

static void text(void)
{
	char buf[32], *out = NULL;
	size_t size = 0;
	struct jw j;
	fill("[a]\nx = 0.25\nflag = true\ntext = abc\n", NULL, "");
	is(knob_text(buf, key[0], &b), "0.25", "a number");
	is(knob_text(buf, key[1], &b), "2", "an integer");
	is(knob_text(buf, key[2], &b), "true", "a truth");
	is(knob_text(buf, key[3], &b), "fast", "a choice");
	is(knob_text(buf, key[4], &b), "abc", "a text");
	FILE *f = open_memstream(&out, &size);
	jw_start(&j, f);
	jw_flat_object(&j, NULL);
	knobs_write(&j, &b, key, 5);
	jw_end(&j);
	jw_finish(&j);
	fclose(f);
	is(out,
	   "{\"x\": 0.25, \"n\": 2, \"flag\": true, \"mode\": \"fast\", "
	   "\"text\": \"abc\"}\n",
	   "all of them as JSON");
	free(out);
}

static void numbers(void)
{
	static const struct {
		const char *text;
		int64_t n;
		double last;
	} list[] = {
	    {"1024, 2048", 2, 2048}, {"1e3 2.5\t-3", 3, -3}, {"", 0, 0},
	    {" 7 ", 1, 7},           {"1,,2", -1, 0},        {"1,", -1, 0},
	    {",1", -1, 0},           {"0x10", -1, 0},        {"inf", -1, 0},
	    {"1;2", -1, 0},          {"nan", -1, 0},         {"12a", -1, 0}};
	double value[4];
	for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
		int64_t n = numbers_read(NULL, list[i].text);
		ok(n == list[i].n, "'%s' is %d numbers", list[i].text, (int)n);
		ok(n <= 0 || (numbers_read(value, list[i].text) == n &&
			      value[n - 1] == list[i].last),
		   "and ends with the last");
	}
}

/* A knob of a plugin that was built before ABI 1.3 ends after choices. */
static void knobs_since_1_3(void)
{
	sc_knob k = {.size = offsetof(sc_knob, when),
		     .min = 1,
		     .max = 9,
		     .when = "a=b",
		     .fit_low = 2,
		     .fit_high = 3,
		     .scale = SC_SCALE_LOG};
	double low, high;
	knob_fit_bounds(&k, &low, &high);
	ok(!knob_when(&k) && knob_scale(&k) == SC_SCALE_LINEAR && low == 1 &&
	       high == 9,
	   "an older knob does not say");
	k.size = sizeof k;
	knob_fit_bounds(&k, &low, &high);
	ok(knob_when(&k) && knob_scale(&k) == SC_SCALE_LOG && low == 2 &&
	       high == 3,
	   "a knob of 1.3 does");
	k.fit_low = k.fit_high = 0;
	knob_fit_bounds(&k, &low, &high);
	ok(low == 1 && high == 9, "0, 0: its range");
	k.fit_low = NAN, k.fit_high = 5;
	knob_fit_bounds(&k, &low, &high);
	ok(low == 1 && high == 9, "NaN: its range");
}

struct wide {
	double x;
	const struct knob_numbers *list;
	int64_t mode;
};
static const char *const many_words[] = {
    "of_forty_characters_of_forty_characters1",
    "of_forty_characters_of_forty_characters2",
    "of_forty_characters_of_forty_characters3",
    "of_forty_characters_of_forty_characters4",
    "of_forty_characters_of_forty_characters5",
    "of_forty_characters_of_forty_characters6",
    "of_forty_characters_of_forty_characters7",
    "of_forty_characters_of_forty_characters8",
    NULL};
static const sc_knob *const wide_key[] = {
    SC_DOUBLE(struct wide, x, "1", 0, INFINITY, "", "help"),
    SC_NUMBERS(struct wide, list, "1, 2", "us", "help"),
    SC_CHOICE(struct wide, mode, "of_forty_characters_of_forty_characters1",
	      many_words, "help"),
};

static void checks(const sc_knob *k, const char *value, const char *want)
{
	p = (struct problem){0};
	int rc = knob_check_value(k, value, &p);
	if (!ok(want ? rc < 0 && !strcmp(p.text, want) : rc == 0, "%s = %s",
		k->name, value))
		printf("# got: %s\n", p.text);
}

static void single_values(void)
{
	checks(wide_key[0], "1e400", "x = 1e400: not a number in [0, inf]");
	checks(wide_key[0], "1e-400", NULL);
	checks(wide_key[0], "-1", "x = -1: not a number in [0, inf]");
	checks(wide_key[1], "1 2,3", NULL);
	checks(wide_key[1], "1,x",
	       "list = 1,x: not numbers with commas or blanks between them, as "
	       "1024, 2048");
	p = (struct problem){0};
	ok(knob_check_value(wide_key[2], "z", &p) < 0 && strlen(p.text) < 400 &&
	       strstr(p.text, "characters6|"),
	   "a long list of words is cut: %s", p.text);
}

static const char *with_n(const char *typed)
{
	return strcmp(typed, "enn") ? "nothing" : "n";
}

static void more_unknown(void)
{
	const struct key_table aliased[] = {{key, 5, "t.", with_n},
					    {key, 5, "", with_n}};
	fill("[a]\nenn = 1\n", NULL, "");
	ok(keys_check(&ini, "a", aliased, 2, &p) < 0 &&
	       strstr(p.text, "(did you mean 'n'?)"),
	   "the name that others use: %s", p.text);
	fill("[a]\nzzzzzzzzzz = 1\n", NULL, "");
	ok(keys_check(&ini, "a", aliased, 2, &p) < 0 &&
	       strstr(p.text, "; allowed: t.x, t.n"),
	   "a name that is like none: %s", p.text);
	const struct key_table none = {NULL, 0, "", NULL};
	ok(keys_check(&ini, "a", &none, 1, &p) < 0 &&
	       strstr(p.text, "allowed: none"),
	   "no key at all: %s", p.text);
}

/* Defaults and presets that are wrong themselves. */
static void wrong_tables(void)
{
	const sc_knob *const bad[] = {
	    SC_INT(struct block, n, "9", -5, 5, "1", "help")};
	static const char *const nine[] = {"n", "9", NULL};
	const sc_preset wrong = {
	    .size = sizeof wrong, .name = "wrong", .values = nine};
	ok(knobs_fill(&b, bad, 1, NULL, NULL, "a", "", &p) < 0 &&
	       !strcmp(p.text, "default: n = 9: not an integer in [-5, 5]"),
	   "%s", p.text);
	ok(knobs_fill(&b, key, 5, &wrong, NULL, "a", "", &p) < 0 &&
	       !strcmp(p.text, "wrong: n = 9: not an integer in [-5, 5]"),
	   "%s", p.text);
	ok(knobs_fill(&b, needed, 1, NULL, NULL, "a", "", &p) < 0 &&
	       !strcmp(p.text, "?: [a] needs x: help"),
	   "%s", p.text);
}

static void numbers_as_text(void)
{
	const double value[] = {1, 2.5};
	struct knob_numbers list = {.text = "1, 2.5"};
	list.is.n = 2;
	list.is.value = value;
	struct wide w = {.list = &list}, v = w;
	char buf[32], *out = NULL;
	size_t size = 0;
	struct jw j;
	is(knob_text(buf, wide_key[1], &w), "1, 2.5", "numbers as their text");
	FILE *f = open_memstream(&out, &size);
	jw_start(&j, f);
	jw_flat_object(&j, NULL);
	knobs_write(&j, &w, wide_key, 2);
	jw_end(&j);
	jw_finish(&j);
	fclose(f);
	is(out, "{\"x\": 0, \"list\": [1, 2.5]}\n", "and as JSON");
	free(out);
	ok(!knobs_differ(wide_key, 3, &w, &v), "equal blocks");
	v.mode = 1;
	ok(knobs_differ(wide_key, 3, &w, &v), "blocks with another word");
	ok(is_same_value("2", "2.0") && !is_same_value("2", "3") &&
	       !is_same_value("3", "2") && !is_same_value("nan", "nan") &&
	       is_same_value("2x", "2x") && !is_same_value("2", "2x") &&
	       !is_same_value("2x", "2") && !is_same_value("2", "x") &&
	       is_same_value("x", "x"),
	   "equal values are equal numbers, or the same text");
	sc_knob k = {.size = sizeof k, .min = 1, .max = 9, .fit_high = NAN};
	double low, high;
	knob_fit_bounds(&k, &low, &high);
	ok(low == 1 && high == 9, "NaN above: the range");
	k.fit_high = 3;
	knob_fit_bounds(&k, &low, &high);
	ok(low == 0 && high == 3, "from 0");
}

int main(void)
{
	knobs_since_1_3();
	numbers();
	precedence();
	values();
	unknown();
	text();
	single_values();
	more_unknown();
	wrong_tables();
	numbers_as_text();
	ini_free(&ini);
	return done();
}
