import type { FlagSpec } from '../core/command-spec.ts';

/**
 * What proc refuses although the contract allows it, because a mistake that is sent cannot be
 * undone. `--allow` names what to send anyway.
 */
const REFUSALS = {
  'non-data': 'totals, repeated headers, units and footers among the rows',
  missing: 'records without a name, code or amount, or without order and contract',
  'error-values': 'spreadsheet errors such as #N/A; placeholders such as N/A as a code or name',
  invisible: 'control characters; zero-width and replacement characters in codes and names',
  'changed-codes': 'codes of a repaired file that differ from the first import',
  'formula-codes': 'codes that begin with = in a CSV file',
  incomplete: 'files that end too early, and files without rows',
  'mixed-marks': 'ambiguous numbers in a column that mixes decimal separators',
  'look-alikes': 'codes that look like codes of existing records',
  unverified: 'rows that may exist, if the list cannot be verified',
} as const;

export type Refusal = keyof typeof REFUSALS;

const NAMES = Object.keys(REFUSALS) as Refusal[];

/** The heading in help of the flags that decide which rows are sent. */
export const CHOOSING = 'Choose which rows are sent';

/** A flag `--allow` with these names. */
function allowing(names: readonly Refusal[]) {
  return {
    kind: 'strings',
    value: 'list',
    choices: Object.fromEntries(names.map((name) => [name, REFUSALS[name]])) as Record<
      Refusal,
      string
    >,
    group: CHOOSING,
    doc: 'send what proc refuses by default',
  } as const satisfies FlagSpec;
}

export const ALLOW = allowing(NAMES);
/** For requisitions, which have no list, but whose lines may define items. */
export const ALLOW_ORDERS = allowing(NAMES.filter((name) => name !== 'unverified'));
/** For other nouns without a list. */
export const ALLOW_UNLISTED = allowing(
  NAMES.filter((name) => !['look-alikes', 'unverified'].includes(name)),
);
/** For `imports resume` and `imports send`: what is checked again before sending. */
export const ALLOW_RESUMED = allowing(['unverified']);
/** For `items diff`: what decides whether a row is invalid. */
export const ALLOW_COMPARED = allowing([
  'non-data',
  'missing',
  'error-values',
  'invisible',
  'formula-codes',
  'mixed-marks',
]);
