# fish completion for proc. Made from its commands by "npm run docs"; do not edit.
# Install: proc completion fish > ~/.config/fish/completions/proc.fish

function __proc_children
    switch $argv[1]
        case ''
            printf '%s\t%s\n' requisition 'Create requisitions, change their groups and items' orders 'Look at purchase orders' items 'List, create and import items of the catalogue' imputations 'Record and import cost allocations' sectors 'List, show, change and delete sectors (rubros)' addresses 'Show, change and delete addresses' imports 'Import runs: list, show, resume, resolve, discard' history 'What was written, kept on this machine' setup 'Set proc up, step by step' profile 'Profiles: organizations with their environments' auth 'Store, check and remove credentials' config 'Settings, each with its origin' sandbox 'A service of your own on this machine, to try things on' api 'Send a request of your own to the service' schema 'Show what an input file may hold, as JSON Schema' doctor 'Look whether everything works, and what this service calls its parameters' completion 'Print the completion script of a shell' help 'Help on a command or a topic'
        case 'requisition'
            printf '%s\t%s\n' create 'Create a requisition with groups and items' wizard 'Put a requisition together by answering questions' draft 'Drafts that the wizard keeps on this machine' group 'Groups of a requisition' item 'Line items of a group' import 'Create requisitions from payloads, or from flat rows'
        case 'requisition draft'
            printf '%s\t%s\n' list 'List the drafts, the latest first' show 'Show a draft: its payload, or what it still misses' edit 'Go on with a draft in the wizard' submit 'Send a draft as it is' discard 'Throw drafts away'
        case 'requisition group'
            printf '%s\t%s\n' add 'Add a group to a requisition' remove 'Delete a group of items from a requisition'
        case 'requisition item'
            printf '%s\t%s\n' add 'Add an existing item to a group' list 'List the line items of a group' remove 'Delete an item from a group'
        case 'orders'
            printf '%s\t%s\n' list 'List purchase orders' get 'Show orders by code or id' summary 'Add orders up by status, currency and month'
        case 'items'
            printf '%s\t%s\n' list 'List the items of the catalogue' find 'Find items by a part of their code or name' create 'Create an item in the catalogue' import 'Create items from a JSON, NDJSON or CSV file'
        case 'imputations'
            printf '%s\t%s\n' create 'Record a cost allocation' import 'Record cost allocations from a JSON, NDJSON, CSV or .xlsx file'
        case 'sectors'
            printf '%s\t%s\n' list 'List the sectors (rubros)' get 'Show sectors' patch 'Change fields of a sector' delete 'Delete sectors, for good'
        case 'addresses'
            printf '%s\t%s\n' get 'Show addresses' patch 'Change fields of an address' delete 'Delete addresses, for good' known 'List the addresses seen before on this machine' alias 'Give an address a name of your own'
        case 'imports'
            printf '%s\t%s\n' list 'List the import runs of this machine, the newest first' show 'Show one import run: its counts, mapping and choices' resume 'Go on with an import that was cut off or stopped' resolve 'Say what became of rows in doubt' discard 'Forget an import run' prune 'Remove the journals of finished runs'
        case 'history'
            printf '%s\t%s\n' list 'List what was written, newest first' show 'Show an entry whole: what was sent, what came back, what was there before' resolve 'Say what became of a write whose outcome was unknown' prune 'Remove old entries'
        case 'profile'
            printf '%s\t%s\n' list 'List profiles and their environments' show 'Show the environments of a profile; keys only as fingerprints' add 'Add a profile, or an environment to a profile' use 'Choose the current profile, and with -e its usual environment' set 'Change settings of an environment' remove 'Remove a profile, or with -e one environment, with the keys stored there'
        case 'auth'
            printf '%s\t%s\n' login 'Store the key of an environment' logout 'Remove the stored key of an environment' status 'Show where requests go and with which key, and try it with one read'
        case 'config'
            printf '%s\t%s\n' list 'List every setting that holds here, with its origin' get 'Show one setting that holds here, with its origin' set 'Store a setting in the configuration file' unset 'Remove a setting from the configuration file' path 'Print the path of the configuration file'
        case 'sandbox'
            printf '%s\t%s\n' start 'Start a service of the whole contract on this machine' stop 'Stop the sandbox that is running' status 'Show whether a sandbox is running, and where' reset 'Put the sandbox\'s data back to what it started with' exec 'Run a command against a fresh sandbox'
        case 'schema'
            printf '%s\t%s\n' requisition 'Create requisitions, change their groups and items' items 'List, create and import items of the catalogue' imputations 'Record and import cost allocations' sectors 'List, show, change and delete sectors (rubros)' addresses 'Show, change and delete addresses'
        case 'schema requisition'
            printf '%s\t%s\n' create 'Create a requisition with groups and items' group 'Groups of a requisition' item 'Line items of a group'
        case 'schema requisition group'
            printf '%s\t%s\n' add 'Add a group to a requisition'
        case 'schema requisition item'
            printf '%s\t%s\n' add 'Add an existing item to a group'
        case 'schema items'
            printf '%s\t%s\n' create 'Create an item in the catalogue'
        case 'schema imputations'
            printf '%s\t%s\n' create 'Record a cost allocation'
        case 'schema sectors'
            printf '%s\t%s\n' patch 'Change fields of a sector'
        case 'schema addresses'
            printf '%s\t%s\n' patch 'Change fields of an address'
    end
