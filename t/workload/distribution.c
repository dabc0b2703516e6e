#include <unistd.h>
#include "workload/distribution.h"
#include "tap.h"

static struct problem p;

static int parse(struct distribution *d, const char *text)
{
	p = (struct problem){0};
	return distribution_parse(d, text, OF_TOKENS, "f:3", "input_tokens",
				  NULL, &p);
}

/* Mean, deviation and median of a million draws. */
static void draws(const char *text, double mean, double std, double p50)
{
	struct distribution d;
	struct rng r = rng_stream(5, 6, 7);
	static uint32_t count[100001];
	double sum = 0, squares = 0;
	int n = 1000000, good = 1, at = 0;
	if (parse(&d, text) < 0)
		bail_out(p.text);
	memset(count, 0, sizeof count);
	for (int i = 0; i < n; i++) {
		uint32_t v = distribution_tokens(&d, &r);
		good &= v >= 1 && v <= INT32_MAX;
		sum += v;
		squares += (double)v * v;
		count[v < 100000 ? v : 100000]++;
	}
	int median = 0;
	while ((at += (int)count[median]) < n / 2)
		median++;
	ok(good, "%s: at least 1", text);
	near(sum / n, mean, 0.01, "mean");
	near(sqrt(squares / n - sum / n * sum / n) + 1, std + 1, 0.02,
	     "deviation");
	near(median, p50, 0.02, "median");
	distribution_free(&d);
}

/* Streams together, as each alone. */
static void together(const char *text)
{
	struct distribution d;
	uint64_t streams = rng_streams(8, 9);
	uint32_t all[RNG_TOGETHER], wrong = 0;
	if (parse(&d, text) < 0)
		bail_out(p.text);
	for (uint64_t index = 0; index < 5000; index += RNG_TOGETHER) {
		distribution_tokens_together(&d, streams, index, all);
		for (uint32_t i = 0; i < RNG_TOGETHER; i++) {
			struct rng r = rng_stream_of(streams, index + i);
			wrong += all[i] != distribution_tokens(&d, &r);
		}
	}
	ok(wrong == 0, "%s: streams together", text);
	distribution_free(&d);
}

static void same(const char *text, double a, double b)
{
	struct distribution d = {0};
	if (parse(&d, text) < 0)
		bail_out(p.text);
	ok(fabs(d.a - a) < 1e-12 * fabs(a) + 1e-12 &&
	       fabs(d.b - b) < 1e-9 * fabs(b) + 1e-12,
	   "%s: mu %.15g sigma %.15g", text, d.a, d.b);
	distribution_free(&d);
}

static void refused(const char *text, const char *says)
{
	struct distribution d;
	ok(parse(&d, text) < 0 && p.code == EXIT_USAGE &&
	       !strncmp(p.text, "f:3: input_tokens = ", 20) &&
	       strstr(p.text, says),
	   "%s: %s", says, p.text);
}

