import { inShell } from '../../core/text/typed.ts';
import type { RunHeader } from '../ledger/header.ts';

/** The hint of an error after which the file of a run has to be staged again. */
export function stageAgainHint({ run, noun, source }: RunHeader): string {
  const file = source.name === 'standard input' ? '-' : inShell(source.name);
  return `Discard the run: proc imports discard ${inShell(run)}. Then stage its file again with the same flags: proc ${noun} import ${file} --stage`;
}
