#!/bin/sh
# The first pages as someone meets them who has just cloned the repository: their
# commands run in the clone, and print what they show.  The PATH has nothing of ours
# but the `stepcost` that README speaks of, and no variable names the tree.  The
# build is that of this test, in place of one that takes minutes.
. "${top_srcdir:-.}/t/lib/tap.sh"
for tool in git python3 pkg-config make; do
	command -v $tool >/dev/null 2>&1 || { echo "1..0 # SKIP no $tool"; exit 0; }
done
top=$(cd "$top_srcdir" && pwd) built=$(cd "$top_builddir" && pwd)
git -C "$top" rev-parse HEAD >/dev/null 2>&1 || { echo '1..0 # SKIP this tree is no clone'; exit 0; }
clone=$tap_tmp/clone
git clone -q --no-hardlinks "$top" "$clone" || exit 1
# Changes that are not committed yet are a part of it, too.
(cd "$top" && git ls-files -z -m -o --exclude-standard | xargs -0 -r sh -c 'for f; do [ -f "$f" ] && mkdir -p "$0/$(dirname "$f")" && cp -p "$f" "$0/$f"; done' "$clone")
ln -s "$built" "$clone/build-demo"
mkdir "$tap_tmp/bin"
printf '#!/bin/sh\nexec sh "%s/tools/stepcost.sh" "$@"\n' "$clone" >"$tap_tmp/bin/stepcost"
chmod +x "$tap_tmp/bin/stepcost"
python=$(command -v python3)
as_printed() { # PAGE
	rm -rf "$clone/mine" && cd "$clone" && env -i HOME="$tap_tmp" PATH="$tap_tmp/bin:/usr/bin:/bin" "$python" tools/pages.py --in . "$1"
}
says() { grep -qF 'Until it is installed, `stepcost` is `sh tools/stepcost.sh`' "$clone/README.md"; }
t 'README says what stepcost is until it is installed' says
t 'README, as printed' as_printed README.md
t 'doc/quickstart.md, as printed' as_printed doc/quickstart.md
t 'doc/ci.md, as printed' as_printed doc/ci.md
tap_done
