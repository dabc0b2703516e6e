# slurm.sh -- sourced: a Slurm of two nodes on this machine, all of it in one
# folder, ended by the pids in its files.  Without systemd, cgroups and root.
#   slurm_there            the programs are installed
#   slurm_start FOLDER     0: both nodes are idle
#   slurm_node FOLDER n1   starts a node (again)
#   slurm_stop FOLDER
slurm_there() {
	for program in munged slurmctld slurmd sbatch squeue scancel sinfo; do
		command -v $program >/dev/null 2>&1 || [ -x /usr/sbin/$program ] || return 1
	done
	PATH=$PATH:/usr/sbin
}
slurm_conf() { # FOLDER PORT
	cat <<X
ClusterName=local
SlurmctldHost=localhost
SlurmctldPort=$2
AuthType=auth/munge
AuthInfo=socket=$1/munge.sock
StateSaveLocation=$1/state
SlurmdSpoolDir=$1/spool.%n
SlurmctldPidFile=$1/slurmctld.pid
SlurmdPidFile=$1/slurmd.%n.pid
SlurmctldLogFile=$1/log/ctld
SlurmdLogFile=$1/log/%n
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SlurmdTimeout=5
JobRequeue=1
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0
MpiDefault=none
NodeName=n[1-2] NodeHostname=localhost Port=[$(($2 + 1))-$(($2 + 2))] CPUs=1 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
X
}
slurm_wait() { # SECONDS COMMAND...
	deadline=$(($(date +%s) + $1)); shift
	until "$@"; do
		[ "$(date +%s)" -lt $deadline ] || return 1
		sleep 0.2
	done
}
slurm_idle() { [ "$(sinfo -h -N -o %T 2>/dev/null | grep -c idle)" -eq 2 ]; }
slurm_node() { slurmd -N "$2" 2>>"$1/log/start"; }
slurm_start() {
	mkdir -p "$1/log" "$1/state" "$1/spool.n1" "$1/spool.n2"
	dd if=/dev/urandom of="$1/munge.key" bs=1 count=1024 2>/dev/null
	chmod 400 "$1/munge.key"
	slurm_conf "$1" "$((20000 + $$ % 10000))" >"$1/slurm.conf"
	SLURM_CONF=$1/slurm.conf
	export SLURM_CONF
	munged --foreground --force -S "$1/munge.sock" --key-file="$1/munge.key" \
		--pid-file="$1/munged.pid" --seed-file="$1/seed" \
		--log-file="$1/log/munged" >/dev/null 2>&1 &
	slurm_wait 20 test -S "$1/munge.sock" || return 1
	slurmctld 2>>"$1/log/start" && slurm_node "$1" n1 && slurm_node "$1" n2 &&
		slurm_wait 60 slurm_idle
}
slurm_stop() {
	for name in slurmd.n1 slurmd.n2 slurmctld munged; do
		[ -s "$1/$name.pid" ] && kill "$(cat "$1/$name.pid")" 2>/dev/null
	done
	slurm_wait 20 slurm_gone "$1"
}
slurm_gone() {
	for name in slurmd.n1 slurmd.n2 slurmctld munged; do
		if [ -s "$1/$name.pid" ] && kill -0 "$(cat "$1/$name.pid")" 2>/dev/null; then
			return 1
		fi
	done
}
