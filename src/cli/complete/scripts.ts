import type { Shell } from './split-line.ts'

/** What each shell needs to ask Capstan for candidates. Candidates are data to it: never evaluated, never expanded. */
export const scripts: Readonly<Record<Shell, string>> = {
  bash: `# Completion of capstan for bash.
# Install: add this line to ~/.bashrc
#   eval "$(capstan completion bash)"
_capstan() {
  local kind='' kept text
  COMPREPLY=()
  {
    IFS= read -r kind
    IFS= read -r kept
    while IFS= read -r text; do COMPREPLY+=("$text"); done
  } < <(command capstan completion bash --line="\${COMP_LINE:0:COMP_POINT}" --word="$2" 2>/dev/null </dev/null)
  [[ $kind == files ]] || return 0
  if [[ $2 == @* ]]; then
    # Where @ does not part words, readline would look for a file whose name begins with it.
    while IFS= read -r text; do
      if [[ -d $text ]]; then text+=/; fi
      COMPREPLY+=("@$(printf %q "$text")")
    done < <(compgen -f -- "\${2#@}")
  else
    compopt -o default +o nospace 2>/dev/null
  fi
}
# Older versions of bash cannot keep the order in which candidates come.
complete -o nospace -o nosort -F _capstan capstan 2>/dev/null || complete -o nospace -F _capstan capstan
`,
  zsh: `#compdef capstan
# Completion of capstan for zsh.
# Install: add this line to ~/.zshrc, below compinit
#   eval "$(capstan completion zsh)"
_capstan() {
  local row value about typed="\${(j: :)words[1,CURRENT-1]} $QIPREFIX$PREFIX"
  local -a rows finished unfinished
  rows=("\${(@f)$(command capstan completion zsh --line="$typed" 2>/dev/null </dev/null)}")
  [[ -z $rows[2] ]] || compset -P "\${(b)rows[2]}"
  if [[ $rows[1] == files ]]; then
    _files
    return
  fi
  for row in "\${(@)rows[3,-1]}"; do
    value=\${row%%$'\\t'*} about=\${row#*$'\\t'}
    row=\${\${value//\\\\/\\\\\\\\}//:/\\\\:}\${about:+:$about}
    if [[ $value == *= ]]; then unfinished+=("$row"); else finished+=("$row"); fi
  done
  (( $#unfinished )) && _describe -V -t arguments argument unfinished -S ''
  (( $#finished )) && _describe -V -t values capstan finished
}
if [[ $funcstack[1] == _capstan ]]; then _capstan "$@"; else compdef _capstan capstan; fi
`,
  fish: `# Completion of capstan for fish.
# Install: capstan completion fish > ~/.config/fish/completions/capstan.fish
function __capstan_candidates
    set -l rows (command capstan completion fish --line=(commandline -pc | string collect) 2>/dev/null </dev/null)
    if test "$rows[1]" = files
        set -l typed (commandline -ct | string unescape)
        set -l path (string sub --start (math (string length -- "$rows[2]") + 1) -- "$typed")
        for found in (__fish_complete_path "$path")
            printf '%s%s\\n' "$rows[2]" $found
        end
    else if test (count $rows) -gt 2
        printf '%s\\n' $rows[3..-1]
    end
end
complete -c capstan -f -k -a '(__capstan_candidates)'
`,
}
