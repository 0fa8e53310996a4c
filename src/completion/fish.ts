import { argsByOffer, type Model, valuesByOffer, type Word } from './model.ts';

/** The completion script for fish, with descriptions. */
export function fishScript(model: Model): string {
  const children = model.paths.filter((one) => one.children.length > 0);
  const flags = model.paths.filter((one) => one.flags.length > 0);
  return `# fish completion for proc. Made from its commands by "npm run docs"; do not edit.
# Install: proc completion fish > ~/.config/fish/completions/proc.fish

function __proc_children
    switch $argv[1]
${children.map(({ path, children: words }) => `        case ${quoted(path)}\n            ${printed(words)}`).join('\n')}
    end
end

function __proc_name
    switch $argv[1]
${Object.entries(model.aliases)
  .map(([alias, name]) => `        case ${quoted(alias)}\n            echo ${name}`)
  .join('\n')}
        case '*'
            printf '%s\\n' $argv[1]
    end
end

function __proc_flags
    switch $argv[1]
${flags.map(({ path, flags: own }) => `        case ${quoted(path)}\n            ${printed(flagWords(own))}`).join('\n')}
    end
    ${printed(flagWords(model.globals))}
end

# What a flag takes; nothing where it takes nothing.
function __proc_value
    switch "$argv[1] $argv[2]"
${offers(valuesByOffer(model), (place) => !place.startsWith('* '))}
        case '*'
            switch $argv[2]
${offers(globalsOf(model), () => true, 16)}
            end
    end
end

# What an argument may be: by its position, "+" where it may be repeated.
function __proc_arg
    switch "$argv[1] $argv[2]"
${offers(argsByOffer(model), (place) => !place.endsWith(' +'))}
        case '*'
            switch "$argv[1] +"
${offers(argsByOffer(model), (place) => place.endsWith(' +'), 16)}
            end
    end
end

function __proc_complete
    set -l words (commandline -opc)
    set -e words[1]
    set -l cur (commandline -ct)
    set -l path ''
    set -l about ''
    set -l skip ''
    set -l ended ''
    set -l offer ''
    set -l prefix ''
    set -l positional 0
    for word in $words
        if test -n "$skip"
            set skip ''
        else if test -z "$ended"; and test "$word" = --
            set ended 1
        else if test -z "$ended"; and string match -q -- '-*' $word
            if not string match -q -- '*=*' $word
                set -l base $path
                test -n "$about"; and set base $about
                set -l taken (__proc_value "$base" $word)
                test -n "$taken"; and set skip $word
            end
        else if test -z "$path$about"; and test "$word" = help
            set about $word
        else
            contains -- "$path" '' schema; and set word (__proc_name $word)
            if test $positional -eq 0; and contains -- $word (__proc_children "$path" | string replace -r '\\t.*' '')
                set path (string trim -- "$path $word")
            else
                set positional (math $positional + 1)
            end
        end
    end
    set -l base $path
    test -n "$about"; and set base $about
    if test -n "$skip"
        set offer (__proc_value "$base" $skip)
    else if test -z "$ended"; and string match -q -- '--*=*' $cur
        set offer (__proc_value "$base" (string replace -r '=.*' '' -- $cur))
        set prefix (string replace -r '=.*' '=' -- $cur)
    else if test -z "$ended"; and string match -q -- '-*' $cur
        __proc_flags "$base"
        return
    else
        set -l children (__proc_children "$path")
        if test $positional -eq 0; and test (count $children) -gt 0
            printf '%s\\n' $children
            if test "$about" = help; and test -z "$path"
                ${printed(model.topics)}
            end
            return
        end
        test -z "$about"; and set offer (__proc_arg "$path" $positional)
    end
    switch "$offer"
        case '=*'
            printf "$prefix%s\\n" (string split ' ' -- (string sub -s 2 -- $offer))
        case '@*'
            set -l lookup (string replace -r '\\+file$' '' -- (string sub -s 2 -- $offer))
            for line in (command proc __complete $lookup -- $words $cur 2>/dev/null)
                printf '%s%s\\n' $prefix $line
            end
            string match -q -- '*+file' $offer; and __fish_complete_path (string replace -- "$prefix" '' $cur)
        case file
            if test -n "$prefix"
                __fish_complete_path (string replace -- $prefix '' $cur) | string replace -r '^' -- $prefix
            else
                __fish_complete_path $cur
            end
    end
end

complete -c proc -f -a '(__proc_complete)'
`;
}

/** Quoted for fish, where a backslash counts inside quotes too. */
function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

function flagWords(flags: Model['globals']): readonly Word[] {
  return flags.map(({ names, doc }) => ({ name: names[0]!, doc }));
}

function printed(words: readonly Word[]): string {
  return `printf '%s\\t%s\\n' ${words.map(({ name, doc }) => `${name} ${quoted(doc)}`).join(' ')}`;
}

/** Global flags by their name alone: "*" would match anything in fish's patterns. */
function globalsOf(model: Model): ReadonlyArray<readonly [string, readonly string[]]> {
  return valuesByOffer(model).map(([offer, places]) => [
    offer,
    places.filter((place) => place.startsWith('* ')).map((place) => place.slice(2)),
  ]);
}

function offers(
  groups: ReadonlyArray<readonly [string, readonly string[]]>,
  isWanted: (place: string) => boolean,
  indent = 8,
): string {
  const space = ' '.repeat(indent);
  return groups
    .map(([offer, places]) => [offer, places.filter(isWanted)] as const)
    .filter(([, places]) => places.length > 0)
    .map(
      ([offer, places]) =>
        `${space}case ${places.map(quoted).join(' ')}\n${space}    echo ${quoted(offer)}`,
    )
    .join('\n');
}
