# fish completion for proc. At each Tab it asks proc what can follow.
# Use: proc completion fish | source

function __proc_complete
    set -l words (commandline -opc)
    set -e words[1]
    set -l typed (commandline -ct)
    set -l lines (command proc __complete fish $words "$typed" 2>/dev/null)
    set -l options (string split \t -- $lines[1])
    set -e lines[1]
    set -q lines[1]; and printf '%s\n' $lines
    if test "$options[1]" = files
        for path in (__fish_complete_path "$options[3]")
            printf '%s\n' "$options[2]$path"
        end
    end
end

complete -c proc -f -a '(__proc_complete)'
