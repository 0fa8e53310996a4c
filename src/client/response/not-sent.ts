import { type ErrorCode, ProcError, systemCode } from '../../core/errors.ts';
import type { Outcome } from '../../core/service/outcome.ts';
import { isLoopback } from '../../core/text/loopback.ts';
import {
  notSentReasons,
  serviceErrors,
  serviceHints,
} from '../../messages/errors/service-errors.ts';
import { isUnknownAuthority } from '../connection/untrusted.ts';
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
      return ['timed_out', notSentReasons.timedOut, serviceHints.network];
    }
    const refusal = /Proxy response \((\d+)\)/.exec(cause.message)?.[1];
    if (refusal !== undefined) {
      return ['unreachable', notSentReasons.proxyRefuses(refusal), serviceHints.proxy];
    }
    const { address, port } = cause as { address?: string; port?: number };
    if (code === 'ECONNREFUSED' && port !== undefined && String(port) !== portOf(request.origin)) {
      return ['unreachable', notSentReasons.proxySilent(address, port), serviceHints.proxy];
    }
    if (code === 'ECONNREFUSED') {
      return [
        'unreachable',
        notSentReasons.nothingListens(new URL(request.origin).host),
        local ? serviceHints.sandbox : serviceHints.url,
      ];
    }
    if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
      const { hostname: asked = hostname } = cause as { hostname?: string };
      if (asked !== hostname) {
        const reason = notSentReasons.proxyUnknown(asked);
        return ['unreachable', reason, serviceHints.proxy];
      }
      return ['unreachable', notSentReasons.hostUnknown(hostname), serviceHints.url];
    }
    if (code !== undefined && /CERT|SELF_SIGNED|UNABLE_TO/.test(code)) {
      return ['unreachable', notSentReasons.untrusted(code), certificateHint(code)];
    }
    if (code !== undefined && /TLS|SSL|EPROTO/.test(code)) {
      return ['unreachable', notSentReasons.handshake(code), serviceHints.httpOrHttps];
    }
    return ['unreachable', code ?? cause.message, serviceHints.networkAndUrl];
  })();
  return new ProcError(errorCode, serviceErrors.notSent(where, reason), { hint, cause });
}

function certificateHint(code: string): string {
  if (isUnknownAuthority(code)) {
    return serviceHints.authority;
  }
  return code === 'ERR_TLS_CERT_ALTNAME_INVALID' ? serviceHints.url : serviceHints.certificate;
}

function portOf(origin: string): string {
  const { port, protocol } = new URL(origin);
  return port === '' ? (protocol === 'https:' ? '443' : '80') : port;
}