end

function __proc_name
    switch $argv[1]
        case 'requisitions'
            echo requisition
        case 'order'
            echo orders
        case 'item'
            echo items
        case 'imputation'
            echo imputations
        case 'sector'
            echo sectors
        case 'address'
            echo addresses
        case 'import'
            echo imports
        case 'profiles'
            echo profile
        case '*'
            printf '%s\n' $argv[1]
    end
end

function __proc_flags
    switch $argv[1]
        case ''
            printf '%s\t%s\n' --version 'print the version of proc'
        case 'requisition create'
            printf '%s\t%s\n' --file 'read the body from a JSON or YAML file, - for JSON on standard input; flags win over it' --title 'title' --type 'type' --sector 'sector (rubro); whether id, key or name is meant is not shown by the contract' --code 'your code for the requisition' --group 'a group: name=Plant,delivery=delivery,address=ID (delivery is pickup or delivery; an alias of an address will do)' --item 'an item of the catalogue: code=AR-5381,quantity=4,group=Plant or id=…, name=… (group= may be left out with one group)' --new-item 'an item defined in place: name=…,code=…,quantity=…,group=… (see --items-in-place)' --lines 'a list for the group, - for standard input: lines such as "12 x AR-5381", "AR-5381;12", columns of a spreadsheet; with --from it takes the place of the earlier items' --from 'order again: the id of a requisition, of an entry in history, "last", or a JSON file' --items-in-place 'lines that define an item whose code belongs to an item with another name: reference that item, or define a second one' --quantity 'with --from: another quantity, CODE=20; CODE=0 leaves the item out'
        case 'requisition wizard'
            printf '%s\t%s\n' --from 'begin with an earlier one: the id of a requisition, of an entry in history, "last", or a JSON file'
        case 'requisition group add'
            printf '%s\t%s\n' --file 'read the body from a JSON or YAML file, - for JSON on standard input; flags win over it' --name 'name of the group' --address 'id of the delivery address'
        case 'requisition item add'
            printf '%s\t%s\n' --file 'read the body from a JSON or YAML file, - for JSON on standard input; flags win over it' --quantity 'how many, an integer above 0' --item 'id of an existing item'
        case 'requisition import'
            printf '%s\t%s\n' --path 'where the array stands in a JSON document' --map 'a field\'s column, template \'{Model} {Color}\' or jmes:EXPRESSION' --set 'the same value in every row' --null 'a word that stands for nothing, e.g. NA' --map-file 'a mapping that --save-map wrote' --save-map 'write the mapping into a file' --map-from 'the mapping of an earlier run' --decimal 'decimal separator of numbers stored as text; the other one groups thousands' --encoding 'file encoding' --sheet 'the sheet of an .xlsx workbook' --on-duplicate 'which of several rows with one code and different values counts' --accept-changed-codes 'of repaired rows: codes that are others than they were are right' --max-create 'send nothing where more would be created' --max-rejected 'send nothing where more rows are invalid: 5%' --fail-fast 'stop at the first row that is rejected' --max-errors 'stop where more rows than this are rejected' --wait-lock 'wait this long for another import into the same service to end' --concurrency 'requests at once; auto adapts to the service' --rate 'requests per second at most: 50/s' --patience 'keep retrying a busy or unreachable service for this long' --settle 'wait this long before checking whether an unconfirmed row was created' --progress 'json: one JSON object per second on stderr' --rejected 'where rejected rows go' --results 'write row, code, id and state of every row' --on-sent 'what to do with rows that were sent before from this machine' --items-in-place 'lines that define an item whose code belongs to an item with another name: reference that item, or define a second one' --group-by 'flat rows: those with the same value in this column make one requisition'
        case 'orders list'
            printf '%s\t%s\n' --limit 'print at most this many rows' --page-size 'ask for this many rows per request' --offset 'skip this many rows' --sort 'order by this field' --dir 'direction of the order' --all 'read page after page to the end' --watch 'look again every so often (5s) and mark what changed, until Ctrl-C'
        case 'orders summary'
            printf '%s\t%s\n' --by 'what to group by: status, currency, month'
        case 'items list'
            printf '%s\t%s\n' --limit 'print at most this many rows' --page-size 'ask for this many rows per request' --offset 'skip this many rows' --sort 'order by this field' --dir 'direction of the order' --all 'read page after page to the end'
        case 'items create'
            printf '%s\t%s\n' --file 'read the body from a JSON or YAML file, - for JSON on standard input; flags win over it' --name 'what the item is called' --code 'the code by which your systems know it' --description 'free text' --unit-of-measure 'unit that quantities count, for instance EA or KG' --brand 'brand' --material 'material' --certification 'certification' --type 'type' --title 'title'
        case 'items import'
            printf '%s\t%s\n' --path 'where the array stands in a JSON document' --map 'a field\'s column, template \'{Model} {Color}\' or jmes:EXPRESSION' --set 'the same value in every row' --null 'a word that stands for nothing, e.g. NA' --map-file 'a mapping that --save-map wrote' --save-map 'write the mapping into a file' --map-from 'the mapping of an earlier run' --decimal 'decimal separator of numbers stored as text; the other one groups thousands' --encoding 'file encoding' --sheet 'the sheet of an .xlsx workbook' --on-duplicate 'which of several rows with one code and different values counts' --accept-changed-codes 'of repaired rows: codes that are others than they were are right' --max-create 'send nothing where more would be created' --max-rejected 'send nothing where more rows are invalid: 5%' --fail-fast 'stop at the first row that is rejected' --max-errors 'stop where more rows than this are rejected' --wait-lock 'wait this long for another import into the same service to end' --concurrency 'requests at once; auto adapts to the service' --rate 'requests per second at most: 50/s' --patience 'keep retrying a busy or unreachable service for this long' --settle 'wait this long before checking whether an unconfirmed row was created' --progress 'json: one JSON object per second on stderr' --rejected 'where rejected rows go' --results 'write row, code, id and state of every row' --on-existing 'what to do with rows whose code exists' --no-code 'what to do with rows without a code; name recognises them by name' --unverified 'if the list cannot be verified to be complete: stop before sending, or create the rows anyway' --learn 'store the parameter names of the list, if the import finds others than those in use' --no-verify 'do not read the list once more after the run for codes that now exist more than once'
        case 'imputations create'
            printf '%s\t%s\n' --file 'read the body from a JSON or YAML file, - for JSON on standard input; flags win over it' --reference 'your reference' --account 'account that bears the cost' --amount 'amount, in units of the currency' --contract 'id of the contract' --order 'id of the order' --currency 'currency of the amount, for instance USD' --notes 'free text'
        case 'imputations import'
            printf '%s\t%s\n' --path 'where the array stands in a JSON document' --map 'a field\'s column, template \'{Model} {Color}\' or jmes:EXPRESSION' --set 'the same value in every row' --null 'a word that stands for nothing, e.g. NA' --map-file 'a mapping that --save-map wrote' --save-map 'write the mapping into a file' --map-from 'the mapping of an earlier run' --decimal 'decimal separator of numbers stored as text; the other one groups thousands' --encoding 'file encoding' --sheet 'the sheet of an .xlsx workbook' --on-duplicate 'which of several rows with one code and different values counts' --accept-changed-codes 'of repaired rows: codes that are others than they were are right' --max-create 'send nothing where more would be created' --max-rejected 'send nothing where more rows are invalid: 5%' --fail-fast 'stop at the first row that is rejected' --max-errors 'stop where more rows than this are rejected' --wait-lock 'wait this long for another import into the same service to end' --concurrency 'requests at once; auto adapts to the service' --rate 'requests per second at most: 50/s' --patience 'keep retrying a busy or unreachable service for this long' --settle 'wait this long before checking whether an unconfirmed row was created' --progress 'json: one JSON object per second on stderr' --rejected 'where rejected rows go' --results 'write row, code, id and state of every row' --on-sent 'what to do with rows that were sent before from this machine'
        case 'sectors patch'
            printf '%s\t%s\n' --file 'read the body from a JSON or YAML file, - for JSON on standard input; flags win over it' --key 'short key' --name 'name' --description 'description' --merge 'send the other fields too, as they are'
        case 'addresses patch'
            printf '%s\t%s\n' --file 'read the body from a JSON or YAML file, - for JSON on standard input; flags win over it' --address-type 'kind of address; the allowed values are not shown by the contract' --city 'city' --country 'country' --formatted-address 'the address as one line of text' --latitude 'degrees, positive north' --longitude 'degrees, positive east' --name 'name' --place 'identifier of the place in a map service' --postal-code 'postal code' --state 'state or province' --street 'street' --street-number 'number in the street'
        case 'addresses alias'
            printf '%s\t%s\n' --remove 'take the alias away; the address stays'
        case 'imports resume'
            printf '%s\t%s\n' --wait-lock 'wait this long for another import into the same service to end' --concurrency 'requests at once; auto adapts to the service' --rate 'requests per second at most: 50/s' --patience 'keep retrying a busy or unreachable service for this long' --settle 'wait this long before checking whether an unconfirmed row was created' --progress 'json: one JSON object per second on stderr' --rejected 'where rejected rows go' --results 'write row, code, id and state of every row' --unverified 'if the list cannot be verified to be complete: stop before sending, or create the rows anyway' --learn 'store the parameter names of the list, if the import finds others than those in use' --no-verify 'do not read the list once more after the run for codes that now exist more than once'
        case 'imports resolve'
            printf '%s\t%s\n' --adopt 'it was created and has this id' --resend 'it was not created: send it again, unless the list shows it' --drop 'it is given up' --all 'every unconfirmed row; a script needs it where it names none' --settle 'wait this long before checking whether an unconfirmed row was created' --wait-lock 'wait this long for an import into the same service to end'
        case 'imports prune'
            printf '%s\t%s\n' --older-than 'remove runs started before this: 30d, 12h or a date'
        case 'history list'
            printf '%s\t%s\n' --noun 'only this kind, for instance requisition' --since 'only from then on: 30d, 12h or 2026-01-31' --state 'only entries in this state' --limit 'at most this many, the newest'
        case 'history resolve'
            printf '%s\t%s\n' --adopt 'it was applied; the id of what it is about' --not-applied 'it was not applied'
        case 'history prune'
            printf '%s\t%s\n' --older-than 'remove entries older than this: 90d, 12w or a date'
        case 'profile add'
            printf '%s\t%s\n' --base-url 'address, /api/v1 included' --as-typed 'keep an address without /api/v1' --api-key-stdin 'read the API key from standard input' --token-stdin 'read a bearer token from standard input'
        case 'profile set'
            printf '%s\t%s\n' --as-typed 'keep an address without /api/v1'
        case 'auth login'
            printf '%s\t%s\n' --api-key-stdin 'read the API key from standard input' --token-stdin 'read a bearer token from standard input'
        case 'sandbox start'
            printf '%s\t%s\n' --port 'port (default 4010; 0: any free one)' --db 'the database (default: sandbox.db in the state folder)' --ephemeral 'a database of its own, removed at the end' --empty 'keys only: no orders, sectors or addresses' --dialect 'names of the list parameters and other habits, for instance limit=pageSize,unknown=refuse' --faults 'what goes wrong on purpose, for instance reset-after=2%,429=3%,latency=20ms,seed=7' --detach 'run in the background; see sandbox status and sandbox stop'
        case 'sandbox reset'
            printf '%s\t%s\n' --db 'the database (default: sandbox.db in the state folder)' --empty 'keys only: no orders, sectors or addresses'
        case 'sandbox exec'
            printf '%s\t%s\n' --empty 'keys only: no orders, sectors or addresses' --dialect 'names of the list parameters and other habits, for instance limit=pageSize,unknown=refuse' --faults 'what goes wrong on purpose, for instance reset-after=2%,429=3%,latency=20ms,seed=7'
        case 'api'
            printf '%s\t%s\n' --raw-field 'a field as text: of the query for GET, else of the body' --field 'the same, typed: numbers, true, false, null, @FILE for the text of a file' --input 'the body as it is, - for standard input; of any kind with -H content-type' --header 'a further header' --include 'print status and headers too' --paginate 'read a list page after page to its end; in one request where the contract gives it no parameters'
        case 'doctor'
            printf '%s\t%s\n' --learn 'store the dialect that was found in the environment' --quick 'leave out the look at the list parameters (some 50 to 200 GETs)'
        case 'schema'
            printf '%s\t%s\n' --skeleton 'a file to fill in: JSON, or YAML with comments by -o yaml' --openapi 'the whole contract as OpenAPI 3.1, gaps marked x-gap'
        case 'schema requisition'
            printf '%s\t%s\n' --skeleton 'a file to fill in: JSON, or YAML with comments by -o yaml' --openapi 'the whole contract as OpenAPI 3.1, gaps marked x-gap'
        case 'schema requisition create'
            printf '%s\t%s\n' --skeleton 'a file to fill in: JSON, or YAML with comments by -o yaml' --openapi 'the whole contract as OpenAPI 3.1, gaps marked x-gap'
        case 'schema requisition group'
            printf '%s\t%s\n' --skeleton 'a file to fill in: JSON, or YAML with comments by -o yaml' --openapi 'the whole contract as OpenAPI 3.1, gaps marked x-gap'
        case 'schema requisition group add'
            printf '%s\t%s\n' --skeleton 'a file to fill in: JSON, or YAML with comments by -o yaml' --openapi 'the whole contract as OpenAPI 3.1, gaps marked x-gap'
        case 'schema requisition item'
            printf '%s\t%s\n' --skeleton 'a file to fill in: JSON, or YAML with comments by -o yaml' --openapi 'the whole contract as OpenAPI 3.1, gaps marked x-gap'
        case 'schema requisition item add'
            printf '%s\t%s\n' --skeleton 'a file to fill in: JSON, or YAML with comments by -o yaml' --openapi 'the whole contract as OpenAPI 3.1, gaps marked x-gap'
        case 'schema items'
            printf '%s\t%s\n' --skeleton 'a file to fill in: JSON, or YAML with comments by -o yaml' --openapi 'the whole contract as OpenAPI 3.1, gaps marked x-gap'
        case 'schema items create'
            printf '%s\t%s\n' --skeleton 'a file to fill in: JSON, or YAML with comments by -o yaml' --openapi 'the whole contract as OpenAPI 3.1, gaps marked x-gap'
        case 'schema imputations'
            printf '%s\t%s\n' --skeleton 'a file to fill in: JSON, or YAML with comments by -o yaml' --openapi 'the whole contract as OpenAPI 3.1, gaps marked x-gap'
        case 'schema imputations create'
            printf '%s\t%s\n' --skeleton 'a file to fill in: JSON, or YAML with comments by -o yaml' --openapi 'the whole contract as OpenAPI 3.1, gaps marked x-gap'
        case 'schema sectors'
            printf '%s\t%s\n' --skeleton 'a file to fill in: JSON, or YAML with comments by -o yaml' --openapi 'the whole contract as OpenAPI 3.1, gaps marked x-gap'
        case 'schema sectors patch'
            printf '%s\t%s\n' --skeleton 'a file to fill in: JSON, or YAML with comments by -o yaml' --openapi 'the whole contract as OpenAPI 3.1, gaps marked x-gap'
        case 'schema addresses'
            printf '%s\t%s\n' --skeleton 'a file to fill in: JSON, or YAML with comments by -o yaml' --openapi 'the whole contract as OpenAPI 3.1, gaps marked x-gap'
        case 'schema addresses patch'
            printf '%s\t%s\n' --skeleton 'a file to fill in: JSON, or YAML with comments by -o yaml' --openapi 'the whole contract as OpenAPI 3.1, gaps marked x-gap'
    end
    printf '%s\t%s\n' --profile 'profile (organization) to work with' --env 'environment of the profile' --organization 'organization of a key that no profile holds; remembered for this key' --output 'output format' --query 'pick from the result with JMESPath' --where 'keep rows that meet every condition, e.g. \'amount>=50000\' (= != < <= > >= ~); of an import, rows of its source' --fields 'show just these fields, in this order' --out 'write to a file, whole or not at all; format by its ending' --csv-raw 'csv as it is: write no guard against formulas, keep apostrophes of imported cells' --csv-dialect 'form of CSV; excel-es has semicolons, a BOM and decimal commas' --color 'colour the output' --lang 'language of prompts' --yes 'answer yes where a y/N would be asked' --no-input 'never ask; fail where an answer is needed' --timeout 'limit for each attempt' --retries 'how often a request may be retried' --ca-file 'PEM file with further certificate authorities' --dry-run 'show what would be sent or changed, and do nothing' --curl 'print the request as a curl line, send nothing' --offline 'with --dry-run or --curl: do not read either' --again 'send although history shows the same write' --allow-unknown 'send fields that the contract does not know' --verbose 'show each request on stderr, secrets masked' --quiet 'no notices or progress on stderr' --help 'help on the command'
