#!/bin/sh
# Runs a program in an inner terminal, and writes its exit status and the settings of the terminal
# before and after it: inner.sh FOLDER COMMAND…
folder=$1
shift
stty -g >"$folder/before"
"$@"
echo $? >"$folder/status"
stty -g >"$folder/after"
