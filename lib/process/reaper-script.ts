/**
 * What the reaper process runs. It reads lines: `?` a process is about to be started, `+ ID` a group is to be guarded,
 * `- ID` no longer; at end of file it ends what is left.
 */

/**
 * For dash, bash and BusyBox alike; `sleep` and `cat` (or `ps` where there is no /proc) are all it needs.
 * A group is ours while its leader has the start time that we saw, or while the leader is gone (its number cannot be
 * given to another process as long as the group lives). A zombie counts as gone. The start time is read here, not by
 * the host, which cannot do so without loading node:fs (3 ms).
 */
export const script = `
trap '' HUP INT TERM
rounds=$1 mark=$2
groups= strays= expected=

look() { # state and start time of process $1; both empty when there is none
  state= start= row=
  if [ -r /proc/self/stat ]; then
    # The name, in brackets, may hold anything, also line breaks: all that counts stands behind the last bracket.
    while read -r line; do row=\${line##*) }; done </proc/$1/stat
    set -f; set -- $row; set +f
    state=$1 start=\${20}
  else
    set -- $(ps -o state= -o lstart= -p $1)
    state=$1
    [ -z "$state" ] || start=$2_$3_$4_$5_$6
  fi
}

while read -r word id; do
  if [ "$word" = '?' ]; then expected=1; continue; fi
  expected= kept=
  for group in $groups; do
    [ "\${group%%/*}" = "$id" ] || kept="$kept $group"
  done
  groups=$kept
  if [ "$word" = + ]; then
    look $id
    groups="$groups $id/$start"
  fi
done

# All that follows is read when that is over: while a server starts, it would take its time.

table() { # all processes, one a line, for fields
  if [ -r /proc/self/stat ]; then cat /proc/[0-9]*/stat
  else ps -A -o pid= -o state= -o ppid= -o pgid= -o lstart=
  fi
}

fields() { # the process of a line of the table
  if [ -r /proc/self/stat ]; then
    pid=\${1%% *}
    set -- \${1##*) }
    start=\${20}
  else
    set -- $1
    pid=$1
    shift
    start=$4_$5_$6_$7_$8
  fi
  state=$1 ppid=$2 pgid=$3
}

populated() { # does group $1 hold a process that is not a zombie
  rows=$(table) found=1
  [ -n "$rows" ] || return 0
  set -f; IFS='
'
  for row in $rows; do
    case $row in *" $1 "*) ;; *) continue ;; esac # most are not worth taking apart
    IFS=' '
    fields "$row"
    case $state in
      [ZX]*) ;;
      *) if [ "$pgid" = "$1" ]; then found=0; break; fi ;;
    esac
  done
  set +f; unset IFS
  return $found
}

seek() { # notes as strays what descends from our groups, or from a stray, and has left them
  theirs=' ' known=' ' size=0
  for one in $groups; do theirs="$theirs\${one%%/*} "; done
  for one in $strays; do known="$known\${one%%/*} "; done
  rows=$(table)
  set -f
  while [ $size -ne \${#known} ]; do
    size=\${#known}
    IFS='
'
    for row in $rows; do
      IFS=' '
      fields "$row"
      case $known in *" $pid "*) continue ;; esac
      case $theirs in
        *" $pgid "*) known="$known$pid " ;;
        *) case $known in *" $ppid "*) known="$known$pid " strays="$strays $pid/$start" ;; esac ;;
      esac
    done
  done
  set +f; unset IFS
}

ours() { # is group $1, whose leader started at $2, alive and still the one that we were told of
  kill -0 -$1 || return 1
  look $1
  case $state in
    '') ;;
    [ZX]*) [ "$start" = "$2" ] || return 1 ;;
    *) [ "$start" = "$2" ]; return ;;
  esac
  populated $1
}

remaining() {
  left=
  for group in $groups; do
    if ours "\${group%%/*}" "\${group#*/}"; then left="$left $group"; fi
  done
  groups=$left left=
  for stray in $strays; do
    look "\${stray%%/*}"
    case $state in
      ''|[ZX]*) ;;
      *) [ "$start" != "\${stray#*/}" ] || left="$left $stray" ;;
    esac
  done
  strays=$left
  [ -n "$groups$strays" ]
}

grace() { # waits for them to end, where $1 rounds are over; false if some remain
  round=$1
  while remaining; do
    [ $round -lt $rounds ] || return 1
    round=$((round + 1))
    moment || return 1
  done
}

moment() { sleep 0.1 || sleep 1; }

end() { # by signal $1; a stray is looked for before its parent is gone
  seek
  for group in $groups; do kill -$1 -\${group%%/*}; done
  for stray in $strays; do kill -$1 \${stray%%/*}; done
}

adopt() { # the process that we could not be told of any more, by the mark in its environment
  [ -r /proc/self/environ ] || return
  for file in $(grep -lF "$mark" /proc/[0-9]*/environ); do
    id=\${file#/proc/}
    id=\${id%/environ}
    look $id
    [ -z "$start" ] || groups="$groups $id/$start"
  done
}

[ -z "$expected" ] || adopt
[ -n "$groups" ] || exit 0

# They were told to end in this very moment: a look at once would only take the processor from them.
moment
grace 1 && exit
end TERM
grace 0 && exit
end KILL
grace 0
`;
