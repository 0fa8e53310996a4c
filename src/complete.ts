import { answerCompletion } from './completion/answer.ts';
import { completionModel } from './completion-model.ts';
import { EXIT, type ExitCode } from './core/errors.ts';
import type { Env, Streams } from './core/io.ts';
import { withAbsoluteFolders, workingFolder } from './core/system.ts';
import { drain, writeOut } from './terminal/write.ts';

/**
 * Answers a press of Tab; never fails. It is bundled into a file of its own, because each file that Node
 * loads delays the answer.
 *
 * @param argv `__complete`, then what a script in `completions/` passes
 */
export async function main(
  [, ...argv]: readonly string[],
  { stdout }: Streams,
  env: Env,
): Promise<ExitCode> {
  try {
    const cwd = workingFolder(env);
    const own = withAbsoluteFolders(env, cwd);
    const answer = answerCompletion(await completionModel(), argv, own);
    await writeOut(stdout, answer);
    await drain(stdout);
  } catch {
    // An error message in the middle of a command line would only disturb.
  }
  return EXIT.done;
}
