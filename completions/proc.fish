# fish completion for proc. At each Tab it asks proc what can follow.
# Use: proc completion fish | source

function __proc_complete
    set -l words (commandline -opc)
    set -e words[1]
    set -l typed (commandline -ct)
    set -l lines (command proc __complete fish $words "$typed" 2>/dev/null)
    if set -q lines[1]
        printf '%s\n' $lines
        return
    end
    set -l bare (string replace -ar '["\']' '' -- "$typed")
    set -l head (string match -r '^--[^=]+=' -- "$bare")
    for path in (__fish_complete_path (string replace -r '^--[^=]+=' '' -- "$bare"))
        printf '%s%s\n' "$head" $path
    end
end

complete -c proc -f -a '(__proc_complete)'
