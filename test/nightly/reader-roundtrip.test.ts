import '../unit/import/reader-roundtrip.test.ts';
