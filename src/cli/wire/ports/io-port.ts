import { once } from '../../../core/once.ts';
import type { IoPort, SelfPort, Streams, Terminal } from '../../../core/ports.ts';
import type { Lang } from '../../../core/text/phrase.ts';
import { renderError } from '../../../output/render-error.ts';
import { createSay } from '../../../terminal/say.ts';
import { writeNow } from '../../../terminal/write.ts';

interface IoOptions {
  readonly streams: Streams;
  readonly terminal: Terminal;
  readonly self: SelfPort;
  readonly json: boolean;
}

export function createIo({ streams, terminal, self, json }: IoOptions): Omit<IoPort, 'showsTable'> {
  const { flags } = self;
  const preferred = async (): Promise<Lang> => {
    const [{ readSources }, { preferences }] = await Promise.all([
      import('../../../settings/read/resolve-target.ts'),
      import('../../../settings/read/preferences.ts'),
    ]);
    const usesLocale = terminal.interactive;
    return preferences({ ...readSources(self), flags, usesLocale }).lang.value;
  };
  return {
    streams,
    terminal,
    say: createSay({ streams, terminal, json, quiet: flags.quiet }),
    complain: (error) =>
      writeNow(streams.stderr, renderError(error, { json, color: terminal.color.stderr })),
    lang: once(
      // Output for scripts must not depend on the user's language.
      async (): Promise<Lang> => flags.lang ?? (terminal.interactive ? preferred() : 'en'),
    ),
    reportLang: once(async (): Promise<Lang> => flags.lang ?? preferred()),
  };
}
