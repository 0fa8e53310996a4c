import { main } from '../../src/main.ts';
import type { Ran } from './run.ts';
import { type MemoryOptions, memoryStreams } from './streams.ts';

/**
 * One command line through `main` in this process: everything but the binary's door, and fast enough
 * for matrices of cases. Loopback HTTP and files are real.
 */
export async function runHere(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  options: MemoryOptions = {},
): Promise<Ran> {
  const streams = memoryStreams({ stdin: '', ...options });
  const exitCode = await main(args, streams, env);
  return { exitCode, stdout: streams.stdoutText(), stderr: streams.stderrText() };
}
