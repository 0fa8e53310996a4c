import { singleQuoted as quoted } from '../core/text/typed.ts';
import { argsByOffer, type Model, valuesByOffer, type Word } from './model.ts';

/** The completion script for zsh, with descriptions. */
export function zshScript(model: Model): string {
  const children = model.paths.filter((one) => one.children.length > 0);
  const flags = model.paths.filter((one) => one.flags.length > 0);
  return `#compdef proc
# zsh completion for proc. Made from its commands by "npm run docs"; do not edit.
# Install: proc completion zsh > a folder of $fpath, as _proc

__proc_children() {
  case $1 in
${children.map(({ path, children: words }) => `    (${quoted(path)}) reply=(${described(words)}) ;;`).join('\n')}
    (*) reply=() ;;
  esac
}

__proc_name() {
  case $1 in
${Object.entries(model.aliases)
  .map(([alias, name]) => `    (${quoted(alias)}) REPLY=${name} ;;`)
  .join('\n')}
    (*) REPLY=$1 ;;
  esac
}

__proc_flags() {
  case $1 in
${flags.map(({ path, flags: own }) => `    (${quoted(path)}) reply=(${described(flagWords(own))}) ;;`).join('\n')}
    (*) reply=() ;;
  esac
  reply+=(${described(flagWords(model.globals))})
}

# What a flag takes; empty where it takes nothing.
__proc_value() {
  case "$1 $2" in
${offers(valuesByOffer(model), (place) => !place.startsWith('* '))}
    (*)
      case "* $2" in
${offers(valuesByOffer(model), (place) => place.startsWith('* '), 8)}
        (*) REPLY='' ;;
      esac
      ;;
  esac
}

# What an argument may be: by its position, "+" where it may be repeated.
__proc_arg() {
  case "$1 $2" in
${offers(argsByOffer(model), (place) => !place.endsWith(' +'))}
    (*)
      case "$1 +" in
${offers(argsByOffer(model), (place) => place.endsWith(' +'), 8)}
        (*) REPLY='' ;;
      esac
      ;;
  esac
}

_proc() {
  local cur word at='' about='' skip='' ended='' offer='' REPLY
  local -a reply values shown open
  local -i i positional=0
  for ((i = 2; i < CURRENT; i++)); do
    word=\${(Q)words[i]}
    if [[ -n $skip ]]; then
      skip=''
    elif [[ -z $ended && $word == -- ]]; then
      ended=1
    elif [[ -z $ended && $word == -* ]]; then
      if [[ $word != *=* ]]; then
        __proc_value "\${about:-$at}" "$word"
        [[ -n $REPLY ]] && skip=$word
      fi
    elif [[ -z $at && -z $about && $word == help ]]; then
      about=$word
    else
      [[ -z $at || $at == schema ]] && { __proc_name "$word"; word=$REPLY }
      __proc_children "$at"
      if ((positional == 0)) && ((\${reply[(I)\${(b)word}:*]})); then
        at=\${at:+$at }$word
      else
        positional+=1
      fi
    fi
  done
  cur=\${(Q)words[CURRENT]}
  if [[ -n $skip ]]; then
    __proc_value "\${about:-$at}" "$skip"
    offer=$REPLY
  elif [[ -z $ended && $cur == --*=* ]]; then
    __proc_value "\${about:-$at}" "\${cur%%=*}"
    offer=$REPLY
    compset -P 1 '*='
  elif [[ -z $ended && $cur == -* ]]; then
    __proc_flags "\${about:-$at}"
    _describe -o 'flag' reply
    return
  else
    __proc_children "$at"
    if ((positional == 0)) && ((\${#reply})); then
      [[ $about == help && -z $at ]] && reply+=(${described(model.topics)})
      _describe 'command' reply
      return
    fi
    [[ -z $about ]] && { __proc_arg "$at" "$positional"; offer=$REPLY }
  fi
  case $offer in
    ('='*)
      values=(\${=offer#=})
      compadd -a values
      ;;
    ('@'*)
      offer=\${offer#@}
      while IFS=$'\\t' read -r word cur; do
        if [[ $word == *= ]]; then
          open+=("$word")
          continue
        fi
        values+=("$word")
        shown+=("$word\${cur:+  -- $cur}")
      done < <(command proc __complete "\${offer%+file}" -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)
      compadd -l -d shown -a values
      compadd -S '' -a open
      [[ $offer == *+file ]] && _files
      ;;
    (file) _files ;;
  esac
}

if [[ \${funcstack[1]} == _proc ]]; then
  _proc "$@"
else
  compdef _proc proc
fi
`;
}

function flagWords(flags: Model['globals']): readonly Word[] {
  return flags.map(({ names, doc }) => ({ name: names[0]!, doc }));
}

/** `'name:what it does' …`; colons are \`_describe\`'s own. */
function described(words: readonly Word[]): string {
  return words.map(({ name, doc }) => quoted(`${name.replaceAll(':', '\\:')}:${doc}`)).join(' ');
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
        `${' '.repeat(indent)}(${places.map(quoted).join(' | ')}) REPLY=${quoted(offer)} ;;`,
    )
    .join('\n');
}
