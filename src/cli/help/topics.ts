import type { FlagSpec } from '../../core/command-spec.ts';
import { EXIT_MEANING } from '../../core/exit-codes.ts';
import { flagTerm } from '../flags/flag-options.ts';
import { GLOBAL_FLAGS } from '../flags/globals.ts';

/** Environment variable → what it does. */
export const VARIABLES: Readonly<Record<string, string>> = {
  PROC_PROFILE: 'profile to work with, as --profile',
  PROC_ENV: 'environment of the profile, as --env',
  PROC_BASE_URL: 'address of the service, with /api/v1',
  PROC_API_KEY: 'API key, sent as x-api-key',
  PROC_TOKEN: 'bearer token; not together with PROC_API_KEY',
  PROC_ORGANIZATION: 'organization of the key, as --organization',
  PROC_DIALECT: 'names of the list parameters, for instance limit=pageSize,offset=skip',
  PROC_OUTPUT: 'output format, as --output',
  PROC_ERRORS: 'form of errors and other messages on stderr: json or text',
  PROC_CONFIG_DIR: 'folder of the settings',
  PROC_STATE_DIR: 'folder of history, journals and the sandbox',
  PROC_NO_INPUT: 'set: never ask, as --no-input',
  PROC_LANG: 'language of prompts: en or es',
  PROC_DEBUG: '1: show the stack of an error',
  ACCESSIBLE: '1: plain numbered questions, no redrawing (screen readers)',
  NO_COLOR: 'set: no colour',
  FORCE_COLOR: 'set: colour also off a terminal',
  CI: 'set: never ask',
  HTTPS_PROXY: 'proxy for the service; never used for loopback (also HTTP_PROXY)',
  NO_PROXY: 'hosts that are reached without the proxy',
};

const TEXTS: Readonly<Record<string, () => string>> = {
  'exit-codes': exitCodes,
  environment,
  flags,
  output: () => OUTPUT,
  contract: () => CONTRACT,
  import: () => IMPORT,
  scripting: () => SCRIPTING,
};

/** The text of `proc help TOPIC`. */
export function topicText(topic: string): string {
  return `${TEXTS[topic]!().trim()}\n`;
}

function exitCodes(): string {
  const rows = Object.entries(EXIT_MEANING).map(
    ([code, meaning]) => `  ${code.padStart(3)}  ${meaning}`,
  );
  return `Exit codes:\n\n${rows.join('\n')}\n\nSeveral ids in one command: all are tried, the highest code wins.`;
}

function environment(): string {
  const rows = Object.entries(VARIABLES).map(([name, doc]) => `  ${name.padEnd(17)}${doc}`);
  return `Environment variables:\n\n${rows.join('\n')}\n\nA flag wins over a variable, a variable over .proc.json, that over the profile.\nWhere each value comes from: proc config list`;
}

function flags(): string {
  const rows = Object.entries<FlagSpec>(GLOBAL_FLAGS).map(([key, spec]) => {
    const term = `${spec.short === undefined ? '    ' : ''}${flagTerm(key, spec)}`;
    return `  ${term.padEnd(30)}${spec.doc}`;
  });
  return `Flags that every command takes, before or after the noun:\n\n${rows.join('\n')}\n  -h, --help                    help on a command\n  -V, --version                 the version of proc`;
}

const OUTPUT = `
Data goes to stdout, everything else to stderr.

  table    on a terminal, unless told otherwise
  json     everywhere else
  ndjson   one JSON line per row
  csv      RFC 4180; cells that a spreadsheet would run get an apostrophe,
           which an import takes off again (--csv-raw: neither)
  yaml
  id       the ids alone, one per line

-o or PROC_OUTPUT fixes the format. An empty list is [] in JSON, a sentence on stderr
in a table, and exit 0 in both.

--where keeps rows, --fields picks fields, --query picks with JMESPath, in this order.
They work on what was fetched; with --where a list is read to its end. --limit is the most
rows that are printed, --page-size what each request asks for.

Where stderr is not a terminal and the output is JSON or NDJSON, stderr carries JSON
lines: {"error":{"code","message","hint","status","requestId","exitCode","details"}},
{"warning"}, {"notice"}, {"progress"}, {"http"}.
`;

