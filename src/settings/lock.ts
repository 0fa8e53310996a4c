import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { kill, pid } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProcError, systemCode } from '../core/errors.ts';

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
  let file: number;
  try {
    file = openSync(path, 'wx', 0o600);
  } catch (thrown) {
    if (systemCode(thrown) === 'EEXIST') return false;
    throw thrown;
  }
  writeSync(file, `${hostname()} ${pid} ${randomUUID()}`);
  closeSync(file);
  return true;
}

function removeDead(path: string): boolean {
  const content = readOrNothing(path);
  const [host, owner, token] = content.split(' ');
  // Process ids of another machine or container mean nothing here.
  if (token === undefined || host !== hostname() || isAlive(Number(owner))) return false;
  const marker = `${path}.${token}`;
  try {
    closeSync(openSync(marker, 'wx', 0o600));
  } catch (thrown) {
    if (systemCode(thrown) === 'EEXIST') return false;
    throw thrown;
  }
  try {
    if (readOrNothing(path) === content) rmSync(path, { force: true });
    return true;
  } finally {
    rmSync(marker, { force: true });
  }
}

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, 'utf8');
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
