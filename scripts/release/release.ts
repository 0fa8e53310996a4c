import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

/** What every artefact of a release shares. */
export interface Release {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** The date of every file in it. */
  readonly date: Date;
}

export function currentRelease(): Release {
  const { name, version, license } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  return { name, version, license, date: new Date(seconds() * 1000) };
}

/** `SOURCE_DATE_EPOCH`, or else the date of the commit: two builds of one commit must be equal. */
function seconds(): number {
  const given = process.env.SOURCE_DATE_EPOCH ?? '';
  if (given !== '') return Number(given);
  return Number(
    execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: ROOT, encoding: 'utf8' }),
  );
}

export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
