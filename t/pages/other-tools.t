#!/bin/sh
# The commands of a page print what it shows (t/lib/page.sh).
. "${top_srcdir:-.}/t/lib/page.sh"
page_test
