#!/bin/sh
# Make the picture of the report in README.md again, from the bundled example data.
# Needs Chromium and ImageMagick. Usage: tools/screenshot.sh GECEVAL
set -eu
geceval=${1:-geceval}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$geceval" demo --report "$folder/report.html" > /dev/null
chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1200,760 \
    --screenshot="$folder/report.png" "file://$folder/report.html" 2> /dev/null
convert "$folder/report.png" -strip -colors 128 docs/report.png
