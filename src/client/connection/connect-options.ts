import { nodeModule } from '../../core/process/node-module.ts';

/** PEM texts: the client certificate with its chain, and its decrypted key. */
export interface TlsIdentity {
  readonly cert: string;
  readonly key: string;
}

export interface TransportOptions {
  readonly origin: string;
  /** PEM texts of further certificate authorities; those of Node stay trusted. */
  readonly ca?: readonly string[] | undefined;
  /** Used if the service asks for a client certificate, but never for a proxy. */
  readonly identity?: TlsIdentity | undefined;
  /** Default 1. */
  readonly connections?: number | undefined;
  readonly connectTimeoutMs: number;
}

export function connectOptions(
  options: Pick<TransportOptions, 'ca' | 'identity' | 'connectTimeoutMs'>,
) {
  const { ca, identity } = options;
  return {
    timeout: options.connectTimeoutMs,
    // Set explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED=0 does not switch verification off.
    rejectUnauthorized: true,
    // The context is not created for each connection, because reading all authorities takes 17 ms.
    ...(ca === undefined && identity === undefined
      ? {}
      : { secureContext: secureContextWith(ca, identity) }),
  };
}

function secureContextWith(ca: readonly string[] | undefined, identity: TlsIdentity | undefined) {
  const tls = nodeModule('node:tls');
  // A certificate may be in both lists. Repeats are removed, because each certificate takes time to load.
  const all = ca && [...new Set([...tls.getCACertificates('default'), ...ca])];
  return tls.createSecureContext({ ...identity, ...(all === undefined ? {} : { ca: all }) });
}
