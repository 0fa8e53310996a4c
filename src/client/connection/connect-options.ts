import type { DetailedPeerCertificate, PeerCertificate } from 'node:tls';
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
  /** Called with each certificate that was verified. It contains its chain. */
  readonly onVerified?:
    | ((certificate: DetailedPeerCertificate, of: 'service' | 'proxy') => void)
    | undefined;
  /** Default 1. */
  readonly connections?: number | undefined;
  readonly connectTimeoutMs: number;
}

export function connectOptions(
  options: Pick<TransportOptions, 'ca' | 'identity' | 'onVerified' | 'connectTimeoutMs'>,
) {
  const { ca, identity, onVerified } = options;
  return {
    timeout: options.connectTimeoutMs,
    // Set explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED=0 does not switch verification off.
    rejectUnauthorized: true,
    // The context is not created for each connection, because reading all authorities takes 17 ms.
    ...(ca === undefined && identity === undefined
      ? {}
      : { secureContext: secureContextWith(ca, identity) }),
    ...(onVerified === undefined ? {} : { checkServerIdentity: reportingTo(onVerified) }),
  };
}

function secureContextWith(ca: readonly string[] | undefined, identity: TlsIdentity | undefined) {
  const tls = nodeModule('node:tls');
  // A certificate may be in both lists. Repeats are removed, because each certificate takes time to load.
  const all = ca && [...new Set([...tls.getCACertificates('default'), ...ca])];
  return tls.createSecureContext({ ...identity, ...(all === undefined ? {} : { ca: all }) });
}

/** Node checks the host name last. If this check passes, the certificate is verified. */
function reportingTo(onVerified: NonNullable<TransportOptions['onVerified']>) {
  return (host: string, certificate: PeerCertificate): Error | undefined => {
    const error = nodeModule('node:tls').checkServerIdentity(host, certificate);
    // Node passes the certificate with its chain, although its types do not say so.
    if (error === undefined) onVerified(certificate as DetailedPeerCertificate, 'service');
    return error;
  };
}
