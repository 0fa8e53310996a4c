import { ProcError } from '../../core/errors.ts';
import { typedAgain } from '../../core/text/typed.ts';
import type { Choices } from '../ledger/header.ts';
import type { Journal } from '../ledger/journal.ts';
import type { KeyColumn, Sample } from '../ledger/rows/planned-rows.ts';
import type { RowState } from '../ledger/rows/states.ts';
import { placeOf, rowsIn } from '../report/words.ts';
import { collapseDuplicates } from './duplicates.ts';

/** What an import will do, as the journal tells. */
export interface Plan {
  readonly rows: number;
  /** Left out by `--where`. */
  readonly filtered: number;
  readonly create: number;
  readonly existing: number;
  readonly duplicates: number;
  readonly invalid: number;
  /** Sent by an earlier run that does not know what became of them; they are not sent again. */
  readonly inDoubt: number;
  /** The same, given up there. */
  readonly dropped: number;
  /** Rows of existing items that are created once more (`--on-existing create`). */
  readonly createAgain: number;
  /** Cells of the file whose guarding apostrophe was taken off. */
  readonly unguarded: number;
  readonly samples: {
    readonly create: readonly Sample[];
    readonly existing: readonly Sample[];
    readonly duplicates: readonly Sample[];
    readonly invalid: readonly Sample[];
    readonly inDoubt: readonly Sample[];
  };
}

const SAMPLES = 3;

/** Ends a plan that the user did not allow, before anything is sent. Names the flag that would. */
export function checkDuplicates(
  journal: Journal,
  choices: Choices,
  keyField: string,
  columns?: readonly KeyColumn[],
): void {
  const { differing, count } = collapseDuplicates(journal, choices.onDuplicate, columns);
  if (count === 0) return;
  const shown = differing.map(({ code, rows }) => `${code} (rows ${rows.slice(0, 5).join(', ')})`);
  throw new ProcError(
    'invalid_input',
    `${count} ${keyField}${count === 1 ? ' stands' : 's stand'} in several rows that differ: ${shown.join('; ')}${count > shown.length ? '; …' : ''}`,
    {
      hint: 'Say which row counts: --on-duplicate first, last or all',
      details: { duplicates: differing },
    },
  );
}

/** @param existing rows that exist, whatever is done about them */
export function makePlan(journal: Journal, choices: Choices, existing: number): Plan {
  const counts = journal.counts();
  // Where there are fewer than a few, finding that out would read all rows.
  const samples = (state: RowState): Sample[] =>
    journal.planned.samples(state, Math.min(SAMPLES, counts[state]));
  return {
    rows: Object.values(counts).reduce((sum, count) => sum + count, 0),
    filtered: counts.filtered,
    create: counts.pending,
    existing: counts.existing,
    duplicates: counts.duplicate,
    invalid: counts.rejected,
    inDoubt: counts.unknown,
    dropped: counts.dropped,
    createAgain: choices.onExisting === 'create' ? existing : 0,
    unguarded: journal.get('unguarded') ?? 0,
    samples: {
      create: samples('pending'),
      existing: samples('existing'),
      duplicates: samples('duplicate'),
      invalid: samples('rejected'),
      inDoubt: samples('unknown'),
    },
  };
}

/**
 * The limits that are judged before anything is sent.
 *
 * @param typed the command line, for hints
 * @returns why the plan is not allowed; undefined where it is
 */
export function refusalOf(
  plan: Plan,
  choices: Choices,
  typed: readonly string[],
): ProcError | undefined {
  const { existing } = plan.samples;
  if (choices.onExisting === 'fail' && plan.existing > 0) {
    const shown = existing.map(
      ({ row, line, code, id }) => `${code ?? placeOf(row, line)} (${id})`,
    );
    const more = plan.existing > shown.length ? ', …' : '';
    const skip = typedAgain(typed, ['--on-existing', 'skip'], ['--on-existing']);
    return new ProcError(
      'invalid_input',
      `${rowsIn(plan.existing, 'row exists', 'rows exist')} already: ${shown.join(', ')}${more}; nothing was sent`,
      {
        hint: `Leave them out: ${skip}`,
        details: { existing: plan.existing, samples: existing, command: skip },
      },
    );
  }
  if (choices.maxCreate !== undefined && plan.create > choices.maxCreate) {
    return new ProcError(
      'invalid_input',
      `${rowsIn(plan.create)} would be created, more than --max-create ${choices.maxCreate}; nothing was sent`,
      { hint: `Look at the plan: ${previewOf(typed)}`, details: { create: plan.create } },
    );
  }
  const limit = rejectedLimit(choices.maxRejected, plan.rows - plan.filtered);
  if (limit !== undefined && plan.invalid > limit) {
    return new ProcError(
      'invalid_input',
      `${plan.invalid} of ${rowsIn(plan.rows)} ${plan.invalid === 1 ? 'is' : 'are'} invalid, more than --max-rejected ${choices.maxRejected}; nothing was sent`,
      {
        hint: `See which: ${previewOf(typed)}`,
        details: { invalid: plan.invalid, samples: plan.samples.invalid },
      },
    );
  }
  return undefined;
}

function previewOf(typed: readonly string[]): string {
  return typedAgain(typed, typed.includes('--dry-run') ? [] : ['--dry-run']);
}

/** `5%` of the rows, or a number of them. */
export function rejectedLimit(text: string | undefined, rows: number): number | undefined {
  if (text === undefined) return undefined;
  const [, amount, percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text.trim()) ?? [];
  const isShare = percent === '%';
  if (amount === undefined || (isShare ? Number(amount) > 100 : amount.includes('.'))) {
    throw new ProcError(
      'invalid_usage',
      `--max-rejected ${JSON.stringify(text)}: expected a share such as 5% (0% to 100%), or a number of rows`,
    );
  }
  return isShare ? (rows * Number(amount)) / 100 : Number(amount);
}
