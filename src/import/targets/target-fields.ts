/** A field that rows of an import can fill. */
export interface ImportField {
  /** As the contract names it. */
  readonly name: string;
  /** `any` passes through as it stands in the file. */
  readonly kind: 'string' | 'number' | 'integer' | 'any';
  /** A row without it is a row problem. */
  readonly required?: boolean;
  /** All values that the contract allows; for a value that is the same in every row. */
  readonly choices?: readonly string[];
  /** Headers that mean this field, in any case, with or without accents and punctuation. */
  readonly synonyms: readonly string[];
  /** Some of these headers may as well mean another field, where the values look like codes. */
  readonly orCode?: { readonly field: string; readonly headers: readonly string[] };
}

/** What a noun lets an import fill, in the order in which bodies carry it. */
export interface TargetFields {
  readonly fields: readonly ImportField[];
}
