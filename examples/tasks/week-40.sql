WITH wanted(code, quantity) AS (VALUES ('FR-R92B-58', 4), ('HL-U509', 10)),
  ordered AS (
    SELECT items.code, lines.quantity FROM lines
    JOIN items ON items.id = lines.itemId
    JOIN groups ON groups.id = lines.groupId AND groups.deliveryMethod = 'pickup'
    JOIN requisitions ON requisitions.id = groups.requisitionId
      AND requisitions.title = 'Week 40' AND requisitions.sector IN ('road-bikes', 'sec-2', 'Road Bikes')
  )
SELECT
  (SELECT count(*) FROM requisitions) = 1 AND (SELECT count(*) FROM lines) = 2
    AND (SELECT count(*) FROM items) = 2
    AND (SELECT count(*) FROM ordered JOIN wanted USING (code, quantity)) = 2 AS right,
  (SELECT count(*) FROM items WHERE code IS NULL OR code NOT IN (SELECT code FROM wanted))
    + max((SELECT count(*) FROM requisitions) - 1, 0)
    + (SELECT count(*) FROM lines) - (SELECT count(*) FROM ordered JOIN wanted USING (code, quantity))
    + (SELECT count(*) FROM imputations) AS wrongWrites;
