# surfaced.sh: surfaced from any POSIX shell. Source it; see README.md.
#
#   surfaced_open [-b BACKEND] [-H HOST] [--split right|down] [-t SURFACE] [-C DIR] [--] [COMMAND...]   prints the new surface
#   surfaced_call METHOD [JSON]        prints the result
#   surfaced_subscribe METHOD [JSON]   prints an item a line, until the end
#   surfaced_reply METHOD [JSON]       prints the whole reply
#   surfaced_json WORD...              prints the words as a JSON array
#   surfaced_get PATH                  prints a member of the JSON on standard input, such as results.0.surface
#
# Status: 0 done, 1 it failed, 2 usage, 3 no daemon. A failure is told on standard error in lines of "error: ", "hint: " and
# "kind: ". Everything runs in subshells: nothing of the caller's shell is changed.

# The words as a JSON array, whatever they contain.
surfaced_json() {
	LC_ALL=C awk -- '
		function quote(text,    at, byte, out) {
			out = "\""
			for (at = 1; at <= length(text); at++) {
				byte = substr(text, at, 1)
				out = out (byte in escapes ? escapes[byte] : byte)
			}
			return out "\""
		}
		BEGIN {
			for (code = 1; code < 32; code++) escapes[sprintf("%c", code)] = sprintf("\\u%04x", code)
			escapes["\""] = "\\\""
			escapes["\\"] = "\\\\"
			out = ""
			for (word = 1; word < ARGC; word++) out = out (word > 1 ? "," : "") quote(ARGV[word])
			print "[" out "]"
		}' "$@"
}

