/** A workbook that cannot be read. Its message follows "cannot read FILE as a workbook: ". */
export class WorkbookError extends Error {
  /** Undefined: the hint is to save the sheet as CSV. */
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}
