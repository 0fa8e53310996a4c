import type { Kept, KeptKind, Say, SelfPort, StorePort } from '../../../core/ports.ts';
import type { KeyedTarget } from '../../../core/service-target.ts';
import { scopeOf } from '../../../history/scope-of.ts';
import { HISTORY } from '../../../history/store.ts';
import { once } from '../once.ts';

interface StoreOptions {
  readonly isPreview: boolean;
  readonly self: SelfPort;
  readonly say: Say;
  target(): Promise<KeyedTarget>;
}

export interface OpenStore extends StorePort {
  close(): void;
}

export function createStore({ isPreview, self, say, target }: StoreOptions): OpenStore {
  const { env, flags } = self;
  const opened = new Map<KeptKind<Kept>, Kept>();
  const open = async <T extends Kept>(kind: KeptKind<T>): Promise<T> => {
    const found = opened.get(kind) ?? (isPreview ? kind.twin(self) : kind.open(self));
    opened.set(kind, found);
    return found as T;
  };
  const scope = once(async () => {
    const named = { flag: flags.organization, variable: env.PROC_ORGANIZATION };
    const here = await target();
    // For a key that belongs to a profile, the organization is known without the ledger. So a missing ledger
    // is not created.
    const needsNoFile = here.credentialProfile !== undefined && !opened.has(HISTORY);
    const history = needsNoFile ? HISTORY.twin(self) : await open(HISTORY);
    try {
      return await scopeOf(here, named, history, { keeps: !isPreview, say });
    } finally {
      if (needsNoFile) history.close();
    }
  });
  return {
    scope,
    open,
    close() {
      for (const one of opened.values()) one.close();
    },
  };
}
