import type { ProcError } from '../core/errors.ts';

/** `unknown`: could not be checked. Only a `problem` sets the exit code. */
type Status = 'ok' | 'warning' | 'problem' | 'unknown' | 'skipped';

export interface Check {
  readonly check: string;
  readonly status: Status;
  readonly finding: string;
  readonly hint?: string | undefined;
  /** Lines that `-v` prints: requests and their results. */
  readonly evidence?: readonly string[];
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

export function problem(check: string, error: ProcError): Check {
  return { check, status: 'problem', finding: error.message, hint: error.hint, error };
}

/** Lifts a refusal: that is for a person to decide. */
const LIFTS = /\b(?:allowHttp|access|protected)=|--(?:again|allow|organization)\b/;

/** The commands that a hint names, each up to the end of its clause. Leaves out those that lift a refusal. */
export function commandsIn(hint: string): readonly string[] {
  return [
    ...hint.matchAll(/(?<=^|: |[Rr]un )proc (?:'[^']*'|[^',;]|[,;](?! ))+?(?=$|[.,;)](?: |$))/g),
  ]
    .map(([command]) => command)
    .filter((command) => !LIFTS.test(command));
}
