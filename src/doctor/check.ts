import type { ProcError } from '../core/errors.ts';

/** `unknown`: it could not be told. Only a `problem` makes proc unusable and gives an exit code. */
type Status = 'ok' | 'warning' | 'problem' | 'unknown' | 'skipped';

/** One line of the doctor's table. */
export interface Check {
  readonly check: string;
  readonly status: Status;
  readonly finding: string;
  readonly hint?: string | undefined;
  /** Requests and what they showed. */
  readonly evidence?: readonly string[];
  /** Of a problem: what a command would end with. */
  readonly error?: ProcError;
}

export function ok(check: string, finding: string): Check {
  return { check, status: 'ok', finding };
}

export function warning(check: string, finding: string, hint?: string): Check {
  return { check, status: 'warning', finding, hint };
}

export function skipped(check: string, finding: string): Check {
  return { check, status: 'skipped', finding };
}

/** An error that a command would end with. */
export function problem(check: string, error: ProcError): Check {
  return { check, status: 'problem', finding: error.message, hint: error.hint, error };
}
