import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { CommanderError } from 'commander';
import { EXIT, type ExitCode } from '../core/exit-codes.ts';
import { Previewed } from '../core/previewed.ts';
import { visibleLines } from '../terminal/sanitise.ts';
import { writeNow } from '../terminal/write.ts';
import { helpWidth } from './help/help-width.ts';
import { createProgram } from './program.ts';
import { createContext } from './wire/context.ts';
import type { OpenContext, Surroundings } from './wire/surroundings.ts';
import { withoutStrayKeys } from './words/stray-keys.ts';
import { UnknownWord, unknownCommand } from './words/unknown-word.ts';
import { usageError } from './words/usage-error.ts';

/** They lie beside the folder of the binary, which may have been started by a link. */
function examplesOf({ selfCommand }: Surroundings): string {
  const script = selfCommand[1] ?? '';
  return resolve(existsSync(script) ? realpathSync(script) : script, '../../examples');
}

/**
 * Parses and runs one command line; throws what ended it, having closed what it opened.
 *
 * @param onContext told once the flags were understood.
 */
export async function runCommandLine(
  argv: readonly string[],
  surroundings: Surroundings,
  onContext: (context: OpenContext) => void,
): Promise<ExitCode> {
  const { stdout } = surroundings.streams;
  let code: ExitCode = EXIT.done;
  let context: OpenContext | undefined;
  const program = createProgram(
    {
      async context(globals) {
        context = await createContext(surroundings, globals);
        onContext(context);
        return context;
      },
      examples: () => examplesOf(surroundings),
      done: (exitCode) => (code = exitCode),
    },
    (text) => writeNow(stdout, visibleLines(text)),
    helpWidth(stdout),
  );
  try {
    await program.parseAsync(argv, { from: 'user' });
  } catch (thrown) {
    if (thrown instanceof Previewed) code = await context!.render(thrown.result);
    else {
      const error = await errorOf(thrown, argv);
      if (error === undefined) return code;
      throw withoutStrayKeys(error, argv);
    }
  } finally {
    await context?.close();
  }
  return code;
}

/** What a user is told of what was thrown; undefined for help that was asked for. */
async function errorOf(thrown: unknown, argv: readonly string[]): Promise<unknown> {
  if (thrown instanceof UnknownWord) return unknownCommand(thrown);
  return thrown instanceof CommanderError ? usageError(thrown, argv) : thrown;
}
