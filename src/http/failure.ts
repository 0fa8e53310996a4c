import { type ErrorCode, isUnknownAuthority, ProcError, systemCode } from '../core/errors.ts';
import type { Outcome } from '../core/outcome.ts';
import { sentence } from '../core/row-problem.ts';
import { isLoopback, type Target } from '../core/service.ts';
import { type PreparedRequest, urlOf } from './request.ts';

export type Failed = Exclude<Outcome, { kind: 'done' }>;
type Of<Kind> = Extract<Failed, { kind: Kind }>;

/** What a command says about a request that failed: code, text after `GET https://…: `, next step. */
type Failure = readonly [code: ErrorCode, says: string, hint: string];

export function failureOf(request: PreparedRequest, outcome: Failed, target: Target): ProcError {
  const [code, says, hint] = saidOf(request, outcome, target);
  const error = 'error' in outcome ? outcome.error : undefined;
  const issues = outcome.kind === 'rejected' ? outcome.error.issues : [];
  const isUntrusted =
    outcome.kind === 'not-sent' && CERTIFICATE.test(systemCode(outcome.cause) ?? '');
  return new ProcError(code, `${request.method} ${urlOf(request)}: ${says}`, {
    hint,
    requestId: error?.requestId,
    retry: isUntrusted ? 'never' : undefined,
    ...('status' in outcome ? { status: outcome.status } : { cause: outcome.cause }),
    ...(issues.length > 0 ? { details: { issues } } : {}),
  });
}

function saidOf(request: PreparedRequest, outcome: Failed, target: Target): Failure {
  const isRead = request.method === 'GET';
  const said =
    'error' in outcome && outcome.error?.message !== undefined ? `: ${outcome.error.message}` : '';
  switch (outcome.kind) {
    case 'rejected':
      return rejected(outcome, said, isRead, target);
    case 'throttled': {
      const says = `the service is busy and refused the request (${outcome.status})${said}`;
      return ['throttled', says, 'Nothing was applied. Try again later, or with more --retries.'];
    }
    case 'not-sent': {
      const [code, why, hint] = notSent(request, outcome);
      return [code, isRead ? why : `${why}; nothing was sent`, hint];
    }
    case 'unknown':
      return isRead ? failedRead(outcome, said) : unknown(outcome, said);
  }
}

/** Why a request is sent again. */
export function reasonOf(outcome: Failed): string {
  if (outcome.kind === 'unknown') return sentence(outcome.problem);
  return outcome.kind === 'not-sent' ? 'not reached' : `the service returned ${outcome.status}`;
}

/** @param waitMs for which the service asks */
export function waitTooLong(
  request: PreparedRequest,
  outcome: Failed,
  waitMs: number,
  now: number,
): ProcError {
  const status = 'status' in outcome ? outcome.status : undefined;
  const until = new Date(now + waitMs).toISOString();
  const says = `the service returned ${status} and asks to wait ${Math.ceil(waitMs / 1000)} s, until ${until}`;
  return new ProcError('throttled', `${request.method} ${urlOf(request)}: ${says}`, {
    status,
    hint: 'Nothing was applied. Run the command again after that time.',
    details: { retryAfterMs: waitMs, until },
  });
}

/** A key from a variable wins over a stored one, so storing another would change nothing. */
function otherKey(target: Target): string {
  return target.keyVariable === undefined
    ? 'See which key is used: proc profile show. Store another: proc auth login'
    : `The key is from ${target.keyVariable}. Set it to another key, or unset it`;
}

