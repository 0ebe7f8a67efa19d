declare module 'ssh2/lib/protocol/crypto.js' {
  const crypto: { bindingAvailable: boolean }
  export default crypto
}
