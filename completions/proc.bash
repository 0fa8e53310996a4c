# bash completion for proc. Made from its commands by "npm run docs"; do not edit.
# Install: proc completion bash > ~/.local/share/bash-completion/completions/proc

__proc_children() {
  case $1 in
    '') REPLY='requisition orders items imputations sectors addresses imports history setup profile auth config sandbox api schema doctor completion help' ;;
    'requisition') REPLY='create wizard draft group item import' ;;
    'requisition draft') REPLY='list show edit submit discard' ;;
    'requisition group') REPLY='add remove' ;;
    'requisition item') REPLY='add list remove' ;;
    'orders') REPLY='list get summary' ;;
    'items') REPLY='list find create import' ;;
    'imputations') REPLY='create import' ;;
    'sectors') REPLY='list get patch delete' ;;
    'addresses') REPLY='get patch delete known alias' ;;
    'imports') REPLY='list show resume resolve discard prune' ;;
    'history') REPLY='list show resolve prune' ;;
    'profile') REPLY='list show add use set remove' ;;
    'auth') REPLY='login logout status' ;;
    'config') REPLY='list get set unset path' ;;
    'sandbox') REPLY='start stop status reset exec' ;;
    'schema') REPLY='requisition items imputations sectors addresses' ;;
    'schema requisition') REPLY='create group item' ;;
    'schema requisition group') REPLY='add' ;;
    'schema requisition item') REPLY='add' ;;
    'schema items') REPLY='create' ;;
    'schema imputations') REPLY='create' ;;
    'schema sectors') REPLY='patch' ;;
    'schema addresses') REPLY='patch' ;;
    *) REPLY='' ;;
  esac
}

__proc_name() {
  case $1 in
    'requisitions') REPLY='requisition' ;;
    'order') REPLY='orders' ;;
    'item') REPLY='items' ;;
    'imputation') REPLY='imputations' ;;
    'sector') REPLY='sectors' ;;
    'address') REPLY='addresses' ;;
    'import') REPLY='imports' ;;
    'profiles') REPLY='profile' ;;
    *) REPLY=$1 ;;
  esac
}

