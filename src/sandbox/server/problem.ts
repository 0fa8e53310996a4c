import { STATUS_CODES } from 'node:http';
import type { FieldIssue } from '../../core/validate.ts';

/** An error for the client. Its body follows RFC 9457. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  readonly errors: readonly FieldIssue[];

  constructor(status: number, detail: string, errors: readonly FieldIssue[] = []) {
    super(detail);
    this.status = status;
    this.errors = errors;
  }
}

export function problemBody(status: number, detail: string, errors: readonly FieldIssue[] = []) {
  return { type: 'about:blank', title: STATUS_CODES[status] ?? 'Error', status, detail, errors };
}

export function badField(field: string, message: string): Problem {
  return new Problem(400, `${field}: ${message}`, [{ field, message }]);
}
