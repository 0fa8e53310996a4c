# bash completion for proc. At each Tab it asks proc what can follow.
# Use: source <(proc completion bash)

_proc() {
  local options='' option line IFS=$' \t\n'
  COMPREPLY=()
  {
    read -r options
    for option in $options; do compopt -o "$option" 2>/dev/null; done
    while IFS= read -r line; do COMPREPLY+=("$line"); done
  } < <(command proc __complete bash "${BASH_VERSINFO[0]}" "$COMP_WORDBREAKS" \
    "${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
}

complete -F _proc proc
