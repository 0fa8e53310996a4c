import { CommanderError } from 'commander';
import { EXIT, type ExitCode } from '../core/exit-codes.ts';
import { writeNow } from '../terminal/write.ts';
import type { Runtime } from './bind.ts';
import { helpStyle } from './help/help-style.ts';
import { examplesFolder, packageFolder } from './help/package-folder.ts';
import { createProgram } from './program.ts';
import { loadManPage } from './registry.ts';
import { type LimitedSignal, limitedBy } from './wire/deadline.ts';
import { openPorts } from './wire/open-ports.ts';
import type { OpenPorts, Surroundings } from './wire/surroundings.ts';
import { checkWords } from './words/check-words.ts';
import { withSchemaOutput } from './words/schema-output.ts';
import { withoutStrayKeys } from './words/stray-keys.ts';

/** @throws the error that ended the command, after the ports are closed */
export async function runCommandLine(
  argv: readonly string[],
  surroundings: Surroundings,
  onOpen: (open: OpenPorts) => void,
): Promise<ExitCode> {
  const { streams, env } = surroundings;
  let code: ExitCode = EXIT.done;
  let open: OpenPorts | undefined;
  let limited: LimitedSignal | undefined;
  const runtime: Omit<Runtime, 'helpStyle'> = {
    async ports(flags) {
      limited = limitedBy(surroundings.signal, flags.deadlineMs);
      open = await openPorts({ ...surroundings, signal: limited.signal }, flags);
      onOpen(open);
      return open;
    },
    env,
    examples: () => examplesFolder(surroundings),
    async manPage(noun) {
      (await loadManPage())(packageFolder('man', surroundings), noun, streams);
    },
    done: (exitCode) => (code = exitCode),
  };
  try {
    const checked = await checkWords(withSchemaOutput(argv));
    const program = createProgram(
      runtime,
      (text) => writeNow(streams.stdout, text),
      (color) => helpStyle(streams, env, color),
      checked.path,
    );
    await program.parseAsync(checked.argv, { from: 'user' });
  } catch (thrown) {
    if (!isHelp(thrown)) throw withoutStrayKeys(thrown, argv);
  } finally {
    await open?.close();
    limited?.release();
  }
  return code;
}

/** Commander throws even if it only showed help or the version. */
function isHelp(thrown: unknown): boolean {
  return thrown instanceof CommanderError && /^commander\.(help|version)/.test(thrown.code);
}
