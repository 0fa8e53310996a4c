import '../unit/listing/search.test.ts';
