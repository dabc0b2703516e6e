/* The clock of the machine: it only goes on. */
#include "base/clock.h"
#include "tap.h"

int main(void)
{
	int64_t first = clock_now_ns(), last = first;
	int back = 0;
	for (int i = 0; i < 100000; i++) {
		int64_t now = clock_now_ns();
		back += now < last;
		last = now;
	}
	ok(first > 0 && back == 0, "never goes back");
	ok(last > first && last - first < INT64_C(60000000000),
	   "counts nanoseconds: %lld for 100,000 looks",
	   (long long)(last - first));
	return done();
}
