import type { Context } from '../../context.ts';
import { isSignalled, ProcError } from '../../core/errors.ts';
import { EXIT } from '../../core/exit-codes.ts';
import type { Row } from '../../core/result.ts';
import { textOf } from '../../core/text/raw-number.ts';
import { rowsMeant } from '../shared/references/references.ts';
import { listOrdersHint } from './get.ts';
import { listOrders } from './index.ts';

/**
 * Reads the same orders again and again. Only the first successful read resolves the references, so a code
 * that moves to another order has no effect.
 */
export class OrderWatch {
  /** The orders as last read, in the order of the references. Empty before the first successful read. */
  orders: readonly Row[] = [];
  problem: ProcError | undefined;
  readonly #ctx: Context;
  readonly #refs: readonly string[];
  /** Ids of orders that a look-up by code no longer finds. */
  readonly #byId = new Set<string>();

  constructor(ctx: Context, refs: readonly string[]) {
    this.#ctx = ctx;
    this.#refs = refs;
  }

  /**
   * @returns false after a failure that may be temporary, e.g. a timeout; `orders` stays the same
   * @throws ProcError for other failures, e.g. `not_found` if a reference has no order
   */
  async read(): Promise<boolean> {
    try {
      this.orders = this.orders.length === 0 ? await this.#resolve() : await this.#again();
      this.problem = undefined;
      return true;
    } catch (thrown) {
      if (!(thrown instanceof ProcError) || isSignalled(thrown)) throw thrown;
      if (thrown.exitCode !== EXIT.unreachable) throw thrown;
      if (this.problem?.message !== thrown.message) {
        const text = `${thrown.message}; proc reads again`;
        this.#ctx.io.say({ kind: 'warning', text });
      }
      this.problem = thrown;
      return false;
    }
  }

  async #resolve(): Promise<readonly Row[]> {
    const means = await rowsMeant(this.#ctx, 'order', this.#refs, listOrdersHint);
    const byId = new Map<string, Row>();
    for (const ref of this.#refs) {
      const order = means(ref);
      byId.set(idOf(order), order);
    }
    return [...byId.values()];
  }

  /**
   * Looks up orders by code, which takes few requests. Orders without a code, and orders that their
   * code no longer finds, are looked up by id.
   */
  async #again(): Promise<readonly Row[]> {
    const now = new Map<string, Row>();
    const coded = this.orders.filter((order) => !this.#byId.has(idOf(order)) && codeOf(order));
    for (const order of coded) {
      const { rows } = await this.#ctx.http().find(listOrders, 'code', codeOf(order)!);
      const same = rows.find((one) => idOf(one) === idOf(order));
      if (same === undefined) this.#byId.add(idOf(order));
      else now.set(idOf(order), same);
    }
    const rest = this.orders.filter((order) => !now.has(idOf(order)));
    if (rest.length > 0) {
      const refs = rest.map((order) => `id=${idOf(order)}`);
      const means = await rowsMeant(this.#ctx, 'order', refs, listOrdersHint);
      for (const order of rest) {
        try {
          now.set(idOf(order), means(`id=${idOf(order)}`));
        } catch (thrown) {
          if (!(thrown instanceof ProcError) || thrown.code !== 'not_found') throw thrown;
        }
      }
    }
    // An order that is no longer in the list stays as it was last read.
    return this.orders.map((order) => now.get(idOf(order)) ?? order);
  }
}

function idOf({ id }: Row): string {
  return textOf(id) ?? '';
}

function codeOf({ code }: Row): string | undefined {
  return typeof code === 'string' && code !== '' ? code : undefined;
}
