import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type * as real from '../../../src/import/approval/ssh-keygen.ts';

/*
 * Replaces `import/approval/ssh-keygen.ts`, because a simulated machine has no other processes. The file of a
 * key contains the name of its person.
 */

export function approverLine(person: string): string {
  return `${person} ssh-ed25519 ${blobOf(person)}\n`;
}

export const sign: typeof real.sign = async (text, keyFile) => {
  const person = readFileSync(keyFile, 'utf8');
  return `${person} ${hash(`${person} ${text}`, 'hex')}`;
};

export const check: typeof real.check = async (text, signature) => {
  const [person = '', digest] = signature.split(' ');
  if (digest !== hash(`${person} ${text}`, 'hex')) {
    return { isValid: false, problem: 'incorrect signature' };
  }
  const print = hash(Buffer.from(blobOf(person), 'base64'), 'base64').replace(/=+$/, '');
  return { isValid: true, key: `ED25519 SHA256:${print}` };
};

export const principalsOf: typeof real.principalsOf = async (signature, approvers) => {
  const blob = blobOf(signature.split(' ')[0]!);
  const lines = readFileSync(approvers, 'utf8').split('\n');
  const principals = lines.filter((line) => line.endsWith(blob)).map((line) => line.split(' ')[0]!);
  return { principals, problem: principals.length > 0 ? '' : 'no principal matched' };
};

export const verify: typeof real.verify = async (text, signature, { principal, ...given }, env) => {
  const checked = await check(text, signature, env);
  const { principals } = await principalsOf(signature, given.approvers, given.at, env);
  return checked.isValid && principals.includes(principal) ? undefined : 'not verified';
};

/** The public key of a person as base64, in the form of ssh. */
function blobOf(person: string): string {
  return `AAAA${Buffer.from(`key of ${person}`).toString('base64').replaceAll('=', '')}`;
}

function hash(data: string | Buffer, form: 'hex' | 'base64'): string {
  return createHash('sha256').update(data).digest(form);
}
