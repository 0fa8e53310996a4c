import { ProcError } from '../../core/errors.ts';
import { type ResolveInput, readSources } from './resolve-target.ts';

/**
 * The output format from the project file or the configuration. Undefined if a file cannot be read,
 * because commands that repair the settings must still work.
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
