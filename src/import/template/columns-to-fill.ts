import type { Lang } from '../../core/text/phrase.ts';
import type { ImportField, TargetFields } from '../targets/import-target.ts';

export interface TemplateColumn {
  readonly field: string;
  readonly header: string;
  readonly kind: ImportField['kind'];
  readonly isRequired: boolean;
  readonly choices: readonly string[] | undefined;
  readonly example: string | number | undefined;
}

/** The columns of a template: fields with `fill`. English headers are the field names. */
export function columnsToFill({ fields }: TargetFields, lang: Lang): readonly TemplateColumn[] {
  return fields.flatMap(({ name, kind, choices, fill }) => {
    if (fill === undefined) return [];
    const { es, isRequired = false, example } = fill;
    return [
      {
        field: name,
        header: lang === 'es' ? es : name,
        kind,
        isRequired,
        choices: choices === undefined ? undefined : Object.keys(choices),
        example: typeof example === 'object' ? example[lang] : example,
      },
    ];
  });
}

/**
 * proc maps a file with all headers of the Spanish template without asking. The file may have other
 * headers too.
 */
export function isSpanishTemplate(columns: readonly string[], { fields }: TargetFields): boolean {
  const headers = fields.flatMap(({ fill }) => (fill === undefined ? [] : [fill.es]));
  return headers.length > 0 && headers.every((header) => columns.includes(header));
}
