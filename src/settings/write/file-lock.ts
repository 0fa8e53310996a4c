import { randomUUID } from 'node:crypto';
import { linkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { kill, pid } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProcError, systemCode } from '../../core/errors.ts';
import { readRegularFile } from '../../store/regular-file.ts';

/**
 * Runs `work` while no other process holds the lock file at `path`.
 *
 * A lock left by a process that has died is removed. Who removes it must first create a marker
 * that carries the dead lock's token, and look again: so nobody can remove a lock that was made
 * since.
 *
 * @throws ProcError `state_unwritable` where the lock stays taken for `waitMs`
 */
export async function withLock<T>(path: string, work: () => T, waitMs = 5_000): Promise<T> {
  const giveUpAt = Date.now() + waitMs;
  while (!tryLock(path)) {
    if (removeDead(path)) continue;
    if (Date.now() > giveUpAt) {
      throw new ProcError('state_unwritable', `Another process holds ${path}`, {
        hint: `Wait for it to end; if none is running, delete ${path}`,
      });
    }
    await sleep(5 + Math.random() * 20);
  }
  try {
    return work();
  } finally {
    rmSync(path, { force: true });
  }
}

function tryLock(path: string): boolean {
  const token = randomUUID();
  const draft = `${path}.${token}`;
  writeFileSync(draft, `${hostname()} ${pid} ${token}`, { mode: 0o600, flag: 'wx' });
  try {
    // It appears with its content: a process that is killed in between leaves no lock of nobody.
    linkSync(draft, path);
    return true;
  } catch (thrown) {
    if (systemCode(thrown) === 'EEXIST') return false;
    // A file system without hard links.
    return takeName(path, `${hostname()} ${pid} ${token}`);
  } finally {
    rmSync(draft, { force: true });
  }
}

function takeName(path: string, content: string): boolean {
  try {
    writeFileSync(path, content, { mode: 0o600, flag: 'wx' });
    return true;
  } catch (thrown) {
    if (systemCode(thrown) === 'EEXIST') return false;
    throw thrown;
  }
}

/** So long a lock that says no owner counts: writing the owner takes a moment, where it is not linked. */
const OWNERLESS_MS = 2_000;

/** Process ids of another machine or container mean nothing here: its lock is never dead. */
function removeDead(path: string): boolean {
  const content = readOrNothing(path);
  const [host, owner, token] = content.split(' ');
  if (token === undefined ? !isOld(path) : host !== hostname() || isAlive(Number(owner)))
    return false;
  const marker = `${path}.${token ?? 'nobody'}.gone`;
  if (!takeName(marker, '')) {
    // Whoever was about to remove the lock died in the act.
    if (isOld(marker)) rmSync(marker, { force: true });
    return false;
  }
  try {
    if (readOrNothing(path) === content) rmSync(path, { force: true });
    return true;
  } finally {
    rmSync(marker, { force: true });
  }
}

/** A lock or marker without an owner: whoever made it, and lives, is long done with it. */
function isOld(path: string): boolean {
  const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  return changed !== undefined && Math.abs(Date.now() - changed) > OWNERLESS_MS;
}

function readOrNothing(path: string): string {
  try {
    return readRegularFile(path).text;
  } catch {
    return '';
  }
}

function isAlive(id: number): boolean {
  try {
    kill(id, 0);
    return true;
  } catch (thrown) {
    return systemCode(thrown) === 'EPERM';
  }
}