__proc_flags() {
  case $1 in
    '') REPLY='--version' ;;
    'requisition create') REPLY='--file --title --type --sector --code --group --item --new-item --lines --from --items-in-place --quantity' ;;
    'requisition wizard') REPLY='--from' ;;
    'requisition group add') REPLY='--file --name --address' ;;
    'requisition item add') REPLY='--file --quantity --item' ;;
    'requisition import') REPLY='--path --map --set --null --map-file --save-map --map-from --decimal --encoding --sheet --on-duplicate --accept-changed-codes --max-create --max-rejected --fail-fast --max-errors --wait-lock --concurrency --rate --patience --settle --progress --rejected --results --on-sent --items-in-place --group-by' ;;
    'orders list') REPLY='--limit --page-size --offset --sort --dir --all --watch' ;;
    'orders summary') REPLY='--by' ;;
    'items list') REPLY='--limit --page-size --offset --sort --dir --all' ;;
    'items create') REPLY='--file --name --code --description --unit-of-measure --brand --material --certification --type --title' ;;
    'items import') REPLY='--path --map --set --null --map-file --save-map --map-from --decimal --encoding --sheet --on-duplicate --accept-changed-codes --max-create --max-rejected --fail-fast --max-errors --wait-lock --concurrency --rate --patience --settle --progress --rejected --results --on-existing --no-code --unverified --learn --no-verify' ;;
    'imputations create') REPLY='--file --reference --account --amount --contract --order --currency --notes' ;;
    'imputations import') REPLY='--path --map --set --null --map-file --save-map --map-from --decimal --encoding --sheet --on-duplicate --accept-changed-codes --max-create --max-rejected --fail-fast --max-errors --wait-lock --concurrency --rate --patience --settle --progress --rejected --results --on-sent' ;;
    'sectors patch') REPLY='--file --key --name --description --merge' ;;
    'addresses patch') REPLY='--file --address-type --city --country --formatted-address --latitude --longitude --name --place --postal-code --state --street --street-number' ;;
    'addresses alias') REPLY='--remove' ;;
    'imports resume') REPLY='--wait-lock --concurrency --rate --patience --settle --progress --rejected --results --unverified --learn --no-verify' ;;
    'imports resolve') REPLY='--adopt --resend --drop --all --settle --wait-lock' ;;
    'imports prune') REPLY='--older-than' ;;
    'history list') REPLY='--noun --since --state --limit' ;;
    'history resolve') REPLY='--adopt --not-applied' ;;
    'history prune') REPLY='--older-than' ;;
    'profile add') REPLY='--base-url --as-typed --api-key-stdin --token-stdin' ;;
    'profile set') REPLY='--as-typed' ;;
    'auth login') REPLY='--api-key-stdin --token-stdin' ;;
    'sandbox start') REPLY='--port --db --ephemeral --empty --dialect --faults --detach' ;;
    'sandbox reset') REPLY='--db --empty' ;;
    'sandbox exec') REPLY='--empty --dialect --faults' ;;
    'api') REPLY='--raw-field --field --input --header --include --paginate' ;;
    'doctor') REPLY='--learn --quick' ;;
    'schema') REPLY='--skeleton --openapi' ;;
    'schema requisition') REPLY='--skeleton --openapi' ;;
    'schema requisition create') REPLY='--skeleton --openapi' ;;
    'schema requisition group') REPLY='--skeleton --openapi' ;;
    'schema requisition group add') REPLY='--skeleton --openapi' ;;
    'schema requisition item') REPLY='--skeleton --openapi' ;;
    'schema requisition item add') REPLY='--skeleton --openapi' ;;
    'schema items') REPLY='--skeleton --openapi' ;;
    'schema items create') REPLY='--skeleton --openapi' ;;
    'schema imputations') REPLY='--skeleton --openapi' ;;
    'schema imputations create') REPLY='--skeleton --openapi' ;;
    'schema sectors') REPLY='--skeleton --openapi' ;;
    'schema sectors patch') REPLY='--skeleton --openapi' ;;
    'schema addresses') REPLY='--skeleton --openapi' ;;
    'schema addresses patch') REPLY='--skeleton --openapi' ;;
    *) REPLY='' ;;
  esac
  REPLY="$REPLY --profile --env --organization --output --query --where --fields --out --csv-raw --csv-dialect --color --lang --yes --no-input --timeout --retries --ca-file --dry-run --curl --offline --again --allow-unknown --verbose --quiet --help"
}

