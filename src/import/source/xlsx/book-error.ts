/** A workbook that cannot be read; its message goes on from "…: it ", for a person. */
export class BookError extends Error {
  /** What helps; undefined where saving the sheet as CSV is all there is. */
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}
