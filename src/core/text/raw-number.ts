/** A number with its exact text (`JSON.rawJSON`), for numbers that a double would round. */
export interface RawNumber {
  readonly rawJSON: string;
}

const json = JSON as typeof JSON & {
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): boolean;
};

export function rawNumber(text: string): RawNumber {
  return json.rawJSON(text);
}

export function isRawNumber(value: unknown): value is RawNumber {
  return json.isRawJSON(value);
}

/** A number as text, with all digits of a raw number. Undefined for other values. */
export function numberText(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  return isRawNumber(value) ? value.rawJSON : undefined;
}

/** The text of a string, or of a number exactly as the source has it (`1.10`). Undefined for other values. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : numberText(value);
}
