import { ProcError } from '../../../core/errors.ts';
import type { Ports } from '../../../core/ports.ts';
import { numberText } from '../../../core/text/raw-number.ts';
import { show } from '../../../core/validate.ts';
import { sentence } from '../../../messages/problems.ts';
import { openWorkplace } from '../../ledger/processes/workplace.ts';
import { placeOf } from '../../report/words.ts';
import { openSource } from '../../source/open-source.ts';
import type { Source, SourceRecord } from '../../source/record.ts';
import { removeSpool } from '../../source/remove-spool.ts';
import type { Decision } from './decision.ts';

const OUTCOMES = ['adopt', 'resend', 'drop'] as const;
const FIELDS = ['row', 'outcome', 'id'] as const;
type Field = (typeof FIELDS)[number];

/** Maximum number of mistakes in the text of an error, and in its details. */
const NAMED = 5;
const DETAILED = 1_000;

export interface FiledDecision {
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

export interface FileMistake {
  readonly place: string;
  readonly field: Field;
  readonly message: string;
}

export function mistakesIn(name: string, mistakes: readonly FileMistake[]): ProcError {
  const some = mistakes
    .slice(0, NAMED)
    .map(({ place, field, message }) => `${place}: "${field}" ${message}`);
  const more = mistakes.length > NAMED ? `; and ${mistakes.length - NAMED} more` : '';
  return new ProcError('invalid_input', `${name}, ${some.join('; ')}${more}; nothing was changed`, {
    hint: 'Fix the file and run the command again',
    details: { mistakes: mistakes.length, issues: mistakes.slice(0, DETAILED) },
  });
}

/**
 * Reads decisions about rows from a file, in any format that imports read. Other columns than
 * `row`, `outcome`, `id` and `sentAt` are ignored. So a person can fill in the list that `imports
 * rows` writes.
 *
 * @param folder the folder of all imports
 * @throws ProcError `invalid_input`, `unreadable_file`: all mistakes that the file alone shows
 */
export async function readDecisions(
  file: string,
  sheet: string | undefined,
  folder: string,
  ports: Ports<'io' | 'api' | 'self'>,
): Promise<DecisionFile> {
  using workplace = openWorkplace(folder, ports.api.isPreview);
  const source = await openSource({
    file,
    sheet,
    cwd: ports.self.cwd,
    stdin: ports.io.streams.stdin,
    spoolFolder: workplace.folder,
    // proc does not ask for the encoding: a wrong encoding only damages names, and names are
    // ignored.
    confirmEncoding: async () => true,
  });
  try {
    return await decisionsIn(source);
  } finally {
    removeSpool(source, workplace.folder);
  }
}

async function decisionsIn(source: Source): Promise<DecisionFile> {
  const { name, hash } = source;
  const columns = columnsOf(source);
  const reader = new DecisionReader(columns);
  for await (const batch of source.records()) {
    for (const record of batch) reader.add(record);
  }
  if (reader.mistakes.length > 0) throw mistakesIn(name, reader.mistakes);
  const { decisions } = reader;
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

class DecisionReader {
  readonly decisions: FiledDecision[] = [];
  readonly mistakes: FileMistake[] = [];
  readonly #columns: Columns;
  readonly #rows = new Map<number, string>();
  readonly #ids = new Map<string, string>();

  constructor(columns: Columns) {
    this.#columns = columns;
  }

  add({ row: record, line, fields, problem }: SourceRecord): void {
    const place = line === undefined ? placeOf(record, line) : `line ${line}`;
    const wrong = (field: Field, message: string) => {
      this.mistakes.push({ place, field, message });
    };
    if (fields === undefined || problem !== undefined) {
      const why =
        problem === undefined ? 'invalid record' : sentence({ ...problem, field: undefined });
      wrong('row', `cannot be read: ${why}`);
      return;
    }
    const cellOf = (field: Field) => {
      const column = this.#columns[field];
      return column === undefined ? undefined : fields[column];
    };
    const row = rowNumber(cellOf('row'));
    const outcome = textOf(cellOf('outcome')).toLowerCase();
    const id = textOf(cellOf('id'));
    if (row === undefined) {
      // An empty line of a spreadsheet.
      if (outcome === '' && id === '' && textOf(cellOf('row')) === '') return;
      wrong('row', `must be the number of a row, got ${show(cellOf('row') ?? '')}`);
      return;
    }
    const before = this.#rows.get(row);
    if (before !== undefined) wrong('row', `is ${row}, which is also on ${before}`);
    this.#rows.set(row, place);
    const decision = this.#decisionOf(outcome, id, place, wrong);
    const { sentAt } = this.#columns;
    this.decisions.push({
      row,
      place,
      decision,
      sentAt: sentAt === undefined ? undefined : fields[sentAt],
    });
  }

  #decisionOf(
    outcome: string,
    id: string,
    place: string,
    wrong: (field: Field, message: string) => void,
  ): Decision | undefined {
    if (outcome === 'adopt') {
      const before = this.#ids.get(id);
      if (id === '') wrong('id', 'is missing: adopt needs the id of the created record');
      else if (before !== undefined) wrong('id', `is ${id}, which is also on ${before}`);
      this.#ids.set(id, place);
      return { kind: 'adopt', id };
    }
    if (outcome !== '' && !isOutcome(outcome)) {
      wrong('outcome', `must be one of ${OUTCOMES.join(', ')}, got ${show(outcome)}`);
      return undefined;
    }
    if (id !== '') wrong('id', `is ${id}, but only adopt takes an id`);
    return outcome === '' ? undefined : { kind: outcome };
  }
}

function isOutcome(word: string): word is Exclude<(typeof OUTCOMES)[number], 'adopt'> {
  return (OUTCOMES as readonly string[]).includes(word);
}

function rowNumber(value: unknown): number | undefined {
  const text = textOf(value);
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
}

export function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return numberText(value) ?? (typeof value === 'string' ? value.trim() : JSON.stringify(value));
}
