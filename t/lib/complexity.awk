# complexity.awk -- the cyclomatic complexity of functions in C: 1, and 1 more for
# each if, for, while, case, &&, || and ?.  Functions begin and end with a brace in
# the first column.
#   awk -v limit=25 -f complexity.awk FILE...
# Prints "FILE:LINE: complexity N" for each function above the limit, and with
# `count` set how many functions there are.
FNR == 1 { start = in_comment = 0 }
{ line = $0 }
in_comment {
	if (!sub(/^.*\*\//, "", line))
		next
	in_comment = 0
}
{
	gsub(/\\./, "", line)
	gsub(/"[^"]*"|'[^']*'/, "", line)
	gsub(/\/\*([^*]|\*[^\/])*\*\//, "", line)
	if (sub(/\/\*.*/, "", line))
		in_comment = 1
	line = " " line " "
}
line ~ /^ \{/ { start = FNR; points = 1 }
start {
	points += gsub(/[^A-Za-z0-9_](if|for|while|case)[^A-Za-z0-9_]/, "", line)
	points += gsub(/&&|\|\||\?/, "", line)
}
line ~ /^ \}/ && start {
	n++
	if (points > limit)
		print FILENAME ":" start ": complexity " points
	start = 0
}
END {
	if (count)
		print n + 0 " functions"
}
