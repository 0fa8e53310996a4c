import { command } from '../../core/command.ts';
import { ProcError } from '../../core/errors.ts';
import type { Result } from '../../core/result.ts';
import { show } from '../../core/validate.ts';
import { settingsMessages } from '../../messages/settings.ts';
import { confirmChange } from '../../terminal/confirm-change.ts';
import { applySteps, installSteps, SHELLS, shellOf } from '../install-plan.ts';
import { completionScripts, type Shell } from '../scripts.ts';

export const install = command({
  path: ['completion', 'install'],
  changes: 'local',
  prints: 'record',
  summary: 'Install completion for your shell',
  description:
    'Shows which files it would write, and asks; in a script, add --yes. Writes the completion script. For bash, zsh and powershell, also adds one line to the start-up file of the shell. If you run it again, it changes only what differs.',
  args: {
    shell: { doc: 'the shell (default: the one in SHELL)', optional: true, choices: SHELLS },
  },
  examples: [
    { run: 'proc completion install bash --dry-run', doc: 'show what it would write' },
    { run: 'proc completion install zsh --yes', doc: 'without asking' },
  ],
  needs: ['io', 'ask', 'self'],
  async plan({ args }, ports) {
    const shell = (args.shell as Shell | undefined) ?? shellOf(ports.self.env);
    if (shell === undefined) {
      const { SHELL } = ports.self.env;
      const why =
        SHELL === undefined || SHELL === ''
          ? 'SHELL is not set, so proc does not know your shell'
          : `proc has no completion for the shell in SHELL, ${show(SHELL)}`;
      throw new ProcError('invalid_usage', why, {
        hint: 'Name the shell that you use, e.g.: proc completion install bash',
      });
    }
    const steps = installSteps(shell, (await completionScripts())[shell], ports.self.env);
    const result = (): Result => ({
      kind: 'record',
      idField: 'shell',
      value: {
        shell,
        changed: steps.length > 0,
        writes: steps.map(({ file, what }) => ({ file, what })),
      },
    });
    return {
      would: result,
      async apply() {
        if (steps.length === 0) return result();
        if (!ports.self.flags.yes && ports.io.terminal.interactive) {
          const lines = steps.map(({ file, what }) => `  ${file}\n      ${what}`);
          ports.io.say({
            kind: 'notice',
            text: `To install completion, proc writes:\n${lines.join('\n')}`,
          });
        }
        await confirmChange(
          {
            question: async () => settingsMessages.completion.install(shell),
            what: `install completion, which writes ${steps.map(({ file }) => file).join(' and ')}`,
          },
          ports,
        );
        applySteps(steps);
        ports.io.say({ kind: 'notice', text: `To use completion, open a new ${shell}.` });
        return result();
      },
    };
  },
});
