import { type ScalarTag, stringify, type Tags } from 'yaml';
import { isRawNumber } from '../../core/text/raw-number.ts';
import { escapeJson, hasControls } from '../../terminal/sanitise.ts';

/** Text with control characters: in double quotes with `\u` escapes, so that the file is safe to display. */
const controlText: ScalarTag = {
  tag: 'tag:yaml.org,2002:str',
  default: true,
  identify: (value) => typeof value === 'string' && hasControls(value.replace(/[\n\t]/g, '')),
  resolve: (text) => text,
  stringify: ({ value }) => escapeJson(JSON.stringify(value)),
};

/** Numbers that JSON would round keep their original digits. */
const rawNumber: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  identify: isRawNumber,
  resolve: (text) => text,
  stringify: ({ value }) => (isRawNumber(value) ? value.rawJSON : String(value)),
};

/** Quotes text such as `no` and dates, so that YAML 1.1 readers get the same value. */
export function toYaml(value: unknown): string {
  return stringify(value, {
    lineWidth: 0,
    aliasDuplicateObjects: false,
    compat: 'yaml-1.1',
    customTags: (tags: Tags): Tags => [rawNumber, controlText, ...tags],
  });
}
