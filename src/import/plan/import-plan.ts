import { ProcError } from '../../core/errors.ts';
import type { Choice, Ports } from '../../core/ports.ts';
import { problemIn } from '../../core/problem/row-problem.ts';
import { rowSentence, sentence } from '../../core/problem/sentence.ts';
import type { Row } from '../../core/result.ts';
import { listed, someOf } from '../../core/text/listed.ts';
import { typedAgain } from '../../core/text/typed.ts';
import { canonical } from '../../history/store.ts';
import { widthOf } from '../../output/width.ts';
import {
  type Counted,
  countedIn,
  countedWord,
  placeOf,
  rowsIn,
  withReason,
} from '../report/words.ts';
import type { Choices } from '../store/facts.ts';
import type { KeyColumn, KeyMember, Sample } from '../store/planned-rows.ts';
import type { Run } from '../store/run-file.ts';
import type { RowState } from '../store/transitions.ts';
import { padded } from './values.ts';

export interface Plan {
  readonly counts: Counted;
  readonly rows: number;
  readonly create: number;
  readonly existing: number;
  readonly duplicates: number;
  readonly invalid: number;
  /** Sent by an earlier run or command, with unknown outcome. They are not sent again. */
  readonly unconfirmed: number;
  /** Sent by an earlier run or command, with unknown outcome, and dropped by the user. */
  readonly dropped: number;
  /** Cells from which proc removed a protecting apostrophe. */
  readonly unguarded: number;
  readonly samples: {
    readonly create: readonly Sample[];
    readonly existing: readonly Sample[];
    readonly duplicates: readonly Sample[];
    readonly invalid: readonly Sample[];
    readonly unconfirmed: readonly Sample[];
  };
}

const SAMPLES = 3;

/**
 * Marks duplicates.
 *
 * @throws ProcError `invalid_input` if duplicates have different values and there is no
 * `--on-duplicate`
 */
export function checkDuplicates(
  run: Run,
  choices: Choices,
  keyField: string,
  columns?: readonly KeyColumn[],
): void {
  const { differing, count } = collapseDuplicates(run, choices.onDuplicate, columns);
  if (count === 0) return;
  const shown = differing.map(({ code, rows }) => `${code} (rows ${rows.slice(0, 5).join(', ')})`);
  throw new ProcError(
    'invalid_input',
    `${count} ${keyField}${count === 1 ? ' appears' : 's appear'} in several rows with different values: ${someOf(shown, count, '; ')}`,
    {
      hint: 'Choose which row to keep with --on-duplicate first, last or all',
      details: { duplicates: differing },
    },
  );
}

/** A person chooses one row of so many; then proc asks again for the others. */
const SIDE_BY_SIDE = 4;

/**
 * At a terminal, shows rows with the same key that differ side by side, and asks which one to keep. What is left
 * is for {@link checkDuplicates}.
 */
export async function askDuplicates(
  run: Run,
  { io, ask, self }: Ports<'io' | 'ask' | 'self'>,
): Promise<void> {
  if (!io.terminal.interactive || self.flags.yes) return;
  if (run.header.choices.onDuplicate !== undefined) return;
  for (;;) {
    const { differing, count } = collapseDuplicates(run, undefined);
    const [first] = differing;
    if (first === undefined) return;
    const { code, rows } = first;
    const shown = rows.slice(0, SIDE_BY_SIDE);
    io.say({
      kind: 'notice',
      text: [
        `${code} is in rows ${listed(rows.slice(0, -1).map(String), 20)} and ${rows.at(-1)!}, which differ:`,
        ...sideBySide(run, shown),
      ].join('\n'),
    });
    const choices: Choice<number | 'first' | 'last' | 'stop'>[] = [
      ...shown.map((row) => ({ name: `row ${row}`, value: row })),
      ...(count === 1
        ? []
        : [
            { name: 'The first row, also for all that follow', value: 'first' as const },
            { name: 'The last row, also for all that follow', value: 'last' as const },
          ]),
      { name: 'Stop: create nothing', value: 'stop' },
    ];
    const answer = await ask.select(
      `Which row of ${code} is created?${count === 1 ? '' : ` (${count - 1} more like it)`}`,
      choices,
    );
    if (answer === 'stop') return;
    if (typeof answer === 'string') {
      collapseDuplicates(run, answer);
      return;
    }
    run.commit(() => keepRow(run, rows, answer));
  }
}

