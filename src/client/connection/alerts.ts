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

export function isClientCertificateMissing(code: string | undefined): boolean {
  return code?.endsWith('_ALERT_CERTIFICATE_REQUIRED') === true;
}
