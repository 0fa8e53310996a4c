import type { Command, Context } from '../core/command.ts';
import type { Result } from '../core/result.ts';

/** Runs a command. The only place that applies a plan: nothing is changed under `--dry-run`. */
export async function carryOut(spec: Command, input: object, ctx: Context): Promise<Result> {
  if (spec.changes !== 'local') return spec.handler(input as never, ctx);
  const plan = await spec.plan(input as never, ctx);
  if (!ctx.previewing) return plan.apply();
  const result = await plan.would();
  if (ctx.terminal.stderrIsTerminal) {
    ctx.say({ kind: 'notice', text: 'Dry run: nothing was changed.' });
  }
  return result.kind === 'record'
    ? { ...result, value: { dryRun: true, ...result.value } }
    : result;
}
