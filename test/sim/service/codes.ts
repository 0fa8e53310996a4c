/** How a service stores codes, within the spellings that proc takes for one, and codes of rows that show it. */
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
  'with plain dashes': {
    of: (row) => `M\u2013${three(row)}`,
    stored: (code) => code.replaceAll('\u2013', '-'),
  },
} as const satisfies Readonly<Record<string, CodeHabit>>;

export type CodeHabitName = keyof typeof CODE_HABITS;
