import type { ProcError } from '../core/errors.ts';

/** `unknown`: could not be checked. Only a `problem` makes proc unusable and sets the exit code. */
type Status = 'ok' | 'warning' | 'problem' | 'unknown' | 'skipped';

/** One line of the doctor's table. */
export interface Check {
  readonly check: string;
  readonly status: Status;
  readonly finding: string;
  readonly hint?: string | undefined;
  /** Requests and their results. */
  readonly evidence?: readonly string[];
  /** The exit code that a command would end with, if this is a problem. */
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

/** A problem from the error that a command would end with. */
export function problem(check: string, error: ProcError): Check {
  return { check, status: 'problem', finding: error.message, hint: error.hint, error };
}
