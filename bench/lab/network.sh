#!/bin/bash
# A share of Samba over a network of one gigabit per second, both on this machine, mounted by rclone: runs a command whose
# environment has the folder of the mount as $share and its description as $note, and takes all of it away. As root; needs
# samba, rclone and iproute2.
#
#   bench/lab/network.sh 'pfh lab run fixity -o out --device nas="$share" --device-note nas="$note" --device here'
set -euo pipefail
rate=${RATE:-1gbit}
folder=$(mktemp -d)
space=pfh-lab-$$
mkdir "$folder/data" "$folder/mount" "$folder/state"
finish() {
    fusermount3 -u "$folder/mount" 2>/dev/null || true
    kill $(jobs -p) 2>/dev/null || true
    wait 2>/dev/null || true
    ip netns del "$space" 2>/dev/null || true
    rm -rf "$folder"
}
trap finish EXIT
ip netns add "$space"
# `ip netns exec` would make mounts that nobody else sees.
inside=(nsenter "--net=/run/netns/$space")
"${inside[@]}" ip link set lo mtu 1500 up
"${inside[@]}" tc qdisc add dev lo root tbf rate "$rate" burst 1mb latency 50ms
cat >"$folder/smb.conf" <<END
[global]
server role = standalone server
smb ports = 445
bind interfaces only = yes
interfaces = lo 127.0.0.1
map to guest = Bad User
guest account = root
private dir = $folder/state
lock directory = $folder/state
state directory = $folder/state
cache directory = $folder/state
pid directory = $folder/state
ncalrpc dir = $folder/state/ncalrpc
log file = $folder/state/log
load printers = no
server min protocol = SMB2
[data]
path = $folder/data
guest ok = yes
read only = no
END
# In a session of its own, because it ends its whole process group.
setsid "${inside[@]}" smbd --foreground --no-process-group --configfile="$folder/smb.conf" >"$folder/state/out" 2>&1 &
password=$(rclone obscure none)
# Names are forgotten at once, and contents never lie in a cache of rclone's.
"${inside[@]}" rclone mount ":smb:data" "$folder/mount" --smb-host 127.0.0.1 --smb-user guest --smb-pass "$password" \
    --dir-cache-time 1s --vfs-cache-mode off --config /dev/null --retries 20 >"$folder/state/rclone" 2>&1 &
for _ in $(seq 100); do
    mountpoint --quiet "$folder/mount" && break
    sleep 0.1
done
mountpoint --quiet "$folder/mount" || { cat "$folder/state/rclone" >&2; exit 1; }
export share=$folder/mount
# Nothing that the system tells of the mount says how fast the network is.
export note="a share of Samba on the same machine, over a network that tc limits to $rate, mounted by rclone without a cache"
bash -c "$1"
