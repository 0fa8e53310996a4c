import { type Cluster, query } from './postgres.ts';
import { freshWorld, type World } from './run.ts';
import type { LoggedSandbox } from './service.ts';

/** Machines with state folders of their own that share a ledger and a service. */
export interface Team {
  /** Of the ledger. */
  readonly url: string;
  machine(): Promise<World>;
  /** As if 30 s had passed since the last renewal. */
  expireLocks(): Promise<void>;
}

/** @param ledger how the machines reach it; by default directly */
export async function teamAt(
  service: LoggedSandbox,
  cluster: Cluster,
  ledger?: string,
): Promise<Team> {
  const url = ledger ?? (await cluster.database());
  return {
    url,
    machine: () =>
      freshWorld({
        ...service.target,
        PROC_LEDGER: url,
        PROC_LEDGER_LOOPBACK: '1',
        HOME: '/nowhere',
      }),
    expireLocks: async () => void (await query(url, 'UPDATE locks SET expires = 0')),
  };
}

export function itemsCsv(from: number, to: number): string {
  const rows = Array.from({ length: to - from + 1 }, (_, at) => `Part ${from + at},P-${from + at}`);
  return `name,code\n${rows.join('\n')}\n`;
}
