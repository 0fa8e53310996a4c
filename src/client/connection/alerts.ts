/** OpenSSL's names of the alerts with which a service refuses a client certificate, or demands one. */
const REFUSAL =
  /^ERR_SSL_.*ALERT_(CERTIFICATE_REQUIRED|BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|CERTIFICATE_(REVOKED|EXPIRED|UNKNOWN)|UNKNOWN_CA)$/;

/**
 * With TLS 1.3, the client may send a request before the service has checked the client certificate. These
 * alerts say that the service has ended the handshake, so it has not read the request.
 */
export function isClientCertificateRefusal(code: string | undefined): boolean {
  return code !== undefined && REFUSAL.test(code);
}

export function isClientCertificateMissing(code: string | undefined): boolean {
  return code?.endsWith('_ALERT_CERTIFICATE_REQUIRED') === true;
}
