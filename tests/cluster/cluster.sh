# A Slurm of eight made-up nodes on this machine, for tests. To be sourced; `run` is an empty folder of the test.
#
# Needs slurm-wlm and iproute2. As root the whole script runs in a network of its own that has only loopback; as another
# user it runs in that of the machine. Nothing is started or ended that is not in the pid files of `run`.

cluster_folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# Restarts the calling script in a network of its own. 127.0.0.2 is for getaddrinfo with AI_ADDRCONFIG, which does not
# count 127.0.0.1 as an address; the interface cube0 is for Open MPI 5, whose daemons do not use loopback.
isolate() {
    [ -z "${ISOLATED-}" ] && [ "$(id -u)" = 0 ] || return 0
    export ISOLATED=1
    exec unshare --net bash -c '
        ip link set lo up
        ip addr add 127.0.0.2/8 dev lo
        if ip link add cube0 type veth peer name cube1; then
            ip addr add 127.0.1.1/32 dev cube0
            ip link set cube0 up
            ip link set cube1 up
        fi
        exec "$@"' bash "$0" "$@"
}

# Prints the seconds since the start and a sentence.
say() {
    local tenths=$((($(date +%s%N) - ${began:=$(date +%s%N)}) / 100000000))
    printf '%3d.%d s  %s\n' $((tenths / 10)) $((tenths % 10)) "$*"
}

# Repeats a command until it succeeds, at most two minutes.
until_true() {
    local try
    for try in {1..1200}; do "$@" && return 0; sleep 0.1; done
    echo "still false after two minutes: $*" >&2
    squeue >&2 || true
    tail -n 5 slurm-*.out >&2 || true
    return 1
}

start_node() {
    mkdir -p "$run/spool/$1" "$run/tmp/$1"
    slurmd -N "$1"
}

all_idle() { [ "$(timeout 5 sinfo -h -N -t idle -o %N 2> /dev/null | wc -l)" = 8 ]; }

start_cluster() {
    export SLURM_CONF=$run/slurm.conf
    mkdir -p "$run/state"
    sed -e "s|@RUN@|$run|g" -e "s|@USER@|$(id -un)|g" "$cluster_folder/slurm.conf.in" > "$SLURM_CONF"
    slurmctld
    local node
    for node in node{1..8}; do start_node "$node"; done
    until_true all_idle
}

stop_cluster() {
    timeout 10 scancel --quiet --user="$(id -un)" 2> /dev/null || true
    local pid try
    for try in {1..60}; do [ -z "$(timeout 5 squeue -h 2> /dev/null)" ] && break; sleep 0.1; done
    for pid in "$run"/slurmd.*.pid "$run"/slurmctld.pid; do
        [ -s "$pid" ] && kill "$(cat "$pid")" 2> /dev/null
    done
    for try in {1..100}; do compgen -G "$run/*.pid" > /dev/null || break; sleep 0.1; done
}

# Kills the daemon of a node. The work that it started continues.
kill_daemon() {
    kill -9 "$(cat "$run/slurmd.$1.pid")"
    rm -f "$run/slurmd.$1.pid"
}

# The processes below one, each before its own.
descendants() {
    local child
    for child in $(ps -o pid= --ppid "$1"); do echo "$child"; descendants "$child"; done
}

# Kills the daemon of a node and all processes that it started, as a power failure does.
break_node() {
    local pid step victims=
    for pid in $(ps -eo pid=,comm= | awk '$2 == "slurmstepd" {print $1}'); do
        # A step daemon has no word of its node; the processes below it have.
        for step in $(descendants "$pid"); do
            if tr '\0' '\n' 2> /dev/null < "/proc/$step/environ" | grep -qx "SLURMD_NODENAME=$1"; then
                victims+=" $pid $(descendants "$pid")"
                break
            fi
        done
    done
    kill_daemon "$1"
    # shellcheck disable=SC2086
    [ -z "${victims// /}" ] || kill -9 $(printf '%s\n' $victims | sort -u) 2> /dev/null || true
}
