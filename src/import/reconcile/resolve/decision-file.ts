import { ProcError } from '../../../core/errors.ts';
import type { Ports } from '../../../core/ports.ts';
import { listedAndMore } from '../../../core/text/listed.ts';
import { show } from '../../../core/validate.ts';
import { sentence } from '../../../messages/problems.ts';
import { placeOf } from '../../report/words.ts';
import type { Source, SourceRecord } from '../../source/record.ts';
import { cellText, withTable } from '../../source/table-file.ts';
import type { Unconfirmed } from '../../store/looked-up-rows.ts';
import type { ListedRow } from '../../store/reported-rows.ts';
import type { Run } from '../../store/run-file.ts';
import type { ImportTarget } from '../../targets/import-target.ts';
import {
  type Decided,
  type Decision,
  type Plan,
  type Resolving,
  refuseReconcilable,
} from './decision.ts';

const OUTCOMES = ['adopt', 'resend', 'drop'] as const;
const FIELDS = ['row', 'outcome', 'id'] as const;
type Field = (typeof FIELDS)[number];

/** Maximum number of mistakes in the text of an error, and in its details. */
const NAMED = 5;
const DETAILED = 1_000;

interface FiledDecision {
  readonly row: number;
  readonly place: string;
  /** Undefined if the outcome is empty: the row stays as it is. */
  readonly decision: Decision | undefined;
  /** When the row was sent, according to the file. */
  readonly sentAt: unknown;
}

export interface DecisionFile {
  /** As the user named it. */
  readonly name: string;
  readonly hash: string;
  readonly decisions: readonly FiledDecision[];
}

interface FileMistake {
  readonly place: string;
  readonly field: Field;
  readonly message: string;
}

function mistakesIn(name: string, mistakes: readonly FileMistake[]): ProcError {
  const some = mistakes.map(({ place, field, message }) => `${place}: "${field}" ${message}`);
  return new ProcError(
    'invalid_input',
    `${name}, ${listedAndMore(some, NAMED)}; nothing was changed`,
    {
      hint: 'Fix the file and run the command again',
      details: { mistakes: mistakes.length, issues: mistakes.slice(0, DETAILED) },
    },
  );
}

/**
 * Reads decisions about rows from a file, in any format that imports read. Other columns than
 * `row`, `outcome`, `id` and `sentAt` are ignored. So a person can fill in the list that `imports
 * rows` writes.
 *
 * @returns undefined without `--from`
 * @throws ProcError `invalid_input`, `unreadable_file`: all mistakes that the file alone shows
 */
export async function readDecisions(
  { flags: { from: file, sheet } }: Pick<Resolving, 'flags'>,
  ports: Ports<'io' | 'self'>,
): Promise<DecisionFile | undefined> {
  if (file === undefined) return undefined;
  // proc does not ask for the encoding: a wrong encoding only damages names, and names are ignored.
  return withTable(file, { sheet, confirmEncoding: async () => true }, ports, decisionsIn);
}

async function decisionsIn(source: Source): Promise<DecisionFile> {
  const { name, hash } = source;
  const columns = columnsOf(source);
  const read: Read = { decisions: [], mistakes: [], rows: new Map(), ids: new Map() };
  for await (const batch of source.records()) {
    for (const record of batch) readDecision(record, columns, read);
  }
  const { decisions, mistakes } = read;
  if (mistakes.length > 0) throw mistakesIn(name, mistakes);
  if (decisions.every(({ decision }) => decision === undefined)) {
    throw new ProcError('invalid_input', `${name} has no row with an outcome`, {
      hint: `Fill in the column outcome with one of: ${OUTCOMES.join(', ')}`,
    });
  }
  return { name, hash, decisions };
}

type Columns = Readonly<Partial<Record<Field | 'sentAt', string>>>;

/** Ignores case and surrounding spaces, which a spreadsheet may change. */
function columnsOf({ name, columns }: Source): Columns {
  const named = (field: string) => {
    const found = columns.filter((one) => one.trim().toLowerCase() === field.toLowerCase());
    if (found.length > 1) {
      throw new ProcError('invalid_input', `${name} has several columns ${field}`, {
        hint: 'Remove all but one of them',
      });
    }
    return found[0];
  };
  const missing = (['row', 'outcome'] as const).filter((field) => named(field) === undefined);
  if (missing.length > 0) {
    throw new ProcError(
      'invalid_input',
      `${name} has no column ${missing.join(' and no column ')}; its columns: ${columns.join(', ')}`,
      { hint: `Add the columns ${FIELDS.join(', ')}` },
    );
  }
  return {
    row: named('row'),
    outcome: named('outcome'),
    id: named('id'),
    sentAt: named('sentAt'),
  };
}

interface Read {
  readonly decisions: FiledDecision[];
  readonly mistakes: FileMistake[];
  /** Places of the rows and ids so far. */
  readonly rows: Map<number, string>;
  readonly ids: Map<string, string>;
}

