#!/bin/sh
# Adds up the numbers on stdin, one a line, with a tool: one call for each, in a plain shell loop. A call reads nothing
# from stdin unless it is asked to, so it does not eat the lines of the loop, and stdout holds the result alone.
#   seq 1 4 | examples/sum.sh
set -eu
config=$(dirname "$0")/mcphost.jsonc
total=0
while read -r number; do
  total=$(mcphost call add a="$total" b="$number" -c "$config")
done
echo "$total"
