/**
 * The completion scripts of the shells, and the text that they read back. Each asks `mcphost completion SHELL -- WORDS…`;
 * the first line of the answer is `words` or `files`. After `words` each line is a word, a tab and its description; after
 * `files` one says what stands before the name in the same word. Pure text.
 */
import type { Completion } from "./completion-types.ts";

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

/** The end of a line that the shell does not replace: its text without quotes, and the quote that is open there. */
export interface Kept {
  text: string;
  quote: string;
}

/** The answer to a script. For bash a word is what must be typed behind `kept`, space included: bash inserts it as it is. */
export function rendered(
  shell: Shell,
  completion: Completion,
  kept: Kept = { text: "", quote: "" },
): string {
  if (!Array.isArray(completion)) return `files\n${completion.filesBehind}\n`;
  const lines = completion.map(({ word, description = "" }) =>
    shell === "bash" ? typed(word, kept) : `${word}\t${description}`,
  );
  return ["words", ...lines, ""].join("\n");
}

export const scripts: Record<Shell, string> = {
  bash: `# Completion of mcphost for bash 3.2 and later. For every new shell:
#   mcphost completion bash > ~/.local/share/bash-completion/completions/mcphost
# or in ~/.bashrc:
#   eval "$(mcphost completion bash)"
_mcphost() {
  local line="\${COMP_LINE:0:COMP_POINT}" kind= before= word file at variable='^[$][{]?([A-Za-z_][A-Za-z0-9_]*)[}]?(/.*)$'
  COMPREPLY=()
  for ((at = 1; at < COMP_CWORD; at++)); do
    [[ \${COMP_WORDS[at]} == -- ]] || continue
    # A server's command line, which completes itself (where bash-completion is there), or is a command and files.
    compopt +o nospace 2>/dev/null
    if declare -F _command_offset >/dev/null; then
      _command_offset $((at + 1))
      return
    fi
    compopt -o filenames 2>/dev/null
    if ((at + 1 < COMP_CWORD)); then kind=-f; else kind=-c; fi
    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen $kind -- "$2")
    return 0
  done
  # Bash replaces only "$2", the end of the word: the answer leaves out what stands before it.
  while IFS= read -r word; do
    if [[ -z $kind ]]; then
      kind="$word"
    elif [[ $kind == files ]]; then
      before="$word"
      break
    else
      COMPREPLY+=("$word")
    fi
  done < <("\${1/#\\~/$HOME}" completion bash -- "$line" "$2" 2>/dev/null)
  [[ $kind == files ]] || return 0
  if [[ $before == *@ && $2 == *@* ]]; then
    before="\${2%%@*}@"
    while IFS= read -r file; do
      if [[ $line == *[\\'\\"]"$2" ]]; then word="$file"; else word="$(printf %q "$file") "; fi
      [[ ! -d $file ]] || word="\${word% }/"
      COMPREPLY+=("$before$word")
    done < <(compgen -f -- "\${2#"$before"}")
    return 0
  fi
  file="$2"
  [[ $2 =~ $variable ]] && file="\${!BASH_REMATCH[1]}\${BASH_REMATCH[2]}"
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$file")
  compopt -o filenames +o nospace 2>/dev/null
  return 0
}
complete -o nospace -F _mcphost mcphost
`,
  zsh: `#compdef mcphost
# Completion of mcphost for zsh. As a file _mcphost in a folder of $fpath, or in ~/.zshrc after compinit:
#   eval "$(mcphost completion zsh)"
_mcphost() {
  local program="\${\${(Q)words[1]}/#\\~/$HOME}" line word text
  local -a lines whole open
  # A server's command line completes itself.
  if compset -N --; then
    _normal
    return
  fi
  lines=("\${(@f)$("$program" completion zsh -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}")
  if [[ $lines[1] == files ]]; then
    [[ $lines[2] != *=* ]] || compset -P 1 '*='
    [[ $lines[2] != *@ ]] || compset -P '@'
    _files
    return
  fi
  for line in "\${(@)lines[2,-1]}"; do
    word="\${line%%$'\\t'*}" text="\${line#*$'\\t'}"
    word="\${\${word//\\\\/\\\\\\\\}//:/\\\\:}\${text:+:\${text//\\\\/\\\\\\\\}}"
    if [[ \${line%%$'\\t'*} == *= ]]; then open+=("$word"); else whole+=("$word"); fi
  done
  _describe -V mcphost whole -- open -S ''
}
# One candidate a line: those that are described alike would be drawn together, and turned around.
zstyle ':completion:*:*:mcphost:*' list-grouped false
if [[ $funcstack[1] == _mcphost ]]; then _mcphost "$@"; else compdef _mcphost mcphost; fi
`,
  fish: `# Completion of mcphost for fish. For every new shell:
#   mcphost completion fish > ~/.config/fish/completions/mcphost.fish
function __mcphost_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    if set -l at (contains -i -- -- $words)
        # A server's command line completes itself.
        set -l line
        for word in $words[(math $at + 1)..-1]
            set -a line (string escape -- $word)
        end
        complete -C "$line $current"
        return
    end
    # As a command, what stands in a variable is taken as it is.
    if string match -q '~/*' -- $words[1]
        set words[1] $HOME(string sub -s 2 -- $words[1])
    end
    set -l lines ($words[1] completion fish -- $words[2..-1] "$current" 2>/dev/null)
    if test "$lines[1]" = files
        # Of a command that nobody knows, fish completes files.
        set -l name (string replace -- "$lines[2]" '' "$current")
        for file in (complete -C "__mcphost_files $name")
            printf '%s\\n' $lines[2]$file
        end
    else
        printf '%s\\n' $lines[2..-1]
    end
end
complete -c mcphost -f -k -a '(__mcphost_complete)'
`,
};

// --- internal ---

/** What stands behind the part that is kept, so that the shell reads the word again: names come from servers. In an open quote, which bash closes, nothing follows. */
function typed(word: string, { text, quote }: Kept): string {
  const rest = word.startsWith(text) ? word.slice(text.length) : word;
  if (quote === "'") return rest.replaceAll("'", "'\\''");
  if (quote !== "") return rest.replace(/["$`\\]/g, "\\$&");
  const escaped = rest.replace(/[^\p{L}\p{N}_@%+=:,./-]/gu, "\\$&");
  return word.endsWith("=") ? escaped : `${escaped} `;
}
