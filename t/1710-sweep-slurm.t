#!/bin/sh
# sweep --slurm against a real Slurm of two nodes on this machine: the merged
# store is that of a local sweep, also when a node is lost in the middle.
. "${top_srcdir:-.}/t/lib/tap.sh"
. "$top_srcdir/t/lib/sweep.sh"
. "$top/t/lib/slurm.sh"
GATE=$tap_tmp/gate; export GATE
{ serving 200; cat; } >c.ini <<'X'
[cost_model:a]
plugin = roofline_v1
[cost_model:b]
plugin = const_step
base_us = 5000
X
axes='--axis workload.request_rate=1:12:1 --axis engine.tensor_parallel_size=1,2'
# shellcheck disable=SC2086 # words
sweep() { "$host" sweep c.ini --output /dev/null $axes "$@"; }
dry() {
	sweep --store d.db --slurm dry --shards 5 --slurm-options '-p all -t 60' --slurm-dry-run >said &&
		grep -q '^#SBATCH -p all -t 60$' said && grep -q 'shard --shards 5' said &&
		grep -q 'sbatch --parsable --array=0-4' said && [ ! -e dry ] && [ ! -e d.db ]
}
t 'a dry run shows script and command, and makes nothing' dry
# --- scripts that stand for Slurm: the tasks run at once, one after another -----
mkdir fake
cat >fake/sbatch <<'X'
#!/bin/sh
list=${2#--array=}
echo "$list" >>submitted
for part in $(echo "$list" | tr , ' '); do
	for task in $(seq "${part%-*}" "${part#*-}"); do
		[ "$task" = "${LOSES:-}" ] || SLURM_ARRAY_TASK_ID=$task sh "$3" >/dev/null || exit 1
	done
done
echo 77
X
printf '#!/bin/sh\n' >fake/squeue
chmod +x fake/sbatch fake/squeue
stood() { (PATH=$tap_tmp/fake:$PATH; sweep --store near.db --slurm near --shards 3 --quiet "$@"); }
submits() { # LIST COMMAND...: these tasks, and then all rows are there
	want=$1; shift; rm -f submitted near.db; "$@" || return 1
	is "$(cat submitted 2>/dev/null)" "$want" && same local.db near.db
}
sweep --store local.db --quiet
t 'each task has its shard' submits 0-2 stood
t 'what is finished is not submitted again' submits '' stood
rm near/shard-1.db
t 'a shard that is lost is' submits 1 stood
python3 "$top/t/lib/store.py" sql near/shard-2.db "DELETE FROM result WHERE point = (SELECT min(point) FROM result)"
t 'and one that lacks a row' submits 2 stood
sed -i 's/5000/6000/' c.ini; rm local.db; sweep --store local.db --quiet
rm -rf near
t 'a task that does not come leaves no store' says 1 '1 of 3 shards' env LOSES=2 PATH="$tap_tmp/fake:$PATH" "$host" sweep c.ini --output /dev/null $axes --store near2.db --slurm near --shards 3
t 'the next call submits it alone' submits 2 stood
if ! slurm_there; then
	skip 'an array of shards' 'Slurm is not installed (slurm-wlm, munge)'
	tap_done
elif ! grep -q ' /sys/fs/cgroup' /proc/mounts; then
	skip 'an array of shards' 'slurmd needs cgroups, and none are mounted'
	tap_done
fi
started=$tap_tmp/slurm
trap 'slurm_stop "$started" >/dev/null 2>&1; rm -rf "$tap_tmp"' EXIT
t 'a Slurm of two nodes starts' slurm_start "$started"
[ $tap_bad -eq 0 ] || { cat "$started"/log/* | tail -20 | sed 's/^/# /'; tap_done; }

t 'an array of three shards' timeout 120 "$host" sweep c.ini --output /dev/null $axes --store all.db --slurm one --shards 3
t 'has the rows of a local sweep' same local.db all.db
first=$(cat one/job)
again() { sweep --store all.db --slurm one --shards 3 && [ "$(cat one/job)" = "$first" ]; }
t 'called again it submits nothing' again
part() { # one shard is gone: it alone is submitted
	rm one/shard-1.db all.db
	sweep --store all.db --slurm one --shards 3 --slurm-options '-J mine' || return 1
	[ "$(cat one/job)" != "$first" ] && [ -z "$(find one -name 'shard-[02].out' -newer one/job)" ] && same local.db all.db
}
t 'a shard that is lost is computed again, and no other' part

# --- a node that is lost --------------------------------------------------------
# Neither shard can end before the gate opens: each has points that wait for it.
sed 's/const_step/gated/; s/^base_us.*/waits = 0/' c.ini >gated.ini && mv gated.ini c.ini
axes='--answer-limit 300 --axis workload.request_rate=1:16:1 --axis cost_model:b.waits=0,1,2'
task_of() { # SHARD: the pid of the process that has it
	for f in /proc/[0-9]*/cmdline; do
		if { tr "\\0" " " <"$f" | grep -q "two/shard-$1\.db"; } 2>/dev/null; then
			pid=${f#/proc/}; pid=${pid%/cmdline}
			case $(cat "/proc/$(parent "$pid")/comm" 2>/dev/null) in
			slurmstepd*) echo "$pid"; return 0 ;;
			esac
		fi
	done
	return 1
}
parent() { sed 's/.*) . \([0-9]*\) .*/\1/' "/proc/$1/stat"; }
node_of() { squeue -h -j "$(cat two/job)_$1" -o %N; }
begun() { [ "$(sed 's/ .*//' two/shard-0.db.progress 2>/dev/null || echo 0)" -gt 0 ] 2>/dev/null && task_of 0 >task; }
sweep --store all2.db --slurm two --shards 2 2>said & waiting=$!
t 'a task is in the middle of its shard' slurm_wait 60 begun
task=$(cat task) step=$(parent "$(cat task)") node=$(node_of 0)
lose() {
	kill -9 "$(cat "$started/slurmd.$node.pid")" "$step" "$task"
	python3 "$top/t/lib/store.py" sql two/shard-0.db 'SELECT count(*) FROM result' >done.0
	echo "node $node, task $task: $(cat done.0) of 48 rows"
	[ "$(cat done.0)" -lt 48 ]
}
t 'its node is lost before it has finished' lose
slurm_wait 30 sh -c 'sinfo -h -N -o %T | grep -q down'
touch "$GATE"
t 'the node comes back' slurm_node "$started" "$node"
ended() {
	# A task that is queued again would wait for two minutes.
	scontrol update JobId="$(cat two/job)_0" StartTime=now 2>/dev/null
	! kill -0 $waiting 2>/dev/null
}
slurm_wait 120 ended
wait $waiting; code=$?
# Requeued by Slurm; if not, this command submits the missing tasks.
[ $code -eq 0 ] || sweep --store all2.db --slurm two --shards 2
sweep --store local2.db --quiet
all_priced() { [ "$(python3 "$top/t/lib/store.py" sql local2.db "SELECT count(*) FROM result WHERE status = 'ok'")" -eq 96 ]; }
t 'and the rows are those of a local sweep' same local2.db all2.db
t 'of which none failed' all_priced
slurm_stop "$started"
t 'nothing is left running' slurm_gone "$started"
tap_done
