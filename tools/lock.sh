#!/bin/sh
# Write requirements.txt: every package that `make install` needs, in the version that
# constraints.txt names, with the hashes of its files for all platforms.   usage: lock.sh UV
set -eu
uv=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "$(dirname "$0")/.."
{
    echo "# Made by 'make lock' from pyproject.toml and constraints.txt; do not edit."
    "$uv" pip compile pyproject.toml --extra all --group dev --universal --python-version 3.11 \
        --constraint constraints.txt --generate-hashes --no-header --no-annotate --quiet
} > requirements.txt.new
mv requirements.txt.new requirements.txt
