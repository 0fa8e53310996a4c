import { argsByOffer, type Model, valuesByOffer } from './model.ts';

/** Quoted for POSIX shells. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The completion script for bash, 3.2 and newer. */
export function bashScript(model: Model): string {
  const children = model.paths
    .filter((one) => one.children.length > 0)
    .map(({ path, children: words }) => [quoted(path), words.map(({ name }) => name).join(' ')]);
  const flags = model.paths
    .filter((one) => one.flags.length > 0)
    .map(({ path, flags: own }) => [quoted(path), longNames(own)]);
  const aliases = Object.entries(model.aliases).map(([alias, name]) => [quoted(alias), name]);
  return `# bash completion for proc. Made from its commands by "npm run docs"; do not edit.
# Install: proc completion bash > ~/.local/share/bash-completion/completions/proc

__proc_children() {
  case $1 in
${cases(children, 'REPLY')}
    *) REPLY='' ;;
  esac
}

__proc_name() {
  case $1 in
${cases(aliases, 'REPLY')}
    *) REPLY=$1 ;;
  esac
}

__proc_flags() {
  case $1 in
${cases(flags, 'REPLY')}
    *) REPLY='' ;;
  esac
  REPLY="$REPLY ${longNames(model.globals)}"
}

# What a flag takes; empty where it takes nothing.
__proc_value() {
  case "$1 $2" in
${offers(valuesByOffer(model), (place) => !place.startsWith('* '))}
    *)
      case "* $2" in
${offers(valuesByOffer(model), (place) => place.startsWith('* '), 8)}
        *) REPLY='' ;;
      esac
      ;;
  esac
}

# What an argument may be: by its position, "+" where it may be repeated.
__proc_arg() {
  case "$1 $2" in
${offers(argsByOffer(model), (place) => !place.endsWith(' +'))}
    *)
      case "$1 +" in
${offers(argsByOffer(model), (place) => place.endsWith(' +'), 8)}
        *) REPLY='' ;;
      esac
      ;;
  esac
}

_proc() {
  local cur word path='' about='' skip='' ended='' offer='' typed='' raw blank line=$COMP_LINE REPLY
  local -i i last positional=0
  local -a words=()
  COMPREPLY=()
  # bash splits at "=" and ":": put together again what no space separates.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    blank=\${line%%[![:space:]]*}
    line=\${line:\${#blank}}
    line=\${line:\${#word}}
    last=$((\${#words[@]} - 1))
    if [[ -z $blank && $last -ge 0 && ($word == [=:]* || \${words[last]} == *[=:]) ]]; then
      words[last]+=$word
    elif ((i > 0)); then
      words+=("$word")
    fi
  done
  last=$((\${#words[@]} - 1))
  cur=\${words[last]}
  raw=$cur
  for ((i = 0; i < last; i++)); do
    word=\${words[i]}
    if [[ -n $skip ]]; then
      skip=''
    elif [[ -z $ended && $word == -- ]]; then
      ended=1
    elif [[ -z $ended && $word == -* ]]; then
      if [[ $word != *=* ]]; then
        __proc_value "\${about:-$path}" "$word"
        [[ -n $REPLY ]] && skip=$word
      fi
    elif [[ -z $path && -z $about && $word == help ]]; then
      about=$word
    else
      [[ -z $path || $path == schema ]] && { __proc_name "$word"; word=$REPLY; }
      __proc_children "$path"
      if ((positional == 0)) && [[ " $REPLY " == *" $word "* ]]; then
        path=\${path:+$path }$word
      else
        positional+=1
      fi
    fi
  done
  if [[ -n $skip ]]; then
    __proc_value "\${about:-$path}" "$skip"
    offer=$REPLY
  elif [[ -z $ended && $cur == --*=* ]]; then
    __proc_value "\${about:-$path}" "\${cur%%=*}"
    offer=$REPLY
    cur=\${cur#*=}
    raw=$cur
  elif [[ -z $ended && $cur == -* ]]; then
    __proc_flags "\${about:-$path}"
    offer="=$REPLY"
  else
    __proc_children "$path"
    if ((positional == 0)) && [[ -n $REPLY ]]; then
      offer="=$REPLY"
      [[ $about == help && -z $path ]] && offer="$offer ${model.topics.map(({ name }) => name).join(' ')}"
    elif [[ -z $about ]]; then
      __proc_arg "$path" "$positional"
      offer=$REPLY
    fi
  fi
  cur=\${cur#[\\"\\']}
  case $offer in
    =*)
      for word in \${offer#=}; do
        [[ $word == "$cur"* ]] && COMPREPLY+=("$word")
      done
      ;;
    @*)
      [[ $raw == [\\"\\']* ]] || typed=\${cur%"\${cur##*[=:]}"}
      offer=\${offer#@}
      while IFS=$'\\t' read -r word _; do
        [[ $word == "$cur"* ]] || continue
        # What stands before the last "=" or ":" is no part of the word that bash replaces.
        word=\${word#"$typed"}
        [[ $word != *= ]] || compopt -o nospace 2>/dev/null
        [[ $raw == [\\"\\']* || $word == *= ]] || printf -v word '%q' "$word"
        COMPREPLY+=("$word")
      done < <(command proc __complete "\${offer%+file}" -- "\${words[@]}" 2>/dev/null)
      if [[ $offer == *+file ]]; then
        compopt -o filenames 2>/dev/null
        while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$cur")
      fi
      ;;
    file)
      compopt -o filenames 2>/dev/null
      while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$cur")
      ;;
  esac
}

complete -F _proc proc
`;
}

function longNames(flags: Model['globals']): string {
  return flags.map(({ names }) => names[0]).join(' ');
}

function cases(entries: ReadonlyArray<readonly string[]>, variable: string): string {
  return entries
    .map(([pattern, value]) => `    ${pattern}) ${variable}=${quoted(value ?? '')} ;;`)
    .join('\n');
}

function offers(
  groups: ReadonlyArray<readonly [string, readonly string[]]>,
  isWanted: (place: string) => boolean,
  indent = 4,
): string {
  return groups
    .map(([offer, places]) => [offer, places.filter(isWanted)] as const)
    .filter(([, places]) => places.length > 0)
    .map(
      ([offer, places]) =>
        `${' '.repeat(indent)}${places.map(quoted).join(' | ')}) REPLY=${quoted(offer)} ;;`,
    )
    .join('\n');
}
