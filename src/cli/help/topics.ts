import type { FlagSpec } from '../../core/command-spec.ts';
import { ERROR_MEANING } from '../../core/error-meanings.ts';
import { ERROR_CODES, type ErrorCode, RETRY } from '../../core/errors.ts';
import { EXIT_MEANING } from '../../core/exit-codes.ts';
import { GLOBAL_FLAGS } from '../../core/global-flags.ts';
import { kebab } from '../../core/text/kebab.ts';
import { wrapWords } from '../../terminal/wrap-words.ts';
import { namedValues } from '../flags/flag-options.ts';
import { helpSection, helpText, widestTerm } from './help-page.ts';
import type { HelpStyle } from './help-style.ts';
import { flagRows } from './pages/command-page.ts';

export const VARIABLES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries<FlagSpec>(GLOBAL_FLAGS).flatMap(([key, { kind, variable, doc }]) =>
      variable === undefined
        ? []
        : [[variable, `${kind === 'boolean' ? '1: ' : ''}${doc}, like --${kebab(key)}`]],
    ),
  ),
  PROC_BASE_URL: 'address of the service, including /api/v1',
  PROC_API_KEY: 'API key, sent as x-api-key',
  PROC_TOKEN: 'bearer token; cannot be combined with PROC_API_KEY',
  PROC_DIALECT: 'names of the list parameters, e.g. limit=pageSize,offset=skip',
  PROC_PAGER:
    'program for lists longer than the screen of a terminal, e.g. less (default PAGER; "": none)',
  PROC_ERRORS: 'format of errors and other messages on stderr: json or text',
  PROC_CONFIG_DIR: 'folder of the settings',
  PROC_STATE_DIR: 'folder of the ledger, the runs of imports and the sandbox',
  PROC_LEDGER:
    'the shared ledger of a team, postgres://USER@HOST/DATABASE (default: in the state folder)',
  PROC_LEDGER_LOOPBACK: '1: the shared ledger also for services on loopback',
  PROC_MAX_CREATE: 'the most records that one command may create, like the setting maxCreate',
  PROC_READ_ONLY: 'if set: only reads and dry runs, whatever the environment allows',
  PROC_DEBUG: '1: print the stack trace of an error',
  ACCESSIBLE: '1: plain numbered prompts without redrawing (for screen readers)',
  NO_COLOR: 'if set: no colour',
  FORCE_COLOR: 'if set: colour even if the output is not a terminal',
  CI: 'if set: never prompt',
  AI_AGENT: 'name of the program that calls proc; history keeps it',
  HTTPS_PROXY: 'proxy for the service (also HTTP_PROXY); never used for loopback addresses',
  NO_PROXY: 'hosts to reach without the proxy',
  SSL_CERT_FILE:
    'PEM file with more certificate authorities to trust; used if Node.js does not know the authority of the service',
};

const TEXTS: Readonly<Record<string, (style: HelpStyle) => string>> = {
  'exit-codes': exitCodes,
  environment,
  errors: errorCodes,
  flags: (style) =>
    flagSections(
      'These flags work with every command, before or after the noun.',
      {
        ...GLOBAL_FLAGS,
        help: { kind: 'boolean', short: 'h', group: 'Help', doc: 'show help' },
        version: { kind: 'boolean', short: 'V', group: 'Help', doc: 'print the version of proc' },
      },
      style,
    ),
  output: ({ width }) => wrapPage(OUTPUT, width),
  contract: ({ width }) => wrapPage(CONTRACT, width),
  import: ({ width }) => wrapPage(IMPORT, width),
  scripting: ({ width }) => wrapPage(SCRIPTING, width),
};

export function topicText(topic: string, style: HelpStyle): string {
  return `${TEXTS[topic]!(style).trim()}\n`;
}

function exitCodes(style: HelpStyle): string {
  const rows = Object.entries(EXIT_MEANING).map(([code, meaning]) => {
    const errors = errorsOf(Number(code));
    return [code.padStart(3), errors === '' ? meaning : `${meaning} Errors: ${errors}`] as const;
  });
  const several =
    'Several ids in one command: proc tries all of them and exits with the highest code.';
  return `${helpSection('Exit codes', rows, style)}\n\n${helpText(several, style)}`;
}

/** The error codes with this exit code, separated by commas. */
export function errorsOf(exitCode: number): string {
  const codes = Object.keys(ERROR_CODES) as ErrorCode[];
  return codes.filter((code) => ERROR_CODES[code] === exitCode).join(', ');
}

