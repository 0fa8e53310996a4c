import { singleQuoted as quoted } from '../core/text/typed.ts';
import { argsByOffer, type Model, valuesByOffer } from './model.ts';

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

# The text of a word as it stands in the line, in REPLY. Sets quote to the quote that is open at its
# end, start to where in the text bash's own word begins, closed where a quote ended before. Fails
# where the shell would make something else of the word: then nothing may be offered.
__proc_unquote() {
  local raw=$1 char
  local -i i
  REPLY='' quote='' closed='' start=0
  for ((i = 0; i < \${#raw}; i++)); do
    char=\${raw:i:1}
    if [[ $char == "$quote" ]]; then
      quote='' closed=1
    elif [[ $quote == "'" ]]; then
      REPLY+=$char
    elif [[ $char == ['$\`'] ]]; then
      return 1
    elif [[ $char == "\\\\" ]]; then
      i+=1
      char=\${raw:i:1}
      [[ -n $char ]] || return 1
      # Inside double quotes it stands for itself before most characters.
      [[ -z $quote || $char == ['$\`"\\'] ]] || REPLY+="\\\\"
      REPLY+=$char
    elif [[ -z $quote && $char == [\\"\\'] ]]; then
      quote=$char start=\${#REPLY}
    else
      REPLY+=$char
      [[ -n $quote || $COMP_WORDBREAKS != *"$char"* ]] || start=\${#REPLY}
    fi
  done
}

# A value as it may stand behind the open quote, in REPLY. Fails where no quoting helps: bash expands
# "!" inside double quotes whatever stands before it.
__proc_quote() {
  local value=$1 char
  local -i i
  REPLY=''
  [[ $quote == '"' && $value == *!* ]] && return 1
  for ((i = 0; i < \${#value}; i++)); do
    char=\${value:i:1}
    case $quote in
      "'") [[ $char != "'" ]] || char="'\\\\''" ;;
      '"') [[ $char != ['$\`"\\'] ]] || char="\\\\$char" ;;
      *) [[ $char == [A-Za-z0-9_%+=:,./@-] || $char != [[:ascii:]] ]] || char="\\\\$char" ;;
    esac
    REPLY+=$char
  done
  # bash closes the quote, except where it takes the last character for its end.
  [[ -z $quote || $REPLY != *"$quote" ]] || REPLY+=$quote
}

# bash inserts what all candidates share. Where that would end in half an escape, a candidate that
# shares nothing makes it insert nothing.
__proc_whole_escapes() {
  local shared=\${COMPREPLY[0]-} word
  [[ $quote != "'" ]] || return 0
  for word in "\${COMPREPLY[@]}"; do
    while [[ $word != "$shared"* ]]; do shared=\${shared%?}; done
  done
  word=\${shared##*[!"\\\\"]}
  ((\${#COMPREPLY[@]} < 2 || \${#word} % 2 == 0)) || COMPREPLY+=(' ')
}

# Offers a value. Beside files bash does the quoting, if it has compopt.
__proc_offer() {
  if [[ -n $2 ]] && compopt -o filenames 2>/dev/null; then
    COMPREPLY+=("$1")
  elif __proc_quote "$1"; then
    COMPREPLY+=("$REPLY")
  fi
}

__proc_files() {
  local word
  while IFS= read -r word; do
    word=$1$word
    __proc_offer "\${word:start}" files
  done < <(compgen -f -- "$2")
}

_proc() {
  local cur word path='' about='' skip='' ended='' offer='' head='' line=$COMP_LINE blank
  local REPLY quote='' closed='' files=''
  local -i i last start=0 positional=0
  local -a words=() plain=()
  COMPREPLY=()
  # bash splits at "=", ":" and "@": put together again what no space separates.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    blank=\${line%%[![:space:]]*}
    line=\${line:\${#blank}}
    line=\${line:\${#word}}
    last=$((\${#words[@]} - 1))
    if [[ -z $blank && $last -ge 0 && ($word == [=:@]* || \${words[last]} == *[=:@]) ]]; then
      words[last]+=$word
    elif ((i > 0)); then
      words+=("$word")
    fi
  done
  last=$((\${#words[@]} - 1))
  for ((i = 0; i < last; i++)); do
    __proc_unquote "\${words[i]}" || REPLY=\${words[i]}
    plain+=("$REPLY")
  done
  __proc_unquote "\${words[last]}" || return 0
  # Bash's own word begins somewhere inside what was quoted.
  [[ -z $closed ]] || return 0
  cur=$REPLY
  plain+=("$cur")
  for ((i = 0; i < last; i++)); do
    word=\${plain[i]}
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
    head=\${cur%%=*}=
    cur=\${cur#*=}
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
  case $offer in
    =*)
      for word in \${offer#=}; do
        [[ $word == "$cur"* ]] || continue
        word=$head$word
        COMPREPLY+=("\${word:start}")
      done
      ;;
    @*)
      offer=\${offer#@}
      [[ $offer != *+file ]] || files=files
      while IFS=$'\\t' read -r word _; do
        [[ $word == "$cur"* ]] || continue
        [[ $word != *= ]] || compopt -o nospace 2>/dev/null
        word=$head$word
        __proc_offer "\${word:start}" "$files"
      done < <(command proc __complete "\${offer%+file}" -- "\${plain[@]}" 2>/dev/null)
      [[ -z $files ]] || __proc_files "$head" "$cur"
      [[ -n $files ]] || __proc_whole_escapes
      ;;
    file) __proc_files "$head" "$cur" ;;
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
