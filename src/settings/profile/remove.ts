import { command } from '../../core/command.ts';
import { ProcError } from '../../core/errors.ts';
import { typedAgain } from '../../core/typed.ts';
import { messagesFor } from '../asking.ts';
import { storedEnvironment, storedProfile } from '../edits.ts';

export const remove = command({
  path: ['profile', 'remove'],
  summary: 'Remove a profile, or with -e one environment, with the keys stored there',
  args: { name: { doc: 'profile', from: 'proc profile list' } },
  examples: [
    { run: 'proc profile remove acme -e staging', doc: 'One environment only' },
    { run: 'proc profile remove acme', doc: 'The whole profile' },
  ],
  exitCodes: [3],
  async handler({ args }, ctx) {
    const settings = await ctx.settings();
    const profile = args.name.normalize('NFC');
    const environment = ctx.globals.env;
    const before = settings.config();
    const stored = storedProfile(before, profile);
    const affected =
      environment === undefined
        ? Object.values(stored.environments)
        : [storedEnvironment(before, profile, environment).settings];
    const hasKey = affected.some((one) => one.credential !== undefined);
    if (hasKey && !ctx.globals.yes && !ctx.terminal.interactive) {
      throw new ProcError(
        'confirmation_required',
        `removing ${profile} removes its key, and nobody can be asked here`,
        {
          hint: `Add --yes: ${typedAgain(ctx.typed, ['--yes'])}`,
        },
      );
    }
    if (hasKey && !ctx.globals.yes) {
      const messages = await messagesFor(ctx);
      const what = environment === undefined ? profile : `${profile}/${environment}`;
      if (!(await (await ctx.prompts()).confirm(messages.profile.removeWithKey(what), false))) {
        ctx.say({ kind: 'notice', text: 'Nothing was removed' });
        return { kind: 'none' };
      }
    }
    let wasCurrent = false;
    await settings.update((draft) => {
      const now = storedProfile(draft, profile);
      if (environment === undefined) {
        delete draft.profiles![profile];
        wasCurrent = draft.profile === profile;
        if (wasCurrent) delete draft.profile;
        return;
      }
      storedEnvironment(draft, profile, environment);
      delete now.environments[environment];
      if (now.defaultEnvironment === environment) delete now.defaultEnvironment;
    });
    if (wasCurrent) {
      const text = `No profile is current now: commands go to the built-in sandbox. Choose one: proc profile use NAME`;
      ctx.say({ kind: 'notice', text });
    }
    const value = { profile, environment: environment ?? null, removed: true };
    return { kind: 'record', value, idField: 'profile' };
  },
});
