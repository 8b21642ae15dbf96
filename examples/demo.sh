#!/bin/sh
# The main job, on the example server of this folder: list its tools, call them, and see what an error looks like.
# Needs nothing but Bun; `bun run demo` installs the locked dependencies first.
set -eu
cd "$(dirname "$0")/.."
show() {
  printf '\n$ mcphost'
  printf ' %s' "$@"
  printf '\n'
  bun mcphost.ts "$@"
}
show tools -- bun examples/echo.ts
show call echo message=hello -- bun examples/echo.ts
show call add a=2 b=40 -- bun examples/echo.ts
show call add a=2 b=40 --json -- bun examples/echo.ts
show call slow steps=3 stepMs=100 -- bun examples/echo.ts
show call fail reason=lunch -- bun examples/echo.ts || echo "(exit status $?: the tool answered with an error)"
