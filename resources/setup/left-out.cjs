// Stands in for packages that dockerode loads for what the agent never does: SSH to a remote engine, BuildKit
// sessions. Left in, they are two thirds of the bundle and 15 MB of memory.
module.exports = {}
