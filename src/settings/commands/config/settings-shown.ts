import type { ProcError } from '../../../core/errors.ts';
import type { Ports } from '../../../core/ports.ts';

export const COLUMNS = [
  { key: 'key', header: 'SETTING', priority: 3 },
  { key: 'value', header: 'VALUE', priority: 3 },
  { key: 'origin', header: 'FROM', priority: 2 },
  { key: 'place', header: 'PLACE' },
] as const;

export function tell(ports: Ports<'io'>, problems: readonly ProcError[]): void {
  for (const problem of problems) {
    const hint = problem.hint === undefined ? '' : ` ${problem.hint}`;
    ports.io.say({ kind: 'warning', text: `${problem.message}.${hint}` });
  }
}