function errorCodes(style: HelpStyle): string {
  const rows = (Object.keys(ERROR_MEANING) as ErrorCode[]).map(
    (code) =>
      [code, `${ERROR_MEANING[code]} (exit ${ERROR_CODES[code]}, retry ${RETRY[code]})`] as const,
  );
  const where =
    'The code is in the JSON line of an error: proc help output. retry says when the same command may be run again: now, later, after-check (look first, as the hint says) or never.';
  return `${helpSection('Error codes', rows, style)}\n\n${helpText(where, style)}`;
}

function environment(style: HelpStyle): string {
  const order =
    'A flag overrides a variable, and a variable overrides the profile.\nTo see where each value comes from: proc config list';
  const section = helpSection('Environment variables', Object.entries(VARIABLES), style);
  return `${section}\n\n${helpText(order, style)}`;
}

function flagSections(
  intro: string,
  flags: Readonly<Record<string, FlagSpec>>,
  style: HelpStyle,
): string {
  const all = Object.entries(flags);
  const termWidth = widestTerm(flagRows(all));
  const groups = [...new Set(all.map(([, { group = 'Flags' }]) => group))];
  const sections = groups.map((name) =>
    helpSection(
      name,
      flagRows(all.filter(([, { group = 'Flags' }]) => group === name)),
      style,
      termWidth,
    ),
  );
  const named = all.flatMap(([key, flag]) => namedValues(key, flag));
  const values =
    named.length === 0 ? [] : [helpSection('What proc refuses by default', named, style)];
  return [helpText(intro, style), ...sections, ...values].join('\n\n');
}

const OUTPUT = `
Data goes to stdout, everything else to stderr.

  table    the default on a terminal
  json     the default everywhere else
  ndjson   one JSON object per line
  csv      RFC 4180; proc puts an apostrophe before cells that look like formulas,
           and removes it on import (--csv-raw disables both)
  tsv      like csv, separated by tabs; lines end with LF
  xlsx     a workbook, for --out FILE.xlsx or a pipe: codes and ids as text, amounts
           as numbers in their currency, dates as dates in UTC
  yaml
  id       only the ids, one per line

Set the format with -o or PROC_OUTPUT. An empty list is [] in JSON and a
notice on stderr for a table. Both exit 0.

--where filters rows, --order-by sorts them, --fields selects fields, --query selects with
JMESPath, in this sequence. All work on the rows that proc fetched: with --order-by
the whole list, with --where until --limit is filled. --limit is the number of rows to print,
--page-size the number to request at once.

If stderr is not a terminal and the output is JSON or NDJSON, stderr carries JSON lines:
{"error": {"code", "message", "hint", "status", "requestId", "exitCode", "retry",
"details"}},
{"warning"}, {"notice"}, {"progress"}, {"http"}.
`;

const CONTRACT = `
proc checks everything that it sends against the contract. Where the contract leaves
something open, proc does this:

  list parameters   the contract does not name them, so proc uses limit, offset, sort and dir. If
                    the service has other names, set PROC_DIALECT, e.g. to
                    limit=pageSize,offset=skip, or store them: proc profile set NAME
                    -e ENV dialect=…. proc doctor detects and stores the names, and
                    so does a command whose list the service refuses with 400
  end of a list     a page with fewer rows than the limit ends the list only if an earlier page
                    shows that the service obeys the limit; otherwise proc requests one
                    more page. If proc still cannot verify that the list is complete,
                    it exits 10
  responses         proc keeps unknown fields and accepts missing ones; it checks
                    that a response is an array or the requested record
  updates           proc sends only the fields that you give
  sector            the contract does not say whether a requisition takes the id, key or
                    name of a sector. proc sends the key; to change this, add sectorValue=id or
                    sectorValue=name to the dialect
  deletes           sectors and addresses cannot be created again
  writes            proc retries a write only if the first attempt provably had no
                    effect; otherwise it exits 9

Every gap of the contract: test/contract/gaps.md in the repository
`;

