import type { Section } from '../../../../core/document/document.ts';
import type { ImportReportMessages } from '../../../../messages/reports/import-report.ts';
import type { Mapping, Rule } from '../../../map/mapping.ts';
import { columnsOf, type RunContent } from './row-table.ts';

export function mappingSection(content: RunContent): Section | undefined {
  const { header } = content.report;
  const { mapping, rules } = content.words;
  const { fields } = header.mapping as Mapping;
  const rows = Object.entries(fields).map(([field, rule]) => ({
    field,
    value: ruleText(rule, rules),
  }));
  if (header.groupBy !== undefined) rows.push({ field: mapping.groupBy, value: header.groupBy });
  if (rows.length === 0) return undefined;
  return {
    title: mapping.title,
    blocks: [
      {
        kind: 'table',
        title: mapping.table,
        sheet: mapping.title,
        columns: columnsOf(content, ['field', 'value']),
        rows,
        count: rows.length,
        most: undefined,
      },
    ],
  };
}

function ruleText(rule: Rule, words: ImportReportMessages['rules']): string {
  if ('column' in rule) return words.column(rule.column);
  if ('template' in rule) return words.template(rule.template);
  if ('jmespath' in rule) return words.expression(rule.jmespath);
  if ('constant' in rule) return words.constant(rule.constant);
  return words.from(rule.from);
}
