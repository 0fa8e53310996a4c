import { hostname } from 'node:os';
import type { Env, Terminal } from '../core/ports.ts';
import { VERSION } from '../core/proc-version.ts';

export interface Writer {
  /** `terminal`, `script`, `ci`, or the name in `AI_AGENT`. */
  readonly actor: string;
  readonly host: string;
  readonly version: string;
}

const LONGEST_NAME = 100;

export function writerOf(env: Env, { interactive }: Pick<Terminal, 'interactive'>): Writer {
  return { actor: actorOf(env, interactive), host: hostname(), version: VERSION };
}

function actorOf({ AI_AGENT = '', CI = '' }: Env, interactive: boolean): string {
  const name = AI_AGENT.trim().slice(0, LONGEST_NAME);
  if (name !== '') return name;
  if (!['', '0', 'false'].includes(CI.toLowerCase())) return 'ci';
  return interactive ? 'terminal' : 'script';
}
