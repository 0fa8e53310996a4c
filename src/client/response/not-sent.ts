import { type ErrorCode, ProcError, systemCode } from '../../core/errors.ts';
import type { Outcome } from '../../core/service/outcome.ts';
import { isLoopback } from '../../core/text/loopback.ts';
import type { PreparedRequest } from '../request.ts';

export function notSent(
  where: string,
  request: PreparedRequest,
  outcome: Extract<Outcome, { kind: 'not-sent' }>,
): ProcError {
  const cause = outcome.cause;
  const code = systemCode(cause);
  const { hostname } = new URL(request.origin);
  const local = isLoopback(hostname);
  const [errorCode, reason, hint] = ((): readonly [ErrorCode, string, string] => {
    if (outcome.timedOut || code === 'UND_ERR_CONNECT_TIMEOUT') {
      return [
        'timed_out',
        'the connection timed out',
        'Check the network, or allow more time: --timeout 60',
      ];
    }
    const refusal = /Proxy response \((\d+)\)/.exec(cause.message)?.[1];
    if (refusal !== undefined) {
      return [
        'unreachable',
        `the proxy refuses the connection (${refusal})`,
        'Check HTTPS_PROXY, or list the host in NO_PROXY',
      ];
    }
    const { address, port } = cause as { address?: string; port?: number };
    if (code === 'ECONNREFUSED' && port !== undefined && String(port) !== portOf(request.origin)) {
      return [
        'unreachable',
        `the proxy at ${address}:${port} does not respond`,
        'Check HTTPS_PROXY, or list the host in NO_PROXY',
      ];
    }
    if (code === 'ECONNREFUSED') {
      return [
        'unreachable',
        `nothing listens at ${new URL(request.origin).host}`,
        local ? 'Start the sandbox: proc sandbox start' : 'Check the base URL: proc profile show',
      ];
    }
    if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
      const { hostname: asked = hostname } = cause as { hostname?: string };
      if (asked !== hostname) {
        const reason = `the host name of the proxy, ${asked}, cannot be resolved`;
        return ['unreachable', reason, 'Check HTTPS_PROXY, or list the host in NO_PROXY'];
      }
      return [
        'unreachable',
        `the host name ${hostname} cannot be resolved`,
        'Check the base URL: proc profile show',
      ];
    }
    if (code !== undefined && /CERT|SELF_SIGNED|UNABLE_TO/.test(code)) {
      return ['unreachable', `the TLS certificate is not trusted (${code})`, certificateHint(code)];
    }
    if (code !== undefined && /TLS|SSL|EPROTO/.test(code)) {
      return [
        'unreachable',
        `the TLS handshake failed (${code})`,
        'Check the base URL, https or http: proc profile show',
      ];
    }
    return [
      'unreachable',
      code ?? cause.message,
      'Check the network and the base URL: proc profile show',
    ];
  })();
  return new ProcError(errorCode, `${where}: ${reason}; nothing was sent`, { hint, cause });
}

/**
 * Codes of errors for an unknown certificate authority. Another certificate store may have this authority.
 */
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

function certificateHint(code: string): string {
  if (isUnknownAuthority(code)) {
    return 'If it is the authority of your organization, add it to the certificates of the system, or set PROC_CA_FILE=FILE';
  }
  return code === 'ERR_TLS_CERT_ALTNAME_INVALID'
    ? 'Check the base URL: proc profile show'
    : 'Tell the operators of the service, and check the clock of this machine';
}

function portOf(origin: string): string {
  const { port, protocol } = new URL(origin);
  return port === '' ? (protocol === 'https:' ? '443' : '80') : port;
}

/** The message of a failed request in a run that has sent others: without its end, which would be wrong. */
export function afterSending(message: string): string {
  return message.replace(/; nothing was sent$/, '');
}
