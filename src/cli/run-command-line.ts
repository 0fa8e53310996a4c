import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { CommanderError } from 'commander';
import { EXIT, type ExitCode } from '../core/exit-codes.ts';
import { visibleLines } from '../terminal/sanitise.ts';
import { writeNow } from '../terminal/write.ts';
import { helpStyle } from './help/help-style.ts';
import { createProgram } from './program.ts';
import { openPorts } from './wire/open-ports.ts';
import type { OpenPorts, Surroundings } from './wire/surroundings.ts';
import { checkWords } from './words/check-words.ts';
import { withoutStrayKeys } from './words/stray-keys.ts';

/** They lie beside the folder of the binary, which may have been started by a link. */
function examplesOf({ selfCommand }: Surroundings): string {
  const script = selfCommand[1] ?? '';
  return resolve(existsSync(script) ? realpathSync(script) : script, '../../examples');
}

/**
 * Parses and runs one command line; throws what ended it, having closed what it opened.
 *
 * @param onOpen told once the flags were understood.
 */
export async function runCommandLine(
  argv: readonly string[],
  surroundings: Surroundings,
  onOpen: (open: OpenPorts) => void,
): Promise<ExitCode> {
  const { streams, env } = surroundings;
  let code: ExitCode = EXIT.done;
  let open: OpenPorts | undefined;
  const program = createProgram(
    {
      async ports(flags) {
        open = await openPorts(surroundings, flags);
        onOpen(open);
        return open;
      },
      examples: () => visibleLines(examplesOf(surroundings)),
      done: (exitCode) => (code = exitCode),
    },
    (text) => writeNow(streams.stdout, text),
    (color) => helpStyle(streams, env, color),
  );
  try {
    await checkWords(argv);
    await program.parseAsync(argv, { from: 'user' });
  } catch (thrown) {
    if (!isHelp(thrown)) throw withoutStrayKeys(thrown, argv);
  } finally {
    await open?.close();
  }
  return code;
}

/** Help and the version, which were asked for, leave commander as an error. */
function isHelp(thrown: unknown): boolean {
  return thrown instanceof CommanderError && /^commander\.(help|version)/.test(thrown.code);
}
