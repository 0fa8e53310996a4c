# PowerShell completion for proc. Made from its commands by "npm run docs"; do not edit.
# Install: add to your profile:  proc completion powershell | Out-String | Invoke-Expression

Register-ArgumentCompleter -Native -CommandName proc -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)

  $children = @{
    '' = [ordered]@{ 'requisition' = 'Create requisitions, change their groups and items'; 'orders' = 'Look at purchase orders'; 'items' = 'List, create and import items of the catalogue'; 'imputations' = 'Record and import cost allocations'; 'sectors' = 'List, show, change and delete sectors (rubros)'; 'addresses' = 'Show, change and delete addresses'; 'imports' = 'Import runs: list, show, resume, resolve, discard'; 'history' = 'What was written, kept on this machine'; 'setup' = 'Set proc up, step by step'; 'profile' = 'Profiles: organizations with their environments'; 'auth' = 'Store, check and remove credentials'; 'config' = 'Settings, each with its origin'; 'sandbox' = 'A service of your own on this machine, to try things on'; 'api' = 'Send a request of your own to the service'; 'schema' = 'Show what an input file may hold, as JSON Schema'; 'doctor' = 'Look whether everything works, and what this service calls its parameters'; 'completion' = 'Print the completion script of a shell'; 'help' = 'Help on a command or a topic' }
    'requisition' = [ordered]@{ 'create' = 'Create a requisition with groups and items'; 'wizard' = 'Put a requisition together by answering questions'; 'draft' = 'Drafts that the wizard keeps on this machine'; 'group' = 'Groups of a requisition'; 'item' = 'Line items of a group'; 'import' = 'Create requisitions from payloads, or from flat rows' }
    'requisition draft' = [ordered]@{ 'list' = 'List the drafts, the latest first'; 'show' = 'Show a draft: its payload, or what it still misses'; 'edit' = 'Go on with a draft in the wizard'; 'submit' = 'Send a draft as it is'; 'discard' = 'Throw drafts away' }
    'requisition group' = [ordered]@{ 'add' = 'Add a group to a requisition'; 'remove' = 'Delete a group of items from a requisition' }
    'requisition item' = [ordered]@{ 'add' = 'Add an existing item to a group'; 'list' = 'List the line items of a group'; 'remove' = 'Delete an item from a group' }
    'orders' = [ordered]@{ 'list' = 'List purchase orders'; 'get' = 'Show orders by code or id'; 'summary' = 'Add orders up by status, currency and month' }
    'items' = [ordered]@{ 'list' = 'List the items of the catalogue'; 'find' = 'Find items by a part of their code or name'; 'create' = 'Create an item in the catalogue'; 'import' = 'Create items from a JSON, NDJSON or CSV file' }
    'imputations' = [ordered]@{ 'create' = 'Record a cost allocation'; 'import' = 'Record cost allocations from a JSON, NDJSON, CSV or .xlsx file' }
    'sectors' = [ordered]@{ 'list' = 'List the sectors (rubros)'; 'get' = 'Show sectors'; 'patch' = 'Change fields of a sector'; 'delete' = 'Delete sectors, for good' }
    'addresses' = [ordered]@{ 'get' = 'Show addresses'; 'patch' = 'Change fields of an address'; 'delete' = 'Delete addresses, for good'; 'known' = 'List the addresses seen before on this machine'; 'alias' = 'Give an address a name of your own' }
    'imports' = [ordered]@{ 'list' = 'List the import runs of this machine, the newest first'; 'show' = 'Show one import run: its counts, mapping and choices'; 'resume' = 'Go on with an import that was cut off or stopped'; 'resolve' = 'Say what became of rows in doubt'; 'discard' = 'Forget an import run'; 'prune' = 'Remove the journals of finished runs' }
    'history' = [ordered]@{ 'list' = 'List what was written, newest first'; 'show' = 'Show an entry whole: what was sent, what came back, what was there before'; 'resolve' = 'Say what became of a write whose outcome was unknown'; 'prune' = 'Remove old entries' }
    'profile' = [ordered]@{ 'list' = 'List profiles and their environments'; 'show' = 'Show the environments of a profile; keys only as fingerprints'; 'add' = 'Add a profile, or an environment to a profile'; 'use' = 'Choose the current profile, and with -e its usual environment'; 'set' = 'Change settings of an environment'; 'remove' = 'Remove a profile, or with -e one environment, with the keys stored there' }
    'auth' = [ordered]@{ 'login' = 'Store the key of an environment'; 'logout' = 'Remove the stored key of an environment'; 'status' = 'Show where requests go and with which key, and try it with one read' }
    'config' = [ordered]@{ 'list' = 'List every setting that holds here, with its origin'; 'get' = 'Show one setting that holds here, with its origin'; 'set' = 'Store a setting in the configuration file'; 'unset' = 'Remove a setting from the configuration file'; 'path' = 'Print the path of the configuration file' }
    'sandbox' = [ordered]@{ 'start' = 'Start a service of the whole contract on this machine'; 'stop' = 'Stop the sandbox that is running'; 'status' = 'Show whether a sandbox is running, and where'; 'reset' = 'Put the sandbox''s data back to what it started with'; 'exec' = 'Run a command against a fresh sandbox' }
    'schema' = [ordered]@{ 'requisition' = 'Create requisitions, change their groups and items'; 'items' = 'List, create and import items of the catalogue'; 'imputations' = 'Record and import cost allocations'; 'sectors' = 'List, show, change and delete sectors (rubros)'; 'addresses' = 'Show, change and delete addresses' }
    'schema requisition' = [ordered]@{ 'create' = 'Create a requisition with groups and items'; 'group' = 'Groups of a requisition'; 'item' = 'Line items of a group' }
    'schema requisition group' = [ordered]@{ 'add' = 'Add a group to a requisition' }
    'schema requisition item' = [ordered]@{ 'add' = 'Add an existing item to a group' }
    'schema items' = [ordered]@{ 'create' = 'Create an item in the catalogue' }
    'schema imputations' = [ordered]@{ 'create' = 'Record a cost allocation' }
    'schema sectors' = [ordered]@{ 'patch' = 'Change fields of a sector' }
    'schema addresses' = [ordered]@{ 'patch' = 'Change fields of an address' }
  }
  $names = @{
    'requisitions' = 'requisition'
    'order' = 'orders'
    'item' = 'items'
    'imputation' = 'imputations'
    'sector' = 'sectors'
    'address' = 'addresses'
    'import' = 'imports'
    'profiles' = 'profile'
  }
  $flags = @{
    '' = [ordered]@{ '--version' = 'print the version of proc' }
    'requisition create' = [ordered]@{ '--file' = 'read the body from a JSON or YAML file, - for JSON on standard input; flags win over it'; '--title' = 'title'; '--type' = 'type'; '--sector' = 'sector (rubro); whether id, key or name is meant is not shown by the contract'; '--code' = 'your code for the requisition'; '--group' = 'a group: name=Plant,delivery=delivery,address=ID (delivery is pickup or delivery; an alias of an address will do)'; '--item' = 'an item of the catalogue: code=AR-5381,quantity=4,group=Plant or id=…, name=… (group= may be left out with one group)'; '--new-item' = 'an item defined in place: name=…,code=…,quantity=…,group=… (see --items-in-place)'; '--lines' = 'a list for the group, - for standard input: lines such as "12 x AR-5381", "AR-5381;12", columns of a spreadsheet; with --from it takes the place of the earlier items'; '--from' = 'order again: the id of a requisition, of an entry in history, "last", or a JSON file'; '--items-in-place' = 'lines that define an item whose code belongs to an item with another name: reference that item, or define a second one'; '--quantity' = 'with --from: another quantity, CODE=20; CODE=0 leaves the item out' }
    'requisition wizard' = [ordered]@{ '--from' = 'begin with an earlier one: the id of a requisition, of an entry in history, "last", or a JSON file' }
    'requisition group add' = [ordered]@{ '--file' = 'read the body from a JSON or YAML file, - for JSON on standard input; flags win over it'; '--name' = 'name of the group'; '--address' = 'id of the delivery address' }
    'requisition item add' = [ordered]@{ '--file' = 'read the body from a JSON or YAML file, - for JSON on standard input; flags win over it'; '--quantity' = 'how many, an integer above 0'; '--item' = 'id of an existing item' }
    'requisition import' = [ordered]@{ '--path' = 'where the array stands in a JSON document'; '--map' = 'a field''s column, template ''{Model} {Color}'' or jmes:EXPRESSION'; '--set' = 'the same value in every row'; '--null' = 'a word that stands for nothing, e.g. NA'; '--map-file' = 'a mapping that --save-map wrote'; '--save-map' = 'write the mapping into a file'; '--map-from' = 'the mapping of an earlier run'; '--decimal' = 'decimal separator of numbers stored as text; the other one groups thousands'; '--encoding' = 'file encoding'; '--sheet' = 'the sheet of an .xlsx workbook'; '--on-duplicate' = 'which of several rows with one code and different values counts'; '--accept-changed-codes' = 'of repaired rows: codes that are others than they were are right'; '--max-create' = 'send nothing where more would be created'; '--max-rejected' = 'send nothing where more rows are invalid: 5%'; '--fail-fast' = 'stop at the first row that is rejected'; '--max-errors' = 'stop where more rows than this are rejected'; '--wait-lock' = 'wait this long for another import into the same service to end'; '--concurrency' = 'requests at once; auto adapts to the service'; '--rate' = 'requests per second at most: 50/s'; '--patience' = 'keep retrying a busy or unreachable service for this long'; '--settle' = 'wait this long before checking whether an unconfirmed row was created'; '--progress' = 'json: one JSON object per second on stderr'; '--rejected' = 'where rejected rows go'; '--results' = 'write row, code, id and state of every row'; '--on-sent' = 'what to do with rows that were sent before from this machine'; '--items-in-place' = 'lines that define an item whose code belongs to an item with another name: reference that item, or define a second one'; '--group-by' = 'flat rows: those with the same value in this column make one requisition' }
    'orders list' = [ordered]@{ '--limit' = 'print at most this many rows'; '--page-size' = 'ask for this many rows per request'; '--offset' = 'skip this many rows'; '--sort' = 'order by this field'; '--dir' = 'direction of the order'; '--all' = 'read page after page to the end'; '--watch' = 'look again every so often (5s) and mark what changed, until Ctrl-C' }
    'orders summary' = [ordered]@{ '--by' = 'what to group by: status, currency, month' }
    'items list' = [ordered]@{ '--limit' = 'print at most this many rows'; '--page-size' = 'ask for this many rows per request'; '--offset' = 'skip this many rows'; '--sort' = 'order by this field'; '--dir' = 'direction of the order'; '--all' = 'read page after page to the end' }
    'items create' = [ordered]@{ '--file' = 'read the body from a JSON or YAML file, - for JSON on standard input; flags win over it'; '--name' = 'what the item is called'; '--code' = 'the code by which your systems know it'; '--description' = 'free text'; '--unit-of-measure' = 'unit that quantities count, for instance EA or KG'; '--brand' = 'brand'; '--material' = 'material'; '--certification' = 'certification'; '--type' = 'type'; '--title' = 'title' }
    'items import' = [ordered]@{ '--path' = 'where the array stands in a JSON document'; '--map' = 'a field''s column, template ''{Model} {Color}'' or jmes:EXPRESSION'; '--set' = 'the same value in every row'; '--null' = 'a word that stands for nothing, e.g. NA'; '--map-file' = 'a mapping that --save-map wrote'; '--save-map' = 'write the mapping into a file'; '--map-from' = 'the mapping of an earlier run'; '--decimal' = 'decimal separator of numbers stored as text; the other one groups thousands'; '--encoding' = 'file encoding'; '--sheet' = 'the sheet of an .xlsx workbook'; '--on-duplicate' = 'which of several rows with one code and different values counts'; '--accept-changed-codes' = 'of repaired rows: codes that are others than they were are right'; '--max-create' = 'send nothing where more would be created'; '--max-rejected' = 'send nothing where more rows are invalid: 5%'; '--fail-fast' = 'stop at the first row that is rejected'; '--max-errors' = 'stop where more rows than this are rejected'; '--wait-lock' = 'wait this long for another import into the same service to end'; '--concurrency' = 'requests at once; auto adapts to the service'; '--rate' = 'requests per second at most: 50/s'; '--patience' = 'keep retrying a busy or unreachable service for this long'; '--settle' = 'wait this long before checking whether an unconfirmed row was created'; '--progress' = 'json: one JSON object per second on stderr'; '--rejected' = 'where rejected rows go'; '--results' = 'write row, code, id and state of every row'; '--on-existing' = 'what to do with rows whose code exists'; '--no-code' = 'what to do with rows without a code; name recognises them by name'; '--unverified' = 'if the list cannot be verified to be complete: stop before sending, or create the rows anyway'; '--learn' = 'store the parameter names of the list, if the import finds others than those in use'; '--no-verify' = 'do not read the list once more after the run for codes that now exist more than once' }
    'imputations create' = [ordered]@{ '--file' = 'read the body from a JSON or YAML file, - for JSON on standard input; flags win over it'; '--reference' = 'your reference'; '--account' = 'account that bears the cost'; '--amount' = 'amount, in units of the currency'; '--contract' = 'id of the contract'; '--order' = 'id of the order'; '--currency' = 'currency of the amount, for instance USD'; '--notes' = 'free text' }
    'imputations import' = [ordered]@{ '--path' = 'where the array stands in a JSON document'; '--map' = 'a field''s column, template ''{Model} {Color}'' or jmes:EXPRESSION'; '--set' = 'the same value in every row'; '--null' = 'a word that stands for nothing, e.g. NA'; '--map-file' = 'a mapping that --save-map wrote'; '--save-map' = 'write the mapping into a file'; '--map-from' = 'the mapping of an earlier run'; '--decimal' = 'decimal separator of numbers stored as text; the other one groups thousands'; '--encoding' = 'file encoding'; '--sheet' = 'the sheet of an .xlsx workbook'; '--on-duplicate' = 'which of several rows with one code and different values counts'; '--accept-changed-codes' = 'of repaired rows: codes that are others than they were are right'; '--max-create' = 'send nothing where more would be created'; '--max-rejected' = 'send nothing where more rows are invalid: 5%'; '--fail-fast' = 'stop at the first row that is rejected'; '--max-errors' = 'stop where more rows than this are rejected'; '--wait-lock' = 'wait this long for another import into the same service to end'; '--concurrency' = 'requests at once; auto adapts to the service'; '--rate' = 'requests per second at most: 50/s'; '--patience' = 'keep retrying a busy or unreachable service for this long'; '--settle' = 'wait this long before checking whether an unconfirmed row was created'; '--progress' = 'json: one JSON object per second on stderr'; '--rejected' = 'where rejected rows go'; '--results' = 'write row, code, id and state of every row'; '--on-sent' = 'what to do with rows that were sent before from this machine' }
    'sectors patch' = [ordered]@{ '--file' = 'read the body from a JSON or YAML file, - for JSON on standard input; flags win over it'; '--key' = 'short key'; '--name' = 'name'; '--description' = 'description'; '--merge' = 'send the other fields too, as they are' }
    'addresses patch' = [ordered]@{ '--file' = 'read the body from a JSON or YAML file, - for JSON on standard input; flags win over it'; '--address-type' = 'kind of address; the allowed values are not shown by the contract'; '--city' = 'city'; '--country' = 'country'; '--formatted-address' = 'the address as one line of text'; '--latitude' = 'degrees, positive north'; '--longitude' = 'degrees, positive east'; '--name' = 'name'; '--place' = 'identifier of the place in a map service'; '--postal-code' = 'postal code'; '--state' = 'state or province'; '--street' = 'street'; '--street-number' = 'number in the street' }
    'addresses alias' = [ordered]@{ '--remove' = 'take the alias away; the address stays' }
    'imports resume' = [ordered]@{ '--wait-lock' = 'wait this long for another import into the same service to end'; '--concurrency' = 'requests at once; auto adapts to the service'; '--rate' = 'requests per second at most: 50/s'; '--patience' = 'keep retrying a busy or unreachable service for this long'; '--settle' = 'wait this long before checking whether an unconfirmed row was created'; '--progress' = 'json: one JSON object per second on stderr'; '--rejected' = 'where rejected rows go'; '--results' = 'write row, code, id and state of every row'; '--unverified' = 'if the list cannot be verified to be complete: stop before sending, or create the rows anyway'; '--learn' = 'store the parameter names of the list, if the import finds others than those in use'; '--no-verify' = 'do not read the list once more after the run for codes that now exist more than once' }
    'imports resolve' = [ordered]@{ '--adopt' = 'it was created and has this id'; '--resend' = 'it was not created: send it again, unless the list shows it'; '--drop' = 'it is given up'; '--all' = 'every unconfirmed row; a script needs it where it names none'; '--settle' = 'wait this long before checking whether an unconfirmed row was created'; '--wait-lock' = 'wait this long for an import into the same service to end' }
    'imports prune' = [ordered]@{ '--older-than' = 'remove runs started before this: 30d, 12h or a date' }
    'history list' = [ordered]@{ '--noun' = 'only this kind, for instance requisition'; '--since' = 'only from then on: 30d, 12h or 2026-01-31'; '--state' = 'only entries in this state'; '--limit' = 'at most this many, the newest' }
    'history resolve' = [ordered]@{ '--adopt' = 'it was applied; the id of what it is about'; '--not-applied' = 'it was not applied' }
    'history prune' = [ordered]@{ '--older-than' = 'remove entries older than this: 90d, 12w or a date' }
    'profile add' = [ordered]@{ '--base-url' = 'address, /api/v1 included'; '--as-typed' = 'keep an address without /api/v1'; '--api-key-stdin' = 'read the API key from standard input'; '--token-stdin' = 'read a bearer token from standard input' }
    'profile set' = [ordered]@{ '--as-typed' = 'keep an address without /api/v1' }
    'auth login' = [ordered]@{ '--api-key-stdin' = 'read the API key from standard input'; '--token-stdin' = 'read a bearer token from standard input' }
    'sandbox start' = [ordered]@{ '--port' = 'port (default 4010; 0: any free one)'; '--db' = 'the database (default: sandbox.db in the state folder)'; '--ephemeral' = 'a database of its own, removed at the end'; '--empty' = 'keys only: no orders, sectors or addresses'; '--dialect' = 'names of the list parameters and other habits, for instance limit=pageSize,unknown=refuse'; '--faults' = 'what goes wrong on purpose, for instance reset-after=2%,429=3%,latency=20ms,seed=7'; '--detach' = 'run in the background; see sandbox status and sandbox stop' }
    'sandbox reset' = [ordered]@{ '--db' = 'the database (default: sandbox.db in the state folder)'; '--empty' = 'keys only: no orders, sectors or addresses' }
    'sandbox exec' = [ordered]@{ '--empty' = 'keys only: no orders, sectors or addresses'; '--dialect' = 'names of the list parameters and other habits, for instance limit=pageSize,unknown=refuse'; '--faults' = 'what goes wrong on purpose, for instance reset-after=2%,429=3%,latency=20ms,seed=7' }
    'api' = [ordered]@{ '--raw-field' = 'a field as text: of the query for GET, else of the body'; '--field' = 'the same, typed: numbers, true, false, null, @FILE for the text of a file'; '--input' = 'the body as it is, - for standard input; of any kind with -H content-type'; '--header' = 'a further header'; '--include' = 'print status and headers too'; '--paginate' = 'read a list page after page to its end; in one request where the contract gives it no parameters' }
    'doctor' = [ordered]@{ '--learn' = 'store the dialect that was found in the environment'; '--quick' = 'leave out the look at the list parameters (some 50 to 200 GETs)' }
    'schema' = [ordered]@{ '--skeleton' = 'a file to fill in: JSON, or YAML with comments by -o yaml'; '--openapi' = 'the whole contract as OpenAPI 3.1, gaps marked x-gap' }
    'schema requisition' = [ordered]@{ '--skeleton' = 'a file to fill in: JSON, or YAML with comments by -o yaml'; '--openapi' = 'the whole contract as OpenAPI 3.1, gaps marked x-gap' }
    'schema requisition create' = [ordered]@{ '--skeleton' = 'a file to fill in: JSON, or YAML with comments by -o yaml'; '--openapi' = 'the whole contract as OpenAPI 3.1, gaps marked x-gap' }
    'schema requisition group' = [ordered]@{ '--skeleton' = 'a file to fill in: JSON, or YAML with comments by -o yaml'; '--openapi' = 'the whole contract as OpenAPI 3.1, gaps marked x-gap' }
    'schema requisition group add' = [ordered]@{ '--skeleton' = 'a file to fill in: JSON, or YAML with comments by -o yaml'; '--openapi' = 'the whole contract as OpenAPI 3.1, gaps marked x-gap' }
    'schema requisition item' = [ordered]@{ '--skeleton' = 'a file to fill in: JSON, or YAML with comments by -o yaml'; '--openapi' = 'the whole contract as OpenAPI 3.1, gaps marked x-gap' }
    'schema requisition item add' = [ordered]@{ '--skeleton' = 'a file to fill in: JSON, or YAML with comments by -o yaml'; '--openapi' = 'the whole contract as OpenAPI 3.1, gaps marked x-gap' }
    'schema items' = [ordered]@{ '--skeleton' = 'a file to fill in: JSON, or YAML with comments by -o yaml'; '--openapi' = 'the whole contract as OpenAPI 3.1, gaps marked x-gap' }
    'schema items create' = [ordered]@{ '--skeleton' = 'a file to fill in: JSON, or YAML with comments by -o yaml'; '--openapi' = 'the whole contract as OpenAPI 3.1, gaps marked x-gap' }
    'schema imputations' = [ordered]@{ '--skeleton' = 'a file to fill in: JSON, or YAML with comments by -o yaml'; '--openapi' = 'the whole contract as OpenAPI 3.1, gaps marked x-gap' }
    'schema imputations create' = [ordered]@{ '--skeleton' = 'a file to fill in: JSON, or YAML with comments by -o yaml'; '--openapi' = 'the whole contract as OpenAPI 3.1, gaps marked x-gap' }
    'schema sectors' = [ordered]@{ '--skeleton' = 'a file to fill in: JSON, or YAML with comments by -o yaml'; '--openapi' = 'the whole contract as OpenAPI 3.1, gaps marked x-gap' }
    'schema sectors patch' = [ordered]@{ '--skeleton' = 'a file to fill in: JSON, or YAML with comments by -o yaml'; '--openapi' = 'the whole contract as OpenAPI 3.1, gaps marked x-gap' }
    'schema addresses' = [ordered]@{ '--skeleton' = 'a file to fill in: JSON, or YAML with comments by -o yaml'; '--openapi' = 'the whole contract as OpenAPI 3.1, gaps marked x-gap' }
    'schema addresses patch' = [ordered]@{ '--skeleton' = 'a file to fill in: JSON, or YAML with comments by -o yaml'; '--openapi' = 'the whole contract as OpenAPI 3.1, gaps marked x-gap' }
  }
  $globals = [ordered]@{ '--profile' = 'profile (organization) to work with'; '--env' = 'environment of the profile'; '--organization' = 'organization of a key that no profile holds; remembered for this key'; '--output' = 'output format'; '--query' = 'pick from the result with JMESPath'; '--where' = 'keep rows that meet every condition, e.g. ''amount>=50000'' (= != < <= > >= ~); of an import, rows of its source'; '--fields' = 'show just these fields, in this order'; '--out' = 'write to a file, whole or not at all; format by its ending'; '--csv-raw' = 'csv as it is: write no guard against formulas, keep apostrophes of imported cells'; '--csv-dialect' = 'form of CSV; excel-es has semicolons, a BOM and decimal commas'; '--color' = 'colour the output'; '--lang' = 'language of prompts'; '--yes' = 'answer yes where a y/N would be asked'; '--no-input' = 'never ask; fail where an answer is needed'; '--timeout' = 'limit for each attempt'; '--retries' = 'how often a request may be retried'; '--ca-file' = 'PEM file with further certificate authorities'; '--dry-run' = 'show what would be sent or changed, and do nothing'; '--curl' = 'print the request as a curl line, send nothing'; '--offline' = 'with --dry-run or --curl: do not read either'; '--again' = 'send although history shows the same write'; '--allow-unknown' = 'send fields that the contract does not know'; '--verbose' = 'show each request on stderr, secrets masked'; '--quiet' = 'no notices or progress on stderr'; '--help' = 'help on the command' }
  # What flags take, and what arguments may be; "+" stands for one that may be repeated.
  # -CaseSensitive matters: -f and -F are two flags.
  $values = New-Object System.Collections.Hashtable ([StringComparer]::Ordinal)
  foreach ($one in @('requisition create --file', 'requisition create -f', 'requisition create --lines', 'requisition group add --file', 'requisition group add -f', 'requisition item add --file', 'requisition item add -f', 'requisition import --map-file', 'requisition import --save-map', 'requisition import --rejected', 'requisition import --results', 'items create --file', 'items create -f', 'items import --map-file', 'items import --save-map', 'items import --rejected', 'items import --results', 'imputations create --file', 'imputations create -f', 'imputations import --map-file', 'imputations import --save-map', 'imputations import --rejected', 'imputations import --results', 'sectors patch --file', 'sectors patch -f', 'addresses patch --file', 'addresses patch -f', 'imports resume --rejected', 'imports resume --results', 'sandbox start --db', 'sandbox reset --db', 'api --input', '* --out', '* --ca-file')) { $values[$one] = 'file' }
  foreach ($one in @('requisition create --title', 'requisition create --type', 'requisition create --code', 'requisition create --quantity', 'requisition group add --name', 'requisition item add --quantity', 'requisition import --path', 'requisition import --map', 'requisition import --set', 'requisition import --null', 'requisition import --sheet', 'requisition import --max-create', 'requisition import --max-rejected', 'requisition import --max-errors', 'requisition import --wait-lock', 'requisition import --concurrency', 'requisition import --rate', 'requisition import --patience', 'requisition import --settle', 'requisition import --group-by', 'orders list --limit', 'orders list --page-size', 'orders list --offset', 'orders list --watch', 'orders summary --by', 'items list --limit', 'items list --page-size', 'items list --offset', 'items create --name', 'items create --code', 'items create --description', 'items create --unit-of-measure', 'items create --brand', 'items create --material', 'items create --certification', 'items create --type', 'items create --title', 'items import --path', 'items import --map', 'items import --set', 'items import --null', 'items import --sheet', 'items import --max-create', 'items import --max-rejected', 'items import --max-errors', 'items import --wait-lock', 'items import --concurrency', 'items import --rate', 'items import --patience', 'items import --settle', 'imputations create --reference', 'imputations create --account', 'imputations create --amount', 'imputations create --contract', 'imputations create --currency', 'imputations create --notes', 'imputations import --path', 'imputations import --map', 'imputations import --set', 'imputations import --null', 'imputations import --sheet', 'imputations import --max-create', 'imputations import --max-rejected', 'imputations import --max-errors', 'imputations import --wait-lock', 'imputations import --concurrency', 'imputations import --rate', 'imputations import --patience', 'imputations import --settle', 'sectors patch --key', 'sectors patch --name', 'sectors patch --description', 'addresses patch --address-type', 'addresses patch --city', 'addresses patch --country', 'addresses patch --formatted-address', 'addresses patch --latitude', 'addresses patch --longitude', 'addresses patch --name', 'addresses patch --place', 'addresses patch --postal-code', 'addresses patch --state', 'addresses patch --street', 'addresses patch --street-number', 'imports resume --wait-lock', 'imports resume --concurrency', 'imports resume --rate', 'imports resume --patience', 'imports resume --settle', 'imports resolve --adopt', 'imports resolve --settle', 'imports resolve --wait-lock', 'imports prune --older-than', 'history list --noun', 'history list --since', 'history list --limit', 'history resolve --adopt', 'history prune --older-than', 'profile add --base-url', 'sandbox start --port', 'sandbox start --dialect', 'sandbox start --faults', 'sandbox exec --dialect', 'sandbox exec --faults', 'api --raw-field', 'api -f', 'api --field', 'api -F', 'api --header', 'api -H', '* --organization', '* --query', '* -q', '* --where', '* --fields', '* --timeout', '* --retries')) { $values[$one] = '-' }
  foreach ($one in @('requisition create --sector')) { $values[$one] = '@sectors' }
  foreach ($one in @('requisition create --group')) { $values[$one] = '@pairs:name,delivery=pickup|delivery,address=@addresses' }
  foreach ($one in @('requisition create --item')) { $values[$one] = '@pairs:code=@items,id=@items,name,quantity,group' }
  foreach ($one in @('requisition create --new-item')) { $values[$one] = '@pairs:name,code,description,unitOfMeasure,brand,material,certification,type,quantity,group' }
  foreach ($one in @('requisition create --from', 'requisition wizard --from')) { $values[$one] = '@earlier+file' }
  foreach ($one in @('requisition create --items-in-place', 'requisition import --items-in-place')) { $values[$one] = '=reference define' }
  foreach ($one in @('requisition group add --address')) { $values[$one] = '@addresses' }
  foreach ($one in @('requisition item add --item')) { $values[$one] = '@items' }
  foreach ($one in @('requisition import --map-from', 'items import --map-from', 'imputations import --map-from')) { $values[$one] = '@runs' }
  foreach ($one in @('requisition import --decimal', 'items import --decimal', 'imputations import --decimal')) { $values[$one] = '=, .' }
  foreach ($one in @('requisition import --encoding', 'items import --encoding', 'imputations import --encoding')) { $values[$one] = '=utf-8 windows-1252' }
  foreach ($one in @('requisition import --on-duplicate', 'items import --on-duplicate', 'imputations import --on-duplicate')) { $values[$one] = '=first last all' }
  foreach ($one in @('requisition import --progress', 'items import --progress', 'imputations import --progress', 'imports resume --progress')) { $values[$one] = '=auto json' }
  foreach ($one in @('requisition import --on-sent', 'imputations import --on-sent')) { $values[$one] = '=skip send' }
  foreach ($one in @('orders list --sort')) { $values[$one] = '=createdAt updatedAt code' }
  foreach ($one in @('orders list --dir', 'items list --dir')) { $values[$one] = '=asc desc' }
  foreach ($one in @('items list --sort')) { $values[$one] = '=name code' }
  foreach ($one in @('items import --on-existing')) { $values[$one] = '=skip fail create' }
  foreach ($one in @('items import --no-code')) { $values[$one] = '=reject name send' }
  foreach ($one in @('items import --unverified', 'imports resume --unverified')) { $values[$one] = '=stop create' }
  foreach ($one in @('imputations create --order')) { $values[$one] = '@orders' }
  foreach ($one in @('history list --state')) { $values[$one] = '=done rejected unknown not-applied adopted' }
  foreach ($one in @('* --profile', '* -p')) { $values[$one] = '@profiles' }
  foreach ($one in @('* --env', '* -e')) { $values[$one] = '@environments' }
  foreach ($one in @('* --output', '* -o')) { $values[$one] = '=table json ndjson csv yaml id' }
  foreach ($one in @('* --csv-dialect')) { $values[$one] = '=rfc4180 excel excel-es' }
  foreach ($one in @('* --color')) { $values[$one] = '=auto always never' }
  foreach ($one in @('* --lang')) { $values[$one] = '=en es' }
  $arguments = New-Object System.Collections.Hashtable ([StringComparer]::Ordinal)
  foreach ($one in @('requisition draft show 0', 'requisition draft edit 0', 'requisition draft submit 0', 'requisition draft discard +')) { $arguments[$one] = '@drafts' }
  foreach ($one in @('requisition group add 0', 'requisition group remove 0', 'requisition item add 0', 'requisition item list 0', 'requisition item remove 0')) { $arguments[$one] = '@requisitions' }
  foreach ($one in @('requisition group remove 1', 'requisition item add 1', 'requisition item list 1', 'requisition item remove 1')) { $arguments[$one] = '@groups' }
  foreach ($one in @('requisition item remove 2')) { $arguments[$one] = '@lines' }
  foreach ($one in @('requisition import 0', 'items import 0', 'imputations import 0')) { $arguments[$one] = 'file' }
  foreach ($one in @('orders get +')) { $arguments[$one] = '@orders' }
  foreach ($one in @('sectors get +', 'sectors patch 0', 'sectors delete +')) { $arguments[$one] = '@sectors' }
  foreach ($one in @('addresses get +', 'addresses patch 0', 'addresses delete +', 'addresses alias 0')) { $arguments[$one] = '@addresses' }
  foreach ($one in @('imports show 0', 'imports resume 0', 'imports resolve 0', 'imports discard 0')) { $arguments[$one] = '@runs' }
  foreach ($one in @('history show 0', 'history resolve 0')) { $arguments[$one] = '@history' }
  foreach ($one in @('profile show 0', 'profile use 0', 'profile set 0', 'profile remove 0')) { $arguments[$one] = '@profiles' }
  foreach ($one in @('profile set +')) { $arguments[$one] = '@pair:base-url,dialect,protected=true|false,credentialCommand,credentialScheme=api-key|bearer,allowHttp=true|false' }
  foreach ($one in @('config get 0')) { $arguments[$one] = '=profile env base-url credential protected allow-http dialect output lang config-file project-file state-folder' }
  foreach ($one in @('config set 0', 'config unset 0')) { $arguments[$one] = '=profile env output lang' }
  foreach ($one in @('config set 1')) { $arguments[$one] = '@by:profile=@profiles,env=@environments,output=table|json|ndjson|csv|yaml|id,lang=en|es' }
  foreach ($one in @('api 0')) { $arguments[$one] = '=GET POST PUT PATCH DELETE' }
  foreach ($one in @('api 1')) { $arguments[$one] = '@by:GET=/requisitions/{id}/groups/{groupId}/items|/orders/|/items/|/sectors/|/sectors/{id}|/addresses/{id},POST=/requisitions/|/requisitions/{id}/groups|/requisitions/{id}/groups/{groupId}/items|/items/|/imputations/,PATCH=/sectors/{id}|/addresses/{id},DELETE=/requisitions/{id}/groups/{groupId}|/requisitions/{id}/groups/{groupId}/items/{itemId}|/sectors/{id}|/addresses/{id}' }
  foreach ($one in @('completion 0')) { $arguments[$one] = '=bash zsh fish powershell' }
  $topics = [ordered]@{ 'contract' = 'what the service states, what it leaves open, and what proc does there'; 'environment' = 'the environment variables that proc reads'; 'exit-codes' = 'what each exit code means'; 'flags' = 'the flags that every command takes'; 'import' = 'how a file becomes items: mapping, plan, journal, what can be relied on'; 'output' = 'formats, filters, and what goes to stdout and stderr'; 'scripting' = 'proc in scripts and CI: targets, exit codes, JSON errors, trying things out' }

  function ValueOf($base, $flag) {
    if ($values.ContainsKey("$base $flag")) { return $values["$base $flag"] }
    return $values["* $flag"]
  }

  $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
      Where-Object { $_.Extent.StartOffset -lt $cursorPosition } | ForEach-Object { "$_".Trim('"', "'") })
  if ($wordToComplete -ne '' -and $words.Count -gt 0) { $words = @($words | Select-Object -SkipLast 1) }
  $cur = $wordToComplete.Trim('"', "'")
  $path = ''; $about = ''; $skip = ''; $ended = $false; $positional = 0; $prefix = ''; $offer = ''
  foreach ($word in $words) {
    $base = if ($about) { $about } else { $path }
    if ($skip) { $skip = '' }
    elseif (-not $ended -and $word -eq '--') { $ended = $true }
    elseif (-not $ended -and $word.StartsWith('-')) {
      if (-not $word.Contains('=') -and (ValueOf $base $word)) { $skip = $word }
    }
    elseif (-not $path -and -not $about -and $word -eq 'help') { $about = $word }
    else {
      if ($path -in @('', 'schema') -and $names.ContainsKey($word)) { $word = $names[$word] }
      if ($positional -eq 0 -and $children.ContainsKey($path) -and $children[$path].Contains($word)) {
        $path = "$path $word".Trim()
      } else { $positional++ }
    }
  }
  $base = if ($about) { $about } else { $path }
  $found = @()
  if ($skip) { $offer = ValueOf $base $skip }
  elseif (-not $ended -and $cur -match '^(--[^=]+=)(.*)$') {
    $prefix = $Matches[1]; $cur = $Matches[2]
    $offer = ValueOf $base $prefix.TrimEnd('=')
  }
  elseif (-not $ended -and $cur.StartsWith('-')) {
    if ($flags.ContainsKey($base)) { $found += $flags[$base].GetEnumerator() }
    $found += $globals.GetEnumerator()
  }
  elseif ($positional -eq 0 -and $children.ContainsKey($path)) {
    $found += $children[$path].GetEnumerator()
    if ($about -eq 'help' -and -not $path) { $found += $topics.GetEnumerator() }
  }
  elseif (-not $about) {
    $offer = $arguments["$path $positional"]
    if (-not $offer) { $offer = $arguments["$path +"] }
  }
  if ("$offer".StartsWith('=')) {
    $found = $offer.Substring(1).Split(' ') | ForEach-Object { [pscustomobject]@{ Key = $_; Value = $_ } }
  }
  elseif ("$offer".StartsWith('@')) {
    $found = & proc __complete $offer.Substring(1).Replace('+file', '') -- @words $cur 2>$null | ForEach-Object {
      $key, $doc = $_ -split "`t", 2
      [pscustomobject]@{ Key = $key; Value = if ($doc) { $doc } else { $key } }
    }
  }
  # Where a file is meant, PowerShell offers files by itself.
  $found | Where-Object { $_.Key.StartsWith($cur) } | ForEach-Object {
    $text = $prefix + $_.Key
    # PowerShell takes four more characters for a single quote.
    if ($text -match '^[^\w/-]|[^\w+=:./-]') {
      $text = "'" + [regex]::Replace($text, "['\u2018-\u201B]", '$0$0') + "'"
    }
    [System.Management.Automation.CompletionResult]::new($text, $_.Key, 'ParameterValue', $_.Value)
  }
}
