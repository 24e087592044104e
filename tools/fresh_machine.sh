#!/usr/bin/env bash
# Runs what continuous integration runs, as on a fresh machine: what is committed here, cloned into an empty folder,
# with an empty home, no compiled kernels, no packages that pip has kept, and DejaVu as the only font.
#
#   tools/fresh_machine.sh [TIMES] [BUSY]
#
# TIMES runs, one after another, each on a machine of its own [1]; BUSY processes beside them that do nothing but
# keep a core busy [0]. Ends with the first run that fails. Needs git, Python, make and DejaVu's fonts; each run takes
# many minutes.
set -euo pipefail

times=${1:-1}
busy=${2:-0}
root=$(cd "$(dirname "$0")/.." && pwd)
python=$(python3 -c 'import os, sys; print(os.path.realpath(sys.executable))') # a shim would look for it at home
fonts=$(dirname "$(fc-match --format '%{file}' 'DejaVu Sans' 2> /dev/null || true)")
if [ ! -f "$fonts/DejaVuSans.ttf" ]; then fonts=/usr/share/fonts/truetype/dejavu; fi
if [ ! -f "$fonts/DejaVuSans.ttf" ]; then
  echo "no DejaVu found: apt-get install fonts-dejavu-core" >&2
  exit 2
fi
if [ -n "$(git -C "$root" status --porcelain)" ]; then
  echo "only what is committed is tried; there are changes that are not" >&2
fi
if [ -z "${PIP_CONFIG_FILE:-}" ] && [ -f "$HOME/.config/pip/pip.conf" ]; then
  export PIP_CONFIG_FILE=$HOME/.config/pip/pip.conf # where packages come from is no part of the machine
fi

folder=$(mktemp -d)
beside=()
clean_up() {
  for process in "${beside[@]}"; do kill "$process" 2> /dev/null || true; done
  rm -rf "$folder"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

for ((count = 0; count < busy; count++)); do
  (while :; do :; done) &
  beside+=($!)
done

for ((run = 1; run <= times; run++)); do
  machine=$folder/$run
  mkdir -m 700 "$machine" "$machine/home" "$machine/temporary"
  cat > "$machine/fonts.conf" << XML
<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>$fonts</dir>
  <cachedir>$machine/fonts</cachedir>
  <include ignore_missing="yes">/etc/fonts/conf.d</include>
</fontconfig>
XML
  git clone --quiet "$root" "$machine/checkout"
  echo "run $run of $times, with $busy busy processes beside it"
  begun=$SECONDS
  if ! env --unset=NUMBA_CACHE_DIR --unset=XDG_CACHE_HOME --unset=XDG_CONFIG_HOME --unset=XDG_DATA_HOME \
    --unset=PYTHONPATH --unset=VIRTUAL_ENV --unset=MAKEFLAGS \
    HOME="$machine/home" TMPDIR="$machine/temporary" FONTCONFIG_FILE="$machine/fonts.conf" \
    PIP_NO_CACHE_DIR=1 PYTHON="$python" bash "$machine/checkout/.ci/run"; then
    echo "run $run failed after $((SECONDS - begun)) seconds" >&2
    exit 1
  fi
  echo "run $run passed in $((SECONDS - begun)) seconds"
  rm -rf "$machine"
done
