# A runner that computes nothing: what is right is what two of them agree on. The second argument says how it misbehaves.
# Usage: sh runner.sh LIBRARY [FAULT]
# PROCESS stands for the number of the process that runs the test.
library=$1 fault=$2 answered=0 peak=1000000
say() { printf '%s\n' "$1"; }
field() { value=${line#*"\"$1\":"}; value=${value%%[,\}]*}; }

case $fault in
    no-hello) sleep 600 ;;
    dies-at-once) echo 'no library' >&2; exit 7 ;;
    other-protocol) say '{"type":"hello","protocol":2}'; sleep 600 ;;
    is-unavailable) say '{"type":"unavailable","message":"the library is too old"}'; exit 0 ;;
    no-json) say 'Hello, world!'; sleep 600 ;;
    needs-memory) exec tail /dev/zero ;;
    not-utf-8) printf '\377\376\n'; sleep 600 ;;
esac
algorithms='"md5","sha1"'
[ "$fault" = one-more ] && algorithms="$algorithms,\"tiger\""
varies=false
case $fault in varies | caches | begins-not) varies=true ;; esac
say "{\"type\":\"hello\",\"protocol\":1,\"language\":\"sh\",\"library\":\"$library\",\"library_version\":\"1\",\"varies\":$varies,\"algorithms\":[$algorithms]}"

while IFS= read -r line; do
    field id; id=$value
    field repeats; repeats=$value
    field path; path=$value
    check=aa answer=aa wall=1000
    # Other data have another answer: here the number of the repeat.
    case $path in *-repeat-*) check=${path##*-repeat-}; check=${check%%\"*}; answer=$check ;; esac
    case $fault in
        hangs) trap '' TERM; sleep 600 ;;
        crashes) echo 'Segmentation fault, said the runner' >&2; kill -SEGV $$ ;;
        exits) exit 3 ;;
        garbage) say 'ceci n’est pas JSON' ;;
        floods) yes 'so much to say' | head -c 3000000 >&2; say '}'; sleep 600 ;;
        long-line) head -c 70000 /dev/zero | tr '\0' x; sleep 600 ;;
        endless-line) tr '\0' x </dev/zero ;;
        memory) exec tail /dev/zero ;;
        # Its child holds 200 MB for a reader that does not read.
        memory-of-a-child) head -c 200000000 /dev/zero | tail -n 1 | sleep 600 ;;
        peaks) peak=200000000 ;;
        lies) check=bb answer=bb ;;
        lies-later) answer=bb ;;
        upper-case) check=AA answer=AA ;;
        other-task) id=$((id + 1)) ;;
        one-too-many) repeats=$((repeats + 1)) ;;
        one-too-few) repeats=$((repeats - 1)) ;;
        takes-back-time) wall=3600000000000 ;;
        takes-no-time) wall=0 ;;
        takes-a-nanosecond) wall=1 ;;
        refuses) say "{\"type\":\"error\",\"id\":$id,\"message\":\"cannot\"}"; continue ;;
        lacks) say "{\"type\":\"not-offered\",\"id\":$id,\"message\":\"no\"}"; continue ;;
        slow) sleep 0.1 ;;
        forks) (sleep 97531.PROCESS </dev/null >/dev/null 2>&1 &) ;;
        forks-away) setsid sh -c 'sleep 97532.PROCESS & sleep 97533.PROCESS & wait' & ;;
        # Neither its parent, its group and session, nor its environment tells whose it is.
        forks-unknown) env -i "PATH=$PATH" setsid sh -c 'sleep 97534.PROCESS &' & ;;
        recovers) answered=$((answered + 1)); [ $answered = 2 ] && exit 5 ;;
    esac
    say "{\"type\":\"check\",\"id\":$id,\"answer\":\"$check\"}"
    repeat=0
    while [ $repeat -lt "$repeats" ]; do
        if [ $varies = true ]; then
            # The number of the repeat stands for its data.
            [ "$fault" = varies ] && [ "${line#*repeat_path}" != "$line" ] && answer=$repeat
            [ "$fault" = begins-not ] || [ "${line#*repeat_path}" = "$line" ] \
                || say "{\"type\":\"begin\",\"id\":$id,\"repeat\":$repeat}"
        fi
        if [ "$fault" = works-more ]; then
            # Some hundredths of a second, of which it tells a microsecond.
            work=0
            while [ $work -lt 200000 ]; do work=$((work + 1)); done
        fi
        say "{\"type\":\"sample\",\"id\":$id,\"repeat\":$repeat,\"wall_ns\":$wall,\"cpu_ns\":$wall,\"answer\":\"$answer\"}"
        repeat=$((repeat + 1))
    done
    say "{\"type\":\"done\",\"id\":$id,\"peak_bytes\":$peak}"
done
case $fault in
    does-not-end) sleep 600 ;;
    ends-badly) exit 9 ;;
esac
