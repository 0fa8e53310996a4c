import type { Ran, World } from './run.ts';

export interface ShownEntry {
  readonly id: string;
  readonly at: string;
  readonly state: string;
  readonly noun: string;
  readonly what: string;
  readonly created: string | null;
  readonly method: string;
  readonly path: string;
  readonly status: number | null;
  readonly message: string | null;
  readonly profile: string | null;
  readonly environment: string | null;
  readonly baseUrl: string;
  readonly payload?: unknown;
  readonly before?: unknown;
  readonly response?: unknown;
}

export async function listed(world: World, ...flags: string[]): Promise<ShownEntry[]> {
  return parsed(await world.run(['history', 'list', ...flags])) as ShownEntry[];
}

export async function shown(world: World, id: string): Promise<ShownEntry> {
  return parsed(await world.run(['history', 'show', id])) as ShownEntry;
}

export function parsed({ exitCode, stdout, stderr }: Ran): unknown {
  if (exitCode !== 0) throw new Error(`exit ${exitCode}: ${stderr}`);
  return JSON.parse(stdout);
}
