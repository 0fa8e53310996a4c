import type { CommandSpec } from '../../core/command-spec.ts';
import type { CommandTree } from '../../core/command-tree.ts';
import { EXIT_MEANING } from '../../core/exit-codes.ts';

/** Higher codes are signals, or 127: `sandbox exec` did not find its command. */
const LAST_CODE = 11;

const RULES = `
---
name: proc
description: Use the command line of the Procurement Service to read and create requisitions, orders, items and imputations.
---

proc is the command line of the Procurement Service: requisitions, orders, items,
imputations (cost allocations), sectors and addresses.

Rules
- Data is on stdout, everything else on stderr. Use -o json. A failure is one JSON line on
  stderr: {"error": {"code", "message", "hint", "exitCode", "retry"}}. Follow the hint. retry says
  when the same command may be run again: now, later, after-check or never.
- Dry runs, plans, summaries, status and doctor have next: [{"command", "why"}], what to run next.
- A create that may run twice: --once KEY, with a key of its own for each record.
- Lists: -o csv --fields code,status for few columns, --all -q 'length(@)' for a count.
- Run every write with --dry-run first and show the result to the person you work for.
- Never add --yes unasked: only if that person has confirmed exactly this write.
- Do not change the target. proc config list shows it; -p PROFILE -e ENV name another one.
  To try something, use the sandbox: proc sandbox exec -- COMMAND.
- Never type or print a key. proc auth status shows whether there is one.
- Exit 9: a write was sent and its outcome is unknown. Do not send it again; run
  proc history list --state unknown, then ask.
- Exit 10 after an import: proc imports resume. After a list: it may be incomplete.
- Refer to records by id=…, code=…, key=…, name=… or alias=…; a bare word may be ambiguous.
- Payloads: proc schema NOUN VERB (for --file). Flags: proc NOUN VERB --help;
  all commands as JSON: proc schema --commands.
`;

/** A test runs each of these commands. */
const FIRST = [
  'proc status -o json',
  'proc doctor --quick -o json',
  'proc config list -o json',
  "proc orders list --where 'status=pending' --limit 3 -o json",
  'proc orders get code=PO-00001 -o json',
  'proc items find bolt -o json',
  'proc schema requisition create',
  'proc items create --name Bolt --code BX-1 --dry-run -o json',
  'proc items import examples/items.csv --dry-run -o json',
  'proc history list -o json',
  'proc sandbox exec -- proc orders list --limit 3 -o json',
];

/** One page for programs that choose commands themselves, e.g. AI assistants. */
export function skillText({ nouns }: CommandTree): string {
  const commands = nouns
    .filter((noun) => noun.commands.length > 0)
    .map((noun) => `${noun.name}: ${noun.commands.map(brief).join(', ')}`);
  const codes = Object.entries(EXIT_MEANING)
    .filter(([code]) => Number(code) <= LAST_CODE)
    .map(([code, meaning]) => `${code} ${meaning}`);
  return `${[
    RULES.trim(),
    ['Commands (* writes to the service)', ...commands].join('\n'),
    ['Exit codes', ...codes].join('\n'),
    ['To begin', ...FIRST].join('\n'),
  ].join('\n\n')}\n`;
}

/** A command without its noun, e.g. `get <order...>` or `create*`. The star marks writes. */
function brief({ path, args = {}, changes }: CommandSpec): string {
  const operands = Object.entries(args).map(([name, { optional, variadic }]) => {
    const shown = variadic === true ? `${name}...` : name;
    return optional === true ? `[${shown}]` : `<${shown}>`;
  });
  const words = [...path.slice(1), ...operands].join(' ') || '(no verb)';
  return changes === 'service' ? `${words}*` : words;
}