# What a flag takes; empty where it takes nothing.
__proc_value() {
  case "$1 $2" in
    'requisition create --file' | 'requisition create -f' | 'requisition create --lines' | 'requisition group add --file' | 'requisition group add -f' | 'requisition item add --file' | 'requisition item add -f' | 'requisition import --map-file' | 'requisition import --save-map' | 'requisition import --rejected' | 'requisition import --results' | 'items create --file' | 'items create -f' | 'items import --map-file' | 'items import --save-map' | 'items import --rejected' | 'items import --results' | 'imputations create --file' | 'imputations create -f' | 'imputations import --map-file' | 'imputations import --save-map' | 'imputations import --rejected' | 'imputations import --results' | 'sectors patch --file' | 'sectors patch -f' | 'addresses patch --file' | 'addresses patch -f' | 'imports resume --rejected' | 'imports resume --results' | 'sandbox start --db' | 'sandbox reset --db' | 'api --input') REPLY='file' ;;
    'requisition create --title' | 'requisition create --type' | 'requisition create --code' | 'requisition create --quantity' | 'requisition group add --name' | 'requisition item add --quantity' | 'requisition import --path' | 'requisition import --map' | 'requisition import --set' | 'requisition import --null' | 'requisition import --sheet' | 'requisition import --max-create' | 'requisition import --max-rejected' | 'requisition import --max-errors' | 'requisition import --wait-lock' | 'requisition import --concurrency' | 'requisition import --rate' | 'requisition import --patience' | 'requisition import --settle' | 'requisition import --group-by' | 'orders list --limit' | 'orders list --page-size' | 'orders list --offset' | 'orders list --watch' | 'orders summary --by' | 'items list --limit' | 'items list --page-size' | 'items list --offset' | 'items create --name' | 'items create --code' | 'items create --description' | 'items create --unit-of-measure' | 'items create --brand' | 'items create --material' | 'items create --certification' | 'items create --type' | 'items create --title' | 'items import --path' | 'items import --map' | 'items import --set' | 'items import --null' | 'items import --sheet' | 'items import --max-create' | 'items import --max-rejected' | 'items import --max-errors' | 'items import --wait-lock' | 'items import --concurrency' | 'items import --rate' | 'items import --patience' | 'items import --settle' | 'imputations create --reference' | 'imputations create --account' | 'imputations create --amount' | 'imputations create --contract' | 'imputations create --currency' | 'imputations create --notes' | 'imputations import --path' | 'imputations import --map' | 'imputations import --set' | 'imputations import --null' | 'imputations import --sheet' | 'imputations import --max-create' | 'imputations import --max-rejected' | 'imputations import --max-errors' | 'imputations import --wait-lock' | 'imputations import --concurrency' | 'imputations import --rate' | 'imputations import --patience' | 'imputations import --settle' | 'sectors patch --key' | 'sectors patch --name' | 'sectors patch --description' | 'addresses patch --address-type' | 'addresses patch --city' | 'addresses patch --country' | 'addresses patch --formatted-address' | 'addresses patch --latitude' | 'addresses patch --longitude' | 'addresses patch --name' | 'addresses patch --place' | 'addresses patch --postal-code' | 'addresses patch --state' | 'addresses patch --street' | 'addresses patch --street-number' | 'imports resume --wait-lock' | 'imports resume --concurrency' | 'imports resume --rate' | 'imports resume --patience' | 'imports resume --settle' | 'imports resolve --adopt' | 'imports resolve --settle' | 'imports resolve --wait-lock' | 'imports prune --older-than' | 'history list --noun' | 'history list --since' | 'history list --limit' | 'history resolve --adopt' | 'history prune --older-than' | 'profile add --base-url' | 'sandbox start --port' | 'sandbox start --dialect' | 'sandbox start --faults' | 'sandbox exec --dialect' | 'sandbox exec --faults' | 'api --raw-field' | 'api -f' | 'api --field' | 'api -F' | 'api --header' | 'api -H') REPLY='-' ;;
    'requisition create --sector') REPLY='@sectors' ;;
    'requisition create --group') REPLY='@pairs:name,delivery=pickup|delivery,address=@addresses' ;;
    'requisition create --item') REPLY='@pairs:code=@items,id=@items,name,quantity,group' ;;
    'requisition create --new-item') REPLY='@pairs:name,code,description,unitOfMeasure,brand,material,certification,type,quantity,group' ;;
    'requisition create --from' | 'requisition wizard --from') REPLY='@earlier+file' ;;
    'requisition create --items-in-place' | 'requisition import --items-in-place') REPLY='=reference define' ;;
    'requisition group add --address') REPLY='@addresses' ;;
    'requisition item add --item') REPLY='@items' ;;
    'requisition import --map-from' | 'items import --map-from' | 'imputations import --map-from') REPLY='@runs' ;;
    'requisition import --decimal' | 'items import --decimal' | 'imputations import --decimal') REPLY='=, .' ;;
    'requisition import --encoding' | 'items import --encoding' | 'imputations import --encoding') REPLY='=utf-8 windows-1252' ;;
    'requisition import --on-duplicate' | 'items import --on-duplicate' | 'imputations import --on-duplicate') REPLY='=first last all' ;;
    'requisition import --progress' | 'items import --progress' | 'imputations import --progress' | 'imports resume --progress') REPLY='=auto json' ;;
    'requisition import --on-sent' | 'imputations import --on-sent') REPLY='=skip send' ;;
    'orders list --sort') REPLY='=createdAt updatedAt code' ;;
    'orders list --dir' | 'items list --dir') REPLY='=asc desc' ;;
    'items list --sort') REPLY='=name code' ;;
    'items import --on-existing') REPLY='=skip fail create' ;;
    'items import --no-code') REPLY='=reject name send' ;;
    'items import --unverified' | 'imports resume --unverified') REPLY='=stop create' ;;
    'imputations create --order') REPLY='@orders' ;;
    'history list --state') REPLY='=done rejected unknown not-applied adopted' ;;
    *)
      case "* $2" in
        '* --out' | '* --ca-file') REPLY='file' ;;
        '* --organization' | '* --query' | '* -q' | '* --where' | '* --fields' | '* --timeout' | '* --retries') REPLY='-' ;;
        '* --profile' | '* -p') REPLY='@profiles' ;;
        '* --env' | '* -e') REPLY='@environments' ;;
        '* --output' | '* -o') REPLY='=table json ndjson csv yaml id' ;;
        '* --csv-dialect') REPLY='=rfc4180 excel excel-es' ;;
        '* --color') REPLY='=auto always never' ;;
        '* --lang') REPLY='=en es' ;;
        *) REPLY='' ;;
      esac
      ;;
  esac
}

