import { inShell } from '../../core/text/typed.ts';
import type { RunHeader } from '../ledger/header.ts';

export function stageAgainHint({ run, noun, source }: RunHeader): string {
  const file = source.name === 'standard input' ? '-' : inShell(source.name);
  return `Discard the run: proc imports discard ${inShell(run)}. Then stage its file again with the same flags: proc ${noun} import ${file} --stage`;
}