function readDecision(
  { row: record, line, fields, problem }: SourceRecord,
  columns: Columns,
  { decisions, mistakes, rows, ids }: Read,
): void {
  const place = line === undefined ? placeOf(record, line) : `line ${line}`;
  const wrong = (field: Field, message: string) => {
    mistakes.push({ place, field, message });
  };
  if (fields === undefined || problem !== undefined) {
    const why =
      problem === undefined ? 'invalid record' : sentence({ ...problem, field: undefined });
    wrong('row', `cannot be read: ${why}`);
    return;
  }
  const cellOf = (field: keyof Columns): unknown => {
    const column = columns[field];
    return column === undefined ? undefined : fields[column];
  };
  const number = cellText(cellOf('row'));
  const outcome = cellText(cellOf('outcome')).toLowerCase();
  const id = cellText(cellOf('id'));
  // An empty line of a spreadsheet.
  if (number === '' && outcome === '' && id === '') return;
  if (!/^[1-9]\d{0,14}$/.test(number)) {
    wrong('row', `must be the number of a row, got ${show(cellOf('row') ?? '')}`);
    return;
  }
  const row = Number(number);
  const earlier = rows.get(row);
  if (earlier !== undefined) wrong('row', `is ${row}, which is also on ${earlier}`);
  rows.set(row, place);
  const add = (decision: Decision | undefined) => {
    decisions.push({ row, place, decision, sentAt: cellOf('sentAt') });
  };
  if (outcome === 'adopt') {
    const before = ids.get(id);
    if (id === '') wrong('id', 'is missing: adopt needs the id of the created record');
    else if (before !== undefined) wrong('id', `is ${id}, which is also on ${before}`);
    ids.set(id, place);
    add({ kind: 'adopt', id });
  } else if (outcome === '' || isOutcome(outcome)) {
    if (id !== '') wrong('id', `is ${id}, but only adopt takes an id`);
    add(outcome === '' ? undefined : { kind: outcome });
  } else {
    wrong('outcome', `must be one of ${OUTCOMES.join(', ')}, got ${show(outcome)}`);
    add(undefined);
  }
}

function isOutcome(word: string): word is Exclude<(typeof OUTCOMES)[number], 'adopt'> {
  return (OUTCOMES as readonly string[]).includes(word);
}

/**
 * @throws ProcError `invalid_input`, with every row that the run does not have, that is not
 *   unconfirmed, or that was sent again since
 */
export function decidedByFile(
  { name, hash, decisions }: DecisionFile,
  run: Run,
  target: ImportTarget,
): Plan {
  const open = new Map(run.rows.unconfirmed.all().map((row) => [row.row, row]));
  const isRecorded = run.get('resolvedFrom')?.includes(hash) === true;
  const decided: Decided[] = [];
  const unchanged: Plan['unchanged'][number][] = [];
  const mistakes: FileMistake[] = [];
  for (const filed of decisions) {
    const { row, place, decision } = filed;
    const now = run.rows.reported.outcomeOf(row);
    const wrong = (message: string) => mistakes.push({ place, field: 'row', message });
    if (now === undefined) {
      wrong(`is ${row}, which ${run.header.run} does not have`);
      continue;
    }
    if (decision === undefined) continue;
    const one = open.get(row);
    if (isRecorded || isAlready(decision, now)) {
      unchanged.push({ row: { row, code: now.code }, decision });
    } else if (one === undefined) {
      wrong(`is ${row}, which is ${now.state}, not unconfirmed`);
    } else if (isOlder(filed, one)) {
      wrong(
        `is ${row}, which was sent at ${timeOf(one.sent_at)}, but the file says ${cellText(filed.sentAt)}: the file is older, or belongs to another run`,
      );
    } else {
      decided.push({ row: one, decision, place });
    }
  }
  if (mistakes.length > 0) throw mistakesIn(name, mistakes);
  refuseReconcilable(
    decided.map(({ row }) => row),
    run.header,
    target,
  );
  return { decided, open: [], rest: 0, unchanged };
}

function isAlready(decision: Decision, { state, id }: Pick<ListedRow, 'state' | 'id'>): boolean {
  if (decision.kind === 'adopt') {
    return (state === 'created' || state === 'existing') && id === decision.id;
  }
  return state === (decision.kind === 'drop' ? 'dropped' : 'pending');
}

/** Whether the row was sent at another time than the file says, e.g. sent again since. */
function isOlder({ sentAt }: FiledDecision, { sent_at: now }: Unconfirmed): boolean {
  const text = cellText(sentAt);
  return now !== null && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) && text !== timeOf(now);
}

function timeOf(ms: number | null): string {
  return ms === null ? 'an unknown time' : new Date(ms).toISOString();
}
