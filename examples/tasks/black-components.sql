-- 42 codes, each once, with name and unit; one of them as a sample.
SELECT
  count(DISTINCT code) = 42 AND count(*) = 42 AND sum(unitOfMeasure = 'EA') = 42
    AND sum(code = 'FR-R92B-58' AND name = 'HL Road Frame - Black, 58') = 1 AS right,
  count(*) - count(DISTINCT code) + coalesce(sum(unitOfMeasure IS NOT 'EA'), 0)
    + (SELECT count(*) FROM imputations) + (SELECT count(*) FROM requisitions) AS wrongWrites
FROM items;