/** The fields in which rows differ, a column for each row. */
function sideBySide(run: Run, rows: readonly number[]): string[] {
  const bodies = rows.map((row) => JSON.parse(run.rows.at(row)!.body!) as Row);
  const fields = [...new Set(bodies.flatMap((body) => Object.keys(body)))];
  const text = (value: unknown): string =>
    value === undefined ? '(empty)' : typeof value === 'string' ? value : JSON.stringify(value);
  const differing = fields.filter(
    (field) => new Set(bodies.map((body) => text(body[field]))).size > 1,
  );
  const lines = [
    ['', ...rows.map((row) => `#${row}`)],
    ...differing.map((field) => [field, ...bodies.map((body) => text(body[field]))]),
  ];
  const widths = lines[0]!.map((_, at) =>
    Math.min(32, Math.max(...lines.map((line) => widthOf(line[at]!)))),
  );
  return lines.map((line) =>
    `  ${line.map((cell, at) => padded(cell, widths[at]!)).join('  ')}`.trimEnd(),
  );
}

export function makePlan(run: Run): Plan {
  const counts = run.counts();
  // Asking for more samples than there are would scan all rows.
  const samples = (state: RowState): Sample[] =>
    run.rows.planned.samples(state, Math.min(SAMPLES, counts[state]));
  return {
    counts: countedIn(run.header),
    rows: Object.values(counts).reduce((sum, count) => sum + count, 0),
    create: counts.pending,
    existing: counts.existing,
    duplicates: counts.duplicate,
    invalid: counts.rejected,
    unconfirmed: counts.unconfirmed,
    dropped: counts.dropped,
    unguarded: run.get('unguarded') ?? 0,
    samples: {
      create: samples('pending'),
      existing: samples('existing'),
      duplicates: samples('duplicate'),
      invalid: samples('rejected'),
      unconfirmed: samples('unconfirmed'),
    },
  };
}

/**
 * Checks the plan against `--on-existing fail`, `--max-create` and `--max-rejected`.
 *
 * @param typed the command line, for hints
 * @returns why the plan is refused; undefined if it is not
 */
export function refusalOf(
  plan: Plan & Pick<Created, 'newItems'>,
  choices: Choices,
  typed: readonly string[],
): ProcError | undefined {
  const { existing } = plan.samples;
  if (choices.onExisting === 'fail' && plan.existing > 0) {
    const shown = existing.map(
      ({ row, line, code, id }) => `${code ?? placeOf(row, line)} (${id})`,
    );
    const skip = typedAgain(typed, ['--on-existing', 'skip'], ['--on-existing']);
    return new ProcError(
      'invalid_input',
      `${rowsIn(plan.existing, 'row already exists', 'rows already exist')}: ${someOf(shown, plan.existing)}; nothing was sent`,
      {
        hint: `To skip them, run: ${skip}`,
        details: { existing: plan.existing, samples: existing.map(withReason) },
      },
    );
  }
  const tooMany = tooManyCreated(plan, choices, typed);
  if (tooMany !== undefined) return tooMany;
  const limit = mostOf(choices.maxRejected, plan.rows);
  if (limit !== undefined && plan.invalid > limit) {
    const [first] = plan.samples.invalid;
    const example = () =>
      first === undefined
        ? ''
        : ` (${rowSentence({ ...first, reason: problemIn(first.reason!) })})`;
    return new ProcError(
      'invalid_input',
      `${plan.invalid} of ${rowsIn(plan.rows, countedWord(1, plan.counts))} ${plan.invalid === 1 ? 'is' : 'are'} invalid${example()}, more than --max-rejected ${choices.maxRejected}; nothing was sent`,
      {
        hint: isDryRun(typed)
          ? undefined
          : `To see which, run: ${typedAgain(typed, ['--dry-run'])}`,
        details: { invalid: plan.invalid, samples: plan.samples.invalid.map(withReason) },
      },
    );
  }
  return undefined;
}

/** A file that ends too early is not the whole file. */
export function incompleteRefusal(run: Run, { rows }: Plan): ProcError | undefined {
  const problem = run.get('fileProblem');
  if (problem === undefined) return undefined;
  return new ProcError(
    'invalid_input',
    `${run.header.source.name}: ${sentence(problem)}; nothing was sent`,
    { hint: 'Get the whole file', details: { rows } },
  );
}

interface Created extends Pick<Plan, 'create' | 'counts'> {
  /** Items that lines of these rows define in place. */
  readonly newItems?: number | undefined;
}

