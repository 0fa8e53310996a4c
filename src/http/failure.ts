import { type ErrorCode, ProcError, systemCode } from '../core/errors.ts';
import { sentence } from '../core/row-problem.ts';
import type { Outcome } from '../core/service/outcome.ts';
import type { Target } from '../core/service-target.ts';
import { isLoopback } from '../core/text/loopback.ts';
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
      const [code, why, hint] = notSent(request, outcome, target);
      return [code, isRead ? why : `${why}; nothing was sent`, hint];
    }
    case 'unknown':
      return isRead ? failedRead(outcome, said, target) : unknown(outcome, said, target);
  }
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

/** Without the flags that were typed, a command to paste would show or change another environment. */
function typed({ typedFlags = '' }: Target): string {
  return typedFlags;
}

function seeUrl(target: Target): string {
  return `Check the base URL: proc profile show${typed(target)}`;
}

/** A key from a variable wins over a stored one, so storing another would change nothing. */
function otherKey(target: Target): string {
  const variable = target.keyVariable;
  if (variable !== undefined)
    return `The key is from ${variable}. Set it to another key, or unset it`;
  return `See which key is used: proc profile show${typed(target)}. Store another: proc auth login${typed(target)}`;
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
    const { profile } = target;
    const whose = profile === undefined ? '' : ` of profile "${profile}"`;
    const says = `the key gives access only to its organization${whose} (403)${said}`;
    const hint = `See which key is used: proc profile show${typed(target)}`;
    return ['forbidden', says, hint];
  }
  if (status === 404) {
    const hint = `Check the id, and the base URL: proc profile show${typed(target)}`;
    return ['not_found', `not found (404)${said}`, hint];
  }
  if (status < 400) {
    const says = `the service redirects (${status}) to ${location ?? 'elsewhere'}; proc does not follow redirects`;
    const hint =
      'Set the base URL to the address of the service itself: proc profile set NAME -e ENV baseUrl=URL';
    return ['refused', says, hint];
  }
  const hint = isRead
    ? `Check what the service accepts: proc doctor${typed(target)}`
    : 'Nothing was applied. Correct the problem that the service reports, then run the command again.';
  return ['refused', `the service refused the request (${status})${said}`, hint];
}

function failedRead({ reason, problem }: Of<'unknown'>, said: string, target: Target): Failure {
  const says = sentence(problem);
  if (reason === 'timeout') return ['timed_out', says, 'Allow more time: --timeout 60'];
  if (reason === 'undecodable' || reason === 'no-id') {
    const hint = `Check that the base URL is the service itself, with /api/v1: proc profile show${typed(target)}`;
    return ['undecodable', says, hint];
  }
  return ['service_failed', `${says}${said}`, 'Nothing was changed. Try again later.'];
}

function unknown({ problem }: Of<'unknown'>, said: string, target: Target): Failure {
  const says = `sent, but the outcome is unknown: ${sentence(problem)}${said}`;
  const hint = `The service may have applied the request. Check before you send it again: proc history list --open${typed(target)}`;
  return ['outcome_unknown', says, hint];
}

function notSent(
  { origin }: PreparedRequest,
  { cause, timedOut }: Of<'not-sent'>,
  target: Target,
): Failure {
  const code = systemCode(cause) ?? '';
  const { hostname, host, port: own, protocol } = new URL(origin);
  if (timedOut || code === 'UND_ERR_CONNECT_TIMEOUT') {
    const hint = 'Check the network, or allow more time: --timeout 60';
    return ['timed_out', 'the connection timed out', hint];
  }
  const proxy = proxyProblem(cause, hostname, own || (protocol === 'https:' ? '443' : '80'));
  const says = (): readonly [why: string, hint: string] => {
    if (proxy !== undefined) return [proxy, 'Check HTTPS_PROXY, or list the host in NO_PROXY'];
    if (code === 'ECONNREFUSED') {
      const hint = isLoopback(hostname) ? 'Start the sandbox: proc sandbox start' : seeUrl(target);
      return [`nothing listens at ${host}`, hint];
    }
    if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
      return [`the host name ${hostname} cannot be resolved`, seeUrl(target)];
    }
    if (CERTIFICATE.test(code)) {
      return [`the TLS certificate is not trusted (${code})`, certificateHint(code, target)];
    }
    if (/TLS|SSL|EPROTO/.test(code)) {
      const hint = `Check the base URL, https or http: proc profile show${typed(target)}`;
      return [`the TLS handshake failed (${code})`, hint];
    }
    const hint = `Check the network and the base URL: proc profile show${typed(target)}`;
    return [code || cause.message, hint];
  };
  return ['unreachable', ...says()];
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

/** Codes of errors for an unknown certificate authority. Another certificate store may have this authority. */
const UNKNOWN_AUTHORITY: ReadonlySet<string> = new Set([
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

export function isUnknownAuthority(code: string | undefined): boolean {
  return code !== undefined && UNKNOWN_AUTHORITY.has(code);
}

function certificateHint(code: string, target: Target): string {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return seeUrl(target);
  return isUnknownAuthority(code)
    ? 'If it is the authority of your organization, add it to the certificates of the system, or set PROC_CA_FILE=FILE'
    : 'Tell the operators of the service, and check the clock of this machine';
}
