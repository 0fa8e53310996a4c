proc items import examples/catalog.csv --where 'SKU in FR-R92B-58,HL-U509' --map code=SKU --map name=Product --yes
proc requisition create --title 'Week 40' --sector 'name=Road Bikes' --group delivery=pickup \
  --item code=FR-R92B-58,quantity=4 --item code=HL-U509,quantity=10 --once week-40 --yes
