import { GLOBAL_FLAGS } from '../flags/globals.ts';
import { ROOT } from './command-place.ts';
import { takeFlags } from './take-flags.ts';

/**
 * `proc schema --output orders list` becomes `proc schema --prints orders list`. `--output json`
 * stays.
 */
export function withSchemaOutput(argv: readonly string[]): readonly string[] {
  const noun = argv.indexOf('schema');
  const at = noun < 0 ? -1 : argv.findIndex((_, index) => index > noun && isMeant(argv, index));
  if (at < 0) return argv;
  const { operands } = takeFlags(argv.slice(0, noun + 1), ROOT);
  return operands[0] === 'schema' ? argv.with(at, '--prints') : argv;
}

function isMeant(argv: readonly string[], index: number): boolean {
  const formats: readonly string[] = GLOBAL_FLAGS.output.choices;
  return argv[index] === '--output' && !formats.includes(argv[index + 1] ?? '');
}
