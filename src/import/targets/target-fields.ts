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
  /** The name of another field. Its column fills this field if no other column does. */
  readonly instead?: string;
}

export interface TargetFields {
  readonly fields: readonly ImportField[];
}
