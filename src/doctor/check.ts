import type { ProcError } from '../core/errors.ts';

/** `unknown`: could not be checked. Only a `problem` makes proc unusable and sets the exit code. */
type Status = 'ok' | 'warning' | 'problem' | 'unknown' | 'skipped';

/** A certificate for scripts; times in ISO form. */
export interface CertificateRow {
  readonly subject: string;
  readonly issuer: string;
  readonly validFrom: string;
  readonly validTo: string;
  readonly daysLeft: number;
  /** SHA-256. */
  readonly fingerprint: string;
}

export interface Check {
  readonly check: string;
  readonly status: Status;
  readonly finding: string;
  readonly hint?: string | undefined;
  /** Requests and their results, or certificates. */
  readonly evidence?: readonly string[];
  /** The certificates of a connection, the service's own first; or the client certificate. */
  readonly certificates?: readonly CertificateRow[];
  /** The error that a command would end with; only for a problem. */
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
