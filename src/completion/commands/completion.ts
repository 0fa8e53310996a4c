import { command } from '../../context.ts';
import { completionScripts, type Shell } from '../scripts.ts';

const SHELLS: readonly Shell[] = ['bash', 'zsh', 'fish', 'powershell'];

export const completion = command({
  path: ['completion'],
  changes: 'nothing',
  prints: 'text',
  summary: 'Print a shell completion script',
  description:
    'For this shell only: source <(proc completion bash). The script asks proc for completions as you type: commands, flags, profiles and runs.',
  args: { shell: { doc: 'your shell', choices: SHELLS } },
  examples: [
    { run: 'proc completion bash', doc: 'in ~/.bashrc: source <(proc completion bash)' },
    { run: 'proc completion fish', doc: 'in config.fish: proc completion fish | source' },
  ],
  async run(_ctx, args) {
    return { kind: 'text', text: (await completionScripts())[args.shell as Shell] };
  },
});
