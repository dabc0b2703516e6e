#include "workload/trace_formats.h"
#include "tap.h"

static const char *why;

/* The name of the format that a file's head is told to be; "?": in doubt. */
static const char *told(const char *name, const char *head)
{
	why = NULL;
	const struct trace_format *f =
	    trace_detect(name, head, strlen(head), &why);
	return f ? f->name : "?";
}

static void is_of(const char *want, const char *head)
{
	is(told("auto", head), want, "%s", want);
}

static void is_in_doubt(const char *name, const char *head, const char *says)
{
	is(told(name, head), "?", "in doubt: %.40s", head);
	ok(why && strstr(why, says), "%s", why ? why : "(no reason)");
}

static void csv(void)
{
	is_of("stepcost", "arrival_us,input_tokens,output_tokens\n1,2,3\n");
	is_of("stepcost",
	      "  \n\"output_tokens\", input_tokens ,arrival_us\r\n");
	is_of("azure", "TIMESTAMP,ContextTokens,GeneratedTokens\n");
	is_of("burstgpt", "Timestamp,Model,Request tokens,Response tokens,"
			  "Total tokens,Log Type\n");
	is_of("servegen", "0,1.5,1.2,Gamma,0.8,1.0\n");
	is_in_doubt("auto", "a,b,c\n1,2,3\n", "no known format");
	is_in_doubt("auto", "x,1,2,3,4,5\n", "no known format");
}

#define ROW(more) "{\"timestamp\": 1, \"input_length\": 1000, " more "}\n"
#define OUT "\"output_length\": 5, "

static void json_lines(void)
{
	is_of("mooncake", ROW(OUT "\"hash_ids\": [1, 2]"));
	is_in_doubt("auto", ROW(OUT "\"hash_ids\": [1, 2, 3]"),
		    "format = mooncake or format = qwen");
	is_in_doubt("auto", ROW(OUT "\"hash_ids\": []"), "do not decide");
	is(told("mooncake", ROW(OUT "\"hash_ids\": [1, 2, 3]")), "mooncake",
	   "unless the format is said");
}

static void documents(void)
{
	is_of("sharegpt", "[{\"id\": \"a\", \"conversations\": []}]");
	is_of("vllm", "[{\"input_lens\": [1]}]");
	is_of("inference_perf", "[{\"start_time\": 1.5}]");
	is_in_doubt("auto", "[{\"a\": 1}]", "no known format");
	is_in_doubt("auto", "{\"a\": 1}", "no known format");
	is_in_doubt("auto", " \r\n\t", "is empty");
	is_in_doubt("auto", "", "is empty");
	is(told("azure", "anything"), "azure",
	   "a format that is alone of its name needs no telling");
	is_in_doubt("vllm", "[{\"start_time\": 1.5}]", "no known format");
}

/* What a reader may not forget. */
static void tables(void)
{
	int whole = 1, columns = 1;
	for (int i = 0; trace_format[i]; i++) {
		const struct trace_format *f = trace_format[i];
		int n = 0;
		whole &= f->name && *f->name &&
			 (f->shape == TRACE_CSV          ? f->row != NULL
			  : f->shape == TRACE_JSON_LINES ? f->value != NULL
							 : f->load && f->item);
		if (f->shape == TRACE_DOCUMENT)
			continue;
		while (f->column[n].name)
			n++;
		columns &= n > 0 && n <= TRACE_MAX_COLUMNS;
	}
	ok(whole, "each reader has what its shape needs");
	ok(columns, "and columns, no more than fit");
}

int main(void)
{
	csv();
	json_lines();
	documents();
	tables();
	return done();
}
