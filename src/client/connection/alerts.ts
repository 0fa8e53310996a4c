/** Alerts, in OpenSSL's names, with which a service refuses or demands a client certificate. */
const REFUSAL =
  /^ERR_SSL_.*ALERT_(CERTIFICATE_REQUIRED|BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|CERTIFICATE_(REVOKED|EXPIRED|UNKNOWN)|UNKNOWN_CA)$/;

/**
 * With TLS 1.3, a request may leave before the service checks the client certificate. These alerts end the
 * handshake, so the service has not read the request.
 */
export function isClientCertificateRefusal(code: string | undefined): boolean {
  return code !== undefined && REFUSAL.test(code);
}

export function isClientCertificateMissing(code: string | undefined): boolean {
  return code?.endsWith('_ALERT_CERTIFICATE_REQUIRED') === true;
}