# What an argument may be: by its position, "+" where it may be repeated.
__proc_arg() {
  case "$1 $2" in
    'requisition draft show 0' | 'requisition draft edit 0' | 'requisition draft submit 0') REPLY='@drafts' ;;
    'requisition group add 0' | 'requisition group remove 0' | 'requisition item add 0' | 'requisition item list 0' | 'requisition item remove 0') REPLY='@requisitions' ;;
    'requisition group remove 1' | 'requisition item add 1' | 'requisition item list 1' | 'requisition item remove 1') REPLY='@groups' ;;
    'requisition item remove 2') REPLY='@lines' ;;
    'requisition import 0' | 'items import 0' | 'imputations import 0') REPLY='file' ;;
    'sectors patch 0') REPLY='@sectors' ;;
    'addresses patch 0' | 'addresses alias 0') REPLY='@addresses' ;;
    'imports show 0' | 'imports resume 0' | 'imports resolve 0' | 'imports discard 0') REPLY='@runs' ;;
    'history show 0' | 'history resolve 0') REPLY='@history' ;;
    'profile show 0' | 'profile use 0' | 'profile set 0' | 'profile remove 0') REPLY='@profiles' ;;
    'config get 0') REPLY='=profile env base-url credential protected allow-http dialect output lang config-file project-file state-folder' ;;
    'config set 0' | 'config unset 0') REPLY='=profile env output lang' ;;
    'config set 1') REPLY='@by:profile=@profiles,env=@environments,output=table|json|ndjson|csv|yaml|id,lang=en|es' ;;
    'api 0') REPLY='=GET POST PUT PATCH DELETE' ;;
    'api 1') REPLY='@by:GET=/requisitions/{id}/groups/{groupId}/items|/orders/|/items/|/sectors/|/sectors/{id}|/addresses/{id},POST=/requisitions/|/requisitions/{id}/groups|/requisitions/{id}/groups/{groupId}/items|/items/|/imputations/,PATCH=/sectors/{id}|/addresses/{id},DELETE=/requisitions/{id}/groups/{groupId}|/requisitions/{id}/groups/{groupId}/items/{itemId}|/sectors/{id}|/addresses/{id}' ;;
    'completion 0') REPLY='=bash zsh fish powershell' ;;
    *)
      case "$1 +" in
        'requisition draft discard +') REPLY='@drafts' ;;
        'orders get +') REPLY='@orders' ;;
        'sectors get +' | 'sectors delete +') REPLY='@sectors' ;;
        'addresses get +' | 'addresses delete +') REPLY='@addresses' ;;
        'profile set +') REPLY='@pair:base-url,dialect,protected=true|false,credentialCommand,credentialScheme=api-key|bearer,allowHttp=true|false' ;;
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
  for ((i = 0; i < ${#raw}; i++)); do
    char=${raw:i:1}
    if [[ $char == "$quote" ]]; then
      quote='' closed=1
    elif [[ $quote == "'" ]]; then
      REPLY+=$char
    elif [[ $char == ['$`'] ]]; then
      return 1
    elif [[ $char == "\\" ]]; then
      i+=1
      char=${raw:i:1}
      [[ -n $char ]] || return 1
      # Inside double quotes it stands for itself before most characters.
      [[ -z $quote || $char == ['$`"\'] ]] || REPLY+="\\"
      REPLY+=$char
    elif [[ -z $quote && $char == [\"\'] ]]; then
      quote=$char start=${#REPLY}
    else
      REPLY+=$char
      [[ -n $quote || $COMP_WORDBREAKS != *"$char"* ]] || start=${#REPLY}
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
  for ((i = 0; i < ${#value}; i++)); do
    char=${value:i:1}
    case $quote in
      "'") [[ $char != "'" ]] || char="'\\''" ;;
      '"') [[ $char != ['$`"\'] ]] || char="\\$char" ;;
      *) [[ $char == [A-Za-z0-9_%+=:,./@-] || $char != [[:ascii:]] ]] || char="\\$char" ;;
    esac
    REPLY+=$char
  done
  # bash closes the quote, except where it takes the last character for its end.
  [[ -z $quote || $REPLY != *"$quote" ]] || REPLY+=$quote
}

# bash inserts what all candidates share. Where that would end in half an escape, a candidate that
# shares nothing makes it insert nothing.
__proc_whole_escapes() {
  local shared=${COMPREPLY[0]-} word
  [[ $quote != "'" ]] || return 0
  for word in "${COMPREPLY[@]}"; do
    while [[ $word != "$shared"* ]]; do shared=${shared%?}; done
  done
  word=${shared##*[!"\\"]}
  ((${#COMPREPLY[@]} < 2 || ${#word} % 2 == 0)) || COMPREPLY+=(' ')
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
    __proc_offer "${word:start}" files
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
    word=${COMP_WORDS[i]}
    blank=${line%%[![:space:]]*}
    line=${line:${#blank}}
    line=${line:${#word}}
    last=$((${#words[@]} - 1))
    if [[ -z $blank && $last -ge 0 && ($word == [=:@]* || ${words[last]} == *[=:@]) ]]; then
      words[last]+=$word
    elif ((i > 0)); then
      words+=("$word")
    fi
  done
  last=$((${#words[@]} - 1))
  for ((i = 0; i < last; i++)); do
    __proc_unquote "${words[i]}" || REPLY=${words[i]}
    plain+=("$REPLY")
  done
  __proc_unquote "${words[last]}" || return 0
  # Bash's own word begins somewhere inside what was quoted.
  [[ -z $closed ]] || return 0
  cur=$REPLY
  plain+=("$cur")
  for ((i = 0; i < last; i++)); do
    word=${plain[i]}
    if [[ -n $skip ]]; then
      skip=''
    elif [[ -z $ended && $word == -- ]]; then
      ended=1
    elif [[ -z $ended && $word == -* ]]; then
      if [[ $word != *=* ]]; then
        __proc_value "${about:-$path}" "$word"
        [[ -n $REPLY ]] && skip=$word
      fi
    elif [[ -z $path && -z $about && $word == help ]]; then
      about=$word
    else
      [[ -z $path || $path == schema ]] && { __proc_name "$word"; word=$REPLY; }
      __proc_children "$path"
      if ((positional == 0)) && [[ " $REPLY " == *" $word "* ]]; then
        path=${path:+$path }$word
      else
        positional+=1
      fi
    fi
  done
  if [[ -n $skip ]]; then
    __proc_value "${about:-$path}" "$skip"
    offer=$REPLY
  elif [[ -z $ended && $cur == --*=* ]]; then
    __proc_value "${about:-$path}" "${cur%%=*}"
    offer=$REPLY
    head=${cur%%=*}=
    cur=${cur#*=}
  elif [[ -z $ended && $cur == -* ]]; then
    __proc_flags "${about:-$path}"
    offer="=$REPLY"
  else
    __proc_children "$path"
    if ((positional == 0)) && [[ -n $REPLY ]]; then
      offer="=$REPLY"
      [[ $about == help && -z $path ]] && offer="$offer contract environment exit-codes flags import output scripting"
    elif [[ -z $about ]]; then
      __proc_arg "$path" "$positional"
      offer=$REPLY
    fi
  fi
  case $offer in
    =*)
      for word in ${offer#=}; do
        [[ $word == "$cur"* ]] || continue
        word=$head$word
        COMPREPLY+=("${word:start}")
      done
      ;;
    @*)
      offer=${offer#@}
      [[ $offer != *+file ]] || files=files
      while IFS=$'\t' read -r word _; do
        [[ $word == "$cur"* ]] || continue
        [[ $word != *= ]] || compopt -o nospace 2>/dev/null
        word=$head$word
        __proc_offer "${word:start}" "$files"
      done < <(command proc __complete "${offer%+file}" -- "${plain[@]}" 2>/dev/null)
      [[ -z $files ]] || __proc_files "$head" "$cur"
      [[ -n $files ]] || __proc_whole_escapes
      ;;
    file) __proc_files "$head" "$cur" ;;
  esac
}

complete -F _proc proc
