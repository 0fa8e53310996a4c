// npm run release -- KEY.pem: builds and checks a release (npm run release:check), then signs its checksums with the
// key. Writes SHA256SUMS.sig beside each SHA256SUMS, and the public key as release/proc.pub.
import { execFileSync } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readSigningKey, signFile } from './release/sign.ts';

const ROOT = resolve(import.meta.dirname, '..');
try {
  // Before the build, which takes minutes.
  const key = readSigningKey(process.argv[2]);
  execFileSync(process.execPath, [join(ROOT, 'scripts/release-check.ts')], { stdio: 'inherit' });
  for (const folder of ['release', 'release-single'])
    signFile(join(ROOT, folder, 'SHA256SUMS'), key);
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'pem' });
  writeFileSync(join(ROOT, 'release', 'proc.pub'), publicKey);
  console.log(`Signed. The public key, to publish beside the release:\n${publicKey}`);
} catch (thrown) {
  console.error(`error: ${(thrown as Error).message}`);
  process.exitCode = 2;
}