/** Also for a run that was planned earlier, perhaps under other limits. */
export function tooManyCreated(
  { create: rows, counts, newItems = 0 }: Created,
  { maxCreate }: Pick<Choices, 'maxCreate'>,
  typed: readonly string[],
): ProcError | undefined {
  const create = rows + newItems;
  if (maxCreate === undefined || create <= maxCreate) return undefined;
  return new ProcError(
    'invalid_input',
    `${rowsIn(rows, countedWord(1, counts))}${newItems === 0 ? '' : ` and ${rowsIn(newItems, 'item', 'items')}`} would be created, more than --max-create ${maxCreate}; nothing was sent`,
    {
      hint: isDryRun(typed)
        ? 'Raise --max-create'
        : `To see the plan, run: ${typedAgain(typed, ['--dry-run'])}`,
      details: { create, maxCreate },
    },
  );
}

/** A hint must not name the command that was just run. */
function isDryRun(typed: readonly string[]): boolean {
  return typed.includes('--dry-run');
}

/**
 * How many rejected rows `--max-rejected` allows in a run, before and while it sends. Undefined: any
 * number.
 */
export function rejectedLimit(
  text: string | undefined,
  counts: Readonly<Record<RowState, number>>,
): number | undefined {
  const rows = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return mostOf(text, rows);
}

/**
 * The number of rows that `--max-rejected` allows: `5%` of the rows, or a number.
 *
 * @throws ProcError `invalid_usage`
 */
export function mostOf(text: string | undefined, rows: number): number | undefined {
  if (text === undefined) return undefined;
  const [, amount, percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text.trim()) ?? [];
  const isShare = percent === '%';
  if (amount === undefined || (isShare ? Number(amount) > 100 : amount.includes('.'))) {
    throw new ProcError(
      'invalid_usage',
      `--max-rejected ${JSON.stringify(text)}: expected a percentage such as 5% (0% to 100%) or a number of rows`,
    );
  }
  return isShare ? (rows * Number(amount)) / 100 : Number(amount);
}

const MOST_DIFFERING = 5;

interface Difference {
  readonly code: string;
  readonly rows: readonly number[];
}

/**
 * Of several rows with the same key, it keeps one and marks the others as duplicates. It keeps the
 * first if all bodies are equal; otherwise `keep` decides.
 *
 * @param keep undefined: rows that differ are not marked; `all`: no row is marked, even
 * if bodies are equal
 * @returns if `keep` is undefined, how many keys have rows that differ, and the first of these keys
 */
export function collapseDuplicates(
  run: Run,
  keep: 'first' | 'last' | 'all' | undefined,
  columns: readonly KeyColumn[] = ['code', 'name'],
): { readonly differing: readonly Difference[]; readonly count: number } {
  const differing: Difference[] = [];
  let count = 0;
  if (keep === 'all') return { differing, count };
  run.commit(() => {
    for (const { key, rows, isEqual } of groups(run, columns)) {
      if (isEqual) keepRow(run, rows, rows[0]!, 'same_as');
      else if (keep !== undefined) keepRow(run, rows, rows.at(keep === 'first' ? 0 : -1)!);
      else if (count++ < MOST_DIFFERING) differing.push({ code: key, rows: rows.slice(0, 100) });
    }
  });
  return { differing, count };
}

function keepRow(
  { rows: { writer } }: Run,
  rows: readonly number[],
  kept: number,
  code: 'same_as' | 'same_key' = 'same_key',
): void {
  const reason = { code, args: { row: kept } };
  for (const row of rows) {
    if (row !== kept) writer.apply(row, 'collapse', 'duplicate', { reason });
  }
}

interface Group {
  readonly key: string;
  readonly rows: readonly number[];
  readonly isEqual: boolean;
}

/**
 * Parses only bodies whose texts differ: bodies may be long, and all rows may have the same key.
 */
function compared(
  key: string,
  members: Iterable<KeyMember>,
  bodyOf: (row: number) => string,
): Group {
  const rows: number[] = [];
  let sample: string | undefined;
  let isEqual = true;
  for (const { row, isSame } of members) {
    rows.push(row);
    if (!isEqual || isSame === 1) continue;
    sample ??= canonical(JSON.parse(bodyOf(rows[0]!)), true);
    isEqual = canonical(JSON.parse(bodyOf(row)), true) === sample;
  }
  return { key, rows, isEqual };
}

function* groups({ rows }: Run, columns: readonly KeyColumn[]): Generator<Group> {
  for (const column of columns) {
    const members = rows.planned.members(column);
    for (const key of rows.planned.repeatedKeys(column)) {
      yield compared(key, members(key), (row) => rows.at(row)!.body!);
    }
  }
}
