import { systemCode } from '../../core/errors.ts';
import { idText, valueText } from '../../core/json.ts';
import type { ErrorBody, Outcome } from '../../core/outcome.ts';
import { type Problem, together } from '../../core/row-problem.ts';
import type { FieldIssue } from '../../core/validate.ts';
import { answered } from '../../http/judge.ts';
import { CONNECT_TIMEOUT } from '../../http/send-once.ts';
import type { RowOutcome } from '../../ledger/run-ledger.ts';

interface Verdict {
  readonly state: RowOutcome['state'];
  readonly id?: string | undefined;
  readonly status?: number | undefined;
  readonly reason?: Problem | undefined;
}

export interface Consequence {
  readonly verdict: Verdict;
  /** The run must pause; `ms` is undefined if the service did not say how long. */
  readonly wait?: { readonly ms: number | undefined; readonly why: Problem };
  readonly congested?: boolean;
  /** Why no row can succeed. */
  readonly stop?: Problem;
  /** How the answer contradicts the row. If nothing can be looked up, the run stops. */
  readonly contradiction?: Problem | undefined;
  /** The service has stored the code as another one, so no further row is sent. */
  readonly storedAs?: { readonly sent: string; readonly stored: string };
  /**
   * True if the response proves that the service works. A response that throttles proves nothing.
   */
  readonly serviceWorks: boolean;
}

/** @param idField of the answer */
export function consequenceOf(outcome: Outcome, idField: string): Consequence {
  switch (outcome.kind) {
    case 'done': {
      const id = idText((outcome.value as Readonly<Record<string, unknown>>)[idField]);
      return { verdict: { state: 'created', id, status: outcome.status }, serviceWorks: true };
    }
    case 'throttled':
      return {
        verdict: { state: 'pending' },
        wait: {
          ms: outcome.retryAfterMs,
          why: answered(outcome.status),
        },
        congested: true,
        serviceWorks: false,
      };
    case 'not-sent':
      return {
        verdict: { state: 'pending' },
        wait: { ms: undefined, why: notReached(outcome) },
        congested: outcome.timedOut,
        serviceWorks: false,
      };
    case 'rejected':
      return rejected(outcome);
    case 'unknown':
      return {
        verdict: {
          state: 'unconfirmed',
          status: outcome.status,
          reason: saying(outcome.problem, outcome.error?.message),
        },
        contradiction: outcome.reason === 'contradicts' ? outcome.problem : undefined,
        congested: outcome.reason === 'timeout' || outcome.status === 503,
        ...(outcome.retryAfterMs === undefined
          ? {}
          : { wait: { ms: outcome.retryAfterMs, why: outcome.problem } }),
        // A broken connection does not prove that the service works; a status does.
        serviceWorks: outcome.status !== undefined,
      };
  }
}

/**
 * What the outcome of a request means for its row.
 *
 * @param body that was sent, JSON text
 */
export function judgeRow(
  body: string,
  outcome: Outcome,
  { idField, keyField }: { readonly idField: string; readonly keyField: string },
): Consequence {
  const consequence = consequenceOf(outcome, idField);
  const misfit = outcome.kind === 'unknown' ? outcome.misfit : undefined;
  if (misfit === undefined || misfit.fields.some((field) => field !== keyField)) return consequence;
  const fields = (record: unknown) => record as Readonly<Record<string, unknown>>;
  const sent = valueText(fields(JSON.parse(body))[keyField]);
  const storedAs = { sent, stored: valueText(fields(misfit.answer)[keyField]) };
  const text = `the service stores codes differently (sent ${sent}, stored ${storedAs.stored}). Change the file`;
  return { ...consequence, storedAs, stop: { text } };
}

function rejected({ status, error }: Extract<Outcome, { kind: 'rejected' }>): Consequence {
  if (status === 401) {
    return {
      verdict: { state: 'pending' },
      stop: saying({ text: 'the key is missing or incorrect (401)' }, error.message),
      serviceWorks: true,
    };
  }
  return {
    verdict: { state: 'rejected', status, reason: refusal(status, error) },
    serviceWorks: true,
  };
}

const NO_ISSUE: FieldIssue = { field: '', message: '' };

function refusal(status: number, { message: text, issues }: ErrorBody): Problem {
  if (text === undefined)
    return status < 400 ? { text: `the service redirects (${status})` } : answered(status);
  const says = (said: string, { field }: FieldIssue = NO_ISSUE): Problem => ({
    text: said,
    isService: true,
    ...(field === '' ? {} : { named: [field] }),
  });
  if (issues.every(({ field }) => field === '')) return says(text);
  // The text as a whole often repeats the single issues.
  const isRepeated = issues.every(({ message }) => text.includes(message));
  if (isRepeated && issues.length < 2) return says(text, issues[0]);
  const each = issues.map((issue) => says(issue.message, issue));
  return together(isRepeated ? each : [says(text), ...each])!;
}

function notReached({ cause, timedOut }: Extract<Outcome, { kind: 'not-sent' }>): Problem {
  if (timedOut) return { text: CONNECT_TIMEOUT };
  return { text: `the service cannot be reached (${systemCode(cause) ?? cause.message})` };
}

function saying(problem: Problem, text: string | undefined): Problem {
  return text === undefined ? problem : { ...problem, text: `${problem.text}: ${text}` };
}
