#!/usr/bin/env bash
# Makes a folder that has all the image runs: a virtual environment with the packages of uv.lock and our own wheels, the
# kernel compiled. Run as `tools/image.sh FOLDER [WHEELS]`, at the root of a checkout; without a folder of our wheels it
# makes them, with a C compiler. An environment knows where it lies, so FOLDER is where it will run.
set -euo pipefail
cd "$(dirname "$0")/.."
target=$1
tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
export UV_CACHE_DIR=${UV_CACHE_DIR:-$tools/cache}

# Installs packages of uv.lock, or wheels, into an environment. The installers and the compiler stay with the tools.
install() { python3 -m tools.install "$tools/env" "$@"; }

python3 -m venv --without-pip "$target"
# Bytecode is compiled once at the end, for all shipped files.
install "$target" image

wheels=${2:-}
if [ -z "$wheels" ]; then
  # The games are built in a folder with all their sources, as in a source distribution.
  wheels=$tools
  install "$tools/env" build
  games=build/image/games
  mkdir -p build/image
  cp -R clients/games build/image/
  cp -R games LICENSE NOTICE "$games"
  for source in . "$games"; do
    "$tools/env/bin/uv" build --quiet --offline --wheel --no-build-isolation --python "$tools/env" --out-dir "$tools" "$source"
  done
fi
install "$target" "$wheels"/dorfplatz-*.whl "$wheels"/dorfplatz_games-*.whl
# The site finds its other files above the package, as in a checkout.
mkdir -p "$target/openapi"
cp -R openapi/examples "$target/openapi/"
cp -R docs CONTRIBUTING.md CHANGELOG.md SECURITY.md "$target/"

# Libraries come with the symbols of their debuggers and with the sources of their compiled modules: a sixth of the image.
# strip would write into uv's cache, whose files are these by another name; so each gets a new file.
for file in $(find "$target"/lib -name '*.so' -not -path '*.libs/*'); do
  strip --strip-unneeded -o "$tools/stripped" "$file"
  chmod --reference="$file" "$tools/stripped"
  mv -f "$tools/stripped" "$file"
done
find "$target"/lib -type f -regex '.*\.\(pyi\|pyx\|pxd\|c\|h\)' -delete
find "$target"/lib -type d -name tests -prune -exec rm -r {} +

# C that does not compile leaves a wheel without it; an image without the compiled kernel is none.
cd /
DORFPLATZ_KERNEL=compiled "$target/bin/python" -P -m service --help > /dev/null
"$target/bin/python" -m compileall -qq "$target"/lib