end

# What a flag takes; nothing where it takes nothing.
function __proc_value
    switch "$argv[1] $argv[2]"
        case 'requisition create --file' 'requisition create -f' 'requisition create --lines' 'requisition group add --file' 'requisition group add -f' 'requisition item add --file' 'requisition item add -f' 'requisition import --map-file' 'requisition import --save-map' 'requisition import --rejected' 'requisition import --results' 'items create --file' 'items create -f' 'items import --map-file' 'items import --save-map' 'items import --rejected' 'items import --results' 'imputations create --file' 'imputations create -f' 'imputations import --map-file' 'imputations import --save-map' 'imputations import --rejected' 'imputations import --results' 'sectors patch --file' 'sectors patch -f' 'addresses patch --file' 'addresses patch -f' 'imports resume --rejected' 'imports resume --results' 'sandbox start --db' 'sandbox reset --db' 'api --input'
            echo 'file'
        case 'requisition create --title' 'requisition create --type' 'requisition create --code' 'requisition create --quantity' 'requisition group add --name' 'requisition item add --quantity' 'requisition import --path' 'requisition import --map' 'requisition import --set' 'requisition import --null' 'requisition import --sheet' 'requisition import --max-create' 'requisition import --max-rejected' 'requisition import --max-errors' 'requisition import --wait-lock' 'requisition import --concurrency' 'requisition import --rate' 'requisition import --patience' 'requisition import --settle' 'requisition import --group-by' 'orders list --limit' 'orders list --page-size' 'orders list --offset' 'orders list --watch' 'orders summary --by' 'items list --limit' 'items list --page-size' 'items list --offset' 'items create --name' 'items create --code' 'items create --description' 'items create --unit-of-measure' 'items create --brand' 'items create --material' 'items create --certification' 'items create --type' 'items create --title' 'items import --path' 'items import --map' 'items import --set' 'items import --null' 'items import --sheet' 'items import --max-create' 'items import --max-rejected' 'items import --max-errors' 'items import --wait-lock' 'items import --concurrency' 'items import --rate' 'items import --patience' 'items import --settle' 'imputations create --reference' 'imputations create --account' 'imputations create --amount' 'imputations create --contract' 'imputations create --currency' 'imputations create --notes' 'imputations import --path' 'imputations import --map' 'imputations import --set' 'imputations import --null' 'imputations import --sheet' 'imputations import --max-create' 'imputations import --max-rejected' 'imputations import --max-errors' 'imputations import --wait-lock' 'imputations import --concurrency' 'imputations import --rate' 'imputations import --patience' 'imputations import --settle' 'sectors patch --key' 'sectors patch --name' 'sectors patch --description' 'addresses patch --address-type' 'addresses patch --city' 'addresses patch --country' 'addresses patch --formatted-address' 'addresses patch --latitude' 'addresses patch --longitude' 'addresses patch --name' 'addresses patch --place' 'addresses patch --postal-code' 'addresses patch --state' 'addresses patch --street' 'addresses patch --street-number' 'imports resume --wait-lock' 'imports resume --concurrency' 'imports resume --rate' 'imports resume --patience' 'imports resume --settle' 'imports resolve --adopt' 'imports resolve --settle' 'imports resolve --wait-lock' 'imports prune --older-than' 'history list --noun' 'history list --since' 'history list --limit' 'history resolve --adopt' 'history prune --older-than' 'profile add --base-url' 'sandbox start --port' 'sandbox start --dialect' 'sandbox start --faults' 'sandbox exec --dialect' 'sandbox exec --faults' 'api --raw-field' 'api -f' 'api --field' 'api -F' 'api --header' 'api -H'
            echo '-'
        case 'requisition create --sector'
            echo '@sectors'
        case 'requisition create --group'
            echo '@pairs:name,delivery=pickup|delivery,address=@addresses'
        case 'requisition create --item'
            echo '@pairs:code=@items,id=@items,name,quantity,group'
        case 'requisition create --new-item'
            echo '@pairs:name,code,description,unitOfMeasure,brand,material,certification,type,quantity,group'
        case 'requisition create --from' 'requisition wizard --from'
            echo '@earlier+file'
        case 'requisition create --items-in-place' 'requisition import --items-in-place'
            echo '=reference define'
        case 'requisition group add --address'
            echo '@addresses'
        case 'requisition item add --item'
            echo '@items'
        case 'requisition import --map-from' 'items import --map-from' 'imputations import --map-from'
            echo '@runs'
        case 'requisition import --decimal' 'items import --decimal' 'imputations import --decimal'
            echo '=, .'
        case 'requisition import --encoding' 'items import --encoding' 'imputations import --encoding'
            echo '=utf-8 windows-1252'
        case 'requisition import --on-duplicate' 'items import --on-duplicate' 'imputations import --on-duplicate'
            echo '=first last all'
        case 'requisition import --progress' 'items import --progress' 'imputations import --progress' 'imports resume --progress'
            echo '=auto json'
        case 'requisition import --on-sent' 'imputations import --on-sent'
            echo '=skip send'
        case 'orders list --sort'
            echo '=createdAt updatedAt code'
        case 'orders list --dir' 'items list --dir'
            echo '=asc desc'
        case 'items list --sort'
            echo '=name code'
        case 'items import --on-existing'
            echo '=skip fail create'
        case 'items import --no-code'
            echo '=reject name send'
        case 'items import --unverified' 'imports resume --unverified'
            echo '=stop create'
        case 'imputations create --order'
            echo '@orders'
        case 'history list --state'
            echo '=done rejected unknown not-applied adopted'
        case '*'
            switch $argv[2]
                case '--out' '--ca-file'
                    echo 'file'
                case '--organization' '--query' '-q' '--where' '--fields' '--timeout' '--retries'
                    echo '-'
                case '--profile' '-p'
                    echo '@profiles'
                case '--env' '-e'
                    echo '@environments'
                case '--output' '-o'
                    echo '=table json ndjson csv yaml id'
                case '--csv-dialect'
                    echo '=rfc4180 excel excel-es'
                case '--color'
                    echo '=auto always never'
                case '--lang'
                    echo '=en es'
            end
    end
