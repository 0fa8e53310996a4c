// Replaces library parts that proc never uses, see scripts/build.mjs.
class Unused {
  constructor() {
    throw new Error('proc was built without this part');
  }
}
module.exports = Unused;
module.exports.default = Unused;
// undici's main module creates one when it is loaded.
module.exports.CacheStorage = class {};