/* Each refusal, and what it says. */
static void refusals(void)
{
	static const char kind[] = "must be constant:N, uniform:a,b, ";
	char longest[300] = "constant:";
	memset(longest + 9, '1', 200);
	const struct {
		const char *says, *text[11];
	} some[] = {
	    {kind, {"", "constant", "zipf:1.5", "x"}},
	    {"must be a whole number from 1 to",
	     {"128.5", "-3", "constant:0", "constant:2147483648"}},
	    {"not a number; write a decimal number",
	     {"5x", "0x10", "+", "constant:nan", "constant:inf", "constant:5x",
	      "normal:mean=,cv=1"}},
	    {"too many numbers", {"constant:1,2,3"}},
	    {"too long", {longest}},
	    {"given twice", {"lognormal:mean=5,mean=6"}},
	    {"the names are mean, p50",
	     {"lognormal:mean=5,foo=6", "normal:mea=5,cv=1"}},
	    {"is constant:N",
	     {"constant:", "constant:1,2", "constant:5,mean=5"}},
	    {"is uniform:a,b", {"uniform:5", "uniform:1,2,mean=3"}},
	    {"must have whole numbers", {"uniform:1.5,5", "uniform:1,2.5"}},
	    {"with a <= b, both in range",
	     {"uniform:9,5", "uniform:0,5", "uniform:1,3e9"}},
	    {"must be normal:mean,std or",
	     {"normal:5", "normal:5,-1", "normal:5,1,mean=5", "normal:5,mean=5",
	      "normal:mean=5,cv=.1,std=1", "normal:cv=1,std=1",
	      "normal:mean=5,p50=5"}},
	    {"must be exponential:mean",
	     {"exponential:5,mean=5", "exponential:-1", "exponential:p50=5"}},
	    {"needs a location",
	     {"lognormal:5,6", "lognormal:mean=5", "lognormal:mean=5,p50=6",
	      "lognormal:mean=100,p99=1e9", "lognormal:mean=5,cv=-1",
	      "lognormal:mean=5,std=-1", "lognormal:mean=-5,cv=1",
	      "lognormal:cv=1,std=1", "lognormal:p50=0,cv=1",
	      "lognormal:p50=5,sigma=-1"}},
	    {"a bucket is EDGE=COUNT",
	     {"histogram:10",
	      "histogram:0000000000000000000000000000000000000001=1"}},
	    {"EDGE=COUNT, both numbers",
	     {"histogram:10=x", "histogram:x=1", "histogram:5=-1"}},
	    {"needs a bucket with values", {"histogram:", "histogram:10=0"}},
	    {"must rise, from at least 1",
	     {"histogram:0=1", "histogram:10=1,5=1", "histogram:3e9=1"}},
	    {"mean= must be a number", {"histogram:mean=x,10=1"}},
	    {"cannot be the mean of these",
	     {"histogram:mean=20,10=1", "histogram:mean=0.1,10=1"}},
	    {"min and max must be whole numbers from 1 to 2147483647, and ",
	     {"normal:5,1,min=0", "normal:5,1,min=9,max=8",
	      "normal:5,1,max=3e9", "normal:5,1,min=1.5",
	      "normal:5,1,max=8.5"}},
	};
	for (size_t i = 0; i < sizeof some / sizeof *some; i++)
		for (int k = 0; some[i].text[k]; k++)
			refused(some[i].text[k], some[i].says);
}

static void file(const char *text, const char *why, double mean)
{
	char name[] = "/tmp/stepcost-distribution-XXXXXX", key[60];
	struct distribution d;
	struct rng r = rng_stream(5, 6, 7);
	double sum = 0;
	int fd = mkstemp(name);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		bail_out("mkstemp");
	close(fd);
	snprintf(key, sizeof key, "empirical:%s", name);
	int rc = parse(&d, key);
	unlink(name);
	if (why) {
		ok(rc < 0 && p.code == EXIT_INPUT && strstr(p.text, why), "%s",
		   p.text);
		return;
	}
	for (int i = 0; rc == 0 && i < 100000; i++)
		sum += distribution_tokens(&d, &r);
	near(sum / 100000, mean, 0.01, "a file of mean %g", mean);
	distribution_free(&d);
}

/* Of seconds, which need not be whole. */
static void seconds(void)
{
	struct distribution d;
	struct rng r = rng_stream(1, 2, 3);
	static const char *const good[] = {"0.25", "uniform:0.5,0.75",
					   "histogram:0.5=1", "constant:0"};
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		if (distribution_parse(&d, good[i], OF_SECONDS, "f:3", "think",
				       NULL, &p) < 0)
			bail_out(p.text);
		double x = distribution_draw(&d, &r);
		ok(x >= 0 && x < 0.75, "%s: %g s", good[i], x);
		distribution_free(&d);
	}
	ok(distribution_parse(&d, "-1", OF_SECONDS, "f:3", "think", NULL, &p) <
		   0 &&
	       !strcmp(p.text, "f:3: think = -1: must be at least 0"),
	   "%s", p.text);
	ok(distribution_parse(&d, "normal:1,1,min=-1", OF_SECONDS, "f:3",
			      "think", NULL, &p) < 0 &&
	       strstr(p.text, "min=-1: min and max must be at least 0, and "
			      "min at most max"),
	   "%s", p.text);
	struct ini c = {.path = strdup("/nonexistent/c.ini")};
	ok(distribution_parse(&d, "empirical:x.csv", OF_TOKENS, "f:3",
			      "input_tokens", &c, &p) < 0 &&
	       strstr(p.text, "/nonexistent/x.csv"),
	   "a file beside the INI: %s", p.text);
	ini_free(&c);
}

