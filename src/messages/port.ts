import type { Lang } from '../core/text/phrase.ts';

declare module '../core/command.ts' {
  interface Context {
    /**
     * Language of questions: `--lang`; on a terminal also `PROC_LANG`, the configuration and the
     * locale; else English.
     */
    lang(): Promise<Lang>;
  }
}
