proc items import examples/catalog.csv --where Category=Components --where Color=Black \
  --map code=SKU --map name=Product --set unitOfMeasure=EA --yes
