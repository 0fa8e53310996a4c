import '../unit/listing/seen-keys.test.ts';
