import type { Row } from '../../core/result.ts';

export interface Specimen {
  readonly key:
    | 'plain'
    | 'lower'
    | 'spaces'
    | 'dashes'
    | 'zeros'
    | 'composed'
    | 'decomposed'
    | 'long'
    | 'again';
  readonly name: string;
  readonly code: string;
}

/** The twelve records of a rehearsal: nine items, a requisition and two equal imputations. */
export interface Specimens {
  /** In the order in which they are created. */
  readonly items: readonly Specimen[];
  /** The title of the requisition. */
  readonly requisition: string;
  /** The body of both imputations. They refer to no order, because the rehearsal touches only what it creates. */
  readonly imputation: Row;
}

export const MOST_RECORDS = 12;

/** Without vowels, so that no word appears by chance; without digits, which services may change. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const STAMP_LENGTH = 10;
const LONG = 120;

/** @param random in [0, 1). No two rehearsals have the same codes */
export function specimens(random: () => number): Specimens {
  const pick = (letters: string) => letters[Math.floor(random() * letters.length)]!;
  const some = (length: number, letters: string) =>
    Array.from({ length }, () => pick(letters)).join('');
  const stem = `PROC-REHEARSAL-${some(STAMP_LENGTH, LETTERS)}`;
  // Codes that a service changes must stay distinct: most services refuse a second one.
  const accented = `0${stem}-\u00c9\u00b2`;
  const codes: readonly (readonly [Specimen['key'], string, string])[] = [
    ['plain', 'upper case', `${stem}-K`],
    ['lower', 'lower case', `${stem}-k`.toLowerCase()],
    ['spaces', 'spaces', `  ${stem.toLowerCase()} x 007 `],
    ['dashes', 'dashes', `${stem.replaceAll('-', '\u2014')}\u2013do\u0308`],
    ['zeros', 'leading zeros', `000${pick('123456789')}${some(11, '0123456789')}`],
    ['composed', 'Unicode NFC', accented.normalize('NFC')],
    ['decomposed', 'Unicode NFD', accented.normalize('NFD')],
    ['long', `${LONG} characters`, `${stem}-${some(LONG, LETTERS)}`.slice(0, LONG)],
    ['again', 'upper case', `${stem}-K`],
  ];
  return {
    items: codes.map(([key, what, code]) => ({ key, name: `${stem} ${what}`, code })),
    requisition: stem,
    imputation: { reference: stem, account: 'PROC-REHEARSAL', amount: 0.01, currency: 'USD' },
  };
}

/** What a rehearsal will create, for the person who is asked. */
export function specimenLines({ items, requisition, imputation }: Specimens): readonly string[] {
  return [
    ...items.map(
      ({ name, code }) => `item ${JSON.stringify(name)} with the code ${JSON.stringify(code)}`,
    ),
    `requisition "${requisition}" with two groups and three lines; one group and its lines are deleted again`,
    `two equal imputations with the reference ${imputation.reference}`,
  ];
}
