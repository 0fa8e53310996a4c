/** How a service stores codes, and codes of rows that show it. */
export interface CodeHabit {
  /** The code of a row in the file. */
  of(row: number): string;
  stored(code: string): string;
}

const three = (row: number) => String(row).padStart(3, '0');

export const CODE_HABITS = {
  'as they are': { of: (row) => `M-${three(row)}`, stored: (code) => code },
  'in upper case': { of: (row) => `m-${three(row)}`, stored: (code) => code.toUpperCase() },
  'in lower case': { of: (row) => `M-${three(row)}`, stored: (code) => code.toLowerCase() },
  trimmed: { of: (row) => `M-${three(row)}`, stored: (code) => code.trim() },
  'in the form NFC': {
    of: (row) => `Me\u0301-${three(row)}`,
    stored: (code) => code.normalize('NFC'),
  },
  'without dashes': { of: (row) => `M-${three(row)}`, stored: (code) => code.replaceAll('-', '') },
  'without leading zeros': {
    of: (row) => `00${row + 10}`,
    stored: (code) => code.replace(/^0+(?=.)/, ''),
  },
  'as numbers': {
    of: (row) => `${row + 10}.50`,
    stored: (code) => (Number.isNaN(Number(code)) ? code : String(Number(code))),
  },
  'with a prefix': { of: (row) => `M-${three(row)}`, stored: (code) => `ACME/${code}` },
} as const satisfies Readonly<Record<string, CodeHabit>>;

export type CodeHabitName = keyof typeof CODE_HABITS;
