import { spawnSync } from 'node:child_process';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isSigned, readSigningKey, signFile } from '../../scripts/release/sign.ts';

const ROOT = resolve(import.meta.dirname, '../..');
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'proc-sign-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A key that is thrown away. */
function keyFile(type: 'ed25519' | 'ed448'): string {
  const file = join(folder, `${type}.pem`);
  const { privateKey } = generateKeyPairSync(type as 'ed25519');
  writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  return file;
}

it('checksums are signed, and a changed file is noticed, also by openssl', () => {
  const sums = join(folder, 'SHA256SUMS');
  writeFileSync(sums, 'aa  proc.tar.gz\n');
  const key = readSigningKey(keyFile('ed25519'));
  signFile(sums, key);
  const publicKey = createPublicKey(key);
  expect(isSigned(sums, publicKey)).toBe(true);
  const pub = join(folder, 'proc.pub');
  writeFileSync(pub, publicKey.export({ type: 'spki', format: 'pem' }));
  const words = ['pkeyutl', '-verify', '-pubin', '-inkey', pub, '-rawin', '-in', sums];
  const openssl = spawnSync(join('/usr/bin', 'openssl'), [...words, '-sigfile', `${sums}.sig`], {
    encoding: 'utf8',
  });
  if (openssl.error === undefined) expect(openssl.stdout).toContain('Verified Successfully');
  writeFileSync(sums, 'bb  proc.tar.gz\n');
  expect(isSigned(sums, publicKey)).toBe(false);
});

it('a release without a key, or with another kind of key, is not built', () => {
  expect(() => readSigningKey(undefined)).toThrow('npm run release -- KEY.pem');
  expect(() => readSigningKey(join(folder, 'gone.pem'))).toThrow('is not a private key');
  expect(() => readSigningKey(keyFile('ed448'))).toThrow('expected ed25519');
  const script = join(ROOT, 'scripts/release.ts');
  const ran = spawnSync(process.execPath, [script], { encoding: 'utf8' });
  expect(ran).toMatchObject({ status: 2, stdout: '' });
  expect(ran.stderr).toContain('a release is signed');
});

it('no key is committed', () => {
  const { stdout } = spawnSync('git', ['grep', '-lE', '^-----BEGIN [A-Z ]*PRIVATE KEY'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  expect(stdout).toBe('');
  expect(readFileSync(join(ROOT, '.gitignore'), 'utf8')).toMatch(/^\/?release\/?$/m);
});
