// Replaces library parts that proc never uses, see scripts/build.mjs.
class Unused {
  constructor() {
    throw new Error('proc was built without this part');
  }
}
module.exports = Unused;
module.exports.default = Unused;