static void more_files(void)
{
	file("values\n1\n", ":1: columns must be", 0);
	file("tokens,count\n1,1\n", ":1: columns must be", 0);
	file("quantile,value\n0,1\n", ":1: columns must be", 0);
	file("tokens\n3e9\n", ":2: tokens must be", 0);
	file("tokens,weight\n5,x\n", ":2: weight must be", 0);
	file("quantile,tokens\nx,1\n", ":2: quantiles must rise", 0);
	file("quantile,tokens\n-1,1\n", ":2: quantiles must rise", 0);
	file("quantile,tokens\n0,1\n2,1\n", ":3: quantiles must rise", 0);
	file("quantile,tokens\n0,1\n0,2\n", ":3: quantiles must rise", 0);
	draws("normal:mean=1000,cv=0.1", 1000, 100, 1000);
	draws("normal:mean=1000,std=100", 1000, 100, 1000);
	draws("exponential:mean=500", 500, 500, 500 * log(2));
}

int main(void)
{
	draws("constant:128", 128, 0, 128);
	draws("77", 77, 0, 77);
	draws("uniform:10,19", 14.5, sqrt(99 / 12.), 14);
	draws("normal:1000,100", 1000, 100, 1000);
	draws("exponential:500", 500, 500, 500 * log(2));
	draws("lognormal:mean=1155,p50=1020", 1155,
	      1155 * sqrt(exp(2 * log(1155 / 1020.)) - 1), 1020);
	draws("normal:100,50,min=90,max=110", 100, 9.457, 100);
	draws("histogram:11=7", 6, 3.1623, 6);
	draws("histogram:mean=160,100=10,200=30", 160, 45.28, 182);
	draws("histogram:50=0,100=3,150=0,200=1", 100.5, 45.64, 83);
	double s = sqrt(log(1 + 0.25));
	same("lognormal:mean=100,cv=0.5", log(100) - s * s / 2, s);
	same("lognormal:mean=100,std=50", log(100) - s * s / 2, s);
	same("lognormal:mu=4,sigma=0.3", 4, 0.3);
	same("lognormal:p50=100,cv=0.5", log(100), s);
	same("lognormal:p50=100,sigma=0.25", log(100), 0.25);
	double z = 2.3263478740408408;
	char text[99];
	snprintf(text, sizeof text, "lognormal:p50=100,p99=%.17g",
		 100 * exp(0.7 * z));
	same(text, log(100), 0.7);
	snprintf(text, sizeof text, "lognormal:mean=%.17g,p99=%.17g",
		 100 * exp(0.7 * 0.7 / 2), 100 * exp(0.7 * z));
	same(text, log(100), 0.7);
	snprintf(text, sizeof text, "lognormal:p50=100,std=%.17g",
		 100 * sqrt((exp(0.49) - 1) * exp(0.49)));
	same(text, log(100), 0.7);
	together("42");
	together("histogram:mean=20,10=1,50=2");
	together("uniform:3,9");
	together("normal:100,60");
	together("lognormal:mean=512,p50=400");
	together("lognormal:mean=512,p50=400,min=100,max=600");
	together("exponential:90");
	ok(parse(&(struct distribution){0}, "empirical:/nonexistent") < 0 &&
	       p.code == EXIT_USAGE,
	   "%s", p.text);
	ok(parse(&(struct distribution){0}, "empirical:") < 0 &&
	       strstr(p.text, "or empirical:FILE"),
	   "%s", p.text);
	file("10\n20\n30\n40\n", NULL, 25);
	file("tokens\n10\n20\n", NULL, 15);
	file("tokens,weight\n10,1\n20,3\n99,0\n", NULL, 17.5);
	file("quantile,tokens\n0,100\n0.5,200\n1,1000\n", NULL, 375);
	ok(problem_machine_failed() == 0, "no failure of the machine is noted");
	file("", "is empty", 0);
	file("tokens\n", "no values", 0);
	file("tokens,weight\n5,0\n", "no values", 0);
	file("tokens\n0\n", ":2: tokens must be", 0);
	file("tokens\nnan\n", ":2: tokens must be", 0);
	file("tokens,weight\n5,-1\n", ":2: weight must be", 0);
	file("quantile,tokens\n0,100\n0.5,200\n", "last quantile must be 1", 0);
	file("quantile,tokens\n0.1,100\n1,200\n", ":2: quantiles must rise", 0);
	file("quantile,tokens\n0,100\n1,99\n", ":3: quantiles must rise", 0);
	file("a,b\n1,2\n", ":1: columns must be", 0);
	seconds();
	more_files();
	refusals();
	return done();
}
