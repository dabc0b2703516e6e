#!/bin/sh
# The same as t/0970-failures.t for all calls, as far as the time for each
# command and kind goes: SC_SECONDS=9999 tries every one; SC_STRIDE and SC_FROM
# share them among nights.
SC_ALL_FAILURES=1; export SC_ALL_FAILURES
exec sh "${top_srcdir:-.}/t/0970-failures.t"
