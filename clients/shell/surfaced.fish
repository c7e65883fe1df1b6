# surfaced.fish: the functions of surfaced.sh, which stays beside this file, in fish. Source it; see README.md.

set -g __surfaced_sh (status dirname)/surfaced.sh

for name in surfaced_open surfaced_call surfaced_subscribe surfaced_reply surfaced_json surfaced_get
    function $name --inherit-variable name
        sh -c '. "$1"; shift; "$@"' surfaced $__surfaced_sh $name $argv
    end
end
