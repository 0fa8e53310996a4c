import { DEFAULT_DIALECT } from '../../../src/config/settings.ts';
import { Secret } from '../../../src/core/secret.ts';
import type { Dialect, Sender } from '../../../src/core/service.ts';
import { systemClock } from '../../../src/core/time.ts';
import { openTransport } from '../../../src/http/connection.ts';
import { prepare } from '../../../src/http/request.ts';
import { send } from '../../../src/http/send-once.ts';
import { ITEM_IMPORT } from '../../../src/import/targets/all-targets.ts';
import { patientReader } from '../../../src/listing/list-pages.ts';
import { Listing } from '../../../src/listing/listing.ts';
import { createItem } from '../../../src/nouns/items/index.ts';
import type { Sandbox } from '../../../src/sandbox/server.ts';
import { stock } from '../../support/stock.ts';
import { targetAt } from '../../support/target.ts';

/** The list of a sandbox's items over real HTTP, and functions that create items. */
export function itemsOf(sandbox: Sandbox, dialect: Partial<Dialect> = {}) {
  const target = targetAt(sandbox.baseUrl, {
    credential: { scheme: 'api-key', secret: new Secret(sandbox.keys[0]!.apiKey) },
    dialect: () => ({ ...DEFAULT_DIALECT, ...dialect }),
  });
  const { origin } = new URL(sandbox.baseUrl);
  const transport = openTransport({ origin, connections: 16, env: {}, connectTimeoutMs: 5_000 });
  const options = { timeoutMs: 10_000, now: Date.now };
  const sender: Pick<Sender, 'target' | 'send'> = {
    target,
    send: (spec, input) => send(prepare(spec, input, target), transport, options),
  };
  const patience = {
    clock: systemClock,
    signal: new AbortController().signal,
    retries: 2,
    patienceMs: 10_000,
  };
  return {
    listing: () => new Listing(ITEM_IMPORT, { target, read: patientReader(sender, patience) }),
    /** Stores items without requests. */
    stock: (codes: readonly string[]) =>
      stock(
        sandbox,
        codes.map((code) => ({ code, name: `Item ${code}` })),
      ),
    async create(code: string): Promise<void> {
      const outcome = await sender.send(createItem, { body: { code, name: `Item ${code}` } });
      if (outcome.kind !== 'done') throw new Error(`${code}: ${JSON.stringify(outcome)}`);
    },
    [Symbol.asyncDispose]: () => transport.close(),
  };
}

export async function each<T>(all: readonly T[], atOnce: number, work: (one: T) => Promise<void>) {
  const queue = [...all];
  const worker = async () => {
    for (let one = queue.shift(); one !== undefined; one = queue.shift()) await work(one);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
