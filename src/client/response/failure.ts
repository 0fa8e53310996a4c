import { ProcError } from '../../core/errors.ts';
import type { Outcome } from '../../core/service/outcome.ts';
import type { Target } from '../../core/service-target.ts';
import { serviceErrors, serviceHints } from '../../messages/errors/service-errors.ts';
import { sentence } from '../../messages/problems.ts';
import { type PreparedRequest, urlOf } from '../request.ts';
import { notSent } from './not-sent.ts';

type Failed = Exclude<Outcome, { kind: 'done' }>;

export function failureOf(request: PreparedRequest, outcome: Failed, target: Target): ProcError {
  const where = `${request.method} ${urlOf(request)}`;
  switch (outcome.kind) {
    case 'rejected':
      return rejected(where, outcome, target);
    case 'throttled':
      return new ProcError('throttled', serviceErrors.busy(where, outcome.status, said(outcome)), {
        status: outcome.status,
        requestId: outcome.error.requestId,
        hint: serviceHints.later(request.method !== 'GET'),
      });
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
    serviceErrors.asksToWait(where, status, Math.ceil(waitMs / 1000), until),
    {
      status,
      hint: serviceHints.afterThatTime,
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
    return new ProcError('unauthorized', serviceErrors.unauthorized(where, said(outcome)), {
      ...init,
      hint: serviceHints.key,
    });
  }
  if (status === 403) {
    return new ProcError(
      'forbidden',
      serviceErrors.forbidden(where, target.profile, said(outcome)),
      {
        ...init,
        hint: serviceHints.organization,
      },
    );
  }
  if (status === 404) {
    return new ProcError('not_found', serviceErrors.notFound(where, said(outcome)), {
      ...init,
      hint: serviceHints.id,
    });
  }
  if (status === 304) {
    return new ProcError('refused', serviceErrors.notModified(where), {
      ...init,
      hint: serviceHints.headers,
    });
  }
  if (status < 400) {
    return new ProcError('redirected', serviceErrors.redirected(where, status, outcome.location), {
      ...init,
      hint: serviceHints.setUrl,
    });
  }
  return new ProcError('refused', serviceErrors.refused(where, status, said(outcome)), {
    ...init,
    hint: where.startsWith('GET') ? serviceHints.contract : serviceHints.correct,
  });
}

function failedRead(where: string, outcome: Extract<Failed, { kind: 'unknown' }>): ProcError {
  const init = { status: outcome.status, requestId: outcome.error?.requestId };
  const failed = (says: string) => `${where}: ${sentence(outcome.problem)}${says}`;
  if (outcome.reason === 'timeout') {
    return new ProcError('timed_out', failed(''), {
      ...init,
      hint: serviceHints.moreTime,
    });
  }
  if (outcome.reason === 'undecodable' || outcome.reason === 'no-id') {
    return new ProcError('undecodable', failed(''), {
      ...init,
      hint: serviceHints.serviceItself,
    });
  }
  return new ProcError('service_failed', failed(said(outcome)), {
    ...init,
    hint: serviceHints.unchanged,
  });
}

function unknownOutcome(where: string, outcome: Extract<Failed, { kind: 'unknown' }>): ProcError {
  return new ProcError(
    'outcome_unknown',
    serviceErrors.unknown(where, `${sentence(outcome.problem)}${said(outcome)}`),
    {
      status: outcome.status,
      requestId: outcome.error?.requestId,
      hint: serviceHints.check,
    },
  );
}

function said(outcome: {
  readonly error?: { readonly message: string | undefined } | undefined;
}): string {
  return outcome.error?.message === undefined ? '' : `: ${outcome.error.message}`;
}
