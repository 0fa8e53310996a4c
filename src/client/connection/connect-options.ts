import type { DetailedPeerCertificate, PeerCertificate } from 'node:tls';
import { nodeModule } from '../../core/process/node-module.ts';

/** A client certificate with its chain, and its key, decrypted: PEM texts. */
export interface TlsIdentity {
  readonly cert: string;
  readonly key: string;
}

export interface TransportOptions {
  readonly origin: string;
  /** PEM texts of further certificate authorities; those of Node stay trusted. */
  readonly ca?: readonly string[] | undefined;
  /** Shown to the service if it asks for one; never to a proxy. */
  readonly identity?: TlsIdentity | undefined;
  /** Called after each successful verification, with the certificate and its chain. */
  readonly onVerified?:
    | ((certificate: DetailedPeerCertificate, of: 'service' | 'proxy') => void)
    | undefined;
  /** Connections at once. Default 1: a single command needs no more. */
  readonly connections?: number | undefined;
  /** Milliseconds that connecting may take. */
  readonly connectTimeoutMs: number;
}

/** TLS and connection settings, the same with and without a proxy. */
export function connectOptions(
  options: Pick<TransportOptions, 'ca' | 'identity' | 'onVerified' | 'connectTimeoutMs'>,
) {
  const { ca, identity, onVerified } = options;
  return {
    timeout: options.connectTimeoutMs,
    // Set explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED=0 does not switch verification off.
    rejectUnauthorized: true,
    // Made once: reading all authorities takes 17 ms, which every connection would spend again.
    ...(ca === undefined && identity === undefined
      ? {}
      : { secureContext: secureContextWith(ca, identity) }),
    ...(onVerified === undefined ? {} : { checkServerIdentity: reportingTo(onVerified) }),
  };
}

function secureContextWith(ca: readonly string[] | undefined, identity: TlsIdentity | undefined) {
  // Loaded only here, because it takes 5 ms.
  const tls = nodeModule('node:tls');
  // Both lists may have the same certificate, and each one takes time: remove repeats.
  const all = ca && [...new Set([...tls.getCACertificates('default'), ...ca])];
  return tls.createSecureContext({ ...identity, ...(all === undefined ? {} : { ca: all }) });
}

/** Node's own check of the host name. It is the last check: if it passes, the certificate is verified. */
function reportingTo(onVerified: NonNullable<TransportOptions['onVerified']>) {
  return (host: string, certificate: PeerCertificate): Error | undefined => {
    const error = nodeModule('node:tls').checkServerIdentity(host, certificate);
    // Node passes the chain too, although its types do not say so.
    if (error === undefined) onVerified(certificate as DetailedPeerCertificate, 'service');
    return error;
  };
}
