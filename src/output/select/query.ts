import { compile, TreeInterpreter, tokenize } from '@jmespath-community/jmespath';
import { messageOf, ProcError } from '../../core/errors.ts';
import { checkExpression } from '../../core/text/expression.ts';
import type { Query } from '../format-loader.ts';

type Compiled = ReturnType<typeof compile>;
type Data = Parameters<typeof TreeInterpreter.search>[1];

/**
 * Compiles a JMESPath expression (`--query`). Numbers that JSON would round keep all digits, but cannot be compared
 * or added.
 *
 * @throws ProcError `invalid_usage` with the position of the error
 */
export function compileQuery(expression: string): Query {
  checkExpression(expression, '--query');
  const compiled = parsed(expression);
  const query = (data: unknown): unknown => {
    try {
      return withoutFunctions(TreeInterpreter.search(compiled, data as Data));
    } catch (thrown) {
      throw new ProcError('invalid_usage', `--query: ${messageOf(thrown)}`, {
        hint: 'Try the expression on the whole result first: --query @ -o json',
      });
    }
  };
  return Object.assign(query, { reads: readsOf(compiled) });
}

/** Functions that turn values into names of fields. */
const NAMING = new Set(['from_items', 'group_by', 'merge', 'zip']);

function readsOf(compiled: Compiled): ReadonlySet<string> | undefined {
  const reads = new Set<string>();
  const makes = new Set<string>();
  let isKnown = true;
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { type, name } = node as { readonly type?: unknown; readonly name?: unknown };
    if (typeof name === 'string') {
      if (type === 'Field') reads.add(name);
      else if (type === 'KeyValuePair') makes.add(name);
      else if (type === 'Function' && NAMING.has(name)) isKnown = false;
    }
    // The fields of a literal are not those of a row.
    if (type === 'Literal') isKnown &&= typeof (node as { value?: unknown }).value !== 'object';
    else for (const inner of Object.values(node)) visit(inner);
  };
  visit(compiled);
  return isKnown ? new Set([...reads].filter((name) => !makes.has(name))) : undefined;
}

function parsed(expression: string): Compiled {
  try {
    return compile(expression);
  } catch (thrown) {
    const position = failsAt(expression);
    const reason = messageOf(thrown).replace(/^syntax( error)?: /i, '');
    const place =
      position >= expression.trimEnd().length ? 'at its end' : `at character ${position + 1}`;
    throw new ProcError(
      'invalid_usage',
      `--query is not a valid JMESPath expression (error ${place}): ${expression}`,
      {
        hint: "Use e.g. --query '[].code', or --query '[?amount > `1000`].{code: code, amount: amount}'",
        details: { position: position + 1, reason },
        cause: thrown,
      },
    );
  }
}

/**
 * The library does not report the position of a syntax error. So longer and longer prefixes are
 * compiled: the first error that is not `EOF` (incomplete) shows the wrong token.
 */
function failsAt(expression: string): number {
  let good = expression.length;
  while (good > 0 && !succeeds(() => tokenize(expression.slice(0, good)))) good--;
  const tokens = tokenize(expression.slice(0, good)).filter(({ type }) => String(type) !== 'EOF');
  for (const [index, token] of tokens.entries()) {
    const end = tokens[index + 1]?.start ?? good;
    try {
      compile(expression.slice(0, end));
    } catch (thrown) {
      if (!messageOf(thrown).includes('EOF')) return token.start;
    }
  }
  return good;
}

function succeeds(action: () => unknown): boolean {
  try {
    action();
    return true;
  } catch {
    return false;
  }
}

/** `[0].toString` is a method in JavaScript, but not in JMESPath. */
function withoutFunctions(value: unknown): unknown {
  if (typeof value === 'function' || value === undefined) return null;
  if (Array.isArray(value) && value.some((one) => typeof one === 'function')) {
    return value.filter((one) => typeof one !== 'function');
  }
  return value;
}
