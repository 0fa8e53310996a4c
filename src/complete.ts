import { completionModel } from './cli/completion-model.ts';
import { answerCompletion } from './completion/answer.ts';
import { EXIT, type ExitCode } from './core/exit-codes.ts';
import type { Env, Streams } from './core/ports.ts';
import { workingFolder } from './core/working-folder.ts';
import { drain, writeOut } from './terminal/write.ts';

/**
 * Answers a press of Tab, and fails never. A program of its own beside `main.ts`, in one small file:
 * who presses Tab waits for it.
 *
 * @param argv `__complete`, then what a script of `completions/` hands over.
 */
export async function main(
  [, ...argv]: readonly string[],
  { stdout }: Streams,
  env: Env,
): Promise<ExitCode> {
  try {
    const answer = answerCompletion(await completionModel(), argv, env, workingFolder(env));
    await writeOut(stdout, answer);
    await drain(stdout);
  } catch {
    // Whatever is wrong, a person who presses Tab is not the one to tell.
  }
  return EXIT.done;
}
