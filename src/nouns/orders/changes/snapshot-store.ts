import { join } from 'node:path';
import * as z from 'zod/mini';
import { isName, NAME_RULE } from '../../../config/names.ts';
import { stateDir } from '../../../config/paths.ts';
import { ProcError, systemCode } from '../../../core/errors.ts';
import type { Env } from '../../../core/io.ts';
import { cannotUse } from '../../../core/machine-errors.ts';
import { nodeModule } from '../../../core/process/node-module.ts';
import type { Scope } from '../../../core/scope.ts';
import { show } from '../../../core/validate.ts';
import { makeFolder } from '../../../store/folder.ts';
import { readRegularFile } from '../../../store/regular-file.ts';
import { PRIVATE, writeWholeFile } from '../../../store/whole-file.ts';
import type { KeptOrder, Snapshot } from './snapshot.ts';

/** Enough for two million orders. */
const MOST_BYTES = 512 << 20;

const text = z.nullable(z.string());
const stored = z.object({
  version: z.literal(1),
  service: z.string(),
  organization: z.optional(z.string()),
  savedAt: z.string(),
  orders: z.array(
    z.object({ id: text, code: text, title: text, status: text, amount: text, currency: text }),
  ),
});

/** Snapshots of the orders of one service and organization, each in a file of its own. */
export class SnapshotStore {
  readonly #folder: string;
  readonly #scope: Scope;

  constructor(env: Env, scope: Scope) {
    const { hash } = nodeModule('node:crypto');
    const owner = hash('sha256', JSON.stringify([scope.service, scope.organization]), 'hex');
    this.#folder = join(stateDir(env), 'snapshots', `orders-${owner.slice(0, 16)}`);
    this.#scope = scope;
  }

  /**
   * @returns undefined if no snapshot has this name
   * @throws ProcError `config_unreadable` if the file is damaged
   */
  find(name: string): Snapshot | undefined {
    const path = this.#pathOf(name);
    let found: string;
    try {
      found = readRegularFile(path, MOST_BYTES).text;
    } catch (thrown) {
      if (systemCode(thrown) === 'ENOENT') return undefined;
      throw damaged(path, thrown);
    }
    try {
      const { orders, savedAt } = z.parse(stored, JSON.parse(found));
      return { name, savedAt: Date.parse(savedAt), orders };
    } catch (thrown) {
      throw damaged(path, thrown);
    }
  }

  /** @throws ProcError `state_unwritable` */
  save(name: string, orders: readonly KeptOrder[], savedAt: Date): void {
    makeFolder(this.#folder);
    const path = this.#pathOf(name);
    const { service, organization } = this.#scope;
    const head = { version: 1, service, organization, savedAt: savedAt.toISOString() };
    try {
      writeWholeFile(path, pieces(head, orders), PRIVATE);
    } catch (thrown) {
      throw cannotUse(path, thrown);
    }
  }

  #pathOf(name: string): string {
    return join(this.#folder, `${name}.json`);
  }
}

/** @throws ProcError `invalid_usage` */
export function snapshotName(text: string, flag: string): string {
  const name = text.normalize('NFC');
  if (isName(name)) return name;
  throw new ProcError('invalid_usage', `${flag}: ${show(text)} is not a valid name of a snapshot`, {
    hint: `Choose another: ${NAME_RULE}`,
  });
}

/** One order at a time, so that the whole text is never in memory. */
function* pieces(head: object, orders: readonly KeptOrder[]): Generator<string> {
  yield `${JSON.stringify(head).slice(0, -1)},"orders":[`;
  let isFirst = true;
  for (const order of orders) {
    yield `${isFirst ? '\n' : ',\n'}${JSON.stringify(order)}`;
    isFirst = false;
  }
  yield '\n]}\n';
}

function damaged(path: string, cause: unknown): ProcError {
  return new ProcError('config_unreadable', `the snapshot ${path} cannot be read`, {
    hint: 'Remove the file and save the snapshot again',
    cause,
  });
}