function rejected(
  { status, location }: Of<'rejected'>,
  said: string,
  isRead: boolean,
  target: Target,
): Failure {
  if (status === 401) {
    const hint = `${otherKey(target)}. Your organization gets its key from the support team.`;
    return ['unauthorized', `the key is missing or incorrect (401)${said}`, hint];
  }
  if (status === 403) {
    const whose = target.profile === undefined ? '' : ` of profile "${target.profile}"`;
    const says = `the key gives access only to its organization${whose} (403)${said}`;
    return ['forbidden', says, 'See which key is used: proc profile show'];
  }
  if (status === 404)
    return [
      'not_found',
      `not found (404)${said}`,
      'Check the id, and the base URL: proc profile show',
    ];
  if (status < 400) {
    const says = `the service redirects (${status}) to ${location ?? 'elsewhere'}; proc does not follow redirects`;
    const hint =
      'Set the base URL to the address of the service itself: proc profile set NAME -e ENV baseUrl=URL';
    return ['refused', says, hint];
  }
  const hint = isRead
    ? 'Check what the service accepts: proc doctor'
    : 'Nothing was applied. Correct the problem that the service reports, then run the command again.';
  return ['refused', `the service refused the request (${status})${said}`, hint];
}

function failedRead({ reason, problem }: Of<'unknown'>, said: string): Failure {
  const says = sentence(problem);
  if (reason === 'timeout') return ['timed_out', says, 'Allow more time: --timeout 60'];
  if (reason === 'undecodable' || reason === 'no-id') {
    const hint = 'Check that the base URL is the service itself, with /api/v1: proc profile show';
    return ['undecodable', says, hint];
  }
  return ['service_failed', `${says}${said}`, 'Nothing was changed. Try again later.'];
}

function unknown({ problem }: Of<'unknown'>, said: string): Failure {
  const says = `sent, but the outcome is unknown: ${sentence(problem)}${said}`;
  const hint = `The service may have applied the request. Check before you send it again: proc history list --open`;
  return ['outcome_unknown', says, hint];
}

function notSent({ origin }: PreparedRequest, { cause, timedOut }: Of<'not-sent'>): Failure {
  const code = systemCode(cause) ?? '';
  const { hostname, host, port, protocol } = new URL(origin);
  const check = 'Check the base URL: proc profile show';
  if (timedOut || code === 'UND_ERR_CONNECT_TIMEOUT')
    return [
      ...(['timed_out', 'the connection timed out'] as const),
      'Check the network, or allow more time: --timeout 60',
    ];
  const because = (why: string, hint: string): Failure => ['unreachable', why, hint];
  const proxy = proxyProblem(cause, hostname, port || (protocol === 'https:' ? '443' : '80'));
  if (proxy !== undefined) return because(proxy, 'Check HTTPS_PROXY, or list the host in NO_PROXY');
  if (code === 'ECONNREFUSED') {
    const start = 'Start the sandbox: proc sandbox start';
    return because(`nothing listens at ${host}`, isLoopback(hostname) ? start : check);
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return because(`the host name ${hostname} cannot be resolved`, check);
  if (CERTIFICATE.test(code)) {
    const says = `the TLS certificate is not trusted (${code})`;
    if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return because(says, check);
    return because(
      says,
      isUnknownAuthority(code)
        ? 'If it is the authority of your organization, add it to the certificates of the system, or set PROC_CA_FILE=FILE'
        : 'Tell the operators of the service, and check the clock of this machine',
    );
  }
  if (/TLS|SSL|EPROTO/.test(code)) {
    const hint = 'Check the base URL, https or http: proc profile show';
    return because(`the TLS handshake failed (${code})`, hint);
  }
  return because(code || cause.message, 'Check the network and the base URL: proc profile show');
}

/** undefined if the connection to the service itself failed. */
function proxyProblem(cause: Error, hostname: string, port: string): string | undefined {
  const refusal = /Proxy response \((\d+)\)/.exec(cause.message)?.[1];
  if (refusal !== undefined) return `the proxy refuses the connection (${refusal})`;
  const at = cause as { address?: string; port?: number; hostname?: string };
  if (at.port !== undefined && String(at.port) !== port)
    return `the proxy at ${at.address}:${at.port} does not respond`;
  if (at.hostname !== undefined && at.hostname !== hostname)
    return `the host name of the proxy, ${at.hostname}, cannot be resolved`;
  return undefined;
}

/** Codes of errors for a certificate that is refused. */
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO/;
