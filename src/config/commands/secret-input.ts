import { text } from 'node:stream/consumers';
import type { Context } from '../../context.ts';
import type { FlagSpecs } from '../../core/command-spec.ts';
import { ProcError, withHint } from '../../core/errors.ts';
import {
  type Credential,
  cleanSecret,
  SCHEME_NAME,
  type Scheme,
  Secret,
} from '../../core/secret.ts';

/** Secrets are piped or typed at a hidden prompt: other users could read a flag's value in `ps`. */
export const SECRET_FLAGS = {
  apiKeyStdin: { kind: 'boolean', doc: 'read the API key from standard input' },
  tokenStdin: { kind: 'boolean', doc: 'read a bearer token from standard input' },
} as const satisfies FlagSpecs;

export async function pipedCredential(
  ctx: Context,
  flags: { readonly apiKeyStdin: boolean; readonly tokenStdin: boolean },
): Promise<Credential | undefined> {
  if (flags.apiKeyStdin && flags.tokenStdin) {
    throw new ProcError('invalid_usage', '--api-key-stdin and --token-stdin cannot be combined');
  }
  if (!flags.apiKeyStdin && !flags.tokenStdin) return undefined;
  const scheme: Scheme = flags.apiKeyStdin ? 'api-key' : 'bearer';
  const flag = flags.apiKeyStdin ? '--api-key-stdin' : '--token-stdin';
  const { stdin } = ctx.io.streams;
  if (stdin.isTTY === true) {
    const message = `${flag}: standard input is a terminal, which would show the secret`;
    throw new ProcError('invalid_usage', message, { hint: `Pipe it: proc … ${flag} < key.txt` });
  }
  const secret = cleanSecret(await text(stdin), scheme, flag, 'invalid_input');
  if (secret === '') throw new ProcError('invalid_input', `${flag}: standard input is empty`);
  return { scheme, secret: new Secret(secret) };
}

/** Asks until the answer is a valid API key; undefined for an empty answer. */
export async function askedApiKey(ctx: Context, message: string): Promise<Credential | undefined> {
  if (!ctx.io.terminal.interactive) {
    throw new ProcError('invalid_usage', `no ${SCHEME_NAME['api-key']} given`, {
      hint: `Pipe it: proc auth login --api-key-stdin < key.txt (or --token-stdin)`,
    });
  }
  for (;;) {
    const typed = await ctx.prompt.secret(message);
    try {
      const secret = cleanSecret(typed, 'api-key', 'The key', 'invalid_input');
      if (secret === '') return undefined;
      return { scheme: 'api-key', secret: new Secret(secret) };
    } catch (thrown) {
      if (!(thrown instanceof ProcError)) throw thrown;
      ctx.io.say({ kind: 'warning', text: withHint(thrown) });
    }
  }
}
