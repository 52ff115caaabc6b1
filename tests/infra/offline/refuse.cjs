// Loaded into Node before anything else, it refuses every connection that the process tries to open.
const refuse = () => {
  throw new Error("synthesis opened a connection");
};
require("net").Socket.prototype.connect = refuse;
require("dns").lookup = refuse;
globalThis.fetch = refuse;
