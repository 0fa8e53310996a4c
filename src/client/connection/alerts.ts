/** OpenSSL's names of the alerts with which a service refuses a client certificate, or asks for one. */
const REFUSAL =
  /^ERR_SSL_.*ALERT_(CERTIFICATE_REQUIRED|BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|CERTIFICATE_(REVOKED|EXPIRED|UNKNOWN)|UNKNOWN_CA)$/;

/**
 * With TLS 1.3, the client may send before the service has checked its certificate. This alert says that the
 * service has ended the handshake, so it has not read the request.
 */
export function isClientCertificateRefusal(code: string | undefined): boolean {
  return code !== undefined && REFUSAL.test(code);
}

/** There was no client certificate at all. */
export function isClientCertificateMissing(code: string | undefined): boolean {
  return code?.endsWith('_ALERT_CERTIFICATE_REQUIRED') === true;
}
