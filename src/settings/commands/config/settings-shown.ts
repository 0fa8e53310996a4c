import type { Context } from '../../../core/command.ts';
import type { ProcError } from '../../../core/errors.ts';

export const COLUMNS = [
  { key: 'key', header: 'setting', priority: 3 },
  { key: 'value', header: 'value', priority: 3 },
  { key: 'origin', header: 'from', priority: 2 },
  { key: 'place', header: 'place' },
] as const;

export function tell(ctx: Context, problems: readonly ProcError[]): void {
  for (const problem of problems) {
    const hint = problem.hint === undefined ? '' : ` ${problem.hint}`;
    ctx.say({ kind: 'warning', text: `${problem.message}.${hint}` });
  }
}
