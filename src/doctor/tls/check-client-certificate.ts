import { ProcError } from '../../core/errors.ts';
import { clientCertificateOf } from '../../settings/credential/certificate-setting.ts';
import { openCertificateFiles } from '../../settings/credential/client-certificate.ts';
import type { Selection, Sources } from '../../settings/read/select-target.ts';
import { type Check, ok, problem, warning } from '../check.ts';
import { certificateOf, certificateRow, daysLeft, described, ending } from './chain.ts';
import { ENDS_SOON_DAYS } from './check-tls.ts';

const NAME = 'client certificate';

export function checkClientCertificate(
  sources: Sources,
  selection: Selection,
  { cwd, now }: { readonly cwd: string; readonly now: number },
): readonly Check[] {
  try {
    const found = clientCertificateOf(sources, selection);
    if (found === undefined) return [];
    const certificate = certificateOf(openCertificateFiles(found.value, cwd, now).certificate);
    const finding = `${found.value.cert}, from ${found.place}: ${certificate.subject}, issued by ${certificate.issuer}, ${ending(certificate, now)}`;
    const check =
      daysLeft(certificate, now) < ENDS_SOON_DAYS
        ? warning(NAME, finding, 'Get a new one from its issuer')
        : ok(NAME, finding);
    return [
      {
        ...check,
        evidence: [described(certificate, now)],
        certificates: [certificateRow(certificate, now)],
      },
    ];
  } catch (thrown) {
    if (!(thrown instanceof ProcError)) throw thrown;
    return [problem(NAME, thrown)];
  }
}