const IMPORT = `
proc items import FILE creates catalogue items from a file: JSON, NDJSON, CSV, TSV (also
gzipped) or .xlsx; - reads standard input. An import has four steps:

  read      proc copies every row into the state folder and does not read the file
            again. It rejects a row that it cannot read and names its line.
  map       proc maps columns that have the name of a field. Without --map it also finds
            similar names, and asks. For other columns use --map code=SKU
            --map 'name={Model} {Color}' --set unitOfMeasure=EA; --save-map stores a
            mapping, --map-file reuses one.
  plan      proc skips items whose code exists (--on-existing), stops if rows share a
            code but differ (--on-duplicate), and rejects rows without a code
            (--no-code). It refuses what is probably a mistake, such as a row of totals
            (--allow). It shows the plan and asks; --dry-run ends here.
  create    one request per row, several at once; each is in the ledger before it is
            sent.

You can stop an import at any moment, with Ctrl-C, kill -9 or a power cut, and continue
it with proc imports resume. If the response to a row was lost, proc looks the row up by
its code before it sends it again, so no row is created twice or lost. Rows that proc
cannot look up stay unconfirmed; JSON counts them as unknown.

In a script:        proc items import FILE --yes -o json
Rejected rows:      in a separate file, with reasons; fix them there and import that file
A second run:       creates only what does not exist yet
Exit codes:         0 all done, 8 rows rejected, 9 rows unconfirmed, 10 stopped early
                    (resume it), 2 plan not accepted, nothing sent
See runs:           proc imports list, proc imports show RUN
All flags:          proc items import --help
`;

const SCRIPTING = `
Name the target          proc -p acme -e production ..., or PROC_BASE_URL and PROC_API_KEY.
                         A write to a protected environment needs --yes and an
                         environment named by -e or PROC_ENV.
Disable prompts          proc prompts only on a terminal; elsewhere a command that needs an
                         answer exits 2. On a terminal: --no-input or
                         PROC_NO_INPUT=1.
Read JSON                the default if stdout is not a terminal; -o json makes it
                         explicit. -o id prints ids, -o ndjson one row per line. stdout
                         carries data only.
Check exit codes         proc help exit-codes. They never change their meaning.
Read errors              with JSON output, stderr carries JSON lines: one {"error": ...}
                         with a stable code, a message and a hint.
Handle exit 9            the outcome of a write is unknown: do not send it again blindly.
                         proc history list --state unknown, then proc history resolve.
Repeat a write           creating the same record again within 24 hours exits 2; add
                         --again to send it anyway.
Read whole lists         in a pipe or a file a list is read to its end; exit 10 if it
                         may be incomplete.
Send payloads            --file FILE, - for standard input. What a payload may contain:
                         proc schema COMMAND, proc schema COMMAND --skeleton.
Call any endpoint        proc api METHOD PATH, with the same checks, retries and history.
Avoid ambiguity          say which field you mean: id=…, code=…, key=… or name=….
Test first               --dry-run shows the request, --curl prints it, and
                         proc sandbox exec -- ./script.sh runs a script against a fresh
                         local service.
Check the setup          proc doctor --quick -o json
`;

/**
 * In columns of the terminal. If less room is left to the right of a long term, its description goes below
 * it. A term is long if it takes more than a third of the line.
 */
const LEAST_ROOM = 40;

interface Block {
  readonly lead: number;
  readonly term: string | undefined;
  readonly column: number;
  text: string;
}

/**
 * Wraps a page of paragraphs and term/description rows to `width`. If a line is too wide, lines that
 * were broken by hand are joined first.
 */
function wrapPage(page: string, width: number): string {
  const lines = page.split('\n');
  if (lines.every((line) => line.length <= width)) return page;
  const blocks: (Block | undefined)[] = [];
  for (const line of lines) {
    const above = blocks.at(-1);
    const lead = /^ */.exec(line)![0].length;
    const [, term, gap] = /^ *(\S+(?: \S+)*)( {2,})\S/.exec(line) ?? [];
    if (line === '') blocks.push(undefined);
    else if (above !== undefined && term === undefined && continues(above, lead)) {
      above.text += ` ${line.trim()}`;
    } else {
      const column = term === undefined ? lead : lead + term.length + gap!.length;
      blocks.push({ lead, term, column, text: line.slice(column) });
    }
  }
  return blocks.flatMap((block) => (block === undefined ? [''] : laidOut(block, width))).join('\n');
}

/**
 * A line with the same indentation continues the text above. A paragraph ends with a full stop or a
 * colon.
 */
function continues({ term, column, text }: Block, lead: number): boolean {
  return lead === column && (term !== undefined || !/[.:]$/.test(text));
}

function laidOut({ lead, term, column, text }: Block, width: number): string[] {
  const margin = ' '.repeat(lead);
  if (term === undefined) return wrapWords(margin + text, width, lead);
  if (width - column >= LEAST_ROOM || column * 3 <= width) {
    return wrapWords(`${`${margin}${term}`.padEnd(column)}${text}`, width, column);
  }
  return [margin + term, ...wrapWords(`${margin}    ${text}`, width, lead + 4)];
}
