import { type ErrorCode, ProcError, systemCode } from '../../core/errors.ts';
import type { Outcome } from '../../core/service/outcome.ts';
import { isLoopback } from '../../core/text/loopback.ts';
import { isUnknownAuthority } from '../connection/untrusted.ts';
import type { PreparedRequest } from '../request.ts';

export const CLIENT_HINT =
  'Give one: --client-cert FILE --client-key FILE. To store it: proc profile set NAME -e ENV clientCert=FILE clientKey=FILE';

const PROXY_HINT = 'Check HTTPS_PROXY, or list the host in NO_PROXY';

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
      return ['unreachable', `the proxy refuses the connection (${refusal})`, PROXY_HINT];
    }
    const { address, port } = cause as { address?: string; port?: number };
    if (code === 'ECONNREFUSED' && port !== undefined && String(port) !== portOf(request.origin)) {
      return ['unreachable', `the proxy at ${address}:${port} does not respond`, PROXY_HINT];
    }
    if (code === 'ECONNREFUSED') {
      return [
        'unreachable',
        `nothing listens at ${new URL(request.origin).host}`,
        local ? 'Start the sandbox: proc sandbox start' : 'Check the base URL: proc config list',
      ];
    }
    if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
      const { hostname: asked = hostname } = cause as { hostname?: string };
      if (asked !== hostname) {
        const reason = `the host name of the proxy, ${asked}, cannot be resolved`;
        return ['unreachable', reason, PROXY_HINT];
      }
      return [
        'unreachable',
        `the host name ${hostname} cannot be resolved`,
        'Check the base URL: proc config list',
      ];
    }
    if (isClientCertificateRefusal(code)) {
      return isClientCertificateMissing(code)
        ? ['unreachable', `the service asks for a client certificate (${code})`, CLIENT_HINT]
        : [
            'unreachable',
            `the service does not accept the client certificate (${code})`,
            'See which one is used: proc config get client-cert. Examine it: proc doctor --quick',
          ];
    }
    if (code !== undefined && /CERT|SELF_SIGNED|UNABLE_TO/.test(code)) {
      return ['unreachable', `the TLS certificate is not trusted (${code})`, certificateHint(code)];
    }
    if (code !== undefined && /TLS|SSL|EPROTO/.test(code)) {
      return [
        'unreachable',
        `the TLS handshake failed (${code})`,
        code.endsWith('_ALERT_HANDSHAKE_FAILURE')
          ? `The service may ask for a client certificate. ${CLIENT_HINT}`
          : 'Check the base URL, https or http: proc config list',
      ];
    }
    return [
      'unreachable',
      code === undefined ? cause.message : `${code}`,
      'Check the network and the base URL: proc config list',
    ];
  })();
  // A client certificate may be refused after the request has left, so "nothing was sent" could be wrong.
  const end = isClientCertificateRefusal(code) ? 'the request was not read' : 'nothing was sent';
  return new ProcError(errorCode, `${where}: ${reason}; ${end}`, { hint, cause });
}

function certificateHint(code: string): string {
  if (isUnknownAuthority(code)) {
    return 'See who issued it: proc doctor --quick. If your organization has its own certificate authority: --ca-file FILE';
  }
  return code === 'ERR_TLS_CERT_ALTNAME_INVALID'
    ? 'Check the base URL: proc config list'
    : 'See what is wrong with it: proc doctor --quick';
}

function portOf(origin: string): string {
  const { port, protocol } = new URL(origin);
  return port === '' ? (protocol === 'https:' ? '443' : '80') : port;
}

/** Codes of the TLS alerts with which a service refuses or demands a client certificate. */
const REFUSAL =
  /^ERR_SSL_.*ALERT_(CERTIFICATE_REQUIRED|BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|CERTIFICATE_(REVOKED|EXPIRED|UNKNOWN)|UNKNOWN_CA)$/;

/**
 * A service that refuses the client certificate with an alert has not read the request. With TLS 1.3, the
 * request may already have left.
 */
export function isClientCertificateRefusal(code: string | undefined): boolean {
  return code !== undefined && REFUSAL.test(code);
}

function isClientCertificateMissing(code: string | undefined): boolean {
  return code?.endsWith('_ALERT_CERTIFICATE_REQUIRED') === true;
}
