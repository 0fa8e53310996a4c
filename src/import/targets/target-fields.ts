export interface ImportField {
  /** The name for `--map`: as in the contract, or proc's own, e.g. `item.code` of flat rows. */
  readonly name: string;
  /** A value of the kind `any` is not converted. */
  readonly kind: 'string' | 'number' | 'integer' | 'any';
  readonly required?: boolean;
  /** All values that the contract allows; checked only for constants. */
  readonly choices?: readonly string[];
  /** Headers that mean this field. Case, accents and punctuation do not matter. */
  readonly synonyms: readonly string[];
  /** How `--template` shows the field. Fields without `fill` are not in a template. */
  readonly fill?: {
    readonly es: string;
    /** Marked as required in the template: rows without it are rejected, or of no use. */
    readonly isRequired?: boolean;
    readonly example?: string | number | { readonly en: string; readonly es: string };
  };
  /**
   * Headers that mean another field if their values look like codes. They are also in `synonyms`.
   */
  readonly orCode?: { readonly field: string; readonly headers: readonly string[] };
  /**
   * Headers of this field that mean `code` if one of the other headers is in the table: `Material`
   * beside `Material Description`.
   */
  readonly besides?: { readonly code: string; readonly headers: readonly string[] };
  /**
   * The name of another field. If no column matches this field, the column of the other field fills
   * it. A column with exactly the name of the other field stays there.
   */
  readonly instead?: string;
}

export interface TargetFields {
  readonly fields: readonly ImportField[];
}
