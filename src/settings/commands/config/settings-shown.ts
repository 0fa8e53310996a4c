import type { ProcError } from '../../../core/errors.ts';
import type { Ports } from '../../../core/ports.ts';

export const COLUMNS = [
  { key: 'key', header: 'setting', priority: 3 },
  { key: 'value', header: 'value', priority: 3 },
  { key: 'origin', header: 'from', priority: 2 },
  { key: 'place', header: 'place' },
] as const;

export function tell(ports: Ports<'io'>, problems: readonly ProcError[]): void {
  for (const problem of problems) {
    const hint = problem.hint === undefined ? '' : ` ${problem.hint}`;
    ports.io.say({ kind: 'warning', text: `${problem.message}.${hint}` });
  }
}
