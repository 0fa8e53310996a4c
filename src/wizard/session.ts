import type { Address } from '../compose/requisition-sheet.ts';
import { type Context, once } from '../context.ts';
import { ProcError } from '../core/errors.ts';
import type { Choice, Prompt, SearchSource } from '../core/io.ts';
import type { Row } from '../core/result.ts';
import { withHistory } from '../history/history.ts';
import { addressesIn, SENT } from '../ledger/sent-addresses.ts';
import { getAddress } from '../nouns/addresses/index.ts';
import { listSectors } from '../nouns/sectors/index.ts';
import { type CatalogueItem, readItems } from '../nouns/shared/catalogue.ts';
import type { Draft } from './wizard-draft.ts';

/** What every question of the wizard uses. */
export interface Session {
  readonly ctx: Context;
  readonly prompts: Prompt;
  /** Like `prompts`, but a person can also go back. */
  readonly steps: StepPrompts;
  readonly draft: Draft;
  say(text: string): void;
  warn(text: string): void;
  /** Each list is read once. A preview that may not read gets empty lists. */
  sectors(): Promise<readonly Row[]>;
  catalogue(): Promise<readonly CatalogueItem[]>;
  /** Of requisitions that were sent before, last used first. The service cannot list addresses. */
  addresses(): Promise<readonly Address[]>;
  /** An address with its text. Undefined if the service does not return it. */
  address(id: string): Promise<Address | undefined>;
}

/** Each address that is offered takes a request. */
const MOST_ADDRESSES = 20;

export function openSession(ctx: Context, draft: Draft): Session {
  const say = (text: string) => ctx.io.say({ kind: 'notice', text });
  const address = (id: string) => readAddress(id, ctx);
  return {
    ...{ ctx, prompts: ctx.prompt, steps: withBack(ctx.prompt), draft, say, address },
    warn: (text) => ctx.io.say({ kind: 'warning', text }),
    sectors: once(async () =>
      (await ctx.http().canRead()) ? ctx.http().call(listSectors, {}) : [],
    ),
    catalogue: once(async () => {
      if (!(await ctx.http().canRead())) return [];
      say('Reading the catalogue.');
      return (await readItems(ctx)).items;
    }),
    addresses: once(async () => {
      const { key } = await ctx.scope();
      const sent = await withHistory(ctx, [], ({ sql }) => sql.all(SENT, key, key));
      const ids = addressesIn(sent).slice(0, MOST_ADDRESSES);
      const found = await Promise.all(ids.map(address));
      return found.filter((one) => one !== undefined);
    }),
  };
}

const NOT_THERE: ReadonlySet<string> = new Set([
  ...['not_found', 'forbidden', 'refused', 'invalid_usage', 'invalid_input'],
]);

async function readAddress(id: string, ctx: Context): Promise<Address | undefined> {
  try {
    const row = ctx.flags.dryRun
      ? undefined
      : await ctx.http().call(getAddress, { params: { id } });
    const label = row?.formattedAddress;
    return typeof label === 'string' ? { id, label } : { id };
  } catch (thrown) {
    if (thrown instanceof ProcError && NOT_THERE.has(thrown.code)) return undefined;
    throw thrown;
  }
}

export const BACK = '<';

const goesBack = Symbol('goes back');

export class WentBack extends Error {}

type StepPrompts = Pick<Prompt, 'input' | 'select' | 'search'>;

/** Prompts that throw `WentBack` if the person types `<` or selects the choice for going back. */
function withBack(prompts: Prompt): StepPrompts {
  const back = { name: '< Back to the previous question', value: goesBack } as const;
  const isBack = (text: string | undefined) => text?.trim() === BACK;
  return {
    async input(message, { validate, ...options } = {}) {
      const answer = await prompts.input(message, {
        ...options,
        validate: (text) => (isBack(text) ? undefined : validate?.(text)),
      });
      if (isBack(answer)) throw new WentBack();
      return answer;
    },
    async select<T>(message: string, choices: readonly Choice<T>[], at?: number) {
      const all: readonly Choice<T | typeof goesBack>[] = [...choices, back];
      return answered(await prompts.select(message, all, at));
    },
    async search<T>(message: string, source: SearchSource<T>, first?: string) {
      const withBackLast = async (
        term: string | undefined,
      ): Promise<readonly Choice<T | typeof goesBack>[]> => {
        if (isBack(term)) return [back];
        const found = await source(term);
        return term?.trim() ? found : [...found, back];
      };
      return answered(await prompts.search<T | typeof goesBack>(message, withBackLast, first));
    },
  };
}

function answered<T>(picked: T | typeof goesBack): T {
  if (picked === goesBack) throw new WentBack();
  return picked as T;
}