end

# What an argument may be: by its position, "+" where it may be repeated.
function __proc_arg
    switch "$argv[1] $argv[2]"
        case 'requisition draft show 0' 'requisition draft edit 0' 'requisition draft submit 0'
            echo '@drafts'
        case 'requisition group add 0' 'requisition group remove 0' 'requisition item add 0' 'requisition item list 0' 'requisition item remove 0'
            echo '@requisitions'
        case 'requisition group remove 1' 'requisition item add 1' 'requisition item list 1' 'requisition item remove 1'
            echo '@groups'
        case 'requisition item remove 2'
            echo '@lines'
        case 'requisition import 0' 'items import 0' 'imputations import 0'
            echo 'file'
        case 'sectors patch 0'
            echo '@sectors'
        case 'addresses patch 0' 'addresses alias 0'
            echo '@addresses'
        case 'imports show 0' 'imports resume 0' 'imports resolve 0' 'imports discard 0'
            echo '@runs'
        case 'history show 0' 'history resolve 0'
            echo '@history'
        case 'profile show 0' 'profile use 0' 'profile set 0' 'profile remove 0'
            echo '@profiles'
        case 'config get 0'
            echo '=profile env base-url credential protected allow-http dialect output lang config-file project-file state-folder'
        case 'config set 0' 'config unset 0'
            echo '=profile env output lang'
        case 'config set 1'
            echo '@by:profile=@profiles,env=@environments,output=table|json|ndjson|csv|yaml|id,lang=en|es'
        case 'api 0'
            echo '=GET POST PUT PATCH DELETE'
        case 'api 1'
            echo '@by:GET=/requisitions/{id}/groups/{groupId}/items|/orders/|/items/|/sectors/|/sectors/{id}|/addresses/{id},POST=/requisitions/|/requisitions/{id}/groups|/requisitions/{id}/groups/{groupId}/items|/items/|/imputations/,PATCH=/sectors/{id}|/addresses/{id},DELETE=/requisitions/{id}/groups/{groupId}|/requisitions/{id}/groups/{groupId}/items/{itemId}|/sectors/{id}|/addresses/{id}'
        case 'completion 0'
            echo '=bash zsh fish powershell'
        case '*'
            switch "$argv[1] +"
                case 'requisition draft discard +'
                    echo '@drafts'
                case 'orders get +'
                    echo '@orders'
                case 'sectors get +' 'sectors delete +'
                    echo '@sectors'
                case 'addresses get +' 'addresses delete +'
                    echo '@addresses'
                case 'profile set +'
                    echo '@pair:base-url,dialect,protected=true|false,credentialCommand,credentialScheme=api-key|bearer,allowHttp=true|false'
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
            if test $positional -eq 0; and contains -- $word (__proc_children "$path" | string replace -r '\t.*' '')
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
            printf '%s\n' $children
            if test "$about" = help; and test -z "$path"
                printf '%s\t%s\n' contract 'what the service states, what it leaves open, and what proc does there' environment 'the environment variables that proc reads' exit-codes 'what each exit code means' flags 'the flags that every command takes' import 'how a file becomes items: mapping, plan, journal, what can be relied on' output 'formats, filters, and what goes to stdout and stderr' scripting 'proc in scripts and CI: targets, exit codes, JSON errors, trying things out'
            end
            return
        end
        test -z "$about"; and set offer (__proc_arg "$path" $positional)
    end
    switch "$offer"
        case '=*'
            printf "$prefix%s\n" (string split ' ' -- (string sub -s 2 -- $offer))
        case '@*'
            set -l lookup (string replace -r '\+file$' '' -- (string sub -s 2 -- $offer))
            for line in (command proc __complete $lookup -- $words $cur 2>/dev/null)
                printf '%s%s\n' $prefix $line
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
