/**
 * The completion scripts of the shells, and the text that they read back. Each asks `mcphost completion SHELL -- WORDS…`;
 * the first line of the answer is `words` or `files`, each further one a word, a tab and its description. Pure text.
 */
import type { Completion } from "./completion-types.ts";

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

/** The answer to a script. For bash a word is as it must be typed, space included: bash inserts it as it is. */
export function rendered(shell: Shell, completion: Completion): string {
  if (completion === "files") return "files\n";
  const lines = completion.map(({ word, description = "" }) =>
    shell === "bash" ? typed(word) : `${word}\t${description}`,
  );
  return ["words", ...lines, ""].join("\n");
}

export const scripts: Record<Shell, string> = {
  bash: `# Completion of mcphost for bash 3.2 and later. For every new shell:
#   mcphost completion bash > ~/.local/share/bash-completion/completions/mcphost
# or in ~/.bashrc:
#   eval "$(mcphost completion bash)"
_mcphost() {
  local line="\${COMP_LINE:0:COMP_POINT}" kind= word strip file="$2" variable='^[$][{]?([A-Za-z_][A-Za-z0-9_]*)[}]?(/.*)$'
  # Bash replaces only "$2": what stands before it in the word, as in key=value, is not to be repeated.
  word="\${line##*[[:space:]]}"
  strip="\${word%"$2"}"
  COMPREPLY=()
  while IFS= read -r word; do
    if [[ -z $kind ]]; then kind="$word"; else COMPREPLY+=("\${word#"$strip"}"); fi
  done < <("\${1/#\\~/$HOME}" completion bash -- "$line" 2>/dev/null)
  [[ $kind == files ]] || return 0
  if [[ $2 == @* ]]; then
    while IFS= read -r word; do COMPREPLY+=("@$(printf %q "$word")"); done < <(compgen -f -- "\${2#@}")
    return 0
  fi
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
  lines=("\${(@f)$("$program" completion zsh -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}")
  if [[ $lines[1] == files ]]; then
    compset -P '*[=@]'
    _files
    return
  fi
  for line in "\${(@)lines[2,-1]}"; do
    word="\${line%%$'\\t'*}" text="\${line#*$'\\t'}"
    word="\${\${word//\\\\/\\\\\\\\}//:/\\\\:}\${text:+:$text}"
    if [[ \${line%%$'\\t'*} == *= ]]; then open+=("$word"); else whole+=("$word"); fi
  done
  _describe -V mcphost whole -- open -S ''
}
if [[ $funcstack[1] == _mcphost ]]; then _mcphost "$@"; else compdef _mcphost mcphost; fi
`,
  fish: `# Completion of mcphost for fish. For every new shell:
#   mcphost completion fish > ~/.config/fish/completions/mcphost.fish
function __mcphost_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines ($words[1] completion fish -- $words[2..-1] "$current" 2>/dev/null)
    if test "$lines[1]" = files
        __fish_complete_path "$current"
    else
        printf '%s\\n' $lines[2..-1]
    end
end
complete -c mcphost -f -k -a '(__mcphost_complete)'
`,
};

// --- internal ---

/** Every character that a shell may understand gets a backslash: names come from servers. */
function typed(word: string): string {
  const escaped = word.replace(/[^\p{L}\p{N}_@%+=:,./-]/gu, "\\$&");
  return word.endsWith("=") ? escaped : `${escaped} `;
}
