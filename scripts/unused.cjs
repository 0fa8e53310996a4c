// Stands in the bundle for library parts that proc never reaches (scripts/build.mjs).
class Unused {
  constructor() {
    throw new Error('proc was built without this part');
  }
}
module.exports = Unused;
module.exports.default = Unused;
