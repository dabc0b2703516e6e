#include <inttypes.h>
#include "base/decimal.h"
#include "tap.h"

static void scaled(const char *s, int power, int64_t want)
{
	int64_t got = -1;
	int rc = decimal_scaled(s, strlen(s), power, &got);
	ok(rc == 0 && got == want, "%s e%d is %" PRId64 " (got %" PRId64 ")", s,
	   power, want, got);
}

static void refused(const char *s, int power)
{
	int64_t got;
	ok(decimal_scaled(s, strlen(s), power, &got) < 0, "'%s' e%d is refused",
	   s, power);
}

static void whole(const char *s, int64_t want)
{
	int64_t got = -1;
	int rc = decimal_whole(s, strlen(s), &got);
	ok(want < 0 ? rc < 0 : rc == 0 && got == want, "'%s' as a whole number",
	   s);
}

int main(void)
{
	scaled("0", 9, 0);
	scaled("1.5", 9, 1500000000);
	scaled("-1.5", 0, -2);
	scaled(".5", 0, 1);
	scaled("0.05", 0, 0);
	scaled("0.49999999999999999999999", 0, 0);
	scaled("2.5", 0, 3);
	scaled("1e-05", 9, 10000);
	scaled("1.9440110e7", 9, 19440110000000000);
	scaled("1759813207532900363", 0, 1759813207532900363);
	scaled("9223372036854775807", 0, INT64_MAX);
	scaled("1759813207.532900363", 9, 1759813207532900363);
	scaled("0.00000000000000000000000000000000001", 9, 0);
	scaled("0e99999999", 9, 0);
	scaled("27482", 6, 27482000000);
	scaled("+5", 0, 5);
	scaled("1E+3", 0, 1000);
	scaled("1500", -3, 2);
	scaled("5", 12, 5000000000000);
	refused("1e5.", 0);
	refused("1e5x", 0);
	refused("9223372036854775808", 0);
	refused("1e10", 9);
	refused("1e999999999999", 0);
	refused("", 0);
	refused(".", 0);
	refused("-", 0);
	refused("1e", 0);
	refused("1.2.3", 0);
	refused("nan", 0);
	refused("inf", 0);
	refused("0x10", 0);
	refused(" 1", 0);
	refused("1 ", 0);
	whole("374", 374);
	whole("374.0", 374);
	whole("3e2", 300);
	whole("0", 0);
	whole("0000000000000000000000000000012", 12);
	whole("2147483648", 2147483648);
	whole("374.5", -1);
	whole("-1", -1);
	whole("", -1);
	whole("nan", -1);
	return done();
}
