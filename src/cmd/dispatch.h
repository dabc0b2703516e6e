/* cmd/dispatch.h -- from words to a command that runs. */
#pragma once

/* argv: the words behind `stepcost`.  Returns the exit code. */
int dispatch(int argc, char **argv);
