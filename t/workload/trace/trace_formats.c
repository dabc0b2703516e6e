/* The list of formats, and telling a file's own by its beginning. */
#include "workload/trace/trace_formats.h"
#include "base/file/filetype.h"
#include <string.h>
#include "tap.h"

static int n_readers_called(const char *name)
{
	int n = 0;
	for (int i = 0; trace_format[i]; i++)
		n += !strcmp(trace_format[i]->name, name);
	return n;
}

static int n_names_like(const char *name)
{
	int n = 0;
	for (int i = 0; trace_format_names[i]; i++)
		n += !strcmp(trace_format_names[i], name);
	return n;
}

static void names(void)
{
	is(trace_format_names[0], "auto", "the first choice is auto");
	ok(n_readers_called("auto") == 0, "which no reader is called");
	for (int i = 1; trace_format_names[i]; i++)
		ok(n_readers_called(trace_format_names[i]) > 0,
		   "%s has a reader", trace_format_names[i]);
	for (int i = 0; trace_format[i]; i++)
		ok(n_names_like(trace_format[i]->name) == 1,
		   "reader %d goes by one name, %s", i, trace_format[i]->name);
}

static void shapes(void)
{
	for (int i = 0; trace_format[i]; i++) {
		const struct trace_format *f = trace_format[i];
		int whole = f->shape == TRACE_CSV ? f->column && f->row
			    : f->shape == TRACE_JSON_LINES
				? f->column && f->value
				: f->load && f->item;
		ok(whole, "reader %d of %s has what its shape needs", i,
		   f->name);
	}
}

static const struct trace_format *told(const char *name, const char *text)
{
	const char *why = NULL;
	return trace_detect(name, text, strlen(text), &why);
}

static void telling(void)
{
	ok(told("auto", "output_tokens,input_tokens,arrival_us\n") ==
	       &trace_stepcost,
	   "CSV by its columns, in any order");
	ok(told("auto", "TIMESTAMP;ContextTokens;GeneratedTokens\r\n") ==
		   &trace_azure &&
	       told("auto", "arrival_us\tinput_tokens\toutput_tokens\n") ==
		   &trace_stepcost,
	   "by semicolons or tabs as well");
	ok(told("auto", "time,input,output\n1,2,3\n") == &trace_columns,
	   "CSV of no known format needs columns");
	ok(told("auto", "1,2,3,4,5,6\n") == &trace_servegen,
	   "windows without a header");
	ok(told("auto", "{\"output_len\": 3, \"prompt\": \"a\"}\n") ==
	       &trace_vllm_prompts,
	   "JSON lines by their keys");
	ok(told("auto", "{\"date\": 1,\n \"input_lens\": [") ==
	       &trace_vllm_result,
	   "a document by a text that it holds");
	ok(told("auto", "[{\"conversations\": [") == &trace_sharegpt,
	   "so is a list");
	ok(told("auto", "[{\"start_time\": 1}") == &trace_inference_perf_report,
	   "and a report");
	ok(told("vllm", "{\"prompt\": \"a\"}\n") == &trace_vllm_prompts &&
	       told("vllm", "{\"request_throughput\": 1}\n") ==
		   &trace_vllm_result,
	   "two shapes of one name are told apart");
	ok(told("azure", "whatever") == &trace_azure,
	   "a name that has one reader is taken at its word");
	ok(told("stepcost", "{\"input\": 1}") == &trace_stepcost_trees &&
	       told("stepcost", "input,output\n") == &trace_stepcost,
	   "the first byte tells trees from a table");
	ok(told("auto", "{\"requests\": [], \"block_size\": 64}") ==
	       &trace_weka,
	   "sessions of agents by the size of their blocks");
	ok(told("auto", "output_tokens , input_tokens,  ,arrival_us\n") ==
		   &trace_stepcost &&
	       told("auto", "\t\r\n{\"output_len\": 3, \"prompt\": \"a\"}\n") ==
		   &trace_vllm_prompts,
	   "blanks around names, and before all");
	ok(told("auto", "a,2,3,4,5,6\n") == &trace_columns,
	   "six columns with names are no windows");
	ok(told("vllm", "a,b\n") == NULL &&
	       told("vllm", "1,2,3,4,5,6\n") == NULL,
	   "a table is none of vLLM's");
	ok(told("mooncake", "a,b\n") == &trace_mooncake,
	   "which says that it is no JSON");
	ok(told("vllm", "[{\"conversations\": [") == NULL,
	   "no reader of another name takes a file");
}

static char separator(const char *text)
{
	return trace_separator_of(text, strlen(text));
}

static void separators(void)
{
	ok(separator("a,b\n1;2;3;4\n") == ',', "of the first line");
	ok(separator("\n\n a;b\n") == ';', "that is not empty");
	ok(separator("a\tb,c\td\n") == '\t', "which it has most of");
	ok(separator("\"a,b,c\";d\n") == ';', "outside of quotes");
	ok(separator("a\n") == ',' && separator("") == ',',
	   "a comma if there is none");
}

static void doubts(void)
{
	const char *why = NULL, *row = "{\"timestamp\": 0, \"input_length\": "
				       "5, \"output_length\": 1}\n";
	ok(!trace_detect("auto", row, strlen(row), &why) && why &&
	       strstr(why, "format = mooncake, qwen or guidellm"),
	   "Mooncake or Qwen: it is not guessed");
	why = NULL;
	ok(!trace_detect("auto", " \n", 2, &why) && why &&
	       !strcmp(why, FILETYPE_EMPTY),
	   "an empty file");
}

#define ROW(time, length, ids)                                                 \
	"{" time "\"input_length\": " length ", \"output_length\": 1"          \
	", \"hash_ids\": " ids "}\n"
#define AT "\"timestamp\": 0, "
static void evidence(void)
{
	ok(told("auto", ROW(AT, "600", "[1,2]") ROW("", "600", "[1,2]")) ==
	       &trace_mooncake_turns,
	   "a row without a time is a turn");
	ok(told("auto", ROW(AT "\"delay\": 1, ", "6", "{\"a\": [1]}")
			    ROW(AT, "600", "[1,2]")) == &trace_mooncake,
	   "objects of ids in some rows only are none of RAGPulse's");
	ok(told("auto", ROW(AT "\"chat_id\": 1, \"parent_chat_id\": 1, "
			       "\"turn\": 1, \"type\": 1, \"delay\": 1, ",
			    "40", "[1,2,3]")) == &trace_qwen,
	   "chats are Qwen's, with delays, too");
	ok(!told("auto", ROW(AT "\"chat_id\": 1, ", "600", "[1,2]")),
	   "chats with blocks of 512 are nobody's");
	ok(!told("auto", ROW(AT, "\"x\"", "[1,2]")) &&
	       told("auto", ROW(AT, "600", "[1,2]") ROW(AT, "-", "[1,2]")) ==
		   &trace_mooncake,
	   "lengths that are none say nothing");
}

int main(void)
{
	names();
	shapes();
	telling();
	separators();
	doubts();
	evidence();
	return done();
}
