#!/bin/sh
# The themes, listed and shown, without a grove and without a terminal.
. "$(dirname "$0")/lib.sh"

run 0 theme list
lines out 10
says out 'mono          no colours at all: bold, underline, reverse'
silent err
run 0 theme list --json
json out
says out '{"name":"default","about":'
says out '"background":"dark"'

# Each is printed exactly as in its file.
run 0 theme show dark
json out
says out '"name": "dark"'
run 0 theme show colourblind --json
json out
run 1 theme show nosuch
says err '✗ NOT_FOUND: there is no theme "nosuch"'
says err '  hint: themes: amber, aurora, colourblind, dark, default, light, mono, ocean, paper, sepia'
run 2 theme show
run 2 theme list all
run 0 help theme
says out 'theme show'
verdict
