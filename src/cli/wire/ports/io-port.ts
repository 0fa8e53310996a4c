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
  /** Print errors and messages as JSON lines, for scripts. */
  readonly json: boolean;
}

export function createIo({ streams, terminal, self, json }: IoOptions): IoPort {
  const { flags } = self;
  return {
    streams,
    terminal,
    say: createSay({ streams, terminal, json, quiet: flags.quiet }),
    complain: (error) =>
      writeNow(streams.stderr, renderError(error, { json, color: terminal.color.stderr })),
    lang: once(async (): Promise<Lang> => {
      if (flags.lang !== undefined) return flags.lang;
      // Output for scripts must not depend on the user's language.
      if (!terminal.interactive) return 'en';
      const [{ readSources }, { preferences }] = await Promise.all([
        import('../../../settings/read/resolve-target.ts'),
        import('../../../settings/read/preferences.ts'),
      ]);
      return preferences({ ...readSources(self), flags }).lang.value;
    }),
  };
}
