import { ProcError } from '../../core/errors.ts';
import { type ResolveInput, readSources } from './resolve-target.ts';

/**
 * The output format that project file or configuration set; undefined where neither does, or where
 * one cannot be read: commands that mend the settings must still be able to answer.
 */
export function outputSetting(
  input: Pick<ResolveInput, 'flags' | 'env' | 'cwd'>,
): string | undefined {
  try {
    const { project, config } = readSources(input);
    return project?.output ?? config.output;
  } catch (thrown) {
    if (thrown instanceof ProcError) return undefined;
    throw thrown;
  }
}
