# bash completion for proc. At each Tab it asks proc what can follow.
# Use: source <(proc completion bash)

_proc() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do COMPREPLY+=("$line"); done \
    < <(command proc __complete bash "${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
}

complete -o default -F _proc proc