# A member of the JSON document on standard input: texts as they are, everything else as JSON. Fails where there is none.
surfaced_get() {
	if command -v jq >/dev/null 2>&1; then
		jq -r -c -e --arg path "$1" '
			reduce ($path / ".")[] as $name (.; if type == "array" then .[$name | tonumber? // -1e9] elif type == "object" then .[$name] else null end)
			| if . == false then "false" else . end | values' 2>/dev/null
	else
		_surfaced_scan "$1"
	fi
}

# The same where there is no jq: a scanner that finds the ends of values.
_surfaced_scan() {
	LC_ALL=C awk -v path="$1" -- '
		function blank(at) {
			while (index(" \t\r\n", substr(text, at, 1)) && at <= length(text)) at++
			return at
		}
		function after(at,    byte, depth) { # where the value that begins here ends
			byte = substr(text, at, 1)
			if (byte == "\"") {
				for (at++; at <= length(text) && (byte = substr(text, at, 1)) != "\""; at++) if (byte == "\\") at++
				return at + 1
			}
			if (byte != "{" && byte != "[") {
				while (at <= length(text) && !index(",}] \t\r\n", substr(text, at, 1))) at++
				return at
			}
			for (depth = 0; at <= length(text); at++) {
				byte = substr(text, at, 1)
				if (byte == "\"") at = after(at) - 1
				else if (byte == "{" || byte == "[") depth++
				else if ((byte == "}" || byte == "]") && --depth == 0) return at + 1
			}
			return at
		}
		function member(at, name,    byte, count, key, end) { # where this member of the value that begins here begins; 0: none
			byte = substr(text, at, 1)
			if (byte != "{" && byte != "[") return 0
			for (count = 0; ; count++) {
				at = blank(at + 1)
				if (index("}]", substr(text, at, 1))) return 0
				key = count
				if (byte == "{") {
					end = after(at)
					key = substr(text, at + 1, end - at - 2)
					at = blank(blank(end) + 1)
				}
				if (key "" == name) return at
				at = blank(after(at))
				if (substr(text, at, 1) != ",") return 0
			}
		}
		function hex(digits,    at, value) {
			value = 0
			for (at = 1; at <= length(digits); at++) value = value * 16 + index("0123456789abcdef", tolower(substr(digits, at, 1))) - 1
			return value
		}
		function utf8(code) {
			if (code < 128) return sprintf("%c", code)
			if (code < 2048) return sprintf("%c%c", 192 + int(code / 64), 128 + code % 64)
			if (code < 65536) return sprintf("%c%c%c", 224 + int(code / 4096), 128 + int(code / 64) % 64, 128 + code % 64)
			return sprintf("%c%c%c%c", 240 + int(code / 262144), 128 + int(code / 4096) % 64, 128 + int(code / 64) % 64, 128 + code % 64)
		}
		function plain(at, end,    byte, code, out) { # a text without its escapes
			for (at++; at < end - 1; at++) {
				byte = substr(text, at, 1)
				if (byte == "\\") {
					byte = substr(text, ++at, 1)
					if (byte in escapes) byte = escapes[byte]
					else if (byte == "u") {
						code = hex(substr(text, at + 1, 4))
						at += 4
						if (code >= 55296 && code < 56320) {
							code = 65536 + (code - 55296) * 1024 + hex(substr(text, at + 3, 4)) - 56320
							at += 6
						}
						byte = utf8(code)
					}
				}
				out = out byte
			}
			return out
		}
		{ text = text $0 "\n" }
		END {
			escapes["n"] = "\n"; escapes["t"] = "\t"; escapes["r"] = "\r"; escapes["b"] = "\b"; escapes["f"] = "\f"
			at = blank(1)
			count = split(path, names, ".")
			for (step = 1; step <= count && at; step++) at = member(at, names[step])
			if (!at || substr(text, at, 4) == "null") exit 1
			print substr(text, at, 1) == "\"" ? plain(at, after(at)) : substr(text, at, after(at) - at)
		}'
}

# Tells a failure: MESSAGE KIND [HINT].
_surfaced_complain() {
	printf 'error: %s\n' "$1" >&2
	if [ -n "${3-}" ]; then printf 'hint: %s\n' "$3" >&2; fi
	printf 'kind: %s\n' "$2" >&2
}

# Where the daemon listens; it is started where none runs.
_surfaced_socket() (
	if [ -n "${SURFACED_SOCKET-}" ]; then
		printf '%s\n' "$SURFACED_SOCKET"
		return
	fi
	if ! command -v surfaced >/dev/null 2>&1; then
		_surfaced_complain 'no daemon answers and surfaced is not on PATH' no-daemon 'install surfaced'
		return 3
	fi
	place=$(surfaced ensure --json) || return 3
	printf '%s\n' "$place" | surfaced_get socket
)

# Sends standard input to a socket and prints what comes back until the daemon has answered everything.
_surfaced_exchange() (
	if usage=$(nc -h 2>&1 || true); [ "${usage#*-U}" != "$usage" ]; then
		# Some close the write half by themselves, and have no -N for it.
		if [ "${usage#*-N}" != "$usage" ]; then exec nc -N -U "$1" 2>/dev/null; else exec nc -U "$1" 2>/dev/null; fi
	elif command -v socat >/dev/null 2>&1; then
		# Its addresses give a meaning to these characters; without -t it leaves half a second after the last byte sent.
		address=$(printf '%s\n' "$1" | sed 's/[\\:,!"'\''({[]/\\&/g')
		exec socat -t 1000000 - "UNIX-CONNECT:$address" 2>/dev/null
	fi
	_surfaced_complain 'neither nc with -U nor socat is installed' program-missing 'install netcat-openbsd or socat'
	return 2
)

# Sends one request: SOCKET METHOD [JSON]. Prints the lines that come back.
_surfaced_ask() (
	name=$(surfaced_json "$2")
	name=${name#\[}
	printf '{"jsonrpc":"2.0","id":1,"method":%s,"params":%s}\n' "${name%\]}" "${3:-"{}"}" | _surfaced_exchange "$1"
)

# The whole reply to a request.
surfaced_reply() (
	if [ $# -lt 1 ] || [ $# -gt 2 ]; then
		_surfaced_complain 'usage: surfaced_reply METHOD [JSON]' usage
		return 2
	fi
	socket=$(_surfaced_socket) || return 3
	code=0
	reply=$(_surfaced_ask "$socket" "$@") || code=$?
	if [ -n "$reply" ]; then
		printf '%s\n' "$reply"
	elif [ "$code" -eq 0 ]; then
		_surfaced_complain "the daemon closed the connection before it answered $1" connection-closed
		return 1
	elif [ "$code" -eq 1 ]; then
		_surfaced_complain "nothing answers at $socket" no-daemon 'run: surfaced ensure'
		return 3
	else
		return "$code"
	fi
)

# Tells the error of a reply, if it has one; then it succeeds.
_surfaced_error() (
	error=$(printf '%s\n' "$1" | surfaced_get error) || return 1
	part() { printf '%s\n' "$error" | surfaced_get "$1"; }
	_surfaced_complain "$(part message || echo 'the daemon sent an error without a message')" "$(part data.kind || echo internal)" "$(part data.hint || :)"
)

# The result of a request.
surfaced_call() (
	reply=$(surfaced_reply "$@") || return
	if _surfaced_error "$reply"; then return 1; fi
	if printf '%s\n' "$reply" | surfaced_get result; then return; fi
	_surfaced_complain "the daemon sent no result of $1" connection-closed
	return 1
)

# The items of a subscription, one a line, the last one of type end included.
surfaced_subscribe() (
	if [ $# -lt 1 ] || [ $# -gt 2 ]; then
		_surfaced_complain 'usage: surfaced_subscribe METHOD [JSON]' usage
		return 2
	fi
	socket=$(_surfaced_socket) || return 3
	_surfaced_ask "$socket" "$@" | {
		while IFS= read -r line; do
			if item=$(printf '%s\n' "$line" | surfaced_get params.result); then
				printf '%s\n' "$item"
				if [ "$(printf '%s\n' "$item" | surfaced_get type)" = end ]; then return 0; fi
			elif _surfaced_error "$line"; then
				return 1
			fi
		done
		_surfaced_complain "the daemon closed the connection before the end of $1" connection-closed
		return 1
	}
)

# Opens one surface and prints its reference.
surfaced_open() (
	members='' placed='' item=''
	add() {
		text=$(surfaced_json "$2")
		text=${text#\[}
		printf ',"%s":%s' "$1" "${text%\]}"
	}
	directory=$PWD
	while [ $# -gt 0 ]; do
		case $1 in
		-b) members=$members$(add backend "${2-}") ;;
		-H)
			members=$members$(add host "${2-}")
			# A directory of this machine means nothing there.
			if [ "$directory" = "$PWD" ]; then directory=; fi
			;;
		-C) case ${2-} in /*) directory=$2 ;; *) directory=$PWD/${2-} ;; esac ;;
		--split)
			case ${2-} in
			right | down | '') placed=$placed$(add layout "split-${2-}") ;;
			*)
				_surfaced_complain "--split takes right or down, not $2" usage
				return 2
				;;
			esac
			;;
		-t) placed=$placed$(add target "${2-}") ;;
		--)
			shift
			break
			;;
		-*)
			_surfaced_complain "surfaced_open has no option $1" usage
			return 2
			;;
		*) break ;;
		esac
		if [ $# -lt 2 ]; then
			_surfaced_complain "$1 needs a value" usage
			return 2
		fi
		shift 2
	done
	if [ -n "$directory" ]; then item=$(add cwd "$directory"); fi
	if [ $# -gt 0 ]; then item=$item,\"command\":$(surfaced_json "$@"); fi
	item=$item$placed
	opened=$(surfaced_call open "{\"items\":[{${item#,}}]$members}") || return
	part() { printf '%s\n' "$opened" | surfaced_get "results.0.$1"; }
	if [ "$(part ok)" != true ]; then
		_surfaced_complain "$(part error)" "$(part kind)" "$(part hint || :)"
		return 1
	fi
	warning=0
	while told=$(part "warnings.$warning"); do
		printf 'warning: %s\n' "$told" >&2
		warning=$((warning + 1))
	done
	part attach >&2 || :
	part surface || :
)
