import { ProcError } from '../../core/errors.ts';
import { sentence } from '../../core/problem/sentence.ts';
import type { Outcome } from '../../core/service/outcome.ts';
import type { Target } from '../../core/service-target.ts';
import { type PreparedRequest, urlOf } from '../request.ts';
import { notSent } from './not-sent.ts';

type Failed = Exclude<Outcome, { kind: 'done' }>;

export function failureOf(request: PreparedRequest, outcome: Failed, target: Target): ProcError {
  const where = `${request.method} ${urlOf(request)}`;
  switch (outcome.kind) {
    case 'rejected':
      return rejected(where, outcome, target);
    case 'throttled':
      return new ProcError(
        'throttled',
        `${where}: the service is busy and refused the request (${outcome.status})${said(outcome)}`,
        {
          status: outcome.status,
          requestId: outcome.error.requestId,
          hint: `${request.method !== 'GET' ? 'Nothing was applied. ' : ''}Try again later, or with more --retries.`,
        },
      );
    case 'not-sent':
      return notSent(where, request, outcome);
    case 'unknown':
      return request.method === 'GET' ? failedRead(where, outcome) : unknownOutcome(where, outcome);
  }
}

export function waitTooLong(
  request: PreparedRequest,
  status: number,
  waitMs: number,
  now: number,
): ProcError {
  const where = `${request.method} ${urlOf(request)}`;
  const until = new Date(now + waitMs).toISOString();
  return new ProcError(
    'throttled',
    `${where}: the service returned ${status} and asks to wait ${Math.ceil(waitMs / 1000)} s, until ${until}`,
    {
      status,
      hint: 'Nothing was applied. Run the command again after that time.',
      details: { retryAfterMs: waitMs, until },
    },
  );
}

function rejected(
  where: string,
  outcome: Extract<Failed, { kind: 'rejected' }>,
  target: Target,
): ProcError {
  const { status, error } = outcome;
  const init = {
    status,
    requestId: error.requestId,
    details: error.issues.length > 0 ? { issues: error.issues } : undefined,
  };
  if (status === 401) {
    return new ProcError(
      'unauthorized',
      `${where}: the key is missing or incorrect (401)${said(outcome)}`,
      {
        ...init,
        hint: 'See which key is used: proc profile show. Store another: proc auth login. Your organization gets its key from the support team.',
      },
    );
  }
  if (status === 403) {
    return new ProcError(
      'forbidden',
      `${where}: the key gives access only to ${target.profile === undefined ? 'this organization' : `the organization of profile "${target.profile}"`} (403)${said(outcome)}`,
      {
        ...init,
        hint: 'See which key is used: proc profile show',
      },
    );
  }
  if (status === 404) {
    return new ProcError('not_found', `${where}: not found (404)${said(outcome)}`, {
      ...init,
      hint: 'Check the id, and the base URL: proc profile show',
    });
  }
  if (status === 304) {
    return new ProcError(
      'refused',
      `${where}: the service returned 304 (not modified), without data`,
      {
        ...init,
        hint: 'Remove headers such as if-none-match and if-modified-since.',
      },
    );
  }
  if (status < 400) {
    return new ProcError(
      'redirected',
      `${where}: the service redirects (${status}) to ${outcome.location ?? 'elsewhere'}; proc does not follow redirects`,
      {
        ...init,
        hint: 'Set the base URL to the address of the service itself: proc profile set NAME -e ENV base-url=URL',
      },
    );
  }
  return new ProcError(
    'refused',
    `${where}: the service refused the request (${status})${said(outcome)}`,
    {
      ...init,
      hint: where.startsWith('GET')
        ? 'Check what the service accepts: proc doctor'
        : 'Nothing was applied. Correct the problem that the service reports, then run the command again.',
    },
  );
}

function failedRead(where: string, outcome: Extract<Failed, { kind: 'unknown' }>): ProcError {
  const init = { status: outcome.status, requestId: outcome.error?.requestId };
  const failed = (says: string) => `${where}: ${sentence(outcome.problem)}${says}`;
  if (outcome.reason === 'timeout') {
    return new ProcError('timed_out', failed(''), {
      ...init,
      hint: 'Allow more time: --timeout 60',
    });
  }
  if (outcome.reason === 'undecodable' || outcome.reason === 'no-id') {
    return new ProcError('undecodable', failed(''), {
      ...init,
      hint: 'Check that the base URL is the service itself, with /api/v1: proc profile show',
    });
  }
  return new ProcError('service_failed', failed(said(outcome)), {
    ...init,
    hint: 'Nothing was changed. Try again later.',
  });
}

function unknownOutcome(where: string, outcome: Extract<Failed, { kind: 'unknown' }>): ProcError {
  return new ProcError(
    'outcome_unknown',
    `${where}: sent, but the outcome is unknown: ${sentence(outcome.problem)}${said(outcome)}`,
    {
      status: outcome.status,
      requestId: outcome.error?.requestId,
      hint: 'The service may have applied the request. Check before you send it again: proc history list --open',
    },
  );
}

function said(outcome: {
  readonly error?: { readonly message: string | undefined } | undefined;
}): string {
  return outcome.error?.message === undefined ? '' : `: ${outcome.error.message}`;
}