const CONTRACT = `
What the service states is checked before anything is sent. What it leaves open is
passed through, shown, and can be set:

  list parameters   names are not stated; proc says limit, offset, sort, dir. Others:
                    PROC_DIALECT=limit=pageSize,offset=skip, or per environment by
                    proc profile set NAME -e ENV dialect=…; proc doctor finds what
                    this service calls them, proc doctor --learn stores that
  end of a list     a short page is the end only where the limit was seen to be
                    honoured; else one more request decides, and where even that
                    proves nothing, --all says so and exits 10
  answers           unknown fields are kept, missing ones pass; only the container
                    (array, object) is checked
  updates           only the fields that you give are sent
  sector            of a requisition: id, key or name is not stated; dialect
                    setting sectorValue, default key
  deletes           sectors and addresses cannot be created again
  writes            never sent twice unless the first surely was not applied;
                    otherwise exit 9

All of it, gap by gap: docs/contract.md in the repository
`;

const IMPORT = `
proc items import FILE brings a file of another system into the catalogue: JSON, NDJSON,
CSV or TSV, gzipped or not, or .xlsx; - for standard input. It goes in four steps:

  read      every row goes into a journal in the state folder; afterwards the file is
            not read again. A row that cannot be read is rejected with its place.
  map       columns that are called like the fields need nothing. Otherwise
            --map code=SKU --map 'name={Model} {Color}' --set unitOfMeasure=EA;
            --save-map keeps a mapping, --map-file and --map-from use one again.
  plan      what exists by its code is skipped (--on-existing), rows that share a code
            and differ end it (--on-duplicate), rows without a code are rejected
            (--no-code). Shown and confirmed; --dry-run ends here.
  create    one request a row, several at once, each recorded before it leaves.

It can be cut off at any moment, by Ctrl-C, kill -9 or a power cut, and goes on with
proc imports resume. A row whose answer was lost is looked up by its code before
anything is done about it: nothing is created twice, nothing is lost. What cannot be
found out is parked and counted as unknown.

In a script:        proc items import FILE --yes -o json
Rejected rows:      in a file of their own, with the reason; mend it and import that
A second run:       creates nothing that is there already
Exit codes:         0 all done, 8 some rows rejected, 9 some unknown, 10 stopped before
                    its end (resume), 2 the plan was not accepted and nothing was sent
What went on:       proc imports list, proc imports show RUN
`;

const SCRIPTING = `
Say where, each time     proc -p acme -e production ..., or PROC_BASE_URL and PROC_API_KEY.
                         A protected environment takes a write only with --yes and an
                         environment named by -e or PROC_ENV.
Never a prompt           off a terminal nothing is asked; what needs an answer exits 2.
                         --no-input or PROC_NO_INPUT=1 also on a terminal.
Read JSON                off a terminal it is the default; -o json says so. -o id prints
                         ids, -o ndjson a row a line. stdout is data and nothing else.
Branch on exit codes     proc help exit-codes. They never change their meaning.
Read errors              with JSON output stderr is JSON lines, one {"error": ...} with a
                         stable code, a message and a hint.
Exit 9                   a write whose outcome is not known: never send it again blindly.
                         proc history list --state unknown, then history resolve.
Repeats                  the same create within 24 hours exits 2; --again sends it.
Whole lists              --all; exit 10 where the end cannot be proved.
Payloads                 --file FILE, - for standard input. What may stand in one:
                         proc schema COMMAND, proc schema COMMAND --skeleton.
Everything else          proc api METHOD PATH, with the same guard, retry and history.
Name things              id=…, code=…, key=…, name=…, alias=…: then nothing is guessed.
Before it is real        --dry-run shows the request, --curl prints it, and
                         proc sandbox exec -- ./script.sh runs a script against a fresh
                         service of its own.
Is all well?             proc doctor --quick -o json
`;
