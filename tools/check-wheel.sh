#!/bin/sh
# Build the wheel, install it into an empty environment with the sources out of reach, import
# every kernel and run the program.   usage: check-wheel.sh PYTHON [EXTRAS [TESTS…]]
#
# PYTHON is any interpreter with venv. With EXTRAS, such as annotate,report or all, everything
# but geceval must come as a wheel; TESTS, such as tests/metrics, then run on what is installed.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
python=$(cd "$root" && "$1" -c 'import sys; print(sys.executable)')
extras=${2-}
[ $# -gt 2 ] && shift 2 || shift $#
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
install="-m pip --disable-pip-version-check --quiet install --constraint $root/constraints.txt"

"$python" -m venv "$folder/build"
"$folder/build/bin/python" $install build
cd "$root"
"$folder/build/bin/python" -m build --quiet --outdir "$folder/dist" .
"$python" -m venv "$folder/venv"
cd "$folder"
wheel=$(ls "$folder"/dist/*.whl)
"$folder/venv/bin/python" $install --only-binary :all: "geceval${extras:+[$extras]} @ file://$wheel"
"$folder/venv/bin/python" - "$root/setup.py" <<'PYTHON'
import ast
import importlib
import sys
from pathlib import Path

import geceval

assert "site-packages" in geceval.__file__, geceval.__file__
tree = ast.parse(Path(sys.argv[1]).read_text(encoding="utf-8"))
kernels = next(
    ast.literal_eval(node.value)
    for node in tree.body
    if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "KERNELS"
)
for name in kernels:
    importlib.import_module(f"geceval.kernels.{name}")
print(f"wheel of geceval {geceval.__version__}: {len(kernels)} kernels import")
PYTHON
"$folder/venv/bin/geceval" demo > demo.txt
grep -q "MaxMatch" demo.txt
"$folder/venv/bin/geceval" --version
if [ $# -gt 0 ]; then
    "$folder/venv/bin/python" $install "pip>=25.1"
    "$folder/venv/bin/python" $install --group "$root/pyproject.toml:test"
    cd "$root"
    "$folder/venv/bin/python" -P -m pytest --quiet -p no:cacheprovider "$@"
fi
echo "wheel: sound"
