/* Finds which protocol a row was measured with, by whatever the row says. */
#include "validate/measured/protocol_name.h"
#include "tap.h"

static struct ini aliases;

static const char *name(const struct measured_row *r)
{
	const char *is = protocol_name(r, &aliases);
	return is ? is : "(unknown)";
}

#define TEXT(s) (char *)(uintptr_t)(s)

int main(void)
{
	static const char text[] = "[origin]\nlab = replay\n"
				   "[class]\nA = prompts\n"
				   "[launch:lab]\nprotocol = rack\n"
				   "[arrival]\nclosed = loop\n";
	struct problem p;
	struct planned_request one = {0};
	struct measured_row r = {0};
	if (ini_read(&aliases, text, strlen(text), &p) < 0)
		bail_out(p.text);
	is(name(&r), "benchmark", "a row that says nothing");
	r.arrival = TEXT("closed");
	is(name(&r), "loop", "by how requests came");
	r.arrival = TEXT("gamma");
	is(name(&r), "(unknown)", "in a way that is not known");
	r.id = TEXT("A-17");
	is(name(&r), "prompts", "by its class, the letter before a hyphen");
	r.id = TEXT("B-17");
	r.arrival = NULL;
	is(name(&r), "(unknown)", "of a class that is not known");
	r.id = TEXT("AB-17");
	is(name(&r), "benchmark", "two letters are no class");
	r.id = TEXT("A-17");
	r.origin = TEXT("lab");
	is(name(&r), "replay", "its origin goes before its class");
	r.request = &one;
	is(name(&r), "benchmark", "requests one by one go before both");
	r.protocol = TEXT("own");
	is(name(&r), "own", "its own word goes before all");
	r.launch = "launch:lab";
	is(name(&r), "rack", "and that of its launch");
	r = (struct measured_row){.origin = TEXT("lab")};
	const struct ini none = {0};
	is(protocol_name(&r, &none), "benchmark", "without aliases");
	r.id = TEXT("A-17");
	ok(!protocol_name(&r, &none), "which alone know the classes");
	r.id = TEXT("");
	is(protocol_name(&r, &none), "benchmark", "an empty name has no class");
	ini_free(&aliases);
	return done();
}
