import type { Command } from '../core/command.ts';
import type { AllPorts, PortName, Ports } from '../core/ports.ts';
import type { Result } from '../core/result.ts';

export interface Carrier {
  readonly isPreview: boolean;
  readonly io: Pick<AllPorts['io'], 'say' | 'terminal'>;
  give<Names extends PortName>(needs: readonly Names[]): Promise<Ports<Names>>;
}

/** Runs a command. Under `--dry-run`, shows a plan instead of applying it. No other code applies plans. */
export async function carryOut(
  command: Command,
  input: object,
  { give, isPreview, io }: Carrier,
): Promise<Result> {
  const ports = await give(command.needs);
  if (command.changes !== 'local') return command.run(input as never, ports);
  const plan = await command.plan(input as never, ports);
  if (!isPreview) return plan.apply();
  const result = await plan.would();
  if (io.terminal.stderrIsTerminal) {
    io.say({ kind: 'notice', text: 'Dry run: nothing was changed.' });
  }
  return result.kind === 'record'
    ? { ...result, value: { dryRun: true, ...result.value } }
    : result;
}
