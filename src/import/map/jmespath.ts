import { compile, TreeInterpreter, tokenize } from '@jmespath-community/jmespath';
import { messageOf, ProcError } from '../../core/errors.ts';
import { checkExpression } from '../../core/text/expression.ts';

type Data = Parameters<typeof TreeInterpreter.search>[1];

/** Throws the library's errors. */
export type Search = (fields: Readonly<Record<string, unknown>>) => unknown;

/** Compiles the expression after `jmes:`. Throws `invalid_usage`. */
export function compileExpression(expression: string, field: string): Search {
  checkExpression(expression, `--map ${field}=jmes:…`);
  try {
    const compiled = compile(expression);
    return (fields) => TreeInterpreter.search(compiled, fields as Data);
  } catch (thrown) {
    throw new ProcError(
      'invalid_usage',
      `--map ${field}=jmes:${expression} is not a valid JMESPath expression: ${messageOf(thrown)}`,
      { hint: `Use e.g. --map '${field}=jmes:product.name'`, cause: thrown },
    );
  }
}

/** All names in an expression. Some may be columns. */
export function namesIn(expression: string): readonly string[] {
  return tokenize(expression)
    .filter(({ type }) => ['UnquotedIdentifier', 'QuotedIdentifier'].includes(String(type)))
    .map(({ value }) => String(value));
}
