import type { Result } from './result.ts';

/** Ends a handler whose request is shown instead of sent; `result` is what the command gives. */
export class Previewed extends Error {
  override readonly name = 'Previewed';
  readonly result: Result;

  constructor(result: Result) {
    super('shown, not sent');
    this.result = result;
  }
}
