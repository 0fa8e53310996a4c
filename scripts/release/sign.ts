import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';

/**
 * The key that signs a release: Ed25519, PKCS#8, as `openssl genpkey -algorithm ed25519` writes it. It is never in the
 * repository.
 *
 * @throws Error with what to do
 */
export function readSigningKey(file: string | undefined): KeyObject {
  if (file === undefined) {
    throw new Error(
      'a release is signed: npm run release -- KEY.pem (make one: openssl genpkey -algorithm ed25519 -out KEY.pem)',
    );
  }
  let key: KeyObject;
  try {
    key = createPrivateKey(readFileSync(file));
  } catch (thrown) {
    throw new Error(`${file} is not a private key: ${(thrown as Error).message}`);
  }
  if (key.asymmetricKeyType === 'ed25519') return key;
  throw new Error(`${file} is a key of type ${key.asymmetricKeyType}; expected ed25519`);
}

/** Writes `FILE.sig`, and checks it as `openssl pkeyutl -verify` would. */
export function signFile(file: string, key: KeyObject): void {
  const content = readFileSync(file);
  writeFileSync(`${file}.sig`, sign(null, content, key));
  if (!isSigned(file, createPublicKey(key))) throw new Error(`the signature of ${file} is wrong`);
}

export function isSigned(file: string, publicKey: KeyObject): boolean {
  return verify(null, readFileSync(file), publicKey, readFileSync(`${file}.sig`));
}
