// With more files: see `atNight`.
import '../unit/import/source-csv.test.ts';
import '../unit/import/source-json.test.ts';
import '../unit/import/source-xlsx.test.ts';
